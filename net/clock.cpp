#include "net/clock.h"

#include <chrono>

namespace takt::net {

std::uint64_t now_us() noexcept {
  auto const since_epoch = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(since_epoch).count());
}

}  // namespace takt::net
