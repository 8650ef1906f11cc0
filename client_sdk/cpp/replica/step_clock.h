// StepClock tells a client that simulates which tick it should have reached: the tick for which an input
// that is sent now arrives at the server one tick before it acts. It aims by the clock (server tick plus a
// lead). The lead is the 95th percentile of the ways of inputs: the server tick at the arrival, which an
// acknowledgement tells, minus the server tick by the clock when the input was sent. Errors of the clock and
// of asymmetric paths cancel out in that difference, and the lead has no part in it. The tick moves at the
// room's rate, faster or slower by at most 3 %, and never backwards; it jumps forwards over more than a
// second. Times are arguments.
//
// Sources of the idea: T. Ford, Overwatch Gameplay Architecture and Netcode, GDC 2017 (dilation by the
// server's buffer of inputs).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

namespace takt::client {

class StepClock {
 public:
  /// Greatest change of the rate: nobody sees 3 %.
  static constexpr double kDilationMax = 0.03;
  /// Ticks between the arrival of an input and its step that the clock aims at.
  static constexpr double kMarginTicks = 1;
  /// Ways of this time count, and older ones up to kWaysMin, at first that of start(). Among fewer, one input
  /// that was lost and repeated would be the percentile.
  static constexpr std::uint64_t kWindowUs = 2'000'000;
  static constexpr std::size_t kWaysMin = 40;
  static constexpr double kLeadMaxTicks = 600;

  /// `lead_ticks`: from half the shortest round trip, for a start.
  void start(std::uint64_t now_us, double server_tick, double lead_ticks);
  [[nodiscard]] bool has_started() const noexcept { return has_started_; }
  /// Time passes. `ticks_per_s`: of the room, 0 while it is paused. Times must not run backwards.
  void advance(std::uint64_t now_us, double server_tick, double ticks_per_s);
  /// An input for `tick` is sent now. Ticks must not fall. `delay_ticks`: from tick() to `tick` by choice.
  void handle_input(std::uint64_t tick, double server_tick, std::uint32_t delay_ticks);
  /// The server had `arrival_tick` when an input for `tick` arrived. Repeats change nothing.
  void handle_arrival(std::uint64_t now_us, std::uint64_t tick, std::uint64_t arrival_tick);

  /// The tick to have reached.
  [[nodiscard]] double tick() const noexcept { return tick_; }
  [[nodiscard]] double lead_ticks() const noexcept { return lead_ticks_; }

 private:
  bool has_started_ = false;
  std::uint64_t now_us_ = 0;
  double tick_ = 0;
  double lead_ticks_ = 0;
  struct Sent {
    std::uint64_t tick = 0;
    double server_tick = 0;
    std::uint32_t delay_ticks = 0;
  };
  struct Way {
    std::uint64_t arrived_us = 0;
    double ticks = 0;  // lead that this input needed
  };
  std::deque<Sent> sent_;  // ascending ticks, not known to have arrived
  std::deque<Way> ways_;   // oldest first
};

}  // namespace takt::client
