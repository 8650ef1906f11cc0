#include "takt/core/assert.h"

#include <cstdio>
#include <cstdlib>

namespace takt {
namespace {
AssertHook g_hook = nullptr;
}

AssertHook set_assert_hook(AssertHook hook) noexcept {
  AssertHook const earlier = g_hook;
  g_hook = hook;
  return earlier;
}

namespace detail {

void assert_failed(const char* expression, const char* file, int line) noexcept {
  std::fprintf(stderr, "takt: %s:%d: assertion failed: %s (a bug in the calling code)\n", file, line,
               expression);
  AssertHook const hook = g_hook;
  g_hook = nullptr;  // a failing hook must not run again
  if (hook != nullptr) hook(expression, file, line);
  std::abort();
}

}  // namespace detail
}  // namespace takt
