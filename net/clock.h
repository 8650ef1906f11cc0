// now_us() is the clock of net/, server/ and the C++ SDK: monotonic microseconds, for the now_us arguments of
// protocol/. unix_now_s() is the time of day, for expiries alone. thread_cpu_ns() is the processor time of a
// thread, which stands still while the thread waits.
#pragma once

#include <cstdint>

namespace takt::net {

/// Microseconds of std::chrono::steady_clock since its epoch. The time never runs backwards and is unrelated
/// to the time of day. Any thread may call it.
[[nodiscard]] std::uint64_t now_us() noexcept;

/// Unix time in seconds, which an administrator may set back or ahead. Any thread may call it.
[[nodiscard]] std::uint64_t unix_now_s() noexcept;

/// Processor time of the calling thread since its start, ns (POSIX CLOCK_THREAD_CPUTIME_ID). A virtual
/// machine may count time in which the host ran another one. A call takes 0.2 to 1 us.
[[nodiscard]] std::uint64_t thread_cpu_ns() noexcept;

}  // namespace takt::net
