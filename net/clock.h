// now_us() is the clock of net/, server/ and the C++ SDK: monotonic microseconds, for the now_us arguments of
// protocol/.
#pragma once

#include <cstdint>

namespace takt::net {

/// Microseconds of std::chrono::steady_clock since its epoch. The time never runs backwards and is unrelated
/// to the time of day. Any thread may call it.
[[nodiscard]] std::uint64_t now_us() noexcept;

}  // namespace takt::net
