// RateMeter computes the rate per second of a growing total (bytes, snapshots), over the last finished window
// of at least half a second. The time is an argument in microseconds. Session has three RateMeters
// (snapshots, received bytes, sent bytes) and calls them in Session::update().
#pragma once

#include <cstdint>

namespace takt::client {

class RateMeter {
 public:
  /// Reports the present total. Neither argument decreases from call to call.
  void update(std::uint64_t now_us, std::uint64_t total) noexcept {
    if (!is_running_) {
      is_running_ = true;
      began_us_ = now_us;
      began_total_ = total;
    } else if (now_us - began_us_ >= kWindowUs) {
      per_s_ = static_cast<double>(total - began_total_) * 1e6 / static_cast<double>(now_us - began_us_);
      began_us_ = now_us;
      began_total_ = total;
    }
  }
  /// The rate of the last finished window; 0 before the first one has ended.
  [[nodiscard]] double per_s() const noexcept { return per_s_; }

  static constexpr std::uint64_t kWindowUs = 500'000;

 private:
  std::uint64_t began_us_ = 0;
  std::uint64_t began_total_ = 0;
  double per_s_ = 0;
  bool is_running_ = false;
};

}  // namespace takt::client
