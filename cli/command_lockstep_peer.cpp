// takt lockstep-peer: one end of `takt lockstep-test`, which steps a scene as lines on stdin say so.
#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "cli/file_claims.h"
#include "cli/game_option.h"
#include "cli/number_option.h"
#include "cli/path_option.h"
#include "cli/run_start.h"
#include "cli/stop_signal.h"
#include "cli/subcommand.h"
#include "cli/world_options.h"
#include "sim/comparison/lockstep_peer.h"
#include "takt/cli/takt_main.h"

namespace takt::cli {
namespace {

struct PeerOptions {
  WorldOptions world;
  std::string lanes = "auto";
  std::string threads = "1";
  std::string game;
  std::string inputs_path;
  std::uint32_t sync_test_ticks = 0;
};

// Prints a line at once: the other end waits for it. False if nobody reads.
bool print_line(const std::string& line) {
  return std::printf("%s\n", line.c_str()) >= 0 && std::fflush(stdout) == 0;
}

// A line of stdin without its end; false at the end of stdin. Requests are short.
bool read_line(std::string& line) {
  line.clear();
  for (int letter = std::getchar(); letter != EOF; letter = std::getchar()) {
    if (letter == '\n') return true;
    if (line.size() < sim::kMaxLockstepRequestBytes) line += static_cast<char>(letter);
  }
  return false;
}

int answer_lines(const PeerOptions& options, const server::GameRegistry& games) {
  fill_standard_streams();
  FileClaims claims;
  claims.add_input("the scene", path_of_scene(options.world));
  claims.add_input("--inputs", options.inputs_path);
  Result<sim::Scene, server::FileError> const scene = load_scene_file(options.world, claims);
  if (!scene) return print_error(message(scene.error())), kExitBadInput;
  Result<std::vector<sim::Input>, server::FileError> script = load_script(options.inputs_path, *scene);
  if (!script) return print_error(message(script.error())), kExitBadInput;
  Result<sim::Simulation, server::FileError> simulation =
      start_simulation(options.world, *scene, options.game, games);
  if (!simulation) return print_error(message(simulation.error())), kExitBadInput;
  std::unique_ptr<TaskPool> const pool = make_pool(options.threads);
  sim::LockstepPeer peer(*simulation, *std::move(script), step_options_of(options.lanes, pool.get()),
                         options.sync_test_ticks);
  if (!print_line(peer.greeting())) return kExitFailed;
  std::string line;
  while (read_line(line)) {
    sim::PeerReply const reply = peer.handle_line(line);
    if (!print_line(reply.line)) return kExitFailed;
    if (reply.is_last) return reply.line == "end" ? kExitDone : kExitFailed;
  }
  return kExitDone;
}

}  // namespace

void add_lockstep_peer(CLI::App& app, Action& action, const Program& program) {
  auto const options = std::make_shared<PeerOptions>();
  CLI::App* const command = app.add_subcommand(
      "lockstep-peer", "Answer the line protocol of lockstep-test on stdin and stdout: hashes and fields");
  CLI::Option* const scene = add_path(*command, "scene", options->world.scene_path, PathKind::kFile,
                                      "Scene file (JSON, or its binary form); or --wild");
  scene->required();
  add_wild_option(*command, options->world, *scene);
  add_world_options(*command, options->world);
  add_game_option(*command, options->game, program.games);
  add_threads_option(*command, options->threads);
  add_lanes_option(*command, options->lanes);
  add_path(*command, "--inputs", options->inputs_path, PathKind::kFile,
           "Script of inputs, as '" + program_name() + " run --inputs' takes it: a JSON file");
  add_number(*command, "--sync-test", options->sync_test_ticks, 0, 1024,
             "Roll back N ticks after each tick, step them again and compare (0: no test)")
      ->capture_default_str();
  command->callback([options, &action, &program] {
    action = [options, &program] { return answer_lines(*options, program.games); };
  });
}

}  // namespace takt::cli
