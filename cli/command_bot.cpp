// takt bot: clients that join a server, play, and report what the network did to them.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "cli/bot_player.h"
#include "cli/endpoint_text.h"
#include "cli/number_option.h"
#include "cli/path_option.h"
#include "cli/refusal_counts.h"
#include "cli/replica_bot.h"
#include "cli/standard_output.h"
#include "cli/stop_signal.h"
#include "cli/subcommand.h"
#include "server/file_bytes.h"
#include "takt/cli/takt_main.h"
#include "takt/client/client.h"
#include "takt/core/random.h"
#include "takt/crypto/connect_token.h"

namespace takt::cli {
namespace {

constexpr std::uint64_t kMaxTokenFileBytes = 8 * 1024 * 1024;  // 4,096 tokens

struct BotOptions {
  std::string connect;
  bool udp = false;
  bool tcp = false;
  std::string mode = "snapshot";
  std::uint32_t count = 1;
  double seconds = 0;
  std::uint64_t seed = 1;
  std::vector<std::string> inspect;  // contacts, joints, ropes
  std::string token_path;
  bool spectate = false;
  bool json = false;
  std::uint32_t input_delay_ticks = 0;
  std::string desync_dir;
};

std::uint64_t now_us() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

// One client and what it went through.
struct Bot {
  Bot(client::Client opened, std::uint64_t seed, const BotFunction& chosen)
      : client(std::move(opened)), player(seed), choose(chosen), random(seed) {}

  // Takes a turn: network, events, maybe a command.
  void turn(bool may_play) {
    client.poll();
    while (auto event = client.next_event()) {
      if (std::holds_alternative<client::Joined>(*event)) has_joined = true;
      if (auto const* over = std::get_if<client::Disconnected>(&*event))
        ending = over->reason + (over->text.empty() ? "" : " (" + over->text + ")");
      if (auto const* decided = std::get_if<client::CommandOutcome>(&*event)) note_outcome(*decided);
    }
    if (!may_play || !client.is_joined()) return;
    if (choose != nullptr) return send_choice();
    if (!player.is_due(now_us())) return;
    auto const command = player.next_command(now_us(), client.player(), client.bodies());
    if (!command) return;
    if (auto const sequence = client.send(*command)) player.note_sent(*sequence, *command);
  }

  void note_outcome(const client::CommandOutcome& decided) {
    player.note_outcome(decided);
    if (decided.status != client::CommandStatus::kMoved)
      ++refusals[static_cast<std::size_t>(decided.refusal)];
  }

  // The command of Program::bot, at the rate of Takt's own bots.
  void send_choice() {
    if (now_us() < next_choice_us) return;
    next_choice_us = now_us() + BotPlayer::kActionUs;
    auto const command = choose({client.player(), client.render_tick(), client.bodies()}, random);
    if (command) (void)client.send(*command);
  }

