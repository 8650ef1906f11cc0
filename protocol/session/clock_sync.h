// ClockSync estimates the server's tick on a client from pings and pongs: the sample with the shortest round
// trip decides, because queueing only adds delay. ClockSync reads no clock; times are arguments in
// microseconds of the client's clock, and do not run backwards. ClientInbox has one.
//
// Bound: m is the shortest possible round trip of a path. A sample with round trip r is wrong by at most
// (r - m) / 2 plus half the path's asymmetry. The estimate uses the smallest r of the last kSamples samples.
// error_bound_us() gives r / 2 of that sample, which holds on any path. The first kStepSamples samples set
// the clock outright. Later corrections are slewed by at most kSlew of elapsed time, so the tick neither
// jumps nor runs backwards. Exceptions set the clock outright: restart(), an error above kStepTicks, and a
// sample that contradicts the best one (the server stalled). Such a sample replaces all earlier ones. Source
// of the idea: D. Mills, RFC 5905 (NTP), clock filter; the code is our own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace takt::protocol {

class ClockSync {
 public:
  /// `tick_rate_hz`: 1 .. 10,000 (asserted).
  explicit ClockSync(std::uint32_t tick_rate_hz = 60) noexcept;

  /// Takes a pong at `now_us` to the ping of `sent_us`, whose server was at `tick` + `tick_fraction` / 2^32.
  /// A `sent_us` after `now_us` or before the last restart() is ignored.
  void handle_sample(std::uint64_t now_us, std::uint64_t sent_us, std::uint64_t tick,
                     std::uint32_t tick_fraction) noexcept;
  /// Takes a tick without a round trip (of the Accept message), which is late by the delay of one way.
  /// Ignored after any other call of handle_*() or restart().
  void handle_guess(std::uint64_t now_us, std::uint64_t tick) noexcept;

  /// Sets the server's tick to `tick` at `now_us`, and its rate to `ticks_per_s` from then on (0 = paused).
  /// Drops all samples; answers to pings that left before `now_us` are ignored, because their ticks may be of
  /// the earlier rate or world.
  void restart(std::uint64_t now_us, double tick, double ticks_per_s) noexcept;

  /// True when there was a sample since the last restart().
  [[nodiscard]] bool is_synchronised() const noexcept { return sample_count_ > 0; }
  /// Greatest server_tick(), below 2^53: a server's word may be any number.
  static constexpr double kTickMax = 9e15;
  /// The server's tick now, with its fraction, in [0, kTickMax]; 0 before any guess, sample or restart(). It
  /// never falls while corrections are slewed.
  [[nodiscard]] double server_tick(std::uint64_t now_us) const noexcept;
  /// Half the round trip of the sample in use; UINT64_MAX without a sample.
  [[nodiscard]] std::uint64_t error_bound_us() const noexcept;
  /// Samples since the last restart() or contradiction, of which the last kSamples are stored.
  [[nodiscard]] std::size_t sample_count() const noexcept { return sample_count_; }

  static constexpr std::size_t kSamples = 16;
  static constexpr std::size_t kStepSamples = 8;
  static constexpr double kSlew = 0.01;  ///< greatest correction, as a fraction of elapsed time
  static constexpr double kStepTicks =
      15;  ///< a greater error is corrected at once: the server stalled or was restored

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
