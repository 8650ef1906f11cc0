#include "client_sdk/cpp/part_collector.h"

#include <gtest/gtest.h>

namespace takt::client {
namespace {

using Items = std::vector<int>;

TEST(PartCollector, AListIsWholeOnceAllItsPartsAreHereInTheirOrder) {
  PartCollector<int> collector;
  EXPECT_FALSE(collector.handle_part(10, 2, 3, {5}));
  EXPECT_FALSE(collector.handle_part(10, 0, 3, {1, 2}));
  EXPECT_FALSE(collector.handle_part(10, 2, 3, {5})) << "a copy fills no gap";
  EXPECT_EQ(collector.handle_part(10, 1, 3, {3, 4}), (Items{1, 2, 3, 4, 5}));
  EXPECT_FALSE(collector.handle_part(10, 1, 3, {3, 4})) << "told once";
}

TEST(PartCollector, AnEmptyListIsAList) {
  PartCollector<int> collector;
  EXPECT_EQ(collector.handle_part(10, 0, 1, {}), Items{});
}

TEST(PartCollector, ANewerListGivesUpTheOneBeforeAndIsNotDisturbedByIt) {
  PartCollector<int> collector;
  EXPECT_FALSE(collector.handle_part(10, 0, 2, {1}));
  EXPECT_FALSE(collector.handle_part(16, 0, 2, {7}));
  EXPECT_FALSE(collector.handle_part(10, 1, 2, {2}));
  EXPECT_EQ(collector.handle_part(16, 1, 2, {8}), (Items{7, 8}));
}

TEST(PartCollector, ForgetsTicksWhenAnotherWorldBegins) {
  PartCollector<int> collector;
  EXPECT_TRUE(collector.handle_part(5000, 0, 1, {1}));
  EXPECT_FALSE(collector.handle_part(4, 0, 1, {2}));
  collector.clear();
  EXPECT_EQ(collector.handle_part(4, 0, 1, {2}), Items{2});
}

}  // namespace
}  // namespace takt::client
