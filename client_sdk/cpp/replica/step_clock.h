// StepClock tells a client that simulates which tick it should have reached: the tick for which an input
// that is sent now arrives at the server one tick before it acts. It aims by the clock (server tick plus a
// lead) and corrects the lead by the margins that the server acknowledges, so that errors of the clock and
// of asymmetric paths cancel out. The tick moves at the room's rate, faster or slower by at most 3 %, and
// never backwards; it jumps forwards over more than a second. Times are arguments.
//
// Sources of the idea: T. Ford, Overwatch Gameplay Architecture and Netcode, GDC 2017 (dilation by the
// server's buffer of inputs).
#pragma once

#include <cstdint>
#include <vector>

namespace takt::client {

class StepClock {
 public:
  /// Greatest change of the rate: nobody sees 3 %.
  static constexpr double kDilationMax = 0.03;
  /// Ticks between the arrival of an input and its step that the clock aims at.
  static constexpr double kMarginTicks = 1;
  /// One correction of the lead by the margins of this time, their 5th percentile.
  static constexpr std::uint64_t kWindowUs = 2'000'000;
  static constexpr double kLeadMaxTicks = 600;

  /// `lead_ticks`: from half the round trip and the jitter, for a start.
  void start(std::uint64_t now_us, double server_tick, double lead_ticks);
  [[nodiscard]] bool has_started() const noexcept { return has_started_; }
  /// Time passes. `ticks_per_s`: of the room, 0 while it is paused. Times must not run backwards.
  void advance(std::uint64_t now_us, double server_tick, double ticks_per_s);
  /// The server received inputs `margin_ticks` before their tick; negative = late.
  void handle_margin(std::uint64_t now_us, std::int32_t margin_ticks);

  /// The tick to have reached.
  [[nodiscard]] double tick() const noexcept { return tick_; }
  [[nodiscard]] double lead_ticks() const noexcept { return lead_ticks_; }

 private:
  bool has_started_ = false;
  std::uint64_t now_us_ = 0;
  double tick_ = 0;
  double lead_ticks_ = 0;
  double ahead_ticks_ = 0;  // of the server, at the last advance()
  std::uint64_t window_from_us_ = 0;
  std::vector<std::int32_t> margins_;  // of this window
};

}  // namespace takt::client
