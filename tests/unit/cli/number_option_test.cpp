#include "cli/number_option.h"

#include <gtest/gtest.h>

#include <limits>

namespace takt::cli {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

std::string after_check(std::string text, std::uint64_t min, std::uint64_t max) {
  std::string const refusal = check_number(text, min, max);
  return refusal.empty() ? text : refusal;
}

TEST(NumberOption, BothEndsOfARangeAreAllowed) {
  EXPECT_EQ(after_check("1", 1, 64), "1");
  EXPECT_EQ(after_check("64", 1, 64), "64");
  EXPECT_EQ(after_check("0", 1, 64), "allowed is 1 to 64, not 0");
  EXPECT_EQ(after_check("65", 1, 64), "allowed is 1 to 64, not 65");
  EXPECT_EQ(after_check("18446744073709551615", 0, kMost), "18446744073709551615");
  EXPECT_EQ(after_check("18446744073709551616", 0, kMost),
            "allowed is 0 to 18446744073709551615, not 18446744073709551616");
}

TEST(NumberOption, IntegersAreDecimalOrHexadecimal) {
  EXPECT_EQ(after_check("010", 0, 64), "10");  // no octal
  EXPECT_EQ(after_check("0x10", 0, 64), "16");
  for (const char* const text : {"", "-1", "+1", " 1", "1 ", "1.0", "1e1", "0x", "x", "--1"})
    EXPECT_EQ(after_check(text, 0, 64), std::string("allowed is 0 to 64, not ") + text);
}

TEST(NumberOption, RealNumbersHaveTheirShortestText) {
  auto const refusal = [](std::string text) { return check_number(text, 0.01, 1e9); };
  for (const char* const text : {"0.01", "1e9", "1", "2.5"}) EXPECT_EQ(refusal(text), "") << text;
  for (const char* const text : {"0", "-1", "nan", "inf", "1e300", "1e999", "2s", ""})
    EXPECT_EQ(refusal(text), std::string("allowed is 0.01 to 1000000000, not ") + text);
}

TEST(NumberOption, TheValueArrivesInItsType) {
  CLI::App app;
  std::uint16_t port = 7;
  double seconds = 0;
  add_number(app, "--port", port, 0, 65535, "");
  add_number(app, "--for", seconds, 0, kMaxSeconds, "");
  app.parse("--port 0xffff --for 1e-3");
  EXPECT_EQ(port, 65535);
  EXPECT_EQ(seconds, 0.001);
  EXPECT_THROW(app.parse("--port -1"), CLI::ValidationError);
}

}  // namespace
}  // namespace takt::cli
