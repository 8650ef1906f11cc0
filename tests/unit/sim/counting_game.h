// A game for tests: counts what happens, pushes a body when told, refuses what it does not know. Its state is
// five numbers.
#pragma once

#include "takt/sim/game.h"

namespace takt::sim {

class CountingGame final : public Game {
 public:
  [[nodiscard]] std::string_view name() const override { return "counting/1"; }
  void on_join(WorldAccess&, PlayerId) override { ++joins; }
  void on_leave(WorldAccess& world, PlayerId) override {
    ++leaves;
    last_leave_tick = world.tick();
  }
  bool on_command(WorldAccess& world, PlayerId player, std::span<const std::byte> bytes) override {
    if (bytes.size() != 1) return false;
    Position const position = Position::from_metres(30 + static_cast<double>(bytes[0]), 2, 0);
    ++commands;
    return world.create_body(BodyDef::make(BodyType::kDynamic, position), ShapeDef::sphere(0.5), player).ok();
  }
  void before_tick(WorldAccess& world) override { draws = draws * 31 + world.random(); }
  void visit_state(StateVisitor& state) override {
    state.field("joins", joins);
    state.field("leaves", leaves);
    state.field("commands", commands);
    state.field("last_leave_tick", last_leave_tick);
    state.field("draws", draws);
  }

  std::uint64_t joins = 0;
  std::uint64_t leaves = 0;
  std::uint64_t commands = 0;
  std::uint64_t last_leave_tick = 0;
  std::uint64_t draws = 0;
};

}  // namespace takt::sim
