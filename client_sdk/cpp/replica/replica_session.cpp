#include "client_sdk/cpp/replica/replica_session.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <variant>

#include "sim/comparison/answer_text.h"
#include "sim/replication/replication.h"
#include "takt/core/assert.h"
#include "takt/core/overload.h"

namespace takt::client {
namespace {

ReplicaOptions replica_options(const ReplicaSessionOptions& options) {
  TAKT_ASSERT(protocol::simulates(options.endpoint.mode));
  ReplicaOptions replica = options.replica;
  replica.predicts = options.endpoint.mode == protocol::ReplicationMode::kRollback;
  return replica;
}

sim::GameMessage to_message(protocol::GameEvent&& event, sim::PlayerId player) {
  return {event.tick, player, std::move(event.bytes)};
}

protocol::ClientOptions endpoint_options(protocol::ClientOptions options) {
  options.may_switch_mode = true;
  return options;
}

// A clock's tick, which follows the server's word, in whole ticks.
std::uint64_t to_tick(double tick) {
  return static_cast<std::uint64_t>(std::clamp(std::floor(tick), 0.0, protocol::ClockSync::kTickMax));
}

// A wire's scalar that equals its default is omitted, so that -0 arrives as 0. The own prediction uses what
// arrives: a stick at rest that gives -0 would else cost a rollback for each input.
void drop_signs_of_zeros(sim::Command& command) {
  Overload const drop{
      [](float& value) { value += 0.0f; },  // -0 + 0 = 0
      [](double& value) { value += 0.0; },
      []<class Other>(Other&) {},
  };
  std::visit(
      [&]<class One>(One& one) { std::apply([&](auto&... field) { (drop(field), ...); }, One::fields(one)); },
      command);
}

}  // namespace

ReplicaSession::ReplicaSession(ReplicaSessionOptions options)
    : options_(std::move(options)),
      endpoint_(std::make_unique<protocol::ClientEndpoint>(endpoint_options(options_.endpoint))),
      mode_(options_.endpoint.mode),
      first_mode_(options_.endpoint.mode),
      replica_(replica_options(options_)),
      predicted_(options_.predicted) {
  TAKT_ASSERT(options_.input_delay_ticks <= kInputDelayMax);
}

void ReplicaSession::update(std::uint64_t now_us) {
  protocol::ClientEvent event;
  while (endpoint_->poll_event(event)) handle(now_us, std::move(event));
  if (!has_ended_ && mode_ == protocol::ReplicationMode::kSnapshot) show(now_us);
  if (has_world() && !has_ended_) advance(now_us);
  while (auto const back = predicted_.next_rollback()) events_.emplace_back(*back);
  while (auto news = replica_.next_event()) {
    if (auto const* diverged = std::get_if<Diverged>(&*news)) {
      if (search_ || is_repair_due_) continue;  // the same desync, until its repair
      search_.emplace(diverged->tick);
    }
    std::visit([this](auto& one) { events_.emplace_back(std::move(one)); }, *news);
  }
  if (search_ && !has_ended_) find_desync(now_us);
}

// ---------------------------------------------------------------- desyncs

// The state is kept once the next confirmed ticks have come.
void ReplicaSession::find_desync(std::uint64_t now_us) {
  if (!search_->asked.empty()) return;
  if (replica_.has_forgotten(search_->tick)) return search_.reset();  // the next hash begins another
  if (!replica_.keeps(search_->tick)) return;
  sim::StatePath const path = *search_->states.poll_path();
  search_->answer = replica_.answer(search_->tick, path);
  protocol::DesyncProbe probe{search_->tick, sim::path_text(path), sim::answer_text(search_->answer)};
  if (probe.answer.size() > protocol::kDesyncAnswerBytesMax) probe.answer.clear();
  if (endpoint_->send_desync_probe(now_us, probe).ok()) search_->asked = std::move(probe.path);
}

void ReplicaSession::handle_desync_answer(const protocol::DesyncAnswer& answer) {
  if (!search_ || answer.tick != search_->tick || answer.path != search_->asked) return;
  search_->asked.clear();
  if (answer.status == protocol::DesyncStatus::kForgotten)
    return conclude_desync("the server keeps that state no longer");
  sim::StateComparison& states = search_->states;
  auto const server = sim::parse_answer(*states.poll_path(), answer.answer);
  if (!server) return conclude_desync("the server's answer: " + message(server.error()));
  if (auto const handled = states.handle_answers(*server, search_->answer); !handled)
    return conclude_desync("the server's answer: " + message(handled.error().error));
  if (!states.poll_path()) conclude_desync(message(states.divergence()));
}

void ReplicaSession::conclude_desync(std::string text) {
  DesyncFound found{search_->tick, std::move(text)};
  if (options_.replica.keeps_desync_states && replica_.keeps(search_->tick))
    found.recording = replica_.desync_recording(search_->tick);
  events_.emplace_back(std::move(found));
  search_.reset();
  is_repair_due_ = true;
}

void ReplicaSession::handle(std::uint64_t now_us, protocol::ClientEvent&& event) {
  bool const is_shown = mode_ == protocol::ReplicationMode::kSnapshot;
  Overload const handle_event{
      [&](const protocol::Connected& connected) { handle_connected(connected.accept); },
      [&](const protocol::Disconnected& over) {
        if (has_ended_) return;  // end() has told it
        bool const is_refused = over.refused != protocol::RefuseReason::kNone;
        has_ended_ = true;
        is_mode_refused_ = over.refused == protocol::RefuseReason::kModeUnsupported ||
                           over.refused == protocol::RefuseReason::kTokenWrongMode;
        events_.emplace_back(ReplicaEnded{
            std::string(is_refused ? protocol::name_of(over.refused) : protocol::name_of(over.reason)),
            over.text});
      },
      [&](const protocol::RoomChanged& changed) { handle_room(changed); },
      [&](protocol::ModeSwitch& told) { handle_mode(now_us, std::move(told)); },
      [&](const protocol::DesyncAnswer& answer) { handle_desync_answer(answer); },
      [&](const protocol::JoinImageArrived& image) { handle_image(now_us, image); },
      [&](const protocol::SnapshotArrived& snapshot) {
        if (is_predicted()) return predicted_.handle_snapshot(snapshot.part, snapshot.completes);
        double const server_tick = endpoint_->clock().server_tick(now_us);
        if (is_shown) view_.handle_snapshot(snapshot.part, snapshot.completes, server_tick, server_tick);
      },
      [&](const protocol::BodiesAdded& added) {
        if (is_predicted()) predicted_.handle_added(added);
        for (const protocol::BodyInfo& body : added.bodies)
          if (is_shown) view_.handle_added(body);
      },
      [&](const protocol::BodiesRemoved& removed) {
        if (is_predicted()) predicted_.handle_removed(removed);
        for (protocol::BodyId const id : removed.ids)
          if (is_shown) view_.handle_removed(removed.tick, id);
      },
      [&](protocol::GeometryArrived& geometry) {
        if (is_shown) view_.handle_geometry(std::move(geometry));
      },
      [&](protocol::GameEvent& message) {
        events_.emplace_back(ConfirmedMessage{to_message(std::move(message), player_)});
      },
      [&](const protocol::TicksConfirmed& confirmed) {
        if (has_ended_) return;
        // A server keeps 35 s of ticks, so it sends no client more at once. A machine that steps fewer ticks
        // than the room falls behind by more, in real time, until it goes on in mode snapshot.
        double const ahead =
            static_cast<double>(confirmed.batch.end_tick) - static_cast<double>(replica_.tick());
        if (ahead > kTicksMaxS * tick_rate_hz_ + kLagMaxS * max_ticks_per_s_)
          return end(now_us, "bad_ticks",
                     "the server confirms ticks to " + std::to_string(confirmed.batch.end_tick) +
                         ", more than it can have: this end is at " + std::to_string(replica_.tick()));
        if (replica_.handle_confirmed(confirmed.batch)) return;
        end(now_us, "bad_ticks", "the confirmed ticks do not decode");
      },
      [&](const protocol::InputsAcknowledged& acknowledged) {
        margin_ticks_ = acknowledged.margin_ticks;
        double const tick = static_cast<double>(acknowledged.tick) + acknowledged.margin_ticks;
        if (is_playing_ && tick >= 0) clock_.handle_arrival(now_us, to_tick(tick), acknowledged.tick);
      },
      [&](protocol::CommandOutcomes& outcomes) {
        handle_outcomes(outcomes);
        events_.emplace_back(std::move(outcomes));
      },
      // In modes rollback and lockstep, messages of the game come out of the own world, and no server tells
      // of a body.
      []<class Other>(const Other&) {},
  };
  std::visit(handle_event, event);
}

void ReplicaSession::forget_world() {
  replica_.clear();
  predicted_.clear();
  search_.reset();
  is_repair_due_ = false;
  offsets_.clear();
  view_.clear(tick_rate_hz_);
  forget_lag();
  is_playing_ = is_resuming_ = false;
  world_epoch_ = 0;
}

void ReplicaSession::forget_lag() {
  min_behind_ticks_ = std::numeric_limits<double>::infinity();
  snapshot_request_.reset();
  snapshot_refusals_ = 0;
  snapshot_retry_us_ = 0;
}

// The mode of a session after this one. A mode that was refused may be that of a change, so the first one
// follows.
protocol::ReplicationMode ReplicaSession::mode_after() const noexcept {
  if (is_mode_refused_) return first_mode_;
  return mode_ == protocol::ReplicationMode::kSnapshot ? options_.endpoint.mode : mode_;
}

// The world may outlive sessions in which nothing was accepted: its epoch is that of its image.
std::unique_ptr<protocol::ClientEndpoint> ReplicaSession::make_endpoint(
    protocol::ClientOptions options) const {
  options.mode = mode_after();
  if (options.mode == mode_ && protocol::steps_confirmed(options.mode))
    options.resume = replica_.resume_point(world_epoch_);
  return std::make_unique<protocol::ClientEndpoint>(endpoint_options(std::move(options)));
}

void ReplicaSession::reconnect(std::unique_ptr<protocol::ClientEndpoint> endpoint) {
  TAKT_ASSERT(endpoint != nullptr);
  if (mode_after() != mode_) {
    mode_ = mode_after();
    forget_world();
    replica_.set_predicts(mode_ == protocol::ReplicationMode::kRollback);
  }
  options_.endpoint.mode = mode_;
  endpoint_ = std::move(endpoint);
  player_ = 0;
  epoch_ = 0;
  clock_ = {};
  view_ = SnapshotView();  // another session counts its snapshots anew
  margin_ticks_ = 0;
  last_input_tick_ = 0;
  sequence_offset_ = 0;
  search_.reset();
  is_repair_due_ = false;
  forget_lag();
  is_playing_ = false;
  is_resuming_ = false;
  has_ended_ = false;
  is_mode_refused_ = false;
}

void ReplicaSession::handle_connected(const protocol::Accept& accept) {
  player_ = accept.player_id;
  ticks_per_s_ = accept.tick_rate_hz;
  tick_rate_hz_ = accept.tick_rate_hz;
  max_ticks_per_s_ = accept.tick_rate_hz;
  epoch_ = accept.epoch;
  sequence_offset_ = accept.input_offset;
  if (!has_world()) return;
  is_resuming_ = accept.resumed;
  if (!is_resuming_) return forget_world();
  replica_.resume(player_, sequence_offset_);
  events_.emplace_back(WorldEntered{replica_.confirmed_tick(), true});
}

void ReplicaSession::handle_room(const protocol::RoomChanged& changed) {
  tick_rate_hz_ = changed.room.tick_rate_hz;
  // The players of another world have sent nothing yet. It may begin between the Accept and the first
  // RoomState.
  if (changed.room.epoch != epoch_) sequence_offset_ = 0;
  epoch_ = changed.room.epoch;
  ticks_per_s_ =
      changed.room.paused ? 0.0 : static_cast<double>(changed.room.speed) * changed.room.tick_rate_hz;
  max_ticks_per_s_ = std::max(max_ticks_per_s_, ticks_per_s_);
  if (changed.is_new_world) {
    forget_world();
    last_input_tick_ = 0;
    clock_ = {};
  }
  view_.set_rate(ticks_per_s_, changed.room.tick);
}

void ReplicaSession::handle_mode(std::uint64_t now_us, protocol::ModeSwitch&& told) {
  if (has_ended_) return;
  if (told.mode != mode_) {
    mode_ = told.mode;
    forget_world();
    replica_.set_predicts(mode_ == protocol::ReplicationMode::kRollback);
    view_.set_rate(ticks_per_s_, to_tick(endpoint_->clock().server_tick(now_us)));
  } else if (told.refused && snapshot_request_ == told.request) {
    if (++snapshot_refusals_ >= kSnapshotRefusalsMax)
      return end(now_us, "too_slow", "this machine steps fewer ticks than the room, and " + told.text);
    snapshot_request_.reset();
    snapshot_retry_us_ = now_us + kSnapshotRetryUs;
  }
  events_.emplace_back(
      ModeChanged{static_cast<ReplicaMode>(told.mode), std::move(told.text), told.request, told.refused});
}

Result<std::uint32_t, protocol::Error> ReplicaSession::switch_mode(std::uint64_t now_us, ReplicaMode mode,
                                                                   std::string_view text) {
  if (has_ended_) return protocol::Error::kNotConnected;
  return endpoint_->send_mode_switch(now_us, static_cast<protocol::ReplicationMode>(mode), text);
}

void ReplicaSession::handle_image(std::uint64_t now_us, const protocol::JoinImageArrived& image) {
  if (has_ended_) return;
  search_.reset();
  is_repair_due_ = is_resuming_ = false;
  auto const restored = is_predicted()
                            ? predicted_.restore(image.bytes, player_, sequence_offset_)
                            : replica_.restore(image.bytes, player_,
                                               options_.game ? options_.game() : nullptr, sequence_offset_);
  if (!restored) return end(now_us, "join_image_refused", sim::message(restored.error()));
  world_epoch_ = epoch_;
  last_input_tick_ = 0;
  events_.emplace_back(WorldEntered{image.tick});
}

void ReplicaSession::handle_outcomes(const protocol::CommandOutcomes& outcomes) {
  for (const protocol::CommandOutcome& outcome : outcomes.outcomes) {
    bool const is_moved = outcome.status == protocol::CommandStatus::kMoved;
    if (is_predicted()) {
      if (!predicted_.has_world()) continue;
      if (is_moved) predicted_.move_input(outcome.sequence, outcome.tick);
      if (!is_moved) predicted_.drop_input(outcome.sequence);
    } else if (!is_moved) {
      // An input that the simulation refused is one of a tick; it comes with the confirmed ticks.
      replica_.drop_input(outcome.sequence);
    }
  }
}

void ReplicaSession::advance_clock(std::uint64_t now_us) {
  double const server_tick = endpoint_->clock().server_tick(now_us);
  if (!clock_.has_started() && endpoint_->clock().is_synchronised()) {
    double const way_s = static_cast<double>(endpoint_->clock().error_bound_us()) * 1e-6;
    clock_.start(now_us, server_tick, way_s * ticks_per_s_ + StepClock::kMarginTicks + 1);
  }
  if (clock_.has_started()) clock_.advance(now_us, server_tick, ticks_per_s_);
}

// Commands are stamped by the same clock as in the modes that simulate.
void ReplicaSession::show(std::uint64_t now_us) {
  advance_clock(now_us);
  double const server_tick = endpoint_->clock().server_tick(now_us);
  view_.advance(now_us, server_tick, server_tick);
  is_playing_ = clock_.has_started();
}

void ReplicaSession::advance(std::uint64_t now_us) {
  advance_clock(now_us);
  std::uint64_t const target = to_tick(clock_.tick());
  offsets_.decay(static_cast<double>(now_us - advanced_us_) * 1e-6);
  advanced_us_ = now_us;
  if (is_predicted()) {
    predicted_.advance(target, is_playing_ ? &offsets_ : nullptr);
  } else {
    bool const can_roll_back = mode_ == protocol::ReplicationMode::kRollback && is_playing_;
    // Predictions from a world that lacks many ticks would be of no use.
    is_resuming_ = is_resuming_ && (!clock_.has_started() ||
                                    target > replica_.confirmed_tick() + options_.replica.ahead_ticks_max);
    replica_.advance(is_resuming_ ? 0 : target, can_roll_back ? &offsets_ : nullptr);
  }
  double const behind_ticks = static_cast<double>(confirmed_tick()) - static_cast<double>(tick());
  if (is_too_slow(now_us, behind_ticks) && !snapshot_request_ && now_us >= snapshot_retry_us_) {
    auto const asked =
        switch_mode(now_us, ReplicaMode::kSnapshot, "this machine steps fewer ticks than the room");
    if (asked) snapshot_request_ = *asked;
  }
  bool const has_caught_up = is_predicted() ? tick() >= target : tick() >= confirmed_tick();
  is_playing_ = is_playing_ || (clock_.has_started() && has_caught_up && !is_resuming_);
}

// A join that took long leaves much to catch up with; only a distance that does not shrink is too much.
bool ReplicaSession::is_too_slow(std::uint64_t now_us, double behind_ticks) {
  if (behind_ticks <= kBehindMaxS * tick_rate_hz_) {
    snapshot_refusals_ = 0;
    min_behind_ticks_ = std::numeric_limits<double>::infinity();
    return false;
  }
  if (behind_ticks < min_behind_ticks_) {
    min_behind_ticks_ = behind_ticks;
    min_behind_us_ = now_us;
  }
  return now_us > min_behind_us_ + kCatchUpUs;
}

Result<std::uint32_t, protocol::Error> ReplicaSession::send(std::uint64_t now_us, sim::Command command) {
  if (!is_playing_ || has_ended_) return protocol::Error::kNotConnected;
  drop_signs_of_zeros(command);
  auto const wire = sim::to_protocol(command);
  if (!wire) return protocol::Error::kOutOfRange;
  std::uint64_t const tick =
      std::max({to_tick(clock_.tick()) + options_.input_delay_ticks, this->tick(), last_input_tick_});
  auto const sent = endpoint_->send_input(now_us, tick, *wire);
  if (!sent) return sent;
  last_input_tick_ = tick;
  clock_.handle_input(tick, endpoint_->clock().server_tick(now_us), options_.input_delay_ticks);
  if (predicted_.has_world())
    predicted_.add_input(tick, *sent, std::move(command));
  else if (replica_.has_world())
    replica_.add_input(tick, *sent, std::move(command));
  return sent;
}

void ReplicaSession::draw(std::vector<DrawnBody>& out) {
  out.clear();
  if (has_world()) return offsets_.draw(simulation(), out);
  for (const Body& body : view_.bodies()) {
    Quat<float> const& q = body.rotation;
    Quat<double> const rotation{static_cast<double>(q.x), static_cast<double>(q.y), static_cast<double>(q.z),
                                static_cast<double>(q.w)};
    out.push_back({body.id, body.position, rotation});
  }
}

std::optional<ReplicaSessionEvent> ReplicaSession::next_event() {
  if (events_.empty()) return std::nullopt;
  ReplicaSessionEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

void ReplicaSession::end(std::uint64_t now_us, std::string reason, std::string_view text) {
  if (has_ended_) return;
  has_ended_ = true;
  events_.emplace_back(ReplicaEnded{std::move(reason), std::string(text)});
  endpoint_->disconnect(now_us, text);
}

}  // namespace takt::client
