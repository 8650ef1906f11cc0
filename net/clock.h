// now_us() is the clock of net/, server/ and the C++ SDK: monotonic microseconds, for the now_us arguments of
// protocol/.
#pragma once

#include <cstdint>

namespace takt::net {

/// Microseconds of the steady clock since its epoch. Never runs backwards; has nothing to do with the time of
/// day.
[[nodiscard]] std::uint64_t now_us() noexcept;

}  // namespace takt::net
