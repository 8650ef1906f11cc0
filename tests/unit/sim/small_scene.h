// Small scenes and inputs for the tests of sim: a floor and a few boxes, quick to step. Nothing here is a
// test.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "takt/sim/simulation.h"

namespace takt::sim {

inline Scene parse_scene(std::string_view json) {
  Result<Scene, SceneError> scene = load_scene(json, "test.json");
  if (!scene) throw std::runtime_error(message(scene.error()));
  return *std::move(scene);
}

/// Ground (index 0) and `count` boxes in a stack (indices 1 to count), one metre each.
inline Scene stack_scene(int count = 3, std::string_view players = "{}") {
  return parse_scene(R"({"players": )" + std::string(players) +
                     R"(, "bodies": [{"name": "ground", "type": "static", "shapes": [{"half_space": {}}]}],
    "generators": [{"stack": {"count": )" +
                     std::to_string(count) + R"(}}]})");
}

inline Simulation make_simulation(const Scene& scene, NumbersMode numbers = NumbersMode::kFloat,
                                  std::unique_ptr<Game> game = nullptr) {
  Result<Simulation, SimError> simulation = Simulation::create(scene, numbers, std::move(game));
  if (!simulation) throw std::runtime_error(std::string(message(simulation.error())));
  return *std::move(simulation);
}

/// The i-th body of a scene.
inline BodyId scene_body(std::uint32_t i) { return {i, 1}; }

inline SpawnCommand spawn_of(ShapeKind kind, Vec3<float> dimensions_m, const Position& position) {
  SpawnCommand command;
  command.kind = kind;
  command.dimensions_m = dimensions_m;
  command.position = position;
  return command;
}

/// Gives inputs the present tick and rising sequences, player by player.
class InputMaker {
 public:
  [[nodiscard]] Input make(std::uint64_t tick, PlayerId player, Command command) {
    return {tick, player, ++last_[player], std::move(command)};
  }

 private:
  std::uint32_t last_[16] = {};
};

/// Joins players 1 to `count` in the present tick.
inline void join_players(Simulation& simulation, InputMaker& maker, PlayerId count, bool admin = false) {
  std::vector<Input> inputs;
  for (PlayerId p = 1; p <= count; ++p)
    inputs.push_back(maker.make(simulation.tick(), kServerPlayer, JoinCommand{p, admin, "player"}));
  TickResult const result = simulation.step(inputs);
  if (!result.refused.empty()) throw std::runtime_error(std::string(message(result.refused.front().reason)));
}

}  // namespace takt::sim
