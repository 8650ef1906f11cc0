// takt run: simulates a scene without a server, as fast as the machine allows.
#include <CLI/CLI.hpp>

#include <chrono>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>

#include "cli/body_table.h"
#include "cli/difference_text.h"
#include "cli/energy_report.h"
#include "cli/file_claims.h"
#include "cli/game_messages.h"
#include "cli/game_option.h"
#include "cli/json_text.h"
#include "cli/number_option.h"
#include "cli/path_option.h"
#include "cli/progress_bar.h"
#include "cli/recording_file.h"
#include "cli/replay_json.h"
#include "cli/run_start.h"
#include "cli/state_file.h"
#include "cli/stop_signal.h"
#include "cli/subcommand.h"
#include "cli/tick_times.h"
#include "cli/world_options.h"
#include "sim/commands/input_script.h"
#include "sim/recording/game_exception.h"
#include "takt/cli/takt_main.h"
#include "takt/sim/recording.h"
#include "takt/sim/rollback_buffer.h"

namespace takt::cli {
namespace {

struct RunOptions {
  WorldOptions world;
  std::uint64_t ticks = 0;
  std::string lanes = "auto";
  std::string threads = "1";
  std::string game;
  std::string created_by;  // of a recording
  std::string inputs_path;
  std::string from_path;
  std::string save_path;
  std::string record_path;
  bool force = false;
  std::string csv_path;
  std::uint64_t csv_every = 1;
  std::uint64_t hash_every = 0;
  std::uint32_t sync_test_ticks = 0;  // 0 = no sync test
  bool energy = false;
  bool messages = false;
  bool json = false;
};

volatile std::sig_atomic_t g_interrupted = 0;

OutputKind recording_kind(const RunOptions& options) {
  return options.force ? OutputKind::kForcedRecording : OutputKind::kRecording;
}

// Everything that a run writes to and reads from besides the world.
class Run {
 public:
  Run(const RunOptions& options, sim::Scene scene, sim::Simulation simulation)
      : options_(options),
        pool_(make_pool(options.threads)),
        scene_(std::move(scene)),
        simulation_(std::move(simulation)),
        first_tick_(simulation_.tick()),
        end_tick_(simulation_.tick() + options.ticks) {
    if (options.sync_test_ticks != 0) sync_test_.emplace(options.sync_test_ticks);
  }

  int execute();

 private:
  bool open_files();
  void tick(std::span<const sim::Input> inputs);
  void end_by_game(std::uint64_t tick, const std::string& thrown);
  void write_row();
  void note_recording(const Result<Unit, sim::SimError>& result);
  void close_files();
  void print_hash(const sim::TickResult& result) const;
  void print_sync_test() const;
  void print_last_line() const;
  [[nodiscard]] std::span<const sim::Input> next_inputs();

