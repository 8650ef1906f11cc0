// TickGovernor decides what a room does while its ticks take too long. Room tells it the time of each tick
// and the bodies that players spawn. While the median of the last ticks is above a share of the step time,
// the room refuses spawns, and choose() names spawned bodies for the room to despawn by recorded commands:
// the newest of the player whose bodies have most contacts. The bodies of a scene are never chosen. Spawns
// stay refused until ticks have fitted for a while. TickGovernor reads no clock and issues no command itself.
// Its decisions depend on time, so they are no part of a replay; the recorded commands are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "takt/sim/simulation.h"

namespace takt::server {

struct GovernorOptions {
  std::uint32_t share_percent = 75;     ///< of the step time, [0, 1000]: a longer median is overload; 0 = off
  std::uint32_t despawns_per_tick = 8;  ///< at most, [1, 1000]
};

class TickGovernor {
 public:
  explicit TickGovernor(const GovernorOptions& options) noexcept : options_(options) {}

  /// Begins with another world. Bodies that its players own already count as spawned, the newest unknown.
  void enter(const sim::Simulation& simulation);
  /// Follows the bodies that players spawned and those that are gone.
  void follow(const sim::TickResult& result);
  /// A tick took `tick_us` of the `period_us` between two ticks.
  void note_tick(std::uint32_t tick_us, std::uint32_t period_us) noexcept;

  /// Spawns are to be refused.
  [[nodiscard]] bool is_overloaded() const noexcept { return is_overloaded_; }
  /// Bodies to despawn before the next tick, at most GovernorOptions::despawns_per_tick; empty while ticks
  /// fit. Each is named once. None are named while players' bodies are less than a tenth of all bodies and
  /// have less than a tenth of all contact points: their removal would not help.
  [[nodiscard]] std::vector<sim::SpawnTicket> choose(const sim::Simulation& simulation);

  static constexpr std::size_t kWindowTicks = 9;  ///< of the median; a single slow tick changes nothing
  /// Ticks below nine tenths of the share until spawns are allowed again. A room whose ordinary tick is just
  /// below the share recovers too.
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
