#include "takt/core/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace takt {
namespace {

enum class Fault { kNone, kBroken };

TEST(Result, HoldsAValue) {
  Result<int, Fault> const result = 7;
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(static_cast<bool>(result));
  EXPECT_EQ(*result, 7);
}

TEST(Result, HoldsAnError) {
  Result<int, Fault> const result = Fault::kBroken;
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error(), Fault::kBroken);
}

TEST(Result, MovesOut) {
  Result<std::unique_ptr<std::string>, Fault> result = std::make_unique<std::string>("moved");
  EXPECT_EQ(result->get()->size(), 5u);
  std::unique_ptr<std::string> const taken = *std::move(result);
  EXPECT_EQ(*taken, "moved");
}

TEST(Result, AnIgnorableResultMayBeDroppedAndConverts) {
  auto const change = [](bool succeeds) -> IgnorableResult<Unit, Fault> {
    if (!succeeds) return Fault::kBroken;
    return Unit{};
  };
  change(false);  // compiles without a warning
  Result<Unit, Fault> const kept = change(false);
  ASSERT_FALSE(kept.ok());
  EXPECT_EQ(kept.error(), Fault::kBroken);
  IgnorableResult<Unit, Fault> const back = Result<Unit, Fault>(Unit{});
  EXPECT_TRUE(back.ok());
}

using ResultDeathTest = testing::Test;

TEST(ResultDeathTest, AskingTheWrongSideStops) {
  Result<int, Fault> const error = Fault::kBroken;
  Result<int, Fault> const value = 1;
  EXPECT_DEATH((void)error.value(), "assertion failed: ok()");
  EXPECT_DEATH((void)value.error(), "assertion failed: !ok()");
}

int g_hook_calls = 0;
void stop_with_count(const char*, const char*, int) {
  ++g_hook_calls;
  std::fprintf(stderr, "hook call %d\n", g_hook_calls);
  TAKT_ASSERT(g_hook_calls == 0);  // a hook that fails must not be called again
}

TEST(ResultDeathTest, TheHookRunsOnceBeforeTheEnd) {
  EXPECT_DEATH(
      {
        set_assert_hook(stop_with_count);
        TAKT_ASSERT(1 + 1 == 3);
      },
      "1 \\+ 1 == 3.*\n.*hook call 1\n.*g_hook_calls == 0");
}

}  // namespace
}  // namespace takt
