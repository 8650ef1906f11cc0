// RefreshMeter computes after how many snapshots a body that was left out for want of room is sent: the
// bodies left out, divided by the mean number that a snapshot carries. A single small snapshot hardly changes
// the mean. The server's congestion control (pacer.h) makes such snapshots now and then, and a quotient of
// that snapshot alone would be tens of times too large for the next ten seconds of JitterBuffer. Session owns
// a RefreshMeter and calls it once a snapshot.
#pragma once

namespace takt::client {

class RefreshMeter {
 public:
  /// A snapshot with room for `sent` bodies, above 0, left out `deferred` others.
  void handle_snapshot(double sent, double deferred) noexcept {
    wait_snapshots_ = 0;
    if (!(deferred > 0)) return;  // what it carries is no measure of its room
    mean_sent_ += (sent - mean_sent_) * (mean_sent_ > 0 ? kMeanWeight : 1.0);
    wait_snapshots_ = deferred / mean_sent_;
  }
  /// Snapshots until the bodies that the last snapshot left out are sent; 0 when it left out none.
  [[nodiscard]] double wait_snapshots() const noexcept { return wait_snapshots_; }

  /// Weight of one snapshot in the mean, as JitterBuffer has it: 16 snapshots are a quarter of a second.
  static constexpr double kMeanWeight = 1.0 / 16.0;

 private:
  double mean_sent_ = 0;
  double wait_snapshots_ = 0;
};

}  // namespace takt::client
