#include "cli/replica_bot.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/bot_player.h"
#include "cli/endpoint_text.h"
#include "cli/standard_output.h"
#include "cli/stop_signal.h"
#include "cli/subcommand.h"
#include "net/clock.h"
#include "server/desync_reporter.h"
#include "takt/core/overload.h"
#include "takt/replica/replica_client.h"

namespace takt::cli {
namespace {

constexpr std::uint64_t kFrameUs = 16'667;

/// The dynamic bodies of a replica's world, in the form that BotPlayer reads.
class BodyList {
 public:
  std::span<const client::Body> read(const sim::Simulation& simulation) {
    sim::AnyWorld const& world = simulation.world();
    world.list_bodies(ids_);
    std::erase_if(ids_, [&](BodyId id) { return world.body_type(id) != BodyType::kDynamic; });
    shapes_.clear();
    bodies_.clear();
    std::vector<std::size_t> counts;
    for (BodyId const id : ids_) {
      auto const shapes = world.shapes(id);
      for (ShapeId const shape : shapes) shapes_.push_back(world.shape(shape));
      counts.push_back(shapes.size());
    }
    std::size_t first = 0;
    for (std::size_t i = 0; i < ids_.size(); first += counts[i++]) {
      client::Body& body = bodies_.emplace_back();
      body.id = ids_[i];
      body.player = simulation.owner(ids_[i]);
      body.shapes = std::span(shapes_).subspan(first, counts[i]);
      body.position = world.view(ids_[i]).position;
    }
    return bodies_;
  }

 private:
  std::vector<BodyId> ids_;
  std::vector<ShapeDef> shapes_;
  std::vector<client::Body> bodies_;
};

std::string_view name_of(client::ReplicaMode mode) {
  switch (mode) {
    case client::ReplicaMode::kSnapshot: return "snapshot";
    case client::ReplicaMode::kRollback: return "rollback";
    case client::ReplicaMode::kLockstep: return "lockstep";
    case client::ReplicaMode::kPredicted: return "predicted";
  }
  return "unknown";
}

client::ReplicaClientOptions client_options(const ReplicaBotOptions& options, std::uint32_t index) {
  client::ReplicaClientOptions out;
  out.mode = options.mode;
  out.session.player_name = "bot " + std::to_string(index + 1);
  out.session.spectate = options.spectate;
  if (!options.tokens.empty()) out.session.token = options.tokens[index];
  out.input_delay_ticks = options.input_delay_ticks;
  out.keeps_desync_states = !options.desync_dir.empty();
  return out;
}

struct ReplicaBot {
  ReplicaBot(client::ReplicaClient&& opened, std::uint64_t seed, server::DesyncReporter* reports)
      : client(std::move(opened)), player(seed), reporter(reports) {}

  void turn(bool may_play) {
    client.poll();
    while (auto event = client.next_event()) handle(*event);
    has_played = has_played || client.is_playing();
    std::uint64_t const now_us = net::now_us();
    if (now_us < next_frame_us) return;
    next_frame_us = std::max(next_frame_us + kFrameUs, now_us);
    if (!may_play || !client.is_playing() || !player.is_due(now_us)) return;
    bool const simulates = client.has_world();
    auto const command = player.next_command(
        now_us, client.player(), simulates ? bodies.read(client.simulation()) : std::span(client.bodies()));
    if (!command) return;
    auto const sequence = client.send(*command);
    if (!sequence) return;
    ++commands;
    player.note_sent(*sequence, *command);
  }