  client::Client client;
  BotPlayer player;           // without `choose`
  const BotFunction& choose;  // may be null
  Random random;              // of `choose`
  std::uint64_t next_choice_us = 0;
  RefusalCounts refusals{};
  bool has_joined = false;
  std::string ending;  // why it is over, when it was not our wish
};

// All bots together, for one line.
struct Totals {
  std::size_t joined = 0;
  std::size_t lost = 0;
  double rtt_ms = 0;  // mean over joined bots
  double rtt_max_ms = 0;
  double snapshots_per_s = 0;  // mean
  double received_per_s = 0;   // mean, bytes
  double sent_per_s = 0;
  double loss = 0;       // mean
  double buffer_ms = 0;  // mean
  double jitter_ms = 0;  // mean
  double starved = 0;    // fraction of time, mean
  double longest_starvation_ms = 0;
  double longest_gap_ms = 0;
  std::uint64_t commands = 0;
  std::uint64_t moved = 0;
  std::uint64_t refused = 0;
  RefusalCounts refusals{};
  std::uint32_t acknowledged_min = UINT32_MAX;
  std::uint32_t in_flight = 0;
  std::size_t bodies = 0;  // of the first bot, and so are the rest
  std::size_t contacts = 0;
  std::size_t joints = 0;
  std::size_t ropes = 0;
  std::size_t rope_nodes = 0;
};

Totals sum(std::vector<std::unique_ptr<Bot>>& bots, double elapsed_s, bool over_whole_time) {
  Totals out;
  for (auto const& bot : bots) {
    if (!bot->ending.empty()) ++out.lost;
    if (!bot->has_joined) continue;
    client::Stats const stats = bot->client.stats();
    ++out.joined;
    out.rtt_ms += stats.rtt_ms;
    out.rtt_max_ms = std::max(out.rtt_max_ms, stats.rtt_ms);
    out.snapshots_per_s +=
        over_whole_time ? static_cast<double>(stats.snapshots) / elapsed_s : stats.snapshots_per_s;
    out.received_per_s +=
        over_whole_time ? static_cast<double>(stats.received_bytes) / elapsed_s : stats.received_bytes_per_s;
    out.sent_per_s +=
        over_whole_time ? static_cast<double>(stats.sent_bytes) / elapsed_s : stats.sent_bytes_per_s;
    out.loss += stats.loss;
    out.buffer_ms += stats.buffer_ms;
    out.jitter_ms += stats.jitter_ms;
    out.starved += stats.starved_ms / (elapsed_s * 1000);
    out.longest_starvation_ms = std::max(out.longest_starvation_ms, stats.longest_starvation_ms);
    out.longest_gap_ms = std::max(out.longest_gap_ms, stats.longest_gap_ms);
    out.commands += stats.commands_sent;
    out.moved += stats.commands_moved;
    out.refused += stats.commands_refused;
    for (std::size_t i = 0; i < out.refusals.size(); ++i) out.refusals[i] += bot->refusals[i];
    out.acknowledged_min = std::min(out.acknowledged_min, stats.last_acknowledged);
    out.in_flight += stats.in_flight;
  }
  if (out.joined > 0) {
    auto const n = static_cast<double>(out.joined);
    for (double* const mean : {&out.rtt_ms, &out.snapshots_per_s, &out.received_per_s, &out.sent_per_s,
                               &out.loss, &out.buffer_ms, &out.jitter_ms, &out.starved})
      *mean /= n;
  } else {
    out.acknowledged_min = 0;
  }
  if (bots.empty()) return out;
  client::Client& first = bots.front()->client;
  out.bodies = first.bodies().size();
  if (first.contacts()) out.contacts = first.contacts()->total;
  if (first.joints()) out.joints = first.joints()->total;
  out.ropes = first.ropes().size();
  for (const client::Rope& rope : first.ropes()) out.rope_nodes += rope.nodes.size();
  return out;
}

void print_totals(const BotOptions& options, const Totals& t, double elapsed_s, bool is_last) {
  if (options.json) {
    std::printf(
        "{\"event\":\"%s\",\"seconds\":%.1f,\"bots\":%u,\"joined\":%zu,\"lost\":%zu,\"bodies\":%zu,\"rtt_"
        "ms\":%.3f,\"rtt_max_ms\":%.3f,"
        "\"snapshots_per_s\":%.1f,"
        "\"received_bytes_per_s\":%.0f,\"sent_bytes_per_s\":%.0f,\"loss\":%.4f,\"buffer_ms\":%.1f,\"jitter_"
        "ms\":%.2f,\"starved\":%.5f,"
        "\"longest_starvation_ms\":%.1f,\"longest_gap_ms\":%.1f,\"commands\":%" PRIu64 ",\"moved\":%" PRIu64
        ",\"refused\":%" PRIu64 ",\"last_acknowledged\":%u,\"in_flight\":%u",
        is_last ? "stop" : "status", elapsed_s, options.count, t.joined, t.lost, t.bodies, t.rtt_ms,
        t.rtt_max_ms, t.snapshots_per_s, t.received_per_s, t.sent_per_s, t.loss, t.buffer_ms, t.jitter_ms,
        t.starved, t.longest_starvation_ms, t.longest_gap_ms, t.commands, t.moved, t.refused,
        t.acknowledged_min, t.in_flight);
    if (!options.inspect.empty())
      std::printf(",\"contacts\":%zu,\"joints\":%zu,\"ropes\":%zu,\"rope_nodes\":%zu", t.contacts, t.joints,
                  t.ropes, t.rope_nodes);
    if (is_last) std::printf(",\"refusals\":%s", refusals_json(t.refusals).c_str());
    std::printf("}\n");
    return;
  }
  std::string const who =
      options.count == 1 ? "" : "  joined " + std::to_string(t.joined) + "/" + std::to_string(options.count);
  std::printf(
      "%4.0f s%s  rtt %.1f ms  snapshots %.1f/s  in %.1f kB/s  out %.1f kB/s  loss %.1f %%  buffer %.0f ms  "
      "starved %.2f %%  acked %u%s\n",
      elapsed_s, who.c_str(), t.rtt_ms, t.snapshots_per_s, t.received_per_s / 1000, t.sent_per_s / 1000,
      t.loss * 100, t.buffer_ms, t.starved * 100, t.acknowledged_min, options.count == 1 ? "" : " (least)");
  if (!is_last) return;
  std::printf("commands: %" PRIu64 " sent, %" PRIu64 " late and moved, %" PRIu64
              " refused%s, %u not yet acknowledged; bodies in sight %zu; jitter %.1f ms, "
              "longest gap %.0f ms, longest starvation %.0f ms\n",
              t.commands, t.moved, t.refused, refusals_text(t.refusals).c_str(), t.in_flight, t.bodies,
              t.jitter_ms, t.longest_gap_ms, t.longest_starvation_ms);
  if (!options.inspect.empty())
    std::printf("told of: %zu contacts, %zu joints and grabs, %zu ropes of %zu nodes\n", t.contacts, t.joints,
                t.ropes, t.rope_nodes);
}

int report_failures(const std::vector<std::unique_ptr<Bot>>& bots, const std::string& url) {
  int exit_code = kExitDone;
  for (std::size_t i = 0; i < bots.size(); ++i) {
    Bot const& bot = *bots[i];
    if (bot.has_joined && bot.ending.empty()) continue;
    std::string const who = bots.size() == 1 ? "" : "bot " + std::to_string(i + 1) + ": ";
    std::string const why = bot.ending.empty() ? "no answer yet; run it longer" : bot.ending;
    std::string text = who;
    text.append(bot.has_joined ? "lost the server at " : "could not join ")
        .append(url)
        .append(": ")
        .append(why);
    print_error(text);
    exit_code = kExitFailed;
  }
  return exit_code;
}

// The tokens of a file, one for each bot, with white space between.
Result<std::vector<std::string>, server::FileError> load_tokens(const BotOptions& options) {
  std::vector<std::string> tokens;
  std::string const& path = options.token_path;
  if (path.empty()) return tokens;
  auto const text = server::read_file(path == "-" ? "/dev/stdin" : path, kMaxTokenFileBytes, path);
  if (!text) return text.error();
  std::istringstream words(*text);
  for (std::string word; tokens.size() < options.count && words >> word;) {
    if (!crypto::read_token_text(word))
      return server::FileError{path + ": token " + std::to_string(tokens.size() + 1) +
                               " is not one of 'takt token mint'"};
    tokens.push_back(std::move(word));
  }
  if (tokens.size() < options.count)
    return server::FileError{path + ": has " + std::to_string(tokens.size()) + " tokens for " +
                             std::to_string(options.count) + " bots, and a token is good for one session"};
  return tokens;
}

int bot(const BotOptions& options, const BotFunction& choose) {
  constexpr std::string_view kScheme = "takt://";
  std::string const address =
      options.connect.starts_with(kScheme) ? options.connect.substr(kScheme.size()) : options.connect;
  auto const endpoint = parse_endpoint(address.substr(0, address.find('#')));
  if (!endpoint || endpoint->port == 0) {
    print_error(
        "--connect " + options.connect +
        ": write HOST:PORT with a port of 1 to 65535, for example 127.0.0.1:7777, or the address that "
        "the server printed");
    return kExitBadInput;
  }
  bool const steps_confirmed = options.mode == "rollback" || options.mode == "lockstep";
  if (!options.desync_dir.empty() && !steps_confirmed) {
    print_error("--desync-dir: only bots that simulate all have desyncs; add --mode rollback or lockstep");
    return kExitBadInput;
  }
  fill_standard_streams();
  auto const tokens = load_tokens(options);
  if (!tokens) return print_error("--token " + message(tokens.error())), kExitBadInput;
  std::string const url = (options.tcp ? "tcp://" : "udp://") + address;
  if (options.mode != "snapshot") {
    if (choose != nullptr || !options.inspect.empty()) {
      print_error("--mode " + options.mode +
                  " takes neither --inspect nor a program's own bot; use --mode snapshot");
      return kExitBadInput;
    }
    using enum client::ReplicaMode;
    auto const mode = options.mode == "rollback"   ? kRollback
                      : options.mode == "lockstep" ? kLockstep
                                                   : kPredicted;
    return run_replica_bots({url, mode, options.count, *tokens, options.seconds, options.seed,
                             options.input_delay_ticks, options.spectate, options.desync_dir, options.json});
  }
  StopSignal stop_signal;
  std::vector<std::unique_ptr<Bot>> bots;
  for (std::uint32_t i = 0; i < options.count; ++i) {
    client::Options client_options;
    client_options.player_name = "bot " + std::to_string(i + 1);
    client_options.spectate = options.spectate;
    if (!tokens->empty()) client_options.token = (*tokens)[i];
    auto opened = client::Client::connect(url, client_options);
    if (!opened) return print_error(message(opened.error())), exit_code_of(opened.error().error);
    bots.push_back(std::make_unique<Bot>(*std::move(opened), options.seed * 1'000'003 + i, choose));
    auto const wants = [&](const char* what) {
      return std::ranges::find(options.inspect, what) != options.inspect.end();
    };
    if (!options.inspect.empty())
      bots.back()->client.inspect({wants("contacts"), wants("joints"), wants("ropes")});
  }
  std::uint64_t const began_us = now_us();
  auto const elapsed_s = [&] { return static_cast<double>(now_us() - began_us) * 1e-6; };
  double next_line_s = 1;
  auto const any_open = [&] {
    return std::ranges::any_of(bots, [](auto const& one) { return one->client.is_open(); });
  };
  while (!stop_signal.wait_ms(2) && any_open() && (options.seconds == 0 || elapsed_s() < options.seconds)) {
    for (auto const& one : bots) one->turn(!options.spectate);
    if (elapsed_s() < next_line_s) continue;
    next_line_s += 1;
    Totals const totals = sum(bots, elapsed_s(), false);
    if (totals.joined == 0) continue;
    print_totals(options, totals, elapsed_s(), false);
    flush_standard_output();
  }
  double const played_s = std::max(elapsed_s(), 1e-3);
  Totals const totals = sum(bots, played_s, true);
  for (auto const& one : bots)
    if (one->client.is_open()) one->client.leave();
  constexpr double kFarewellS = 1;
  while (any_open() && elapsed_s() < played_s + kFarewellS) {
    for (auto const& one : bots) one->turn(false);
    (void)stop_signal.wait_ms(2);
  }
  if (totals.joined > 0) print_totals(options, totals, played_s, true);
  flush_standard_output();
  return report_failures(bots, url);
}

}  // namespace

void add_bot(CLI::App& app, Action& action, const Program& program) {
  auto const options = std::make_shared<BotOptions>();
  CLI::App* const command =
      app.add_subcommand("bot", "Join a server as one or many clients that play, and report on the network");
  command->add_option("--connect", options->connect, "HOST:PORT of the server, or its address with #KEY")
      ->required();
  CLI::Option* const udp = command->add_flag("--udp", options->udp, "Over UDP (the default)");
  command->add_flag("--tcp", options->tcp, "Over TCP")->excludes(udp);
  command
      ->add_option("--mode", options->mode,
                   "Show snapshots, simulate the room by rollback or lockstep, or predict what is near")
      ->check(CLI::IsMember({"snapshot", "rollback", "lockstep", "predicted"}))
      ->capture_default_str();
  add_number(*command, "--count", options->count, 1, 4096, "Clients, all in this process")
      ->capture_default_str();
  add_number(*command, "--input-delay", options->input_delay_ticks, 0, 8,
             "Ticks from a command to the tick in which it acts, in modes rollback and lockstep")
      ->capture_default_str();
  add_path(
      *command, "--desync-dir", options->desync_dir, PathKind::kFolder,
      "Folder for reports about own states that differ from the server's, in modes rollback and lockstep; "
      "made when it is missing")
      ->take_last();
  add_path(*command, "--token", options->token_path, PathKind::kFile,
           "File of connect tokens, one for each bot, with white space between; - = stdin")
      ->take_last();
  command->add_flag("--spectate", options->spectate,
                    "Join as spectators, who command nothing and never enter the simulation");
  add_number(*command, "--for", options->seconds, 0, kMaxSeconds,
             "Leave after this many seconds (default: play until Ctrl-C)");
  add_number(*command, "--seed", options->seed, 0, UINT64_MAX, "Of what the bots do")->capture_default_str();
  command
      ->add_option("--inspect", options->inspect,
                   "Ask to be told of contacts, joints or ropes too: one or several, with commas between")
      ->delimiter(',')
      ->check(CLI::IsMember({"contacts", "joints", "ropes"}));
  command->add_flag("--json", options->json, "One JSON object per line instead of text");
  command->footer(
      "Numbers are means over the bots, except where it says least or longest. Exit code 1 means that a bot "
      "could not join or lost the "
      "server.");
  command->callback(
      [options, &action, &program] { action = [options, &program] { return bot(*options, program.bot); }; });
}

}  // namespace takt::cli
