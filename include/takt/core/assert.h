// TAKT_ASSERT and TAKT_VALIDATE abort the program if their condition is false, which is a bug of the calling
// code. A failure first prints one line to stderr. TAKT_ASSERT is for cheap conditions and on in every build.
// TAKT_VALIDATE is for costly conditions and on only where TAKT_VALIDATION is 1 (development and CI builds);
// elsewhere its condition is not evaluated. set_assert_hook() installs a function that runs before the abort.
// Bytes of a wire or file must not reach an assertion: code checks them first and returns a Result.
#pragma once

namespace takt {

/// A function that runs once, on the thread of the failed assertion, before the program aborts; a host
/// program may flush its files there. The hook should not allocate: the heap may be damaged. An assertion
/// that fails inside the hook aborts at once.
using AssertHook = void (*)(const char* expression, const char* file, int line);

/// Installs the hook of the process and returns the earlier one. Null, the default, means no hook. The call
/// is not synchronised: the program calls it at its start, before it has other threads.
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
