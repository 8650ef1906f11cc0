// ClockSync estimates the server's tick on a client from pings and pongs: the sample with the shortest round
// trip decides, because queueing only adds delay. ClockSync reads no clock; times are arguments in
// microseconds. ClientInbox has one.
//
// Bound: m is the shortest possible round trip of a path. A sample with round trip r is wrong by at most
// (r - m) / 2 plus half the path's asymmetry. The estimate uses the smallest r of the last kSamples samples.
// error_bound_us() gives r / 2 of that sample, which holds on any path. The first kStepSamples samples set
// the clock outright. Later corrections are slewed by at most kSlew of elapsed time, so the tick neither
// jumps nor runs backwards. Exceptions set the clock at once: restart(), an error above kStepTicks, and a
// sample that contradicts the best one (the server stalled). Source of the idea: D. Mills, RFC 5905 (NTP),
// clock filter; the code is our own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace takt::protocol {

class ClockSync {
 public:
  /// `tick_rate_hz` 1 .. 10,000.
  explicit ClockSync(std::uint32_t tick_rate_hz = 60) noexcept;

  /// A pong arrived: the ping left at `sent_us`, the answer came at `now_us` (both ours), the server was at
  /// `tick` + `tick_fraction` / 2^32.
  void handle_sample(std::uint64_t now_us, std::uint64_t sent_us, std::uint64_t tick,
                     std::uint32_t tick_fraction) noexcept;
  /// A first guess without a round trip (the Accept message): good to one way's delay until the first pong.
  void handle_guess(std::uint64_t now_us, std::uint64_t tick) noexcept;

  /// The server's ticks pass at another rate from now on (0 = not at all), and it was at `tick` about now.
  /// Samples of before are forgotten, and answers to pings that left before are ignored: they may tell a tick
  /// of before.
  void restart(std::uint64_t now_us, double tick, double ticks_per_s) noexcept;

  [[nodiscard]] bool is_synchronised() const noexcept { return sample_count_ > 0; }
  /// The server's tick now, with its fraction. Before any guess or sample: 0. Monotonic while corrections are
  /// small.
  [[nodiscard]] double server_tick(std::uint64_t now_us) const noexcept;
  /// Half the round trip of the sample in use; UINT64_MAX before the first.
  [[nodiscard]] std::uint64_t error_bound_us() const noexcept;
  [[nodiscard]] std::size_t sample_count() const noexcept { return sample_count_; }

  static constexpr std::size_t kSamples = 16;
  static constexpr std::size_t kStepSamples = 8;
  static constexpr double kSlew = 0.01;  ///< greatest correction, as a fraction of elapsed time
  static constexpr double kStepTicks =
      15;  ///< beyond this the clock steps instead: the server stalled or was restored

 private:
  struct Sample {
    std::uint64_t round_trip_us = 0;
    double tick_offset = 0;  // the server's tick minus our time in ticks
  };
  [[nodiscard]] double in_ticks(std::uint64_t us) const noexcept;
  [[nodiscard]] double offset_at(std::uint64_t now_us) const noexcept;
  void aim(std::uint64_t now_us, double target, bool step) noexcept;

  double ticks_per_us_ = 0;
  std::array<Sample, kSamples> samples_{};
  std::size_t sample_count_ = 0;  // since the start or the last step
  double offset_ = 0;             // in use at base_us_
  double target_offset_ = 0;      // what it is slewed to
  std::uint64_t base_us_ = 0;
  std::uint64_t epoch_us_ = 0;  // first time seen; keeps the doubles small
  std::uint64_t best_round_trip_us_ = 0;
  std::uint64_t restarted_us_ = 0;
  bool any_ = false;
};

}  // namespace takt::protocol
