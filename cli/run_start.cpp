#include "cli/run_start.h"

#include "cli/game_option.h"
#include "cli/world_options.h"
#include "sim/commands/input_script.h"

namespace takt::cli {

Result<std::vector<sim::Input>, server::FileError> load_script(const std::string& path,
                                                               const sim::Scene& scene) {
  if (path.empty()) return std::vector<sim::Input>{};
  Result<std::string, server::FileError> const text = server::read_file(path, sim::kMaxSceneTextBytes);
  if (!text) return text.error();
  Result<std::vector<sim::Input>, sim::SceneError> script = sim::load_input_script(*text, path, scene);
  if (!script) return server::FileError{message(script.error())};
  return *std::move(script);
}

Result<sim::Simulation, server::FileError> start_simulation(const WorldOptions& world,
                                                            const sim::Scene& scene, const std::string& game,
                                                            const server::GameRegistry& games) {
  std::string game_text;
  Result<sim::Simulation, sim::SimError> simulation =
      sim::Simulation::create(scene, numbers_of(world), make_game(game, games), &game_text);
  if (simulation) return *std::move(simulation);
  return server::FileError{name_of_scene(world) + ": " + std::string(message(simulation.error())) +
                           (game_text.empty() ? "" : ": " + game_text)};
}

}  // namespace takt::cli
