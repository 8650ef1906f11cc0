#include "cli/state_file.h"

#include <span>

#include "cli/difference_text.h"
#include "cli/game_option.h"
#include "takt/sim/recording.h"

namespace takt::cli {
namespace {

const char* name_of(NumbersMode numbers) { return numbers == NumbersMode::kFixed ? "fixed" : "float"; }

}  // namespace

Result<sim::Simulation, server::FileError> load_state(const std::string& path, const sim::Scene& scene,
                                                      const std::string& scene_name, NumbersMode numbers,
                                                      const ChosenGame& game) {
  Result<std::string, server::FileError> const bytes = server::read_file(path, sim::kMaxChunkBytes);
  if (!bytes) return bytes.error();
  std::string game_text;
  Result<sim::Simulation, sim::SimError> simulation = sim::Simulation::restore(
      std::as_bytes(std::span(*bytes)), make_game(game.name, game.games), &game_text);
  if (!simulation) {
    bool const is_other_game = simulation.error() == sim::SimError::kGameMismatch;
    return server::FileError{path + ": " + std::string(message(simulation.error())) +
                             (is_other_game ? games_text(game.games) : "") +
                             (game_text.empty() ? "" : " (" + game.name + ": " + game_text + ")")};
  }
  if (simulation->numbers() != numbers) {
    std::string const own = name_of(simulation->numbers());
    return server::FileError{path + ": the state has " + own + " numbers, the run " + name_of(numbers) +
                             "; add --numbers " + own};
  }
  if (simulation->scene_hash() != scene_hash(scene)) {
    return server::FileError{path + ": the state is of a scene with hash " +
                             hash_text(simulation->scene_hash()) + ", " + scene_name + " has " +
                             hash_text(scene_hash(scene)) +
                             "; repeat the scene and the options of the run that saved it"};
  }
  return *std::move(simulation);
}

bool save_state(OutputFile& file, const sim::Simulation& simulation) {
  return file.write(simulation.save()) && file.close();
}

}  // namespace takt::cli
