// takt serve: runs a server until it is told to stop, and says once a second how it is.
#include <unistd.h>

#include <CLI/CLI.hpp>

#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/difference_text.h"
#include "cli/endpoint_text.h"
#include "cli/file_claims.h"
#include "cli/game_option.h"
#include "cli/journal_files.h"
#include "cli/json_text.h"
#include "cli/number_option.h"
#include "cli/path_option.h"
#include "cli/recording_file.h"
#include "cli/refusal_counts.h"
#include "cli/resumed_world.h"
#include "cli/series_lock.h"
#include "cli/server_log.h"
#include "cli/start_failure.h"
#include "cli/stop_signal.h"
#include "cli/subcommand.h"
#include "cli/web_options.h"
#include "cli/world_options.h"
#include "server/app/server.h"
#include "server/scene_directory.h"
#include "takt/cli/takt_main.h"
#include "takt/crypto/connect_token.h"

namespace takt::cli {
namespace {

struct ServeOptions {
  WorldOptions world;
  std::uint16_t port = 7777;
  std::string bind_address;
  std::string threads = "1";
  std::string lanes = "auto";
  std::uint32_t players_max = 64;
  std::uint32_t spectators_max = 64;
  std::uint64_t egress_max = 0;
  std::vector<std::string> trust_proxies;
  protocol::AddressLimits address;
  bool limit_loopback = false;
  bool replicas = false;
  std::string desync_dir;
  std::uint32_t snapshot_every = 1;
  server::GovernorOptions governor;
  std::string record_path;
  bool force = false;
  std::string resume_path;
  std::uint32_t sync_ms = 200;
  double record_max_mb = 0;
  double seconds = 0;
  std::string log_level = "info";
  std::string scenes_directory;
  std::string admin = "none";
  server::TokenOptions tokens;
  std::string identity_path;
  std::string game;
  WebOptions web;
  bool json = false;
};

// The scene as the user named it, or the recording that has it.
std::string scene_argument(const ServeOptions& options) {
  if (!options.resume_path.empty()) return options.resume_path;
  return options.world.wild ? name_of_scene(options.world) : options.world.scene_path;
}

void print_start(const ServeOptions& options, const sim::Scene& scene, const server::Server& server) {
  auto const& world = scene.world;
  if (options.json) {
    std::printf(
        "{\"event\":\"start\",\"scene\":%s,\"title\":%s,\"bodies\":%zu,\"numbers\":\"%s\",\"hz\":%u,"
        "\"substeps\":%u,\"scene_hash\":\"%s\",\"game\":%s,"
        "\"port\":%u,\"http_port\":%u,\"metrics_port\":%u,\"key\":%s}\n",
        json_text(scene_argument(options)).c_str(), json_text(scene.title).c_str(), scene.bodies.size(),
        options.world.numbers.c_str(), world.tick_rate_hz, world.substeps,
        hash_text(scene_hash(scene)).c_str(),
        options.game == kNoGame ? "null" : json_text(options.game).c_str(), server.port(), server.http_port(),
        server.metrics_port(), json_text(server.server_key()).c_str());
    return;
  }
  std::printf("simulating %s (%s): %zu bodies, %s numbers, %u Hz, %u substeps\n",
              scene_argument(options).c_str(), scene.title.c_str(), scene.bodies.size(),
              options.world.numbers.c_str(), world.tick_rate_hz, world.substeps);
  if (options.game != kNoGame) std::printf("game %s\n", options.game.c_str());
  std::printf("listening on UDP port %u and TCP port %u\n", server.port(), server.port());
  print_web_address(options.web, server.http_port());
  if (options.trust_proxies.empty()) print_plain_refusal(options.web, server.http_port());
  print_metrics_address(options.web, server.metrics_port());
  if (!options.record_path.empty()) std::printf("recording to %s\n", options.record_path.c_str());
  if (!options.resume_path.empty()) std::printf("resumed %s\n", options.resume_path.c_str());
  std::printf("address: takt://127.0.0.1:%u#%s\n", server.port(), server.server_key().c_str());
  std::printf("connect with: %s bot --connect 127.0.0.1:%u#%s --udp --for 10\n", program_invocation_name,
              server.port(), server.server_key().c_str());
  std::printf("stop with Ctrl-C\n");
}

void print_status(const ServeOptions& options, const server::ServerStatus& status) {
  double const median_ms = status.tick_median_us / 1000.0;
  double const p99_ms = status.tick_p99_us / 1000.0;
  if (options.json) {
    std::printf("{\"event\":\"status\",\"tick\":%" PRIu64
                ",\"clients\":%u,\"bodies\":%u,\"awake\":%u,\"ms_per_tick\":%.3f,\"ms_per_tick_p99\":%.3f,"
                "\"cpu_ms_per_tick\":%.3f,\"hash\":\"%s\","
                "\"late_ticks\":%" PRIu64 ",\"dropped_ticks\":%" PRIu64 ",\"contacts_cut_ticks\":%" PRIu64
                ",\"overloaded\":%s,\"bodies_removed\":%" PRIu64 ",\"spawns_refused\":%" PRIu64 "}\n",
                status.tick, status.client_count, status.body_count, status.awake_count, median_ms, p99_ms,
                status.tick_cost_us / 1000.0, hash_text(status.hash).c_str(), status.late_ticks,
                status.dropped_ticks, status.room.contacts_cut_ticks, status.is_overloaded ? "true" : "false",
                status.room.bodies_removed, status.room.spawns_refused);
    return;
  }
  std::printf("tick %" PRIu64 "  clients %u  bodies %u (%u awake)  ms/tick %.3f p99 %.3f  hash %s",
              status.tick, status.client_count, status.body_count, status.awake_count, median_ms, p99_ms,
              hash_text(status.hash).c_str());
  if (status.dropped_ticks > 0) std::printf("  gave up %" PRIu64 " ticks", status.dropped_ticks);
  if (status.room.contacts_cut_ticks > 0)
    std::printf("  cut contacts in %" PRIu64 " ticks", status.room.contacts_cut_ticks);
  if (status.is_overloaded) std::printf("  overloaded");
  std::printf("\n");
}

// Lists everything that was refused from strangers and broken clients, by name.
std::string refused_packets(const protocol::Counters& counters, bool json) {
  using protocol::Counter;
  std::string out;
  for (auto at = static_cast<std::size_t>(Counter::kDatagramShort);
       at <= static_cast<std::size_t>(Counter::kHandshakeRefused); ++at) {
    auto const counter = static_cast<Counter>(at);
    // Copies and latecomers are what networks do, not what anybody did wrong.
    if (counter == Counter::kDuplicate || counters[counter] == 0) continue;
    if (!out.empty()) out += json ? "," : ", ";
    std::string const name(name_of(counter));
    out += json ? "\"" + name + "\":" + std::to_string(counters[counter])
                : name + " " + std::to_string(counters[counter]);
  }
  return out;
}

void print_summary(const ServeOptions& options, const server::ServerStatus& status, double seconds) {
  using protocol::Counter;
  std::uint64_t const sent = status.network[Counter::kDatagramBytesSent] +
                             status.network[Counter::kStreamBytesSent] +
                             status.network[Counter::kWebSocketBytesSent];
  std::uint64_t const received = status.network[Counter::kDatagramBytesReceived] +
                                 status.network[Counter::kStreamBytesReceived] +
                                 status.network[Counter::kWebSocketBytesReceived];
  std::string const refused = refused_packets(status.network, options.json);
  if (options.json) {
    std::printf("{\"event\":\"stop\",\"tick\":%" PRIu64
                ",\"hash\":\"%s\",\"seconds\":%.3f,\"joined\":%" PRIu64 ",\"inputs_applied\":%" PRIu64
                ",\"inputs_moved\":%" PRIu64 ",\"inputs_refused\":%" PRIu64 ",\"inputs_overflowed\":%" PRIu64
                ",\"bytes_sent\":%" PRIu64 ",\"bytes_received\":%" PRIu64 ",\"late_ticks\":%" PRIu64
                ",\"dropped_ticks\":%" PRIu64 ",\"recorded_bytes\":%" PRIu64
                ",\"recording_failed\":%s,\"refusals\":%s,\"refused_packets\":{%s}}\n",
                status.tick, hash_text(status.hash).c_str(), seconds, status.room.joined,
                status.room.inputs_applied, status.room.inputs_moved, status.room.inputs_refused,
                status.inputs_overflowed, sent, received, status.late_ticks, status.dropped_ticks,
                status.journal.written_bytes, status.recording_failed ? "true" : "false",
                refusals_json(status.room.refusals).c_str(), refused.c_str());
    return;
  }
  std::printf("stopped after %.1f s: %" PRIu64 " players joined; inputs: %" PRIu64 " applied (%" PRIu64
              " late and moved), %" PRIu64 " refused%s\n",
              seconds, status.room.joined, status.room.inputs_applied, status.room.inputs_moved,
              status.room.inputs_refused + status.inputs_overflowed,
              refusals_text(status.room.refusals, status.inputs_overflowed).c_str());
  std::printf("sent %.1f kB, received %.1f kB; ticks: %" PRIu64 " late, %" PRIu64
              " given up; refused packets: %s\n",
              static_cast<double>(sent) / 1000, static_cast<double>(received) / 1000, status.late_ticks,
              status.dropped_ticks, refused.empty() ? "none" : refused.c_str());
  if (!options.record_path.empty() && !status.recording_failed) {
    std::printf("recording: %.1f kB; check it with: %s replay verify %s\n",
                static_cast<double>(status.journal.written_bytes) / 1000, program_invocation_name,
                options.record_path.c_str());
  }
  std::printf("tick %" PRIu64 " hash %s bodies %u ms/tick %.3f p99 %.3f\n", status.tick,
              hash_text(status.hash).c_str(), status.body_count, status.tick_median_us / 1000.0,
              status.tick_p99_us / 1000.0);
}

void print_resumed(const ResumedWorld& world) {
  std::string const tick = std::to_string(world.simulation.tick());
  std::string text = world.path + ": resumed at tick " + tick;
  if (world.leaves_out_tick)
    text += "; tick " + std::to_string(world.simulation.tick() + 1) +
            " was in work when it ended, and its inputs are left out";
  std::fprintf(stderr, "takt: %s\n", text.c_str());
}

// A supervisor repeats the command of the first start, whose scene may have been edited since.
void report_other_scene(const ServeOptions& options, const ResumedWorld& world) {
  std::error_code ignored;
  if (!options.world.wild && !std::filesystem::is_regular_file(options.world.scene_path, ignored)) return;
  FileClaims claims;
  Result<sim::Scene, server::FileError> const named = load_scene_file(options.world, claims);
  if (!named || scene_hash(*named) == scene_hash(world.scene)) return;
  print_error("--scene " + name_of_scene(options.world) + ": differs from the scene in " + world.path +
              ", which goes on; for the new scene, record to another file");
}

// An operator rotates keys while players play, so a bad file ends nothing.
void reload_token_keys(server::Server& server, const std::string& path) {
  if (auto const reloaded = server.reload_token_keys(); !reloaded) {
    print_error("--token-keys " + message(reloaded.error()) + "; the keys of before stay in use");
  } else {
    std::fprintf(stderr, "takt: %s: the keys were read again\n", path.c_str());
  }
}

// Likewise those who renew a certificate.
void reload_certificate(server::Server& server, const std::string& path) {
  if (auto const reloaded = server.reload_certificate(); !reloaded) {
    print_error(message(reloaded.error()) + "; the certificate of before stays in use");
  } else {
    std::fprintf(stderr, "takt: %s: the certificate was read again\n", path.c_str());
  }
}

// The first fault of the options of tokens, as a line for the user; empty = none.
std::string wrong_with(const server::TokenOptions& tokens) {
  bool const has_others = !tokens.public_addresses.empty() || tokens.room_id != 0 || tokens.allow_guests;
  if (tokens.keys_path.empty())
    return has_others ? "--public-address, --room and --allow-guests are about tokens: add --token-keys" : "";
  if (tokens.keys_path == "-") return "--token-keys -: the keys are read again at SIGHUP, so name a file";
  for (const std::string& address : tokens.public_addresses)
    if (address.size() > crypto::kTokenServerBytesMax || !parse_endpoint(address))
      return "--public-address " + address + ": write HOST:PORT, as back ends write it into tokens";
  return "";
}

int serve(const ServeOptions& given, const Program& program) {
  fill_standard_streams();
  ServeOptions options = given;
  // A supervisor starts a server with the command that restarts it.
  bool const has_scene = !options.world.scene_path.empty() || options.world.wild;
  bool const is_first_start =
      !options.resume_path.empty() && has_scene && series_numbers(series_path(options.resume_path)).empty();
  if (is_first_start) options.record_path = std::exchange(options.resume_path, {});
  if (!options.resume_path.empty()) options.resume_path = series_path(options.resume_path);
  start_log(options.log_level);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow fails a write, which suspends the recording
  if (std::string const text = wrong_with(options.web); !text.empty())
    return print_error(text), kExitBadInput;
  if (std::string const text = wrong_with(options.tokens); !text.empty())
    return print_error(text), kExitBadInput;
  if (!has_scene && options.resume_path.empty())
    return print_error("--scene is required, or --wild with a seed, or --resume with a recording"),
           kExitBadInput;
  if (!given.desync_dir.empty() && !given.replicas)
    return print_error("--desync-dir: only clients that simulate have desyncs; add --replicas"),
           kExitBadInput;
  if (!given.resume_path.empty() && !given.record_path.empty())
    return print_error(
               "--record: with --resume the recording goes on in the next file of its series; leave "
               "--record out"),
           kExitBadInput;
  if (options.game != kNoGame && !options.scenes_directory.empty()) {
    return print_error(
               "--scenes: a world with a game loads no other scene; leave it out, or add --game none"),
           kExitBadInput;
  }
  std::optional<server::HttpOptions> http = http_options_of(options.web);
  if (http) http->trusted_proxies = options.trust_proxies;
  std::vector<protocol::NetworkPrefix> proxies;
  for (const std::string& text : options.trust_proxies) {
    std::optional<protocol::NetworkPrefix> const proxy = protocol::parse_prefix(text);
    if (!proxy)
      return print_error("--trust-proxy " + text +
                         ": expected an IP address or a network such as 10.0.0.0/8, without further bits"),
             kExitBadInput;
    proxies.push_back(*proxy);
  }
  OutputKind const recording_kind = options.force ? OutputKind::kForcedRecording : OutputKind::kRecording;
  FileClaims claims;
  if (options.resume_path.empty()) claims.add_input("--scene", path_of_scene(options.world));
  claims.add_input_folder("--scenes", options.scenes_directory);
  claims.add_input("--token-keys", options.tokens.keys_path);
  claims.add_input("--identity", options.identity_path);
  if (http) claims.add_input_folder("--viewer", http->viewer_directory);
  claims.add_input("--tls-cert", options.web.certificate_path);
  claims.add_input("--tls-key", options.web.key_path);
  claims.add_output("--record", options.record_path, recording_kind);
  Result<sim::Scene, server::FileError> scene = server::FileError{};
  if (options.resume_path.empty()) scene = load_scene_file(options.world, claims);
  if (options.resume_path.empty() && !scene) return print_error(message(scene.error())), kExitBadInput;
  auto const bytes_max = static_cast<std::uint64_t>(options.record_max_mb * 1e6);
  // After the comparison of files, whose error names the link as it was given.
  if (!options.record_path.empty()) options.record_path = series_path(options.record_path);
  std::string const& series = options.resume_path.empty() ? options.record_path : options.resume_path;
  std::optional<SeriesLock> lock;
  if (!series.empty()) {
    auto taken = SeriesLock::take(series);
    if (!taken) return print_error(message(taken.error())), kExitBadInput;
    lock.emplace(*std::move(taken));
  }
  std::vector<std::uint32_t> earlier;  // numbered files that a resume would prefer
  if (!options.record_path.empty()) earlier = series_numbers(options.record_path);
  std::erase(earlier, 1u);
  if (!earlier.empty() && !options.force)
    return print_error("--record " + options.record_path + ": " +
                       numbered_path(options.record_path, earlier.back()) +
                       " of an earlier recording exists; --force replaces the whole series"),
           kExitBadInput;
  std::unique_ptr<JournalFiles> files;
  if (!options.record_path.empty()) {
    auto created = JournalFiles::create(options.record_path, recording_kind, bytes_max);
    if (!created) return print_error(message(created.error())), kExitBadInput;
    files = *std::move(created);
  }
  std::optional<server::SceneDirectory> provider;
  if (!options.scenes_directory.empty()) {
    Result<server::SceneDirectory, std::string> opened_provider =
        server::SceneDirectory::open(options.scenes_directory);
    if (!opened_provider) return print_error("--scenes " + opened_provider.error()), kExitBadInput;
    provider.emplace(*std::move(opened_provider));
  }
  // Until here a signal ends the program, also while it waits for a FIFO or a terminal.
  bool const has_tokens = !options.tokens.keys_path.empty();
  bool const has_tls = !options.web.certificate_path.empty();
  StopSignal stop_signal(has_tokens || has_tls ? Hangup::kReload : Hangup::kDefault);
  std::unique_ptr<TaskPool> const pool =
      make_pool(options.threads);  // the room uses it until the server has stopped
  server::ServerOptions server_options;
  server_options.bind_address = options.bind_address;
  server_options.port = options.port;
  server_options.players_max = options.players_max;
  server_options.spectators_max = options.spectators_max;
  server_options.egress_max = options.egress_max;
  server_options.proxies = std::move(proxies);
  server_options.address = options.address;
  server_options.limits_loopback = options.limit_loopback;
  server_options.room.numbers = numbers_of(options.world);
  server_options.room.step = step_options_of(options.lanes, pool.get());
  server_options.room.snapshot_every_ticks = options.snapshot_every;
  if (options.replicas) server_options.room.modes = protocol::OfferedModes::all();
  server_options.desync_dir = options.desync_dir;
  server_options.room.governor = options.governor;
  server_options.room.recording.created_by = version_text(program, "serve");
  if (options.resume_path.empty())
    server_options.room.scene_name =
        options.world.wild ? name_of_scene(options.world) : server::scene_name_of(options.world.scene_path);
  server_options.room.provider = provider ? &*provider : nullptr;
  if (options.world.hz != 0) server_options.room.tick_rate_hz = options.world.hz;
  if (options.world.substeps != 0) server_options.room.substeps = options.world.substeps;
  server_options.admin =
      options.admin == "loopback" ? protocol::AdminGrant::kLoopback : protocol::AdminGrant::kNone;
  if (has_tokens) server_options.tokens = options.tokens;
  server_options.identity_path = options.identity_path;
  server_options.http = std::move(http);
  server_options.metrics = metrics_options_of(options.web);
  server_options.journal.sync_ms = options.sync_ms;
  server_options.journal.file_bytes_max = bytes_max / 4;
  std::optional<sim::Simulation> resumed;
  if (!options.resume_path.empty()) {
    auto found = resume_world(options.resume_path, program.games, server_options.room.step);
    if (!found) return print_error(message(found.error())), kExitBadInput;
    print_resumed(*found);
    if (has_scene) report_other_scene(options, *found);
    options.world.numbers = found->simulation.numbers() == NumbersMode::kFixed ? "fixed" : "float";
    auto next = JournalFiles::resume(options.resume_path, bytes_max);
    if (!next) return print_error(message(next.error())), kExitBadInput;
    files = *std::move(next);
    scene = std::move(found->scene);
    resumed = std::move(found->simulation);
  }
  auto opened = server::Server::open(server_options, *scene, make_game(options.game, program.games),
                                     files.get(), std::move(resumed));
  if (!opened) {
    if (files) files->discard();  // what did not start must not be resumed
    bool const is_scene = opened.error().error == server::Error::kSceneRefused;
    bool const is_keys = opened.error().error == server::Error::kTokenKeysRefused;
    bool const is_identity = opened.error().error == server::Error::kIdentityRefused;
    bool const is_desync = opened.error().error == server::Error::kDesyncFolderRefused;
    return print_error((is_scene      ? name_of_scene(options.world) + ": "
                        : is_keys     ? "--token-keys "
                        : is_identity ? "--identity "
                        : is_desync   ? "--desync-dir "
                                      : "") +
                       start_failure(opened.error(), options.port, options.web)),
           kExitBadInput;
  }
  server::Server& server = **opened;
  // The earlier recording stays until the ports are open. A stream has its name already: its failure shows at
  // the next write, and the game goes on.
  if (files && !files->commit() && !files->is_committed()) {
    (void)server.stop();
    return print_error(files->failure() + "; nothing was recorded, so the server stops"), kExitFailed;
  }
  for (std::uint32_t const number : earlier) ::unlink(numbered_path(options.record_path, number).c_str());
  if (lock && !lock->fault().empty()) print_error(lock->fault());

  auto const began = std::chrono::steady_clock::now();
  auto const elapsed_s = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  print_start(options, *scene, server);
  std::fflush(stdout);
  while (!stop_signal.wait_ms(50) && (options.seconds == 0 || elapsed_s() < options.seconds)) {
    if (stop_signal.take_reload()) {
      if (has_tokens) reload_token_keys(server, options.tokens.keys_path);
      if (has_tls) reload_certificate(server, options.web.certificate_path);
    }
    server::ServerStatus status;
    if (!server.poll_status(status)) continue;
    if (!status.failure.empty()) break;
    print_status(options, status);
    std::fflush(stdout);
  }
  server::ServerStatus const last = server.stop();
  int exit_code = kExitDone;
  if (!last.failure.empty()) {
    print_error(last.failure);
    exit_code = kExitFailed;
  }
  if (files) {
    bool const was_committed = files->is_committed();
    bool const closed = files->close();
    if (last.recording_failed || last.journal.lost_ticks > 0 || !closed) {
      print_error(
          (files->failure().empty() ? "the recording did not keep up with the ticks" : files->failure()) +
          (was_committed ? "; the recording is cut, what is in it can still be replayed"
                         : "; nothing was recorded"));
      exit_code = kExitFailed;
    }
  }
  print_summary(options, last, elapsed_s());
  std::fflush(stdout);
  return exit_code;
}

}  // namespace

void add_serve(CLI::App& app, Action& action, const Program& program) {
  auto const options = std::make_shared<ServeOptions>();
  CLI::App* const command = app.add_subcommand(
      "serve", "Run a server: UDP and TCP on one port number, web sockets and the viewer on another");
  CLI::Option* const scene = add_path(*command, "--scene", options->world.scene_path, PathKind::kFile,
                                      "Scene file (JSON, or its binary form), - = stdin; or --wild");
  scene->take_last();
  add_wild_option(*command, options->world, *scene);
  add_number(*command, "--port", options->port, 0, 65535,
             "Port for UDP and TCP; 0 = a free one, which is printed")
      ->capture_default_str();
  command->add_option("--bind", options->bind_address, "Address to listen on (default: all)");
  add_world_options(*command, options->world);
  add_game_option(*command, options->game, program.games);
  add_threads_option(*command, options->threads);
  add_lanes_option(*command, options->lanes);
  add_number(*command, "--players", options->players_max, 1, 4096,
             "Players at once; the scene may allow fewer")
      ->capture_default_str();
  add_number(*command, "--spectators", options->spectators_max, 0, 4096,
             "Spectators at once, who see all and never enter the simulation")
      ->capture_default_str();
  add_number(*command, "--egress-max", options->egress_max, 0, std::uint64_t{100'000'000'000},
             "Bytes a second to all clients together; 0 = no limit")
      ->capture_default_str();
  command
      ->add_option("--trust-proxy", options->trust_proxies,
                   "Network of proxies, whose X-Forwarded-For and PROXY v2 headers name the address that the "
                   "limits count; may be given several times")
      ->type_name("CIDR");
  add_number(
      *command, "--sessions-per-address", options->address.sessions_max, 1, 4096,
      "Players and spectators at once from one IPv4 address or IPv6 /64; four times as many from an IPv6 /48")
      ->capture_default_str();
  add_number(*command, "--joins-per-address", options->address.joins_per_s, 1, 4096,
             "Joins a second from one address, after the first 16")
      ->capture_default_str();
  add_number(*command, "--pending-per-address", options->address.pending_streams_max, 1, 256,
             "TCP and web socket connections from one address that have not joined; the oldest is closed")
      ->capture_default_str();
  command->add_flag("--limit-loopback", options->limit_loopback,
                    "The limits of an address hold for this machine's addresses, too");
  add_number(*command, "--snapshot-every", options->snapshot_every, 1, 3600, "Ticks between two snapshots")
      ->capture_default_str();
  add_number(*command, "--overload-percent", options->governor.share_percent, 0, 1000,
             "Share of the step time: while the median tick takes longer, players spawn nothing and bodies "
             "that they spawned are removed; 0 = never")
      ->capture_default_str();
  add_number(*command, "--overload-despawns", options->governor.despawns_per_tick, 1, 1000,
             "Bodies to remove in such a tick at most")
      ->capture_default_str();
  add_path(*command, "--scenes", options->scenes_directory, PathKind::kFolder,
           "Folder of scene files that may be loaded while the server runs")
      ->take_last();
  command
      ->add_option(
          "--admin", options->admin,
          "Who may pause, step, change the speed and load scenes: nobody, or players of this machine")
      ->check(CLI::IsMember({"none", "loopback"}))
      ->take_last()
      ->capture_default_str();
  add_path(*command, "--token-keys", options->tokens.keys_path, PathKind::kFile,
           "Key file of connect tokens: whoever joins needs a token. SIGHUP reads the file again")
      ->take_last();
  command
      ->add_option("--public-address", options->tokens.public_addresses,
                   "HOST:PORT of this server, as back ends write it into tokens; may be given several times")
      ->type_name("HOST:PORT");
  add_number(*command, "--room", options->tokens.room_id, 0, UINT64_MAX,
             "Id of the room, as back ends write it into tokens; 0 = only tokens of any room")
      ->capture_default_str();
  command->add_flag("--allow-guests", options->tokens.allow_guests,
                    "With --token-keys, clients without a token join, too");
  add_path(*command, "--identity", options->identity_path, PathKind::kFile,
           "File with the seed of the server's key, which the printed address ends with; made when it is "
           "missing (default: another key in each run)")
      ->take_last();
  add_web_options(*command, options->web);
  add_record_options(*command, options->record_path, options->force);
  add_path(
      *command, "--resume", options->resume_path, PathKind::kFile,
      "Go on where the newest file of this recording of takt serve ends, and record into the next file of "
      "its series. Without such a file, begin it with --scene")
      ->take_last();
  add_number(*command, "--sync-ms", options->sync_ms, 0, 60'000,
             "Milliseconds between two syncs of the recording to the disk; 0 = after each tick")
      ->capture_default_str();
  add_number(*command, "--record-max", options->record_max_mb, 0, 1e9,
             "Megabytes of the recording's files together; the oldest are removed (default: no limit)");
  add_number(*command, "--for", options->seconds, 0, kMaxSeconds,
             "Stop after this many seconds (default: run until Ctrl-C)");
  command->add_option("--log", options->log_level, "Least important log lines to show, on stderr")
      ->check(CLI::IsMember({"trace", "debug", "info", "warning", "error", "off"}))
      ->capture_default_str();
  command->add_flag("--replicas", options->replicas,
                    "Let clients simulate the world: modes rollback and lockstep");
  add_path(*command, "--desync-dir", options->desync_dir, PathKind::kFolder,
           "Folder for reports about clients whose state differs: fields, states and inputs; made when it is "
           "missing")
      ->take_last();
  command->add_flag("--json", options->json, "One JSON object per line instead of text");
  command->footer(
      "Ctrl-C ends it cleanly: clients are told, the recording is closed. Exit code 1 means that the "
      "recording could not be written "
      "whole.");
  command->callback(
      [options, &action, &program] { action = [options, &program] { return serve(*options, program); }; });
}

}  // namespace takt::cli
