#include "takt/core/id.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>
#include <unordered_map>

namespace takt {
namespace {

struct Apple;
struct Pear;

TEST(Id, DefaultIsNull) {
  Id<Apple> const id;
  EXPECT_TRUE(id.is_null());
  EXPECT_FALSE(id);
  EXPECT_EQ(id.to_u64(), 0u);
}

TEST(Id, WireFormIsGenerationThenIndex) {
  Id<Apple> const id{0x89abcdefu, 0x01234567u};
  EXPECT_EQ(id.to_u64(), 0x0123456789abcdefu);
  EXPECT_EQ(Id<Apple>::from_u64(0x0123456789abcdefu), id);
  EXPECT_TRUE(id);
}

TEST(Id, AnIndexWithoutGenerationIsNull) { EXPECT_TRUE(Id<Apple>::from_u64(5).is_null()); }

TEST(Id, OrderIsByIndexThenGeneration) {
  EXPECT_LT((Id<Apple>{1, 9}), (Id<Apple>{2, 1}));
  EXPECT_LT((Id<Apple>{1, 1}), (Id<Apple>{1, 2}));
}

TEST(Id, TextIsTheDecimalNumberOfTheWireForm) {
  EXPECT_EQ(to_string(Id<Apple>{}), "0");
  EXPECT_EQ(to_string(Id<Apple>{7, 1}), "4294967303");
  EXPECT_EQ(to_string(Id<Apple>::from_u64(std::numeric_limits<std::uint64_t>::max())),
            "18446744073709551615");
}

TEST(Id, IsAKeyOfUnorderedContainers) {
  std::unordered_map<Id<Apple>, std::string> names;
  names[{1, 1}] = "first";
  names[{1, 2}] = "its successor";
  names[{2, 1}] = "second";
  EXPECT_EQ(names.size(), 3u);
  EXPECT_EQ(names.at({1, 2}), "its successor");
  EXPECT_FALSE(names.contains({2, 2}));
}

// Tables of a power of two use the lower bits, and both parts of an id count from small numbers.
TEST(Id, HashesOfNeighboursSpreadInTheirLowerBits) {
  std::set<std::size_t> of_indices, of_generations;
  for (std::uint32_t i = 0; i < 256; ++i) {
    of_indices.insert(std::hash<Id<Apple>>()({i, 1}) % 256);
    of_generations.insert(std::hash<Id<Apple>>()({1, i + 1}) % 256);
  }
  EXPECT_GT(of_indices.size(), 128u);  // of 256; a random function has 162
  EXPECT_GT(of_generations.size(), 128u);
}

template <class A, class B>
concept Mixes = requires(A a, B b) {
  a == b;
}
|| requires(A a, B b) { a = b; };
static_assert(!Mixes<Id<Apple>, Id<Pear>>, "ids of different kinds must not mix");

}  // namespace
}  // namespace takt
