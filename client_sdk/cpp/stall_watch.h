// StallWatch measures when the caller did not run the client, and returns the earliest time at which a
// message that is handled now may have arrived. A program that computes for 250 ms finds 250 ms of snapshots
// in its socket afterwards. Their lateness is the program's, not the network's.
//
// Rules. A gap of more than kStallUs between two runs (a poll, or the end of a wait for the socket) is a
// stall. A message handled after a stall may have arrived at any time since the last run before the stall,
// until all bytes of the socket were handled. StallWatch reads no clock: times are arguments in microseconds
// and never decrease. Session owns a StallWatch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace takt::client {

class StallWatch {
 public:
  /// The client begins a run: it handles the bytes that have arrived.
  void handle_run(std::uint64_t now_us) noexcept {
    if (last_run_us_ && now_us > *last_run_us_ + kStallUs && !from_us_) from_us_ = last_run_us_;
    last_run_us_ = now_us;
  }
  /// The client waited for its socket until now, so the time since the last run is no stall.
  void handle_waited(std::uint64_t now_us) noexcept { last_run_us_ = now_us; }
  /// All bytes that had arrived were handled: the backlog of a stall has ended.
  void handle_drained() noexcept { from_us_.reset(); }

  /// The time of the last run before a stall whose backlog may be unhandled; none without such a backlog.
  [[nodiscard]] std::optional<std::uint64_t> backlog_from_us() const noexcept { return from_us_; }
  /// The earliest time at which a message that is handled at `now_us` may have arrived.
  [[nodiscard]] std::uint64_t earliest_us(std::uint64_t now_us) const noexcept {
    return std::min(from_us_.value_or(now_us), now_us);
  }

  /// Shortest gap that is a stall: above a frame at 60 Hz and its jitter. A shorter bound would hide jitter
  /// that a frame could still have met; a longer one would count short stalls as jitter.
  static constexpr std::uint64_t kStallUs = 25'000;

 private:
  std::optional<std::uint64_t> last_run_us_;
  std::optional<std::uint64_t> from_us_;  // last run before the stall whose backlog may be unhandled
};

}  // namespace takt::client