  void handle(client::ReplicaClientEvent& event) {
    Overload const handle_event{
        [&](const client::Disconnected& ended) {
          ending = ended.reason + (ended.text.empty() ? "" : " (" + ended.text + ")");
        },
        [&](const client::ModeChanged& changed) {
          if (!changed.is_refused) ++modes_switched;
          print_error("player " + std::to_string(client.player()) +
                      (changed.is_refused ? " stays in mode " : " goes on in mode ") +
                      std::string(name_of(changed.mode)) + (changed.text.empty() ? "" : ": " + changed.text));
        },
        [&](const client::RolledBack&) { errors_m.push_back(client.stats().visual_offset_max_m); },
        [&](client::DesyncFound& found) {
          ++desyncs;
          print_error("desync of player " + std::to_string(client.player()) + " at tick " +
                      std::to_string(found.tick) + ": " + found.text);
          if (reporter != nullptr)
            reporter->put({client.player(), found.tick, found.text, std::move(found.recording)});
        },
        [&](const client::CommandOutcome& outcome) {
          ++(outcome.status == client::CommandStatus::kMoved ? moved : refused);
        },
        []<class Other>(const Other&) {},
    };
    std::visit(handle_event, event);
  }

  client::ReplicaClient client;
  BotPlayer player;
  server::DesyncReporter* reporter;  // null = no reports
  BodyList bodies;
  std::uint64_t next_frame_us = 0;
  std::vector<double> errors_m;  // greatest offset after the rollbacks of a frame
  std::uint64_t commands = 0;
  std::uint64_t moved = 0;
  std::uint64_t refused = 0;
  std::uint64_t desyncs = 0;
  std::uint64_t modes_switched = 0;
  bool has_played = false;
  std::string ending;
};

struct ReplicaTotals {
  std::size_t playing = 0;
  double rtt_ms = 0;  // means of the bots
  double lead_ticks = 0;
  double received_per_s = 0;
  double sent_per_s = 0;
  double rollbacks_per_s = 0;
  double resimulated_per_s = 0;
  std::int32_t margin_min_ticks = 0;
  std::uint64_t deepest_ticks = 0;
  std::uint64_t hashes_equal = 0;
  std::uint64_t hashes_different = 0;
  std::uint64_t desyncs = 0;
  std::uint64_t modes_switched = 0;
  std::uint64_t commands = 0;
  std::uint64_t moved = 0;
  std::uint64_t refused = 0;
  double error_median_m = 0;
  double error_p99_m = 0;
  // In mode predicted:
  std::uint64_t compared = 0;
  std::uint64_t corrected = 0;
  double distance_mean_m = 0;  // to the server's position, of all compared bodies
  double distance_max_m = 0;
  double area_bodies = 0;  // mean of the bots
};

double quantile(std::vector<double>& values, double fraction) {
  if (values.empty()) return 0;
  auto const at =
      values.begin() + static_cast<std::ptrdiff_t>(fraction * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, at);
  return *at;
}

ReplicaTotals sum(const std::vector<std::unique_ptr<ReplicaBot>>& bots, double elapsed_s) {
  ReplicaTotals out;
  std::vector<double> errors;
  for (auto const& bot : bots) {
    if (!bot->has_played) continue;
    client::ReplicaClientStats const stats = bot->client.stats();
    out.margin_min_ticks =
        out.playing == 0 ? stats.margin_ticks : std::min(out.margin_min_ticks, stats.margin_ticks);
    ++out.playing;
    out.rtt_ms += stats.rtt_ms;
    out.lead_ticks += stats.lead_ticks;
    out.received_per_s += static_cast<double>(stats.received_bytes) / elapsed_s;
    out.sent_per_s += static_cast<double>(stats.sent_bytes) / elapsed_s;
    out.rollbacks_per_s += static_cast<double>(stats.rollbacks) / elapsed_s;
    out.resimulated_per_s += static_cast<double>(stats.resimulated_ticks) / elapsed_s;
    out.deepest_ticks = std::max(out.deepest_ticks, stats.deepest_rollback_ticks);
    out.hashes_equal += stats.hashes_equal;
    out.hashes_different += stats.hashes_different;
    out.compared += stats.bodies_compared;
    out.corrected += stats.bodies_corrected;
    out.distance_mean_m += stats.error_mean_m * static_cast<double>(stats.bodies_compared);
    out.distance_max_m = std::max(out.distance_max_m, stats.error_max_m);
    out.area_bodies += stats.area_bodies;
    out.desyncs += bot->desyncs;
    out.modes_switched += bot->modes_switched;
    out.commands += bot->commands;
    out.moved += bot->moved;
    out.refused += bot->refused;
    errors.insert(errors.end(), bot->errors_m.begin(), bot->errors_m.end());
  }
  if (out.playing > 0)
    for (double* const mean : {&out.rtt_ms, &out.lead_ticks, &out.received_per_s, &out.sent_per_s,
                               &out.rollbacks_per_s, &out.resimulated_per_s, &out.area_bodies})
      *mean /= static_cast<double>(out.playing);
  if (out.compared > 0) out.distance_mean_m /= static_cast<double>(out.compared);
  out.error_median_m = quantile(errors, 0.5);
  out.error_p99_m = quantile(errors, 0.99);
  return out;
}

void print_predicted(const ReplicaBotOptions& options, const ReplicaTotals& t, double elapsed_s,
                     bool is_last) {
  std::printf(
      "%4.0f s  playing %zu/%u  rtt %.1f ms  lead %.1f ticks  margin %d  in %.1f kB/s  out %.1f kB/s  "
      "rollbacks %.1f/s  resimulated %.1f ticks/s  corrections %" PRIu64 " of %" PRIu64
      " bodies  area %.1f bodies\n",
      elapsed_s, t.playing, options.count, t.rtt_ms, t.lead_ticks, t.margin_min_ticks,
      t.received_per_s / 1000, t.sent_per_s / 1000, t.rollbacks_per_s, t.resimulated_per_s, t.corrected,
      t.compared, t.area_bodies);
  if (!is_last) return;
  std::printf("commands: %" PRIu64 " sent, %" PRIu64 " moved, %" PRIu64
              " refused; input delay %u ticks; deepest rollback %" PRIu64
              " ticks; distance to the server's bodies %.2f cm mean, %.1f cm greatest; drawn offset %.1f cm "
              "median, %.1f cm p99; changes of mode %" PRIu64 "\n",
              t.commands, t.moved, t.refused, options.input_delay_ticks, t.deepest_ticks,
              t.distance_mean_m * 100, t.distance_max_m * 100, t.error_median_m * 100, t.error_p99_m * 100,
              t.modes_switched);
}

void print_totals(const ReplicaBotOptions& options, const ReplicaTotals& t, double elapsed_s, bool is_last) {
  if (options.json) {
    std::printf(
        "{\"event\":\"%s\",\"mode\":\"%s\",\"seconds\":%.1f,\"bots\":%u,\"playing\":%zu,"
        "\"rtt_ms\":%.3f,\"lead_ticks\":%.1f,\"margin_min_ticks\":%d,\"input_delay_ticks\":%u,"
        "\"received_bytes_per_s\":%.0f,\"sent_bytes_per_s\":%.0f,\"rollbacks_per_s\":%.2f,"
        "\"resimulated_ticks_per_s\":%.2f,\"deepest_rollback_ticks\":%" PRIu64
        ",\"error_median_m\":%.4f,\"error_p99_m\":%.4f,\"hashes_equal\":%" PRIu64
        ",\"hashes_different\":%" PRIu64 ",\"desyncs\":%" PRIu64 ",\"modes_switched\":%" PRIu64
        ",\"commands\":%" PRIu64 ",\"moved\":%" PRIu64 ",\"refused\":%" PRIu64 ",\"bodies_compared\":%" PRIu64
        ",\"bodies_corrected\":%" PRIu64
        ",\"distance_mean_m\":%.5f,\"distance_max_m\":%.4f,\"area_bodies\":%.1f}\n",
        is_last ? "stop" : "status", name_of(options.mode).data(), elapsed_s, options.count, t.playing,
        t.rtt_ms, t.lead_ticks, t.margin_min_ticks, options.input_delay_ticks, t.received_per_s, t.sent_per_s,
        t.rollbacks_per_s, t.resimulated_per_s, t.deepest_ticks, t.error_median_m, t.error_p99_m,
        t.hashes_equal, t.hashes_different, t.desyncs, t.modes_switched, t.commands, t.moved, t.refused,
        t.compared, t.corrected, t.distance_mean_m, t.distance_max_m, t.area_bodies);
    return;
  }
  if (options.mode == client::ReplicaMode::kPredicted) return print_predicted(options, t, elapsed_s, is_last);
  std::printf(
      "%4.0f s  playing %zu/%u  rtt %.1f ms  lead %.1f ticks  margin %d  in %.1f kB/s  out %.1f kB/s  "
      "rollbacks %.1f/s  resimulated %.1f ticks/s  hashes %" PRIu64 " equal, %" PRIu64 " different\n",
      elapsed_s, t.playing, options.count, t.rtt_ms, t.lead_ticks, t.margin_min_ticks,
      t.received_per_s / 1000, t.sent_per_s / 1000, t.rollbacks_per_s, t.resimulated_per_s, t.hashes_equal,
      t.hashes_different);
  if (!is_last) return;
  std::printf("commands: %" PRIu64 " sent, %" PRIu64 " moved, %" PRIu64
              " refused; input delay %u ticks; deepest "
              "rollback %" PRIu64 " ticks; prediction error %.1f cm median, %.1f cm p99; desyncs %" PRIu64
              "; changes of mode %" PRIu64 "\n",
              t.commands, t.moved, t.refused, options.input_delay_ticks, t.deepest_ticks,
              t.error_median_m * 100, t.error_p99_m * 100, t.desyncs, t.modes_switched);
}

}  // namespace

int run_replica_bots(const ReplicaBotOptions& options) {
  StopSignal stop_signal;
  std::unique_ptr<server::DesyncReporter> reporter;
  if (!options.desync_dir.empty()) {
    auto opened = server::DesyncReporter::open(options.desync_dir, "client",
                                               [](const std::string& line) { print_error(line); });
    if (!opened) return print_error("--desync-dir " + message(opened.error())), kExitBadInput;
    reporter = *std::move(opened);
  }
  std::vector<std::unique_ptr<ReplicaBot>> bots;
  for (std::uint32_t i = 0; i < options.count; ++i) {
    auto opened = client::ReplicaClient::connect(options.url, client_options(options, i));
    if (!opened) return print_error(message(opened.error())), exit_code_of(opened.error().error);
    bots.push_back(
        std::make_unique<ReplicaBot>(*std::move(opened), options.seed * 1'000'003 + i, reporter.get()));
  }
  std::uint64_t const began_us = net::now_us();
  auto const elapsed_s = [&] { return static_cast<double>(net::now_us() - began_us) * 1e-6; };
  auto const any_open = [&] {
    return std::ranges::any_of(bots, [](auto const& one) { return one->client.is_open(); });
  };
  double next_line_s = 1;
  while (!stop_signal.wait_ms(2) && any_open() && (options.seconds == 0 || elapsed_s() < options.seconds)) {
    for (auto const& one : bots) one->turn(!options.spectate);
    if (elapsed_s() < next_line_s) continue;
    next_line_s += 1;
    ReplicaTotals const totals = sum(bots, elapsed_s());
    if (totals.playing == 0) continue;
    print_totals(options, totals, elapsed_s(), false);
    flush_standard_output();
  }
  double const played_s = std::max(elapsed_s(), 1e-3);
  ReplicaTotals const totals = sum(bots, played_s);
  int exit_code = totals.desyncs > 0 ? kExitFailed : kExitDone;
  for (std::size_t i = 0; i < bots.size(); ++i) {
    if (bots[i]->has_played && bots[i]->ending.empty()) continue;
    std::string const why = bots[i]->ending.empty() ? "no world yet; run it longer" : bots[i]->ending;
    print_error("bot " + std::to_string(i + 1) + " at " + options.url + ": " + why);
    exit_code = kExitFailed;
  }
  for (auto const& one : bots)
    if (one->client.is_open()) one->client.leave();
  constexpr double kFarewellS = 1;
  while (any_open() && elapsed_s() < played_s + kFarewellS) {
    for (auto const& one : bots) one->turn(false);
    (void)stop_signal.wait_ms(2);
  }
  if (totals.playing > 0) print_totals(options, totals, played_s, true);
  flush_standard_output();
  return exit_code;
}

}  // namespace takt::cli
