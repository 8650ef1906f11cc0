// Balloons is an example of a Game, the rules that a host adds to a simulation. Every player gets a balloon
// that hovers, and may puff it upwards. The class runs on the server and in a replay, and later on clients
// that simulate. All that it keeps between ticks is therefore saved and restored. It uses no network.
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
