// Balloons is an example of a Game (takt/sim/game.h), the rules that a host adds to a simulation. Every
// player gets a balloon that hovers, and may push it upwards with a one-byte command (kPuff). main.cpp gives
// a Balloons to a Server. A Game also runs when a recording is replayed, so Balloons saves and restores all
// that it keeps between ticks. It uses no network.
#pragma once

#include <map>

#include "takt/sim/game.h"

namespace balloons {

/// The only byte a player may send.
inline constexpr std::byte kPuff{1};

class Balloons final : public takt::sim::Game {
 public:
  [[nodiscard]] std::string_view name() const override { return "balloons/1"; }
  void on_join(takt::sim::WorldAccess& world, takt::sim::PlayerId player) override;
  void on_leave(takt::sim::WorldAccess& world, takt::sim::PlayerId player) override;
  [[nodiscard]] bool on_command(takt::sim::WorldAccess& world, takt::sim::PlayerId player,
                                std::span<const std::byte> bytes) override;
  void before_tick(takt::sim::WorldAccess& world) override;
  void save(takt::ByteWriter& out) const override;
  [[nodiscard]] bool restore(takt::ByteReader& in) override;

 private:
  std::map<takt::sim::PlayerId, takt::BodyId> balloons_;
};

}  // namespace balloons
