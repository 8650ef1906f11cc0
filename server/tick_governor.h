// TickGovernor decides what a room does while its ticks take too long. Room tells it the time of each tick
// and the bodies that players spawn. Overload begins when the median of the last kWindowTicks ticks is above
// a share of the period between ticks, and ends after kCalmTicks. Meanwhile Room refuses spawns and teleports
// of players. While both the median and the last tick are above the share, choose() names spawned bodies,
// which Room despawns by recorded commands. It names the newest body of the player whose bodies have the most
// contact points. The bodies of a scene are never chosen. TickGovernor reads no clock and issues no command
// itself. Its decisions depend on time, so they are no part of a replay; the recorded commands are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "takt/sim/simulation.h"

namespace takt::server {

struct GovernorOptions {
  std::uint32_t share_percent = 75;     ///< of the period, [0, 1000]: a longer median is overload; 0 = off
  std::uint32_t despawns_per_tick = 8;  ///< bodies named by a call of choose(), at most, [1, 1000]
};

class TickGovernor {
 public:
  explicit TickGovernor(const GovernorOptions& options) noexcept : options_(options) {}

  /// Forgets all, and begins with another world. Bodies that its players own count as spawned, in id order.
  /// Their tickets have sequence 0.
  void enter(const sim::Simulation& simulation);
  /// Adds the bodies that players spawned in a tick, and forgets those that are gone. Call it after each
  /// tick.
  void follow(const sim::TickResult& result);
  /// Adds the time of a tick: `tick_us` of the `period_us` between two ticks at the present speed.
  void note_tick(std::uint32_t tick_us, std::uint32_t period_us) noexcept;

  /// True while spawns are to be refused.
  [[nodiscard]] bool is_overloaded() const noexcept { return is_overloaded_; }
  /// Bodies to despawn before the next tick, at most GovernorOptions::despawns_per_tick; empty while ticks
  /// fit, and in a second call before the next note_tick(). Each body is named once: the caller despawns it.
  /// No body is named while players' bodies are less than a tenth of all bodies and have less than a tenth of
  /// all contact points. Their removal would not help.
  [[nodiscard]] std::vector<sim::SpawnTicket> choose(const sim::Simulation& simulation);

  static constexpr std::size_t kWindowTicks = 9;  ///< of the median; a single slow tick changes nothing
  /// Consecutive ticks with a median below nine tenths of the share, after which spawns are allowed again.
  /// The tenth keeps a room at the limit from switching to and fro.
  static constexpr std::uint32_t kCalmTicks = 120;

 private:
  GovernorOptions options_;
  std::array<std::uint32_t, kWindowTicks> ticks_us_{};
  std::size_t next_ = 0;
  bool is_overloaded_ = false;
  bool wants_despawns_ = false;
  std::uint32_t calm_ticks_ = 0;
  std::vector<sim::SpawnTicket> spawned_;  // living, in order of creation
};

}  // namespace takt::server
