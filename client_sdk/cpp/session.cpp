#include "client_sdk/cpp/session.h"

#include <algorithm>
#include <string>
#include <utility>

#include "client_sdk/cpp/event_conversion.h"
#include "sim/replication/query_replication.h"
#include "sim/replication/replication.h"
#include "takt/core/overload.h"

namespace takt::client {
namespace {

/// Commands aim at arriving this much before their tick: one tick for the server's turn, and what the round
/// trip varies by.
constexpr double kCommandMarginTicks = 1.5;

QueryDone to_outcome(const protocol::QueryResult& result) {
  QueryDone out{result.request, std::string(protocol::name_of(result.status)), result.tick, {}};
  std::size_t at = 0;
  for (const protocol::QueryAnswer& answer : result.answers) {
    bool const is_costly = (result.work_exceeded >> out.answers.size() & 1u) != 0;
    RemoteAnswer& one = out.answers.emplace_back();
    one.status = is_costly ? "refused_work" : protocol::name_of(answer.status);
    one.found = answer.found;
    one.total = answer.total;
    for (std::uint32_t i = 0; i < answer.hit_count; ++i, ++at) {
      protocol::QueryHit const& hit = result.hits[at];  // the reader has counted them
      one.hits.push_back({BodyId::from_u64(hit.body),
                          hit.shape,
                          Position::from_raw(hit.point.x, hit.point.y, hit.point.z),
                          {hit.normal.x, hit.normal.y, hit.normal.z},
                          hit.fraction,
                          hit.distance,
                          hit.triangle});
    }
  }
  return out;
}

Position to_position(const protocol::Position& p) noexcept { return Position::from_raw(p.x, p.y, p.z); }
Quat<float> to_rotation(const protocol::Quatf& q) noexcept { return {q.x, q.y, q.z, q.w}; }

Joint to_joint(const protocol::JointFrame& from) noexcept {
  Joint out;
  out.id = JointId::from_u64(from.id);
  bool const is_known = from.kind >= static_cast<std::uint32_t>(JointKind::kGeneric) &&
                        from.kind <= static_cast<std::uint32_t>(JointKind::kGear);
  if (is_known) out.kind = static_cast<JointKind>(from.kind);
  out.body_a = BodyId::from_u64(from.body_a);
  out.body_b = BodyId::from_u64(from.body_b);
  out.anchor_a = to_position(from.anchor_a);
  out.anchor_b = to_position(from.anchor_b);
  out.rotation_a = to_rotation(from.rotation);
  out.rotation_b = to_rotation(from.rotation_b);
  out.force_n = from.force;
  out.torque_n_m = from.torque;
  out.enabled = (from.flags & protocol::kJointOff) == 0;
  out.broken = (from.flags & protocol::kJointTorn) != 0;
  return out;
}

}  // namespace

Session::Session(const SessionOptions& options)
    : endpoint_(options.endpoint),
      view_(JitterBufferOptions{.delay_min_ms = options.buffer_min_ms,
                                .delay_max_ms = options.buffer_max_ms}) {}

void Session::handle_run(std::uint64_t now_us) noexcept {
  stalls_.handle_run(now_us);
  endpoint_.set_backlog_from(stalls_.backlog_from_us());
}

void Session::update(std::uint64_t now_us, bool is_drained) {
  handle_run(now_us);
  protocol::ClientEvent event;
  while (endpoint_.poll_event(event)) handle(now_us, std::move(event));
  if (is_drained) {
    stalls_.handle_drained();
    endpoint_.set_backlog_from(std::nullopt);
  }
  view_.advance(now_us, server_tick(now_us), server_tick(stalls_.earliest_us(now_us)));
  ropes_are_fresh_ = false;
  protocol::SessionStats const path = endpoint_.stats();
  snapshot_rate_.update(now_us, view_.snapshots());
  received_rate_.update(now_us, path.bytes_received);
  sent_rate_.update(now_us, path.bytes_sent);
}

std::optional<Event> Session::next_event() {
  if (events_.empty()) return std::nullopt;
  Event event = std::move(events_.front());
  events_.pop_front();
  return event;
}

void Session::handle(std::uint64_t now_us, protocol::ClientEvent&& event) {
  Overload const handle_event{
      [&](const protocol::Connected& connected) { handle_connected(now_us, connected.accept); },
      [&](const protocol::Disconnected& over) { handle_disconnected(over); },
      [&](protocol::SnapshotArrived& arrived) { handle_snapshot(now_us, std::move(arrived)); },
      [&](const protocol::BodiesAdded& added) { handle_added(added); },
      [&](protocol::GeometryArrived& geometry) { view_.handle_geometry(std::move(geometry)); },
      [&](const protocol::BodiesRemoved& removed) { handle_removed(removed); },
      [&](const protocol::Contacts& contacts) { handle_contacts(contacts); },
      [&](const protocol::JointFrames& joints) { handle_joints(joints); },
      [&](const protocol::JointsBroken& broken) {
        for (std::uint64_t const joint : broken.joints)
          events_.push_back(JointBroken{JointId::from_u64(joint), broken.tick});
      },
      [&](const protocol::InputsAcknowledged& acknowledged) {
        last_acknowledged_ = std::max(last_acknowledged_, acknowledged.received_through);
        margin_ticks_ = acknowledged.margin_ticks;
      },
      [&](const protocol::CommandOutcomes& outcomes) { handle_outcomes(outcomes); },
      [&](protocol::GameEvent& game) {
        events_.push_back(GameMessage{game.tick, std::move(game.bytes)});
      },
      [&](const protocol::ServerStats& stats) {
        events_.push_back(ServerReport{stats.tick, stats.state_hash, stats.body_count, stats.awake_count,
                                       stats.client_count, stats.tick_time_us, stats.tick_time_p99_us,
                                       stats.contact_count, stats.dropped_ticks});
      },
      [&](protocol::RoomChanged& changed) { handle_room(std::move(changed)); },
      [&](const protocol::QueryResult& result) { events_.push_back(to_outcome(result)); },
      [&](protocol::ControlResult& result) {
        bool const is_done = result.status == protocol::ControlStatus::kDone;
        events_.push_back(ControlDone{result.request, is_done, std::string(protocol::name_of(result.status)),
                                      std::move(result.text)});
      },
      // Clients that simulate get these.
      [](const protocol::JoinImageArrived&) {},
      [](const protocol::TicksConfirmed&) {},
      [](const protocol::DesyncAnswer&) {},
      [](const protocol::ModeSwitch&) {},
  };
  std::visit(handle_event, event);
}

void Session::handle_connected(std::uint64_t now_us, const protocol::Accept& accept) {
  joined_ = {
      accept.player_id,
      accept.tick_rate_hz,
      accept.current_tick,
      accept.scene_hash,
      accept.numbers_mode == protocol::NumbersMode::kFixedMode ? NumbersMode::kFixed : NumbersMode::kFloat,
      accept.role == protocol::Role::kSpectator};
  ticks_per_s_ = accept.tick_rate_hz;
  view_.clear(ticks_per_s_);
  events_.push_back(joined_);
  if (inspect_ != Inspect{}) send_inspect(now_us);
}

void Session::handle_disconnected(const protocol::Disconnected& over) {
  if (asked_to_leave_)
    events_.push_back(Left{});
  else
    events_.push_back(to_event(over));
}

void Session::handle_room(protocol::RoomChanged&& changed) {
  protocol::RoomState& state = changed.room;
  if (changed.is_new_world) {
    view_.clear(state.tick_rate_hz);
    complete_rope_ticks_.clear();
    forget_inspected({});
    ropes_are_fresh_ = false;
  }
  ticks_per_s_ = state.paused ? 0.0 : static_cast<double>(state.speed) * state.tick_rate_hz;
  view_.set_rate(ticks_per_s_, state.tick);
  Room room;
  room.epoch = state.epoch;
  room.tick = state.tick;
  room.paused = state.paused;
  room.speed = static_cast<double>(state.speed);
  room.admin = state.admin;
  room.is_playback = state.is_recording;
  room.first_tick = state.first_tick;
  room.end_tick = state.end_tick;
  room.tick_rate_hz = state.tick_rate_hz;
  room.scene_hash = state.scene_hash;
  room.scene = std::move(state.scene);
  room.title = std::move(state.title);
  room.scenes = std::move(state.scenes);
  room_ = room;
  events_.push_back(RoomChanged{std::move(room), changed.is_new_world});
}

void Session::handle_snapshot(std::uint64_t now_us, protocol::SnapshotArrived&& arrived) {
  protocol::SnapshotPart const& part = arrived.part;
  view_.handle_snapshot(part, arrived.completes, server_tick(now_us),
                        server_tick(stalls_.earliest_us(now_us)));
  if (inspect_.ropes) handle_ropes(part.tick, std::move(arrived.ropes));
  if (arrived.completes && part.deferred_ropes == 0) complete_rope_ticks_.note(part.tick);
}

void Session::handle_ropes(std::uint64_t tick, protocol::RopeNews&& news) {
  std::uint64_t const complete_before = complete_rope_ticks_.newest_before(tick);
  for (protocol::RopeState& rope : news.ropes) rope_store_.add(tick, complete_before, std::move(rope));
  for (protocol::RopeId const id : news.gone) rope_store_.remove_at(tick, RopeId::from_u64(id));
}

void Session::handle_added(const protocol::BodiesAdded& added) {
  for (const protocol::BodyInfo& info : added.bodies) {
    if (!view_.handle_added(info)) continue;
    SpawnTicket const ticket{info.player == joined_.player ? info.sequence : 0};
    events_.push_back(BodySpawned{BodyId::from_u64(info.id), added.tick, info.player, ticket});
  }
}

void Session::handle_removed(const protocol::BodiesRemoved& removed) {
  for (protocol::BodyId const id : removed.ids) {
    view_.handle_removed(removed.tick, id);
    events_.push_back(BodyRemoved{BodyId::from_u64(id), removed.tick});
  }
}

void Session::handle_outcomes(const protocol::CommandOutcomes& decided) {
  for (const protocol::CommandOutcome& one : decided.outcomes) {
    auto outcome = to_event(one);
    if (!outcome) continue;
    ++(outcome->status == CommandStatus::kMoved ? commands_moved_ : commands_refused_);
    events_.push_back(*std::move(outcome));
  }
}

void Session::handle_contacts(const protocol::Contacts& part) {
  if (!inspect_.contacts) return;
  std::vector<Contact> some;
  for (const protocol::ContactPoint& p : part.points)
    some.push_back({BodyId::from_u64(p.body_a),
                    BodyId::from_u64(p.body_b),
                    to_position(p.position),
                    {p.normal.x, p.normal.y, p.normal.z},
                    p.impulse,
                    p.separation});
  if (auto all = contact_parts_.handle_part(part.tick, part.part, part.part_count, std::move(some)))
    contacts_ = ContactList{part.tick, part.total, *std::move(all)};
}

void Session::handle_joints(const protocol::JointFrames& part) {
  if (!inspect_.joints) return;
  std::vector<Joint> some;
  for (const protocol::JointFrame& joint : part.joints) some.push_back(to_joint(joint));
  if (auto all = joint_parts_.handle_part(part.tick, part.part, part.part_count, std::move(some)))
    joints_ = JointList{part.tick, part.total, *std::move(all)};
}

void Session::inspect(std::uint64_t now_us, const Inspect& what) {
  inspect_ = what;
  forget_inspected(what);
  if (is_joined()) send_inspect(now_us);
}

void Session::send_inspect(std::uint64_t now_us) {
  std::uint32_t what = 0;
  if (inspect_.contacts) what |= protocol::kInspectContacts;
  if (inspect_.joints) what |= protocol::kInspectJoints;
  if (inspect_.ropes) what |= protocol::kInspectRopes;
  (void)endpoint_.send_inspect(now_us, what);
}

void Session::forget_inspected(const Inspect& but) {
  if (!but.contacts) {
    contact_parts_.clear();
    contacts_.reset();
  }
  if (!but.joints) {
    joint_parts_.clear();
    joints_.reset();
  }
  if (!but.ropes) rope_store_.clear();
  ropes_are_fresh_ = false;
}

const std::vector<Rope>& Session::ropes() {
  if (!ropes_are_fresh_) {
    ropes_are_fresh_ = true;
    ropes_.clear();
    if (view_.buffer().has_snapshot())
      ropes_ = rope_store_.show_at(view_.buffer().render_tick(), complete_rope_ticks_.newest());
  }
  return ropes_;
}

std::uint64_t Session::command_tick(std::uint64_t now_us) const noexcept {
  protocol::SessionStats const path = endpoint_.stats();
  double const ahead_us =
      static_cast<double>(path.rtt_us) / 2 + 2 * static_cast<double>(path.rtt_variation_us);
  double const tick = server_tick(now_us) + ahead_us * 1e-6 * ticks_per_s_ + kCommandMarginTicks;
  return tick > 0 ? static_cast<std::uint64_t>(tick) + 1 : 1;
}

Result<std::uint32_t, ClientError> Session::send(std::uint64_t now_us, std::uint64_t tick,
                                                 const sim::Command& command) {
  auto wire = sim::to_protocol(command);
  if (!wire) return ClientError::kNotSendable;
  auto const sequence = endpoint_.send_input(now_us, tick, *std::move(wire));
  if (!sequence) return to_error(sequence.error());
  ++commands_sent_;
  return *sequence;
}

Result<std::uint32_t, ClientError> Session::control(std::uint64_t now_us, protocol::Control control) {
  auto const request = endpoint_.send_control(now_us, std::move(control));
  if (!request) return to_error(request.error());
  return *request;
}

Result<std::uint32_t, ClientError> Session::query(std::uint64_t now_us, std::span<const Query> queries,
                                                  std::uint64_t at_tick) {
  std::vector<protocol::Query> wire;
  for (const Query& query : queries) {
    auto one = sim::to_protocol(query);
    if (!one) return ClientError::kOutOfRange;
    wire.push_back(*std::move(one));
  }
  auto const request = endpoint_.send_queries(now_us, std::move(wire), at_tick);
  if (!request) return to_error(request.error());
  return *request;
}

void Session::leave(std::uint64_t now_us, std::string_view text) {
  asked_to_leave_ = true;
  endpoint_.disconnect(now_us, text);
}

Stats Session::stats() const {
  protocol::SessionStats const path = endpoint_.stats();
  Stats out;
  out.rtt_ms = static_cast<double>(path.rtt_us) / 1000;
  out.rtt_variation_ms = static_cast<double>(path.rtt_variation_us) / 1000;
  auto const expected = static_cast<double>(path.datagrams_received + path.received_lost);
  out.loss = expected > 0 ? static_cast<double>(path.received_lost) / expected : 0;
  out.snapshots_per_s = snapshot_rate_.per_s();
  out.received_bytes_per_s = received_rate_.per_s();
  out.sent_bytes_per_s = sent_rate_.per_s();
  out.snapshots = view_.snapshots();
  out.received_bytes = path.bytes_received;
  out.sent_bytes = path.bytes_sent;
  out.buffer_ms = view_.buffer().delay_ms();
  out.jitter_ms = view_.buffer().jitter_ms();
  out.starved_ms = view_.buffer().starved_ms();
  out.longest_starvation_ms = view_.buffer().longest_starvation_ms();
  out.longest_gap_ms = view_.buffer().longest_gap_ms();
  out.starvations = view_.buffer().starvations();
  out.commands_sent = commands_sent_;
  out.commands_moved = commands_moved_;
  out.commands_refused = commands_refused_;
  out.last_acknowledged = last_acknowledged_;
  out.in_flight = static_cast<std::uint32_t>(endpoint_.inputs_in_flight());
  out.margin_ticks = margin_ticks_;
  return out;
}

}  // namespace takt::client
