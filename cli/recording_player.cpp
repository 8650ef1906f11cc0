#include "cli/recording_player.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "cli/game_option.h"
#include "cli/number_option.h"
#include "cli/path_option.h"
#include "cli/recording_file.h"
#include "cli/server_log.h"
#include "cli/start_failure.h"
#include "cli/stop_signal.h"
#include "cli/subcommand.h"
#include "cli/world_options.h"
#include "server/app/server.h"
#include "server/playback.h"
#include "takt/sim/recording.h"

namespace takt::cli {
namespace {

void print_start(const PlayOptions& options, const sim::RecordingInfo& info, std::uint64_t end_tick,
                 const server::Server& server) {
  if (options.json) {
    std::printf("{\"event\":\"start\",\"first_tick\":%" PRIu64 ",\"end_tick\":%" PRIu64
                ",\"hz\":%u,\"port\":%u,\"http_port\":%u,\"metrics_port\":%u}\n",
                info.first_tick, end_tick, info.tick_rate_hz, server.port(), server.http_port(),
                server.metrics_port());
    return;
  }
  std::printf("playing %s (%s): ticks %" PRIu64 " to %" PRIu64 ", %u Hz\n", options.path.c_str(),
              info.scene_title.empty() ? "untitled" : info.scene_title.c_str(), info.first_tick, end_tick,
              info.tick_rate_hz);
  print_web_address(options.web, server.http_port());
  print_plain_refusal(options.web, server.http_port());
  print_metrics_address(options.web, server.metrics_port());
  std::printf("spectators may also join on UDP port %u and TCP port %u\n", server.port(), server.port());
  std::printf("stop with Ctrl-C\n");
}

}  // namespace

CLI::App* add_play(CLI::App& replay, PlayOptions& options) {
  CLI::App* const command = replay.add_subcommand(
      "play", "Show a recording in the viewer: pause, step, seek, slow and fast motion");
  add_path(*command, "file", options.path, PathKind::kFile,
           "Recording, as '" + program_name() + " run --record' and '" + program_name() +
               " serve --record' write it")
      ->required();
  add_web_options(*command, options.web);
  add_number(*command, "--speed", options.speed, 0.01, 100, "Ticks per tick of real time")
      ->capture_default_str();
  command
      ->add_option("--admin", options.admin,
                   "Who may pause, step and seek: nobody, or viewers on this machine")
      ->check(CLI::IsMember({"none", "loopback"}))
      ->take_last()
      ->capture_default_str();
  add_number(*command, "--port", options.port, 0, 65535,
             "Port for spectators over UDP and TCP; 0 = a free one")
      ->capture_default_str();
  command->add_option("--bind", options.bind_address, "Address to listen on for them (default: all)");
  add_number(*command, "--for", options.seconds, 0, kMaxSeconds,
             "Stop after this many seconds (default: run until Ctrl-C)");
  command->add_option("--log", options.log_level, "Least important log lines to show, on stderr")
      ->check(CLI::IsMember({"trace", "debug", "info", "warning", "error", "off"}))
      ->capture_default_str();
  command->add_flag("--json", options.json, "One JSON object per line instead of text");
  add_threads_option(*command, options.threads);
  add_lanes_option(*command, options.lanes);
  return command;
}

int play_recording(const PlayOptions& options) {
  fill_standard_streams();
  StopSignal stop_signal;
  start_log(options.log_level);
  if (std::string const text = wrong_with(options.web); !text.empty())
    return print_error(text), kExitBadInput;
  Result<FileSource, server::FileError> source = FileSource::open(options.path);
  if (!source) return print_error(message(source.error())), kExitBadInput;
  Result<sim::RecordingReader, sim::SimError> reader = sim::RecordingReader::open(*source);
  if (!reader) return print_error(options.path + ": " + std::string(message(reader.error()))), kExitBadInput;
  std::unique_ptr<TaskPool> const pool =
      make_pool(options.threads);  // the playback uses it until the server has stopped
  Result<server::Playback, sim::SimError> playback = server::Playback::open(
      *reader, step_options_of(options.lanes, pool.get()), std::nullopt, options.games.factory());
  if (!playback) {
    return print_error(options.path + ": " + replay_failure(playback.error(), *reader, options.games)),
           kExitBadInput;
  }
  playback->set_speed(static_cast<float>(options.speed));
  std::uint64_t const end_tick = playback->end_tick();
  server::ServerOptions server_options;
  server_options.bind_address = options.bind_address;
  server_options.port = options.port;
  server_options.players_max = server::Playback::kSpectatorsMax;
  server_options.admin =
      options.admin == "loopback" ? protocol::AdminGrant::kLoopback : protocol::AdminGrant::kNone;
  server_options.http = http_options_of(options.web);
  server_options.metrics = metrics_options_of(options.web);
  auto opened =
      server::Server::open(server_options, std::make_unique<server::Playback>(*std::move(playback)));
  if (!opened) return print_error(start_failure(opened.error(), options.port, options.web)), kExitBadInput;
  auto const began = std::chrono::steady_clock::now();
  print_start(options, reader->info(), end_tick, **opened);
  std::fflush(stdout);
  auto const elapsed_s = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  while (!stop_signal.wait_ms(50) && (options.seconds == 0 || elapsed_s() < options.seconds)) {
  }
  (void)(*opened)->stop();
  return kExitDone;
}

}  // namespace takt::cli
