// TAKT_ASSERT and TAKT_VALIDATE abort the program on a bug of the calling code. TAKT_ASSERT is cheap and on
// in every build. TAKT_VALIDATE is costly and on only where TAKT_VALIDATION is 1 (debug and CI builds).
// set_assert_hook() installs a function that runs before the abort. Bytes of a wire or file must not reach an
// assertion: code checks them first and returns a Result.
#pragma once

namespace takt {

/// Runs once before the program aborts on a failed assertion, so that a server can flush its recording. The
/// hook must not allocate and must not assert. Null (the default) disables it.
using AssertHook = void (*)(const char* expression, const char* file, int line);

/// Installs the process-wide hook and returns the earlier one. Not synchronised: call it once at start-up.
AssertHook set_assert_hook(AssertHook hook) noexcept;

namespace detail {
[[noreturn]] void assert_failed(const char* expression, const char* file, int line) noexcept;
}

}  // namespace takt

#define TAKT_ASSERT(expression)                  \
  (__builtin_expect(!!(expression), 1) ? void(0) \
                                       : ::takt::detail::assert_failed(#expression, __FILE__, __LINE__))

#if defined(TAKT_VALIDATION) && TAKT_VALIDATION
#define TAKT_VALIDATE(expression) TAKT_ASSERT(expression)
#else
#define TAKT_VALIDATE(expression) void(0)
#endif
