// Hoops is a game of a studio that knows Takt as a package: each player has a ball, kicks it upwards with a
// command of one byte, and scores a point each time it rises through a hoop two metres above the ground.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>

#include "takt/sim/game.h"

namespace hoops {

/// The only byte that a player may send.
inline constexpr std::byte kKick{1};

class Hoops final : public takt::sim::Game {
 public:
  [[nodiscard]] std::string_view name() const override { return "hoops/1"; }
  void on_join(takt::sim::WorldAccess& world, takt::sim::PlayerId player) override;
  void on_leave(takt::sim::WorldAccess& world, takt::sim::PlayerId player) override;
  [[nodiscard]] bool on_command(takt::sim::WorldAccess& world, takt::sim::PlayerId player,
                                std::span<const std::byte> bytes) override;
  void after_tick(takt::sim::WorldAccess& world, const takt::StepEvents& events) override;
  void visit_state(takt::sim::StateVisitor& state) override;

 private:
  struct Ball {
    takt::BodyId body;
    std::uint32_t score = 0;
    bool is_above = false;  // of the hoop
  };
  std::map<takt::sim::PlayerId, Ball> balls_;
};

}  // namespace hoops
