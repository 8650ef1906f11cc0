#include "tests/simulation/server/virtual_room.h"

#include <algorithm>

#include "sim/replication/body_replication.h"
#include "tests/unit/protocol/session_tap.h"

namespace takt::server::test {
namespace {

constexpr std::uint64_t kStepUs = 1000;
constexpr std::uint64_t kFrameSteps = 16;
/// Before the first pongs the client's clock is a guess, wrong by a transit time, and so is its buffer.
constexpr std::uint64_t kSettlingFrames = 60;

protocol::ServerOptions endpoint_options(const sim::Scene& scene, const RoomOptions& options,
                                         std::uint32_t players_max) {
  protocol::ServerOptions out;
  out.players_max = players_max;
  out.scene_hash = sim::scene_hash(scene);
  out.numbers_mode = options.numbers == NumbersMode::kFloat ? protocol::NumbersMode::kFloatMode
                                                            : protocol::NumbersMode::kFixedMode;
  out.tick_rate_hz = scene.world.tick_rate_hz;
  return out;
}

}  // namespace

VirtualRoom::VirtualRoom(const sim::Scene& scene, const RoomOptions& options, std::uint64_t seed,
                         std::unique_ptr<sim::Game> game, std::uint32_t players_max)
    : room_(*Room::create(scene, options, std::move(game))),
      endpoint_(endpoint_options(scene, options, players_max), {seed + 1, seed + 2},
                protocol::test::test_seeds()),
      gateway_(endpoint_),
      seed_(seed),
      tick_rate_hz_(scene.world.tick_rate_hz) {
  gateway_.begin(room_.now());
}

VirtualRoom::Player& VirtualRoom::add_player(protocol::TransportKind transport,
                                             const protocol::Impairment& impairment) {
  auto player = std::make_unique<Player>();
  std::uint64_t const number = players_.size() + 1;
  client::SessionOptions options;
  options.endpoint.transport = transport;
  options.endpoint.nonce = seed_ * 1000 + number;
  options.endpoint.key_seed = protocol::test::client_seed(static_cast<unsigned>(number));
  player->session = std::make_unique<client::Session>(options);
  player->bot = std::make_unique<cli::BotPlayer>(seed_ * 7919 + number);
  player->transport = transport;
  player->address = protocol::Address::from_ipv4(10, 0, 0, static_cast<std::uint8_t>(number),
                                                 static_cast<std::uint16_t>(40'000 + number));
  player->up = std::make_unique<protocol::PacketSimulator>(impairment, seed_ + 2 * number);
  player->down = std::make_unique<protocol::PacketSimulator>(impairment, seed_ + 2 * number + 1);
  player->stream_up.delay_us = player->stream_down.delay_us = impairment.delay_us;
  player->session->endpoint().connect(now_us_);
  if (transport == protocol::TransportKind::kStream)
    player->stream = endpoint_.handle_stream_open(now_us_, player->address);
  players_.push_back(std::move(player));
  return *players_.back();
}

void VirtualRoom::run_for(std::uint64_t us) {
  for (std::uint64_t const until = now_us_ + us; now_us_ < until;) step();
}

void VirtualRoom::step() {
  now_us_ += kStepUs;
  protocol::ServerEvent event;
  while (gateway_.poll_event(event)) {
    if (auto const* one = std::get_if<protocol::PlayerLeft>(&event)) left.push_back(*one);
    if (auto const* one = std::get_if<protocol::QueryArrived>(&event))
      asked_at[{one->player, one->request.request}] = room_.simulation().tick();
    room_.handle_event(std::move(event));
  }
  while (next_tick_us_ <= now_us_) {
    ++ticks_;
    next_tick_us_ = 1'000'000 + (ticks_ + 1) * 1'000'000 / tick_rate_hz_;
    if (ticking) {
      gateway_.handle_update(now_us_, room_.step());
    } else {
      std::vector<protocol::BodyState> states;
      sim::list_body_states(room_.simulation().world(), states);
      endpoint_.publish_snapshot(now_us_, room_.simulation().tick(), states);
    }
  }
  for (auto const& player : players_) move_player(*player);
  protocol::OutgoingDatagram out;
  while (endpoint_.poll_datagram(now_us_, out)) {
    auto const to = std::ranges::find_if(players_, [&](auto const& one) { return one->address == out.to; });
    if (to != players_.end() && !(*to)->is_cut) (*to)->down->handle_packet(now_us_, 0, out.bytes);
  }
  while (!endpoint_.poll_writable_stream().is_null()) {
  }
  for (auto id = endpoint_.poll_closing_stream(); !id.is_null(); id = endpoint_.poll_closing_stream())
    endpoint_.handle_stream_closed(now_us_, id);
  for (auto const& player : players_)
    if (runs(*player)) turn(*player);
}

bool VirtualRoom::runs(const Player& player) const noexcept { return now_us_ >= player.stalled_until_us; }

void VirtualRoom::move_player(Player& player) {
  if (runs(player)) player.session->handle_run(now_us_);
  if (player.transport == protocol::TransportKind::kStream) return move_stream(player);
  auto& endpoint = player.session->endpoint();
  protocol::PacketSimulator::Packet packet;
  while (runs(player) && player.down->poll_packet(now_us_, packet))
    if (!player.is_cut) endpoint.handle_datagram(now_us_, packet.bytes);
  std::vector<std::byte> bytes;
  while (runs(player) && endpoint.poll_datagram(now_us_, bytes)) player.up->handle_packet(now_us_, 0, bytes);
  while (player.up->poll_packet(now_us_, packet))
    if (!player.is_cut) endpoint_.handle_datagram(now_us_, player.address, packet.bytes);
}

void VirtualRoom::move_stream(Player& player) {
  auto& endpoint = player.session->endpoint();
  constexpr std::size_t kAtOnce = 64 * 1024;
  auto const deliver = [&](Pipe& pipe, auto&& handle) {
    for (; !pipe.chunks.empty() && pipe.chunks.front().first <= now_us_; pipe.chunks.pop_front())
      if (!player.is_cut) handle(pipe.chunks.front().second);
  };
  std::vector<std::byte> bytes;
  if (runs(player) && endpoint.poll_stream(now_us_, kAtOnce, bytes) > 0)
    player.stream_up.chunks.emplace_back(now_us_ + player.stream_up.delay_us, std::move(bytes));
  bytes = {};
  if (endpoint_.poll_stream(now_us_, player.stream, kAtOnce, bytes) > 0) {
    player.stream_down.chunks.emplace_back(now_us_ + player.stream_down.delay_us, std::move(bytes));
  }
  deliver(player.stream_up,
          [&](auto const& chunk) { endpoint_.handle_stream_bytes(now_us_, player.stream, chunk); });
  if (!runs(player)) return;
  deliver(player.stream_down, [&](auto const& chunk) { endpoint.handle_stream_bytes(now_us_, chunk); });
}

void VirtualRoom::turn(Player& player) {
  client::Session& session = *player.session;
  session.update(now_us_);
  while (auto event = session.next_event()) {
    if (std::holds_alternative<client::Joined>(*event)) player.joined = true;
    if (auto const* over = std::get_if<client::Disconnected>(&*event)) player.ending = *over;
    if (auto const* decided = std::get_if<client::CommandOutcome>(&*event)) {
      player.bot->note_outcome(*decided);
      if (decided->refusal != sim::Refusal::kNone) player.refusals.push_back(*decided);
    }
    if (auto const* done = std::get_if<client::QueryDone>(&*event)) player.query_answers.push_back(*done);
    if (auto const* said = std::get_if<client::GameMessage>(&*event)) player.messages.push_back(*said);
    if (auto const* spawned = std::get_if<client::BodySpawned>(&*event)) {
      ++player.spawned_events;
      if (spawned->ticket) player.own_spawns.push_back(*spawned);
    }
    if (std::holds_alternative<client::BodyRemoved>(*event)) ++player.removed_events;
  }
  bool const is_frame = (now_us_ / kStepUs) % kFrameSteps == 0;
  if (!is_frame || !session.is_joined() || !session.buffer().has_snapshot()) return;
  auto const& bodies = session.bodies();
  client::Stats const stats = session.stats();
  ++player.frames;
  if (ticking && stats.longest_gap_ms > player.longest_gap_ms) {
    player.longest_gap_ms = stats.longest_gap_ms;
    if (player.frames > kSettlingFrames && stats.longest_gap_ms > stats.buffer_ms) ++player.gaps_past_buffer;
  }
  if (session.render_tick() < player.last_render_tick) ++player.backward_frames;
  player.last_render_tick = session.render_tick();
  if (!bots_play) return;
  auto const command = player.bot->next_command(now_us_, session.player(), bodies);
  if (!command) return;
  if (auto const sequence = session.send(now_us_, session.command_tick(now_us_), *command))
    player.bot->note_sent(*sequence, *command);
}

bool VirtualRoom::has_converged(Player& player) {
  std::vector<protocol::BodyState> states;
  sim::list_body_states(room_.simulation().world(), states);
  protocol::SnapshotDecoder const& world = player.session->endpoint().world();
  auto const& shown = player.session->bodies();
  if (world.body_count() != states.size() || shown.size() != states.size()) return false;
  for (std::size_t i = 0; i < states.size(); ++i) {
    protocol::BodyState const* const held = world.find(states[i].id);
    if (held == nullptr || !(*held == states[i])) return false;
    client::Body const& body = shown[i];  // both in id order
    if (body.id.to_u64() != states[i].id || protocol::Position{body.position.x_raw, body.position.y_raw,
                                                               body.position.z_raw} != states[i].position)
      return false;
    if (protocol::Quatf{body.rotation.x, body.rotation.y, body.rotation.z, body.rotation.w} !=
        states[i].rotation)
      return false;
  }
  return true;
}

}  // namespace takt::server::test
