// A game with a planted divergence: after one tick it changes the x velocity of the last dynamic body by one
// unit in the last place, or by one raw unit in fixed mode. Nothing here is a test.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "takt/sim/game.h"

namespace takt::sim {

/// A tick that no test reaches.
inline constexpr std::uint64_t kNever = ~std::uint64_t{0};

class NudgingGame final : public Game {
 public:
  explicit NudgingGame(std::uint64_t tick) : tick_(tick) {}
  [[nodiscard]] std::string_view name() const override { return "nudging/1"; }
  void after_tick(WorldAccess& world, const StepEvents&) override {
    if (world.tick() == tick_) nudge(world);
  }
  void visit_state(StateVisitor&) override {}

 private:
  static void nudge(WorldAccess& world) {
    std::vector<BodyId> bodies;
    world.world().list_bodies(bodies);
    std::erase_if(bodies, [&](BodyId body) { return world.world().body_type(body) != BodyType::kDynamic; });
    if (bodies.empty()) return;
    BodyView const view = world.world().view(bodies.back());
    Vec3<double> velocity = view.linear_velocity_m_s;
    if (world.world().numbers() == NumbersMode::kFloat) {
      auto const bits = std::bit_cast<std::uint32_t>(static_cast<float>(velocity.x));
      velocity.x = static_cast<double>(std::bit_cast<float>(bits + 1));
    } else {
      velocity.x += 0x1p-32;
    }
    (void)world.set_velocity(bodies.back(), velocity, view.angular_velocity_rad_s);
  }

  std::uint64_t tick_;
};

}  // namespace takt::sim
