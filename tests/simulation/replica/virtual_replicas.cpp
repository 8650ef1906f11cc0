#include "tests/simulation/replica/virtual_replicas.h"

#include <algorithm>
#include <utility>

#include "takt/core/overload.h"
#include "tests/unit/protocol/session_tap.h"

namespace takt::client::test {
namespace {

constexpr std::uint64_t kStepUs = 1000;

protocol::ServerOptions endpoint_options(const sim::Scene& scene, const server::RoomOptions& options,
                                         const server::AwayPlayers& away) {
  protocol::ServerOptions out;
  out.players_max = 64;
  out.scene_hash = sim::scene_hash(scene);
  out.numbers_mode = options.numbers == NumbersMode::kFloat ? protocol::NumbersMode::kFloatMode
                                                            : protocol::NumbersMode::kFixedMode;
  out.tick_rate_hz = scene.world.tick_rate_hz;
  out.modes = options.modes;
  out.first_player = away.first_new;
  out.away_players = away.by_name;
  out.input_offsets = away.input_offsets;
  return out;
}

std::vector<sim::BodyView> bodies_of(const sim::Simulation& simulation) {
  std::vector<BodyId> ids;
  simulation.world().list_bodies(ids);
  std::vector<sim::BodyView> out;
  for (BodyId const id : ids) out.push_back(simulation.world().view(id));
  return out;
}

std::string text_of(const Vec3<double>& v) {
  return std::to_string(v.x) + ", " + std::to_string(v.y) + ", " + std::to_string(v.z);
}

// The server's state as a snapshot has it, in the client's grids.
bool is_equal_body(const sim::BodyView& own, const sim::BodyView& server) {
  TruthState truth{server.id, server.type, server.asleep, {}};
  truth.state = {server.position, server.rotation, server.linear_velocity_m_s, server.angular_velocity_rad_s};
  return is_equal(own, truth);
}

}  // namespace

VirtualReplicas::VirtualReplicas(const sim::Scene& scene, const server::RoomOptions& options,
                                 std::uint64_t seed)
    : scene_(scene),
      options_(options),
      room_(*server::Room::create(scene, options)),
      seed_(seed),
      tick_rate_hz_(scene.world.tick_rate_hz) {
  open();
}

void VirtualReplicas::open() {
  protocol::ServerOptions const options = endpoint_options(scene_, options_, room_.away_players());
  gateway_.reset();
  endpoint_ = std::make_unique<protocol::ServerEndpoint>(options, protocol::SecretKey{seed_ + 1, seed_ + 2},
                                                         protocol::test::test_seeds());
  gateway_ = std::make_unique<server::Gateway>(*endpoint_);
  gateway_->begin(room_.now());
}

void VirtualReplicas::restart(std::span<const std::byte> image, std::uint32_t first_epoch) {
  options_.first_epoch = first_epoch;
  room_ = server::Room::resume(*sim::Simulation::restore(image), scene_, options_);
  open();
}

VirtualReplicas::Client& VirtualReplicas::add_client(protocol::ReplicationMode mode,
                                                     const protocol::Impairment& path, ReplicaOptions replica,
                                                     std::uint32_t input_delay_ticks) {
  ReplicaSessionOptions options;
  options.endpoint.mode = mode;
  options.replica = replica;
  options.input_delay_ticks = input_delay_ticks;
  return add(std::move(options), path);
}

VirtualReplicas::Client& VirtualReplicas::add_predicted(const protocol::Impairment& path,
                                                        const PredictedOptions& predicted,
                                                        protocol::Role role) {
  ReplicaSessionOptions options;
  options.endpoint.mode = protocol::ReplicationMode::kPredicted;
  options.endpoint.role = role;
  options.predicted = predicted;
  return add(std::move(options), path);
}

VirtualReplicas::Client& VirtualReplicas::add(ReplicaSessionOptions options,
                                              const protocol::Impairment& path) {
  auto client = std::make_unique<Client>();
  std::uint64_t const number = clients_.size() + 1;
  options.endpoint.nonce = seed_ * 1000 + number;
  options.endpoint.key_seed = protocol::test::client_seed(static_cast<unsigned>(number));
  options.endpoint.connect_timeout_us = connect_timeout_us;
  options.endpoint.player_name = std::exchange(client_name, {});
  if (std::exchange(next_spectates, false)) options.endpoint.role = protocol::Role::kSpectator;
  options.endpoint.timeout_us = client_timeout_us;
  client->endpoint = options.endpoint;
  client->session = std::make_unique<ReplicaSession>(options);
  client->address = protocol::Address::from_ipv4(10, 0, static_cast<std::uint8_t>(number / 200),
                                                 static_cast<std::uint8_t>(number % 200),
                                                 static_cast<std::uint16_t>(40'000 + number));
  client->up = std::make_unique<protocol::PacketSimulator>(path, seed_ + 2 * number);
  client->down = std::make_unique<protocol::PacketSimulator>(path, seed_ + 2 * number + 1);
  client->random = Random(seed_ * 7919 + number);
  client->joined_us = now_us_;
  client->session->endpoint().connect(now_us_);
  clients_.push_back(std::move(client));
  return *clients_.back();
}

void VirtualReplicas::disconnect(Client& client) {
  client.is_active = false;
  client.left_us = now_us_;
  client.session->leave(now_us_);
}

void VirtualReplicas::reconnect(Client& client, bool is_cut) {
  client.ending.reset();
  client.is_cut = is_cut;
  client.playing_us = 0;
  client.joined_us = now_us_;
  client.address.port = static_cast<std::uint16_t>(client.address.port + 1000);
  protocol::ClientOptions endpoint = client.endpoint;
  endpoint.nonce += 1'000'000 * ++reconnects_;
  endpoint.key_seed = protocol::test::client_seed(static_cast<unsigned>(100'000 + reconnects_));
  client.session->reconnect(client.session->make_endpoint(endpoint));
  client.session->endpoint().connect(now_us_);
}

void VirtualReplicas::set_speed(std::uint32_t speed) {
  speed_ = speed;
  speed_since_us_ = now_us_;
  ticks_ = 0;
  protocol::Control control;
  control.action = protocol::ControlAction::kSetSpeed;
  control.speed = static_cast<float>(speed);
  room_.handle_event(protocol::ControlArrived{0, control});
}

void VirtualReplicas::run_for(std::uint64_t us) {
  for (std::uint64_t const until = now_us_ + us; now_us_ < until;) step();
}

void VirtualReplicas::step() {
  now_us_ += kStepUs;
  protocol::ServerEvent event;
  while (gateway_->poll_event(event)) room_.handle_event(std::move(event));
  while (speed_since_us_ + (ticks_ + 1) * 1'000'000 / (tick_rate_hz_ * speed_) <= now_us_) {
    ++ticks_;
    server::RoomUpdate const update = room_.step({});
    desyncs_.insert(desyncs_.end(), update.desyncs.begin(), update.desyncs.end());
    if (!update.desyncs.empty()) desync_us_ = now_us_;
    desync_reports_.insert(desync_reports_.end(), update.desync_reports.begin(), update.desync_reports.end());
    gateway_->handle_update(now_us_, update);
    hashes_[room_.simulation().tick()] = room_.simulation().hash();
    if (keeps_bodies_) server_bodies_[room_.simulation().tick()] = bodies_of(room_.simulation());
  }
  for (auto const& client : clients_) move(*client);
  protocol::OutgoingDatagram out;
  while (endpoint_->poll_datagram(now_us_, out)) {
    auto const to = std::ranges::find_if(clients_, [&](auto const& one) { return one->address == out.to; });
    if (to == clients_.end()) continue;
    ++(*to)->down_datagrams;
    (*to)->down_bytes += out.bytes.size();
    if (!(*to)->is_cut) (*to)->down->handle_packet(now_us_, 0, out.bytes);
  }
  for (auto const& client : clients_)
    if ((now_us_ / kStepUs) % client->frame_ms == 0) frame(*client);
}

void VirtualReplicas::move(Client& client) {
  auto& endpoint = client.session->endpoint();
  protocol::PacketSimulator::Packet packet;
  while (client.down->poll_packet(now_us_, packet))
    if (!client.is_cut) endpoint.handle_datagram(now_us_, packet.bytes);
  std::vector<std::byte> bytes;
  while (endpoint.poll_datagram(now_us_, bytes)) {
    ++client.up_datagrams;
    client.up_bytes += bytes.size();
    client.up->handle_packet(now_us_, 0, bytes);
  }
  while (client.up->poll_packet(now_us_, packet))
    if (!client.is_cut) endpoint_->handle_datagram(now_us_, client.address, packet.bytes);
}

void VirtualReplicas::frame(Client& client) {
  ReplicaSession& session = *client.session;
  session.update(now_us_);
  Overload const handle{
      [&](const Diverged& diverged) { client.divergences.push_back(diverged); },
      [&](const ReplicaEnded& ended) { client.ending = ended; },
      [&](const ModeChanged& changed) { client.modes.push_back(changed); },
      [&](const protocol::CommandOutcomes& outcomes) {
        for (const protocol::CommandOutcome& outcome : outcomes.outcomes)
          ++(outcome.status == protocol::CommandStatus::kMoved ? client.moved : client.refused);
      },
      [](const RolledBack&) {},
      [&](const WorldEntered& entered) {
        client.repaired_us = now_us_;
        ++(entered.is_resumed ? client.resumed : client.images);
      },
      [&](const DesyncFound& found) {
        client.desyncs.push_back(found);
        client.named_us = now_us_;
      },
      [](const ConfirmedMessage&) {},
  };
  while (auto one = session.next_event()) std::visit(handle, *one);
  if (client.playing_us == 0 && session.is_playing()) client.playing_us = now_us_;
  if (!client.is_active || !session.is_playing()) return;
  if (!client.walks && client.random.next_below(100) >= command_percent) return;
  if (session.send(now_us_, draw_command(client)).ok()) ++client.commands;
}

sim::Command VirtualReplicas::draw_command(Client& client) {
  bool const simulates = client.session->has_world();
  sim::AnyWorld const& world = (simulates ? client.session->simulation() : room_.simulation()).world();
  Random& random = client.random;
  auto const number = [&](double size) {
    return static_cast<float>((random.next_below(2001) / 1000.0 - 1.0) * size);
  };
  std::vector<MoverId> movers;
  world.list_movers(movers);
  if (client.walks && !movers.empty())
    return sim::MoveCommand{world.mover(movers[client.session->player() % movers.size()]).body,
                            {1.5f, 0, 0.5f},
                            0.25f,
                            false,
                            false};
  std::uint32_t const kind = random.next_below(10);
  if (kind < 5 && !movers.empty()) {
    MoverId const mover = movers[client.session->player() % movers.size()];
    return sim::MoveCommand{world.mover(mover).body, {number(4), 0, number(4)}, 0, false, kind == 0};
  }
  if (kind == 9) {
    sim::SpawnCommand spawn;
    spawn.dimensions_m = {0.3f, 0, 0};
    spawn.position = Position::from_metres(static_cast<double>(number(6)), 6, static_cast<double>(number(6)));
    return spawn;
  }
  std::vector<BodyId> bodies;
  world.list_bodies(bodies);
  std::erase_if(bodies, [&](BodyId body) { return world.body_type(body) != BodyType::kDynamic; });
  if (bodies.empty()) return sim::ReleaseCommand{};
  BodyId const body = bodies[random.next_below(static_cast<std::uint32_t>(bodies.size()))];
  return sim::ImpulseCommand{body, {number(300), 200, number(300)}, std::nullopt};
}

void VirtualReplicas::note_bodies() {
  for (auto const& client : clients_) {
    if (client->ending || !client->session->is_playing() || !client->session->is_predicted()) continue;
    sim::Simulation const& own = client->session->simulation();
    noted_bodies_.push_back(
        {client->session->player(), own.tick(), bodies_of(own), client->session->predicted().area()});
  }
}

bool VirtualReplicas::has_moved_lately(std::uint64_t tick, const sim::BodyView& now) const {
  auto const before = server_bodies_.lower_bound(tick - std::min(tick, kTrailingTicks));
  for (auto at = before; at != server_bodies_.end() && at->first <= tick; ++at) {
    auto const then = std::ranges::find(at->second, now.id, &sim::BodyView::id);
    if (then == at->second.end() || !is_equal_body(*then, now)) return true;
  }
  return false;
}

VirtualReplicas::Comparison VirtualReplicas::compare_bodies() const {
  Comparison out;
  for (const NotedBodies& noted : noted_bodies_) {
    auto const server = server_bodies_.find(noted.tick);
    if (server == server_bodies_.end()) continue;  // noted before the server kept its own
    std::string const where =
        "player " + std::to_string(noted.player) + " at tick " + std::to_string(noted.tick) + ": ";
    if (noted.bodies.size() != server->second.size()) {
      ++out.differing;
      if (out.first.empty())
        out.first = where + std::to_string(noted.bodies.size()) + " bodies, the server has " +
                    std::to_string(server->second.size());
      continue;
    }
    for (std::size_t i = 0; i < noted.bodies.size(); ++i) {
      ++out.bodies;
      sim::BodyView const& own = noted.bodies[i];
      sim::BodyView const& its = server->second[i];
      if (own.id == its.id && is_equal_body(own, its)) continue;
      bool const is_far = own.id == its.id && its.type == BodyType::kDynamic && !noted.area.contains(own.id);
      if (is_far && has_moved_lately(noted.tick, its)) {
        ++out.trailing;
        continue;
      }
      ++out.differing;
      if (!out.first.empty()) continue;
      out.first = where + "body " + std::to_string(own.id.index) + " is at " +
                  std::to_string(own.position.x_m()) + ", " + std::to_string(own.position.y_m()) + ", " +
                  std::to_string(own.position.z_m()) + ", on the server body " +
                  std::to_string(its.id.index) + " at " + std::to_string(its.position.x_m()) + ", " +
                  std::to_string(its.position.y_m()) + ", " + std::to_string(its.position.z_m()) +
                  (own.asleep ? ", asleep" : "") + (its.asleep ? ", asleep there" : "") +
                  (noted.area.contains(own.id) ? ", in the area" : "") +
                  (own.type == its.type ? "" : ", of another type") + ", velocities " +
                  text_of(own.linear_velocity_m_s) + " and " + text_of(its.linear_velocity_m_s);
    }
  }
  return out;
}

void VirtualReplicas::note_states() {
  for (auto const& client : clients_) {
    if (client->ending || client->is_cut || !client->session->is_playing()) continue;
    // The states of mode predicted are equal in the grids alone.
    if (client->session->is_predicted() || !client->session->has_world()) continue;
    sim::Simulation const& own = client->session->simulation();
    noted_.push_back({client->session->player(), own.tick(), own.hash()});
  }
}

std::string VirtualReplicas::difference() const {
  for (const Noted& noted : noted_) {
    auto const at = hashes_.find(noted.tick);
    if (at == hashes_.end() || noted.hash != at->second)
      return "player " + std::to_string(noted.player) + " at tick " + std::to_string(noted.tick);
  }
  return {};
}

}  // namespace takt::client::test
