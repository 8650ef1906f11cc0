// A game for tests with a planted bug: it counts ticks, and save() forgets the count. The count either moves
// a body or shows in a message alone.
#pragma once

#include <string>

#include "takt/sim/game.h"

namespace takt::sim {

enum class Forgets { kForce, kMessage };

class ForgetfulGame final : public Game {
 public:
  explicit ForgetfulGame(Forgets what) : what_(what) {}
  [[nodiscard]] std::string_view name() const override { return "forgetful/1"; }
  void before_tick(WorldAccess& world) override {
    ++count_;
    if (what_ == Forgets::kForce) (void)world.set_velocity(BodyId{1, 1}, {double(count_), 0, 0}, {});
    if (what_ == Forgets::kMessage) (void)world.send_to_all("tick " + std::to_string(count_));
  }
  void visit_state(StateVisitor&) override {}

 private:
  Forgets what_;
  int count_ = 0;
};

}  // namespace takt::sim