  const RunOptions& options_;
  std::unique_ptr<TaskPool> pool_;
  sim::Scene scene_;
  sim::Simulation simulation_;
  std::vector<sim::Input> script_;
  std::size_t next_input_ = 0;
  std::uint64_t first_tick_ = 0;
  std::uint64_t end_tick_ = 0;
  std::optional<sim::SyncTest> sync_test_;
  std::optional<BodyTable> table_;
  std::optional<OutputFile> state_;
  std::unique_ptr<FileSink> sink_;
  std::optional<sim::RecordingWriter> writer_;
  bool has_recording_failed_ = false;  // and the user was told
  bool has_game_thrown_ = false;       // the simulation is between two ticks then
  std::uint64_t refused_count_ = 0;
  std::optional<EnergyReport> energy_;
  TickTimes times_;
  int exit_code_ = kExitDone;
};

bool Run::open_files() {
  if (options_.energy) energy_.emplace(simulation_, scene_);
  if (!options_.inputs_path.empty()) {
    Result<std::vector<sim::Input>, server::FileError> script = load_script(options_.inputs_path, scene_);
    if (!script) return print_error(message(script.error())), false;
    script_ = *std::move(script);
    // Earlier inputs acted before the state was saved.
    while (next_input_ < script_.size() && script_[next_input_].tick < simulation_.tick()) ++next_input_;
  }
  if (!options_.csv_path.empty()) {
    Result<BodyTable, server::FileError> table = BodyTable::create(options_.csv_path, &scene_);
    if (!table) return print_error(message(table.error())), false;
    table_.emplace(*std::move(table));
  }
  if (!options_.save_path.empty()) {
    Result<OutputFile, server::FileError> state = OutputFile::create(options_.save_path, Latecomer::kReplace);
    if (!state) return print_error(message(state.error())), false;
    state_.emplace(*std::move(state));
  }
  if (!options_.record_path.empty()) {
    Result<std::unique_ptr<FileSink>, server::FileError> sink =
        FileSink::create(options_.record_path, recording_kind(options_));
    if (!sink) return print_error(message(sink.error())), false;
    sink_ = *std::move(sink);
    sim::RecordingOptions recording;
    recording.created_by = options_.created_by;
    writer_.emplace(*sink_, recording);
    Result<Unit, sim::SimError> const begun = writer_->begin(simulation_, &scene_);
    note_recording(begun && !sink_->commit() ? sim::SimError::kWriteFailed : begun);
  }
  return true;
}

void Run::note_recording(const Result<Unit, sim::SimError>& result) {
  if (result || has_recording_failed_) return;
  has_recording_failed_ = true;
  print_error(sink_->failure() + "; the run goes on, the recording ends here");
  exit_code_ = kExitFailed;
}

void Run::write_row() {
  if (!table_ || simulation_.tick() % options_.csv_every != 0) return;
  if (table_->write(simulation_.world())) return;
  print_error(table_->failure() + "; the run goes on without the table");
  table_.reset();
  exit_code_ = kExitFailed;
}

// The script's inputs for the present tick.
std::span<const sim::Input> Run::next_inputs() {
  std::size_t const begin = next_input_;
  while (next_input_ < script_.size() && script_[next_input_].tick == simulation_.tick()) ++next_input_;
  return std::span(script_).subspan(begin, next_input_ - begin);
}

void Run::tick(std::span<const sim::Input> inputs) {
  std::uint64_t const after = simulation_.tick() + 1;
  bool const hash_due = options_.hash_every != 0 && after % options_.hash_every == 0;
  sim::TickOptions tick_options;
  tick_options.step = step_options_of(options_.lanes, pool_.get());
  if (energy_) tick_options.step.energy = energy_->ledger();
  tick_options.want_hash = hash_due || writer_.has_value();
  auto const begin = std::chrono::steady_clock::now();
  sim::TickResult result;
  auto const step = [&] {
    result = sync_test_ ? sync_test_->step(simulation_, inputs, tick_options)
                        : simulation_.step(inputs, tick_options);
  };
  if (auto const thrown = sim::game_exception_of(step)) return end_by_game(after - 1, *thrown);
  times_.add_ms(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  for (const sim::RefusedInput& refused : result.refused) {
    constexpr std::uint64_t kMaxReported = 20;
    if (++refused_count_ > kMaxReported) continue;
    print_error("tick " + std::to_string(result.tick - 1) + ": input " + std::to_string(refused.sequence) +
                " of player " + std::to_string(refused.player) + " refused: " +
                std::string(message(refused.reason)) + (refused.text.empty() ? "" : ": " + refused.text));
  }
  if (options_.messages) print_messages(result.messages, options_.json);
  if (writer_) note_recording(writer_->append(simulation_, inputs, result));
  if (energy_) energy_->add(simulation_);
  write_row();
  if (hash_due) print_hash(result);
}

void Run::end_by_game(std::uint64_t tick, const std::string& thrown) {
  print_error(name_of_scene(options_.world) + ": " + game_exception_text(tick, thrown));
  has_game_thrown_ = true;
  exit_code_ = kExitFailed;
}

void Run::print_hash(const sim::TickResult& result) const {
  char const* const form = options_.json ? "{\"tick\":%" PRIu64 ",\"hash\":\"0x%016" PRIx64 "\"}\n"
                                         : "tick %" PRIu64 " hash 0x%016" PRIx64 "\n";
  std::printf(form, result.tick, result.hash);
}

void Run::print_sync_test() const {
  std::uint64_t const tick_count = simulation_.tick() - first_tick_;
  std::optional<sim::SyncDifference> const& difference = sync_test_->difference();
  if (options_.json) {
    std::string found = "null";
    if (difference) {
      found = "{\"tick\":" + std::to_string(difference->tick) +
              ",\"rolled_back_to\":" + std::to_string(difference->rolled_back_to) +
              ",\"first_hash\":" + json_text(hash_text(difference->first_hash)) +
              ",\"repeated_hash\":" + json_text(hash_text(difference->repeated_hash)) +
              ",\"fields\":" + fields_json(difference->fields, "first", "repeated") +
              ",\"output\":" + output_mismatch_json(difference->output) + '}';
    }
    std::printf("{\"sync_test\":{\"rollback_ticks\":%u,\"ticks\":%" PRIu64 ",\"repeated_ticks\":%" PRIu64
                ",\"difference\":%s}}\n",
                options_.sync_test_ticks, tick_count, sync_test_->repeated_ticks(), found.c_str());
  } else if (!difference) {
    std::printf("sync test: %" PRIu64 " ticks, %" PRIu64 " repeated, all equal\n", tick_count,
                sync_test_->repeated_ticks());
  }
  if (!difference) return;
  std::string const where = "sync test: tick " + std::to_string(difference->tick) +
                            " comes out differently after a rollback to tick " +
                            std::to_string(difference->rolled_back_to);
  if (difference->output) {
    print_error(where + ": the game answers \"" + difference->output->restored + "\" instead of \"" +
                difference->output->continued + '"');
  } else {
    print_error(where + ": first hash " + hash_text(difference->first_hash) + ", repeated " +
                hash_text(difference->repeated_hash));
  }
  for (const StateDifference& field : difference->fields) print_error("  " + message(field));
}

void Run::print_last_line() const {
  char const* const form = options_.json ? "{\"tick\":%" PRIu64 ",\"hash\":\"0x%016" PRIx64
                                           "\",\"bodies\":%u,\"ms_per_tick\":%.3f,\"ms_per_tick_p99\":%.3f}\n"
                                         : "tick %" PRIu64 " hash 0x%016" PRIx64
                                           " bodies %u ms/tick %.3f p99 %.3f\n";
  std::printf(form, simulation_.tick(), simulation_.hash(), simulation_.world().body_count(),
              times_.quantile_ms(0.5), times_.quantile_ms(0.99));
}

void Run::close_files() {
  if (writer_) {
    note_recording(writer_->close());
    if (!sink_->close() && !has_recording_failed_) {
      print_error(sink_->failure());
      exit_code_ = kExitFailed;
    }
  }
  if (state_ && !has_game_thrown_ && !save_state(*state_, simulation_)) {
    print_error(state_->failure());
    exit_code_ = kExitFailed;
  }
  if (table_ && !table_->close()) {
    print_error(table_->failure());
    exit_code_ = kExitFailed;
  }
}

int Run::execute() {
  if (!open_files()) return kExitBadInput;
  std::signal(SIGINT, [](int) { g_interrupted = 1; });
  std::signal(SIGTERM, [](int) { g_interrupted = 1; });
  std::signal(SIGHUP, [](int) { g_interrupted = 1; });  // the terminal went away; the outputs still get names
  ProgressBar bar(options_.ticks, options_.hash_every == 0 && !options_.messages);
  auto const begin = std::chrono::steady_clock::now();
  write_row();
  bool is_in_sync = true;
  for (std::uint64_t done = 0; done < options_.ticks && is_in_sync && g_interrupted == 0 && !has_game_thrown_;
       ++done) {
    tick(next_inputs());
    is_in_sync = !sync_test_ || !sync_test_->difference();
    bar.show(done + 1, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  bar.clear();
  close_files();
  if (refused_count_ > 20)
    print_error(std::to_string(refused_count_) + " inputs were refused; the first 20 are named above");
  if (has_game_thrown_) return exit_code_;
  if (!is_in_sync) exit_code_ = kExitFailed;
  if (next_input_ < script_.size() && is_in_sync && g_interrupted == 0) {
    print_error(options_.inputs_path + ": " + std::to_string(script_.size() - next_input_) +
                " inputs lie past the last tick and never acted; raise --ticks");
    exit_code_ = kExitFailed;
  }
  if (g_interrupted != 0) {
    print_error("interrupted at tick " + std::to_string(simulation_.tick()) + " of " +
                std::to_string(end_tick_));
    exit_code_ = kExitFailed;
  }
  if (sync_test_) print_sync_test();
  if (energy_) std::fputs((options_.json ? energy_->json() : energy_->text()).c_str(), stdout);
  print_last_line();
  return exit_code_;
}

int run(const RunOptions& options, const server::GameRegistry& games) {
  fill_standard_streams();
  FileClaims claims;
  claims.add_input("the scene", path_of_scene(options.world));
  claims.add_input("--inputs", options.inputs_path);
  claims.add_replaceable_input("--from", options.from_path, "--save");
  claims.add_output("--save", options.save_path, OutputKind::kFile);
  claims.add_output("--csv", options.csv_path, OutputKind::kFile);
  claims.add_output("--record", options.record_path, recording_kind(options));
  Result<sim::Scene, server::FileError> scene = load_scene_file(options.world, claims);
  if (!scene) return print_error(message(scene.error())), kExitBadInput;
  if (!options.from_path.empty()) {
    Result<sim::Simulation, server::FileError> state =
        load_state(options.from_path, *scene, name_of_scene(options.world), numbers_of(options.world),
                   {options.game, games});
    if (!state) return print_error(message(state.error())), kExitBadInput;
    return Run(options, *std::move(scene), *std::move(state)).execute();
  }
  Result<sim::Simulation, server::FileError> simulation = server::FileError{};
  auto const create = [&] { simulation = start_simulation(options.world, *scene, options.game, games); };
  if (auto const thrown = sim::game_exception_of(create))
    return print_error(name_of_scene(options.world) + ": " + game_exception_text(0, *thrown)), kExitFailed;
  if (!simulation) return print_error(message(simulation.error())), kExitBadInput;
  return Run(options, *std::move(scene), *std::move(simulation)).execute();
}

}  // namespace

void add_run(CLI::App& app, Action& action, const Program& program) {
  auto const options = std::make_shared<RunOptions>();
  options->created_by = version_text(program, "run");
  CLI::App* const command =
      app.add_subcommand("run", "Simulate a scene without a server, as fast as the machine allows");
  CLI::Option* const scene = add_path(*command, "scene", options->world.scene_path, PathKind::kFile,
                                      "Scene file (JSON, or its binary form), - = stdin; or --wild");
  scene->required();
  add_wild_option(*command, options->world, *scene);
  add_number(*command, "--ticks", options->ticks, 0, kMaxTicks, "Ticks to simulate")->required();
  add_world_options(*command, options->world);
  add_game_option(*command, options->game, program.games);
  add_messages_option(*command, options->messages, program.games);
  add_threads_option(*command, options->threads);
  add_lanes_option(*command, options->lanes);
  add_path(*command, "--inputs", options->inputs_path, PathKind::kFile,
           "Script of inputs: a JSON file (share/takt/schemas/inputs.fbs of an installation has its fields)");
  add_path(*command, "--from", options->from_path, PathKind::kFile,
           "Begin with the state of this file, which --save wrote, and not with the scene's");
  add_path(*command, "--save", options->save_path, PathKind::kFile,
           "Write the state at the end to this file, - = stdout; it may be the file of --from");
  add_record_options(*command, options->record_path, options->force);
  add_path(*command, "--csv", options->csv_path, PathKind::kFile,
           "Write tick, index, name, position, rotation and velocities of every moving body to this file, "
           "- = stdout");
  add_number(*command, "--csv-every", options->csv_every, 1, kMaxTicks, "Rows only every N ticks")
      ->capture_default_str();
  add_number(*command, "--hash-every", options->hash_every, 0, kMaxTicks,
             "Print the state hash every N ticks (0: only at the end)")
      ->capture_default_str();
  add_number(*command, "--sync-test", options->sync_test_ticks, 0, 1024,
             "Roll back N ticks after each tick, step them again and compare; stop at the first difference "
             "(0: no test)")
      ->capture_default_str();
  command->add_flag("--energy", options->energy,
                    "Print the energy of the bodies and its largest rises; by stage of the solver in a build "
                    "with checks (preset dev)");
  command->add_flag("--json", options->json, "One JSON object per line instead of text");
  command->footer("The last line is: tick <N> hash 0x<16 hex> bodies <n> ms/tick <median> p99 <p99>");
  command->callback([options, &action, &program] {
    action = [options, &program] { return run(*options, program.games); };
  });
}

}  // namespace takt::cli
