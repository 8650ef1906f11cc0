// takt replay: what a recording holds, whether this machine computes it again bit for bit, and to show it.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>
#include <vector>

#include "cli/body_table.h"
#include "cli/file_claims.h"
#include "cli/game_messages.h"
#include "cli/game_option.h"
#include "cli/json_text.h"
#include "cli/number_option.h"
#include "cli/path_option.h"
#include "cli/progress_bar.h"
#include "cli/recording_file.h"
#include "cli/recording_player.h"
#include "cli/replay_json.h"
#include "cli/state_file.h"
#include "cli/stop_signal.h"
#include "cli/subcommand.h"
#include "cli/world_options.h"
#include "sim/commands/input_script_text.h"
#include "takt/cli/takt_main.h"
#include "takt/sim/replay.h"

namespace takt::cli {
namespace {

struct ReplayOptions {
  std::string path;
  std::string other_path;
  std::string lanes = "auto";
  std::string threads = "1";
  std::string csv_path;
  std::string save_path;
  std::uint64_t tick = 0;
  std::optional<std::uint64_t> inputs_tick;  // none = all
  bool messages = false;
  bool json = false;
  server::GameRegistry games;  // of the program
};

const char* numbers_text(NumbersMode numbers) { return numbers == NumbersMode::kFixed ? "fixed" : "float"; }

int print_info(const ReplayOptions& options) {
  Result<OpenRecording, server::FileError> const recording = open_recording(options.path);
  if (!recording) return print_error(message(recording.error())), kExitBadInput;
  sim::RecordingInfo const& i = recording->reader.info();
  double const seconds =
      static_cast<double>(i.end_tick - i.first_tick) / (i.tick_rate_hz > 0 ? i.tick_rate_hz : 1);
  if (options.json) {
    std::printf("{\"file\":%s,\"scene\":%s,\"scene_hash\":\"0x%016" PRIx64
                "\",\"numbers\":\"%s\",\"tick_rate_hz\":%u,\"substeps\":%u,\"game\":%s,"
                "\"created_by\":%s,\"first_tick\":%" PRIu64 ",\"end_tick\":%" PRIu64 ",\"inputs\":%" PRIu64
                ",\"images\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"closed\":%s,\"cut_at\":%" PRIu64 "}\n",
                json_text(options.path).c_str(), json_text(i.scene_title).c_str(), i.scene_hash,
                numbers_text(i.numbers), i.tick_rate_hz, i.substeps, json_text(i.game_name).c_str(),
                json_text(i.created_by).c_str(), i.first_tick, i.end_tick, i.input_count, i.image_count,
                i.size_bytes, i.closed ? "true" : "false", i.cut_at_bytes);
    return kExitDone;
  }
  std::printf("scene      %s (hash 0x%016" PRIx64 ")\n",
              i.scene_title.empty() ? "untitled" : i.scene_title.c_str(), i.scene_hash);
  std::printf("world      %s numbers, %u ticks a second, %u substeps\n", numbers_text(i.numbers),
              i.tick_rate_hz, i.substeps);
  if (!i.game_name.empty()) std::printf("game       %s\n", i.game_name.c_str());
  std::printf("ticks      %" PRIu64 " to %" PRIu64 " (%.1f s), %" PRIu64 " inputs, %" PRIu64 " images\n",
              i.first_tick, i.end_tick, seconds, i.input_count, i.image_count);
  std::printf("written by %s\n", i.created_by.empty() ? "unknown" : i.created_by.c_str());
  if (i.closed) {
    std::printf("file       %" PRIu64 " bytes, closed\n", i.size_bytes);
  } else {
    std::printf("file       %" PRIu64 " bytes, not closed: sound up to byte %" PRIu64
                ", last good tick %" PRIu64 "\n",
                i.size_bytes, i.cut_at_bytes, i.end_tick);
  }
  return kExitDone;
}

void print_mismatch(const std::string& path, const sim::Mismatch& mismatch) {
  char hashes[96];
  std::snprintf(hashes, sizeof hashes, "recorded hash 0x%016" PRIx64 ", replayed 0x%016" PRIx64,
                mismatch.recorded_hash, mismatch.replayed_hash);
  print_error(path + ": tick " + std::to_string(mismatch.tick) + " comes out differently: " + hashes);
  for (const StateDifference& field : mismatch.fields) {
    std::fprintf(stderr, "%s:   %s: %s, replayed %s\n", program_name().c_str(), field.path.c_str(),
                 field.left.c_str(), field.right.c_str());
  }
}

std::string image_text(std::uint64_t tick, sim::SimError error) {
  return "the image of tick " + std::to_string(tick) + " is unreadable: " + std::string(message(error));
}

// Why a replay stopped after `final_tick`.
std::string stop_text(std::uint64_t final_tick, sim::SimError error, const std::string& thrown) {
  if (error == sim::SimError::kGameThrew) return game_exception_text(final_tick, thrown);
  return "unreadable past tick " + std::to_string(final_tick) + ": " + std::string(message(error));
}

// Why a replay could not read a recording, with the tick or the images of which it is true.
std::string unreadable_text(const sim::ReplayTrace& trace) {
  std::string past = stop_text(trace.final_tick, *trace.stopped_by, trace.thrown);
  if (trace.skipped_images.empty()) return past;
  std::string text;
  for (const sim::SkippedImage& image : trace.skipped_images)
    text += (text.empty() ? "" : "; ") + image_text(image.tick, image.error);
  return trace.final_tick == 0 ? text : text + "; " + past;
}

int verify_recording(const ReplayOptions& options) {
  Result<OpenRecording, server::FileError> const recording = open_recording(options.path);
  if (!recording) return print_error(message(recording.error())), kExitBadInput;
  sim::RecordingInfo const& info = recording->reader.info();
  ProgressBar bar(info.end_tick - info.first_tick, true);
  auto const begin = std::chrono::steady_clock::now();
  auto const progress = [&](const sim::Simulation&, std::uint64_t tick) {
    bar.show(tick - info.first_tick,
             std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    return true;
  };
  std::unique_ptr<TaskPool> const pool = make_pool(options.threads);
  Result<sim::VerifyReport, sim::SimError> const report = sim::verify(
      recording->reader, step_options_of(options.lanes, pool.get()), options.games.factory(), progress);
  bar.clear();
  if (!report) {
    print_error(options.path + ": " + replay_failure(report.error(), recording->reader, options.games));
    return kExitBadInput;
  }
  if (report->mismatch) print_mismatch(options.path, *report->mismatch);
  if (report->stopped_by) {
    std::string const what =
        report->unreadable_image
            ? image_text(*report->unreadable_image, *report->stopped_by) +
                  "; the ticks before it verify, and 'replay bisect' checks those after the next image"
            : stop_text(report->final_tick, *report->stopped_by, report->thrown);
    print_error(options.path + ": " + what);
  }
  bool const is_sound = !report->mismatch && !report->stopped_by;
  bool const has_thrown = report->stopped_by == sim::SimError::kGameThrew;
  if (options.json) {
    std::printf("{\"file\":%s,\"verified\":%s,\"ticks\":%" PRIu64 ",\"images\":%" PRIu64 ",\"tick\":%" PRIu64
                ",\"hash\":\"0x%016" PRIx64 "\",\"closed\":%s,\"cut_at\":%" PRIu64
                ",\"mismatch\":%s,\"error\":%s}\n",
                json_text(options.path).c_str(), is_sound ? "true" : "false", report->ticks_checked,
                report->images_checked, report->final_tick, report->final_hash,
                info.closed ? "true" : "false", info.cut_at_bytes, mismatch_json(report->mismatch).c_str(),
                stop_json(report->stopped_by, report->thrown).c_str());
  } else if (is_sound || has_thrown) {
    std::printf("verified %" PRIu64 " ticks and %" PRIu64 " images: tick %" PRIu64 " hash 0x%016" PRIx64
                ", bit for bit\n",
                report->ticks_checked, report->images_checked, report->final_tick, report->final_hash);
    if (!info.closed && is_sound)
      std::printf("the recording is cut: sound up to byte %" PRIu64 " of %" PRIu64 ", last good tick %" PRIu64
                  "\n",
                  info.cut_at_bytes, info.size_bytes, info.end_tick);
  }
  return is_sound ? kExitDone : kExitFailed;
}

// Why a tick cannot be reached, with the remedy.
std::string seek_failure(sim::SimError error, const sim::ReplayTrace& trace,
                         const sim::RecordingReader& recording, const server::GameRegistry& games) {
  if (error == sim::SimError::kGameThrew) return game_exception_text(trace.final_tick, trace.thrown);
  bool const is_damage = error == sim::SimError::kRecordingDamaged || error == sim::SimError::kReadFailed;
  if (!is_damage) return replay_failure(error, recording, games);
  return unreadable_text(trace) + "; use a copy of the file, or a tick that 'replay bisect' can reach";
}

// A replay that a game's exception ends is bad code, not bad input.
int exit_code_of(sim::SimError error) {
  return error == sim::SimError::kGameThrew ? kExitFailed : kExitBadInput;
}

int seek_tick(const ReplayOptions& options) {
  fill_standard_streams();
  FileClaims claims;
  claims.add_input("the recording", options.path);
  claims.add_output("--csv", options.csv_path, OutputKind::kFile);
  claims.add_output("--save", options.save_path, OutputKind::kFile);
  if (auto const checked = claims.check(); !checked)
    return print_error(message(checked.error())), kExitBadInput;
  Result<OpenRecording, server::FileError> const recording = open_recording(options.path);
  if (!recording) return print_error(message(recording.error())), kExitBadInput;
  sim::RecordingInfo const& info = recording->reader.info();
  if (options.tick < info.first_tick || options.tick > info.end_tick) {
    print_error("--tick " + std::to_string(options.tick) + " is not in " + options.path + ": allowed is " +
                std::to_string(info.first_tick) + " to " + std::to_string(info.end_tick));
    return kExitBadInput;
  }
  std::unique_ptr<TaskPool> const pool = make_pool(options.threads);
  sim::ReplayTrace trace;
  StepOptions const step = step_options_of(options.lanes, pool.get());
  auto const observe = [&](const sim::TickResult& result) { print_messages(result.messages, options.json); };
  Result<sim::Simulation, sim::SimError> const simulation =
      options.messages
          ? sim::replay_to(recording->reader, options.tick, observe, step, options.games.factory(), &trace)
          : sim::seek(recording->reader, options.tick, step, options.games.factory(), &trace);
  if (!simulation) {
    return print_error(options.path + ": " +
                       seek_failure(simulation.error(), trace, recording->reader, options.games)),
           exit_code_of(simulation.error());
  }
  for (const sim::SkippedImage& image : trace.skipped_images) {
    print_error(options.path + ": " + image_text(image.tick, image.error) +
                "; the ticks since an earlier image were simulated instead");
  }
  if (!options.csv_path.empty()) {
    Result<sim::Scene, sim::SceneError> const scene =
        sim::load_scene(recording->reader.scene_binary(), options.path);  // a recording may have none
    Result<BodyTable, server::FileError> table =
        BodyTable::create(options.csv_path, scene ? &*scene : nullptr);
    if (!table) return print_error(message(table.error())), kExitBadInput;
    if (!table->write(simulation->world()) || !table->close())
      return print_error(table->failure()), kExitFailed;
  }
  if (!options.save_path.empty()) {
    Result<OutputFile, server::FileError> state = OutputFile::create(options.save_path, Latecomer::kReplace);
    if (!state) return print_error(message(state.error())), kExitBadInput;
    if (!save_state(*state, *simulation)) return print_error(state->failure()), kExitFailed;
  }
  char const* const form = options.json ? "{\"tick\":%" PRIu64 ",\"hash\":\"0x%016" PRIx64
                                          "\",\"bodies\":%u}\n"
                                        : "tick %" PRIu64 " hash 0x%016" PRIx64 " bodies %u\n";
  std::printf(form, simulation->tick(), simulation->hash(), simulation->world().body_count());
  return kExitDone;
}

int print_inputs(const ReplayOptions& options) {
  Result<OpenRecording, server::FileError> const recording = open_recording(options.path);
  if (!recording) return print_error(message(recording.error())), kExitBadInput;
  sim::RecordingInfo const& info = recording->reader.info();
  std::uint64_t const first = options.inputs_tick.value_or(info.first_tick);
  std::uint64_t const end = options.inputs_tick ? first + 1 : info.end_tick;
  if (options.inputs_tick && (first < info.first_tick || first >= info.end_tick)) {
    print_error("--tick " + std::to_string(first) + " has no inputs in " + options.path + ": its ticks are " +
                std::to_string(info.first_tick) + " up to " + std::to_string(info.end_tick));
    return kExitBadInput;
  }
  int exit_code = kExitDone;
  std::vector<sim::RecordedTick> ticks;
  for (std::uint64_t tick = first; tick < end; ++tick) {
    Result<sim::RecordedTick, sim::SimError> recorded = recording->reader.tick(tick);
    if (!recorded) {
      print_error(options.path + ": " + stop_text(tick, recorded.error(), {}) + "; the script ends there");
      exit_code = kExitFailed;
      break;
    }
    if (!recorded->inputs.empty()) ticks.push_back(*std::move(recorded));
  }
  Result<sim::Scene, sim::SceneError> const scene =
      sim::load_scene(recording->reader.scene_binary(), options.path);  // a recording may have none
  sim::InputScriptText const script = sim::write_input_script(ticks, scene ? *scene : sim::Scene{});
  for (const sim::Input& input : script.omitted) {
    print_error(options.path + ": tick " + std::to_string(input.tick) + ": a script cannot express input " +
                std::to_string(input.sequence) + " of player " + std::to_string(input.player) + " (" +
                std::string(name_of(input.command)) + "); it is left out");
    exit_code = kExitFailed;
  }
  if (script.json.size() > sim::kMaxSceneTextBytes) {
    print_error(options.path + ": the script has " + std::to_string(script.json.size()) +
                " bytes, and 'run --inputs' reads " + std::to_string(sim::kMaxSceneTextBytes) +
                "; choose ticks with --tick");
    exit_code = kExitFailed;
  }
  std::fputs(script.json.c_str(), stdout);
  return exit_code;
}

void print_unreadable(const std::string& path, const sim::ImageCheck& check) {
  print_error(path + ": " +
              (check.is_image_sound ? stop_text(check.final_tick, *check.stopped_by, check.thrown)
                                    : image_text(check.image_tick, *check.stopped_by)));
}

void print_output_mismatch(const std::string& path, const sim::ImageCheck& check) {
  sim::OutputMismatch const& mismatch = *check.output_mismatch;
  print_error(path + ": tick " + std::to_string(mismatch.tick) + ": after the image of tick " +
              std::to_string(check.image_tick) + " the game answers \"" + mismatch.restored +
              "\" instead of \"" + mismatch.continued + "\"; name all state of the game in visit_state()");
}

int bisect_recording(const ReplayOptions& options) {
  Result<OpenRecording, server::FileError> const recording = open_recording(options.path);
  if (!recording) return print_error(message(recording.error())), kExitBadInput;
  std::unique_ptr<TaskPool> const pool = make_pool(options.threads);
  Result<std::vector<sim::ImageCheck>, sim::SimError> const checks =
      sim::bisect(recording->reader, step_options_of(options.lanes, pool.get()), options.games.factory());
  if (!checks) {
    return print_error(options.path + ": " +
                       replay_failure(checks.error(), recording->reader, options.games)),
           kExitBadInput;
  }
  bool const is_sound = std::ranges::all_of(*checks, &sim::ImageCheck::follows);
  for (auto at = checks->begin(); at != checks->end();) {
    auto const bad = std::find_if_not(at, checks->end(), [](const auto& check) { return check.follows(); });
    // Images in a row from which all ticks follow share a line. The last image may have no tick.
    if (std::uint64_t const first = at->image_tick;
        !options.json && bad != at && (is_sound || first < std::prev(bad)->end_tick)) {
      std::printf("every tick from %" PRIu64 " to %" PRIu64 " follows from the image before it\n", first,
                  std::prev(bad)->end_tick);
    }
    if (bad == checks->end()) break;
    if (bad->mismatch) print_mismatch(options.path, *bad->mismatch);
    if (bad->output_mismatch) print_output_mismatch(options.path, *bad);
    if (bad->stopped_by) print_unreadable(options.path, *bad);
    at = std::next(bad);
  }
  // A game is restored from later images alone: the first one has its state of tick 0.
  if (!options.json && checks->size() == 1 && !recording->reader.info().game_name.empty())
    std::printf("the recording has one image, so save() of the game is untested: record past tick %u\n",
                sim::RecordingOptions{}.image_every_ticks);
  if (options.json)
    for (const sim::ImageCheck& check : *checks) std::printf("%s\n", image_check_json(check).c_str());
  return is_sound ? kExitDone : kExitFailed;
}

// Empty, or the reason why the states of two recordings cannot be compared.
std::string incomparable(const sim::RecordingInfo& left, const sim::RecordingInfo& right,
                         const ReplayOptions& options) {
  auto const both = [&](const std::string& l, const std::string& r) {
    return options.path + " has " + l + ", " + options.other_path + " has " + r + ": ";
  };
  auto const ticks = [](const sim::RecordingInfo& info) {
    return "ticks " + std::to_string(info.first_tick) + " to " + std::to_string(info.end_tick);
  };
  if (left.numbers != right.numbers)
    return both(std::string(numbers_text(left.numbers)) + " numbers",
                std::string(numbers_text(right.numbers)) + " numbers") +
           "their states differ from the start; record both with one --numbers";
  if (std::max(left.first_tick, right.first_tick) > std::min(left.end_tick, right.end_tick))
    return both(ticks(left), ticks(right)) + "no tick is in both";
  return {};
}

int diff_recordings(const ReplayOptions& options) {
  Result<OpenRecording, server::FileError> const left = open_recording(options.path);
  if (!left) return print_error(message(left.error())), kExitBadInput;
  Result<OpenRecording, server::FileError> const right = open_recording(options.other_path);
  if (!right) return print_error(message(right.error())), kExitBadInput;
  if (std::string const text = incomparable(left->reader.info(), right->reader.info(), options);
      !text.empty())
    return print_error(text), kExitBadInput;
  std::unique_ptr<TaskPool> const pool = make_pool(options.threads);
  sim::ComparisonTraces traces;
  Result<sim::RecordingComparison, sim::SimError> const report =
      sim::compare(left->reader, right->reader, step_options_of(options.lanes, pool.get()),
                   options.games.factory(), &traces);
  if (!report) {
    bool const is_right = traces.right.stopped_by.has_value();
    print_error((is_right ? options.other_path : options.path) + ": " +
                seek_failure(report.error(), is_right ? traces.right : traces.left,
                             (is_right ? right : left)->reader, options.games));
    return exit_code_of(report.error());
  }
  if (options.json) {
    std::printf("%s\n", comparison_json(options.path, options.other_path, *report).c_str());
    return report->first_difference ? kExitFailed : kExitDone;
  }
  if (!report->first_difference) {
    std::printf("the same states from tick %" PRIu64 " to %" PRIu64 "\n", report->first_tick,
                report->end_tick);
    return kExitDone;
  }
  std::printf("first different state: tick %" PRIu64 "\n", *report->first_difference);
  if (report->inputs_differ)
    std::printf("the inputs of tick %" PRIu64 " differ\n", *report->first_difference - 1);
  for (const StateDifference& field : report->fields)
    std::printf("%s: %s | %s\n", field.path.c_str(), field.left.c_str(), field.right.c_str());
  return kExitFailed;
}

}  // namespace

void add_replay(CLI::App& app, Action& action, const Program& program) {
  auto const options = std::make_shared<ReplayOptions>();
  options->games = program.games;
  CLI::App* const replay =
      app.add_subcommand("replay", "Look into a recording, or compute it again and compare");
  replay->require_subcommand(1);
  auto const add = [&](const char* name, const char* purpose, int (*act)(const ReplayOptions&)) {
    CLI::App* const command = replay->add_subcommand(name, purpose);
    add_path(*command, "file", options->path, PathKind::kFile,
             "Recording, as '" + program_name() + " run --record' and '" + program_name() +
                 " serve --record' write it")
        ->required();
    command->callback([options, act, &action] { action = [options, act] { return act(*options); }; });
    return command;
  };
  CLI::App* const info = add("info", "Say what a recording holds and whether it was cut", print_info);
  CLI::App* const check =
      add("verify", "Compute every tick again and compare its hash with the recorded one", verify_recording);
  CLI::App* const seek = add("seek", "Go to one tick and print its hash, or its bodies", seek_tick);
  CLI::App* const bisect =
      add("bisect", "Find the first tick that does not follow from the image before it, for every image",
          bisect_recording);
  CLI::App* const diff =
      add("diff", "Find the first tick in which two recordings differ, and the fields", diff_recordings);
  CLI::App* const inputs =
      add("inputs", "Print the inputs as a script that 'run --inputs' accepts", print_inputs);
  add_number(*inputs, "--tick", options->inputs_tick, 0, kMaxTicks,
             "The inputs of this tick alone (default: all)");
  for (CLI::App* const command : {info, check, seek, bisect, diff})
    command->add_flag("--json", options->json, "One JSON object per line instead of text");
  for (CLI::App* const command : {check, seek, bisect, diff}) {
    add_threads_option(*command, options->threads);
    add_lanes_option(*command, options->lanes);
  }
  auto const play_options = std::make_shared<PlayOptions>();
  play_options->games = program.games;
  add_play(*replay, *play_options)->callback([play_options, &action] {
    action = [play_options] { return play_recording(*play_options); };
  });
  add_number(*seek, "--tick", options->tick, 0, kMaxTicks, "The tick to go to")->required();
  add_path(*seek, "--csv", options->csv_path, PathKind::kFile,
           "Write the moving bodies of that tick to this file, - = stdout");
  add_path(*seek, "--save", options->save_path, PathKind::kFile,
           "Write the state of that tick to this file, for 'run --from', - = stdout");
  add_messages_option(*seek, options->messages, program.games);
  add_path(*diff, "second-recording", options->other_path, PathKind::kFile, "The recording to compare with")
      ->required();
}

}  // namespace takt::cli
