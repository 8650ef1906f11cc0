// A simulation with records in every list of its state: shapes of all kinds, contacts, overlaps, targets,
// grabs, joints with couplings, ropes, movers, players and a game. Nothing here is a test.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "tests/unit/sim/small_scene.h"

namespace takt::sim {

/// Moves the lift by targets, and has a state with every kind of field and list.
class LiftGame final : public Game {
 public:
  [[nodiscard]] std::string_view name() const override { return "lift/1"; }
  void before_tick(WorldAccess& world) override {
    ++ticks_;
    (void)world.set_target(scene_body(10), Position::from_metres(-20, 1 + 0.01 * ticks_, 0), {0, 0, 0, 1});
  }
  void visit_state(StateVisitor& state) override {
    state.field("ticks", ticks_);
    state.text("word", word_, 16);
    state.list("level", levels_, 4, [](Level& level, StateVisitor& in) {
      in.field("height_m", level.height_m);
      in.list("stop", level.stops);
    });
  }

 private:
  struct Level {
    double height_m = 0;
    std::array<std::uint8_t, 2> stops{};
  };
  std::int32_t ticks_ = 0;
  std::string word_ = "up";
  std::vector<Level> levels_{{1.5, {1, 2}}, {3, {4, 5}}};
};

inline Scene busy_scene() {
  return parse_scene(R"({"players": {"grab": "anything", "push": "anything"}, "bodies": [
    {"name": "ground", "type": "static", "shapes": [{"half_space": {}}]},
    {"name": "land", "type": "static", "position": [20, 0, 0], "shapes": [
      {"mesh": {"vertices": [[0, 1, 0], [0, 1, 1], [1, 1, 0], [1, 1, 1]], "triangles": [[0, 1, 2], [2, 1, 3]], "one_sided": true,
                "materials": [{"friction": 0.25, "restitution": 0.5}, {"friction": 0.5}], "triangle_materials": [0, 1]}},
      {"height_field": {"rows": 2, "columns": 3, "spacing_x": 2, "heights": [0, 1, 2, 3, 4, 5], "holes": [0, 1]}}]},
    {"name": "rock", "position": [4, 1, 0], "shapes": [{"hull": {"points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}}]},
    {"name": "box", "position": [0, 0.5, 0], "shapes": [{"box": {}}]},
    {"name": "top", "position": [0.1, 1.5, 0], "shapes": [{"box": {}}]},
    {"name": "gate", "type": "static", "position": [0, 1, 0], "shapes": [{"box": {"size": [3, 3, 3]}, "sensor": true}]},
    {"name": "shuttle", "type": "kinematic", "position": [-5, 1, 0], "shapes": [{"sphere": {}}], "motion": {"to": [-5, 3, 0], "period": 2}},
    {"name": "first", "position": [-9, 5, 0], "shapes": [{"capsule": {}}]},
    {"name": "second", "position": [-12, 5, 0], "shapes": [{"cylinder": {}}]},
    {"name": "walker", "position": [8, 1, 3], "mover": {}},
    {"name": "lift", "type": "kinematic", "position": [-20, 1, 0], "shapes": [{"box": {}}]}],
    "ropes": [{"nodes": 4, "start": [0, 9, 0], "end": [0, 6, 0], "pins": [{"node": 0, "target": [0, 9, 0]}, {"node": 3, "body": "top"}]}],
    "joints": [
      {"name": "hinge", "kind": "revolute", "a": "ground", "b": "first", "anchor": [-9, 5, 0],
        "axes": [{"axis": "angular_x", "limit": {"lower": -1, "upper": 1.9}, "motor": {"speed": 2, "max": 50}}]},
      {"name": "slide", "kind": "prismatic", "a": "ground", "b": "second", "anchor": [-12, 5, 0]},
      {"kind": "gear", "joint_1": "hinge", "joint_2": "slide", "axis_2": "linear_x", "ratio": -3}]})");
}

inline Simulation busy_simulation(NumbersMode numbers) {
  Simulation simulation = make_simulation(busy_scene(), numbers, std::make_unique<LiftGame>());
  InputMaker maker;
  join_players(simulation, maker, 1, true);
  std::vector<Input> const inputs{
      maker.make(1, 1, GrabCommand{scene_body(4), {}, Position::from_metres(0, 3, 0), 2000}),
      maker.make(1, 1, ForceCommand{scene_body(3), {10, 0, 0}, {}, 50}), maker.make(1, 1, SpawnCommand{})};
  if (!simulation.step(inputs).refused.empty()) throw std::runtime_error("an input was refused");
  for (int i = 0; i < 10; ++i) (void)simulation.step({});
  return simulation;
}

}  // namespace takt::sim
