// A program that is talked to by lines, and does not do its part.
#include "cli/line_child.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace takt::cli {
namespace {

LineChild::Deadline soon() { return std::chrono::steady_clock::now() + std::chrono::milliseconds(300); }

TEST(LineChild, SaysThatAChildReadsNothing) {
  auto child = LineChild::start({"sleep", "60"});
  ASSERT_TRUE(child.ok()) << child.error().text;
  auto const written = child->write(std::string(1'000'000, 'x'), soon());
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().text, "it read nothing within the time limit");
}

TEST(LineChild, SaysThatAChildAnswersNothing) {
  auto child = LineChild::start({"sleep", "60"});
  ASSERT_TRUE(child.ok()) << child.error().text;
  auto const line = child->read(soon(), 100);
  ASSERT_FALSE(line.ok());
  EXPECT_EQ(line.error().text, "it answered nothing within the time limit");
}

TEST(LineChild, SaysHowAChildEndedAndSaysSoAgain) {
  auto child = LineChild::start({"sh", "-c", "exit 3"});
  ASSERT_TRUE(child.ok()) << child.error().text;
  auto const patience = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  auto const first = child->read(patience, 100);
  ASSERT_FALSE(first.ok());
  EXPECT_EQ(first.error().text, "it ended with exit code 3");
  auto const second = child->read(patience, 100);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().text, "it has ended");
}

TEST(LineChild, ExchangesLinesLongerThanAPipeHolds) {
  auto child = LineChild::start({"cat"});
  ASSERT_TRUE(child.ok()) << child.error().text;
  std::string const line(60'000, 'y');
  auto const patience = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(child->write(line, patience).ok());
    auto const answer = child->read(patience, 100'000);
    ASSERT_TRUE(answer.ok()) << answer.error().text;
    EXPECT_EQ(*answer, line);
  }
}

}  // namespace
}  // namespace takt::cli
