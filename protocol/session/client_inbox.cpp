#include "protocol/session/client_inbox.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "takt/core/overload.h"

namespace takt::protocol {
namespace {

/// The first kFastPings pings go every kFastPingInterval.
constexpr std::uint32_t kFastPings = 8;
constexpr std::uint64_t kFastPingInterval = 100 * kMillisecond;

SessionEnd protocol_error(std::string text) {
  return {{DisconnectReason::kProtocolError, RefuseReason::kNone, std::move(text)}, true};
}

}  // namespace

bool PingSchedule::poll(std::uint64_t now_us, std::uint64_t settled_interval_us) noexcept {
  if (now_us < next_us_) return false;
  ++sent_;
  next_us_ = now_us + (sent_ < kFastPings ? kFastPingInterval : settled_interval_us);
  return true;
}

ClientInbox::ClientInbox(const ClientOptions& options, Counters& counters)
    : options_(&options),
      counters_(&counters),
      mode_(options.mode),
      inputs_(options.transport != TransportKind::kDatagram),
      join_(options.join_image_max) {}

void ClientInbox::enter(std::uint64_t now_us, const Accept& accept) {
  pings_.restart(now_us);
  clock_ = ClockSync(accept.tick_rate_hz);
  clock_.handle_guess(now_us, accept.current_tick);
  Accept entered = accept;
  entered.resumed = accept.resumed && steps_confirmed(mode_) && options_->resume.has_value() &&
                    accept.epoch == options_->resume->epoch;
  if (entered.resumed) {
    // The room may have another world by the first RoomState.
    epoch_ = accept.epoch;
    has_resumed_ = true;
    confirmed_.start_at(options_->resume->tick);
  }
  events_.push_back(Connected{entered});
}

bool ClientInbox::poll_event(ClientEvent& out) {
  if (events_.empty()) return false;
  out = std::move(events_.front());
  events_.pop_front();
  return true;
}

std::optional<SessionEnd> ClientInbox::handle(std::uint64_t now_us, Message&& message, Link& link,
                                              MessageWriter& writer) {
  using End = std::optional<SessionEnd>;
  auto const queue = [this](auto& event) -> End {
    events_.push_back(std::move(event));
    return std::nullopt;
  };
  Overload const handle{
      [&](SnapshotPart& part) -> End { return handle_snapshot(std::move(part)), std::nullopt; },
      [&](Pong& pong) -> End { return handle_pong(now_us, pong, link), std::nullopt; },
      [&](InputAck& ack) -> End { return handle_input_ack(std::move(ack)), std::nullopt; },
      [&](JoinSlice& slice) -> End { return handle_join_slice(std::move(slice)); },
      [&](GeometrySlice& slice) -> End { return handle_geometry(slice); },
      [&](ConfirmedSlice& slice) -> End { return handle_confirmed(std::move(slice)); },
      [&](RoomState& room) -> End {
        return handle_room(now_us, std::move(room), link, writer), std::nullopt;
      },
      [&]<OneOf<BodiesAdded, BodiesRemoved, GameEvent, ServerStats, ControlResult, QueryResult, JointsBroken,
                DesyncAnswer>
              News>(News& news) -> End { return queue(news); },
      [&]<OneOf<Contacts, JointFrames> Inspection>(Inspection& inspection) -> End {
        return is_of_this_epoch(inspection.epoch) ? queue(inspection) : std::nullopt;
      },
      [&](ModeSwitch& told) -> End { return handle_mode_switch(std::move(told)); },
      [](Disconnect& disconnect) -> End {
        return SessionEnd{{disconnect.reason, RefuseReason::kNone, std::move(disconnect.text)}, false};
      },
      [](KeepAlive&) -> End { return std::nullopt; },
      [&]<OneOf<ConnectRequest, Challenge, ChallengeResponse, Accept, Refuse, Ping, Inputs, Control,
                RoomEntered, Inspect, QueryRequest, DesyncProbe, SealedAccept>
              Unexpected>(Unexpected&) -> End {
        counters_->add(Counter::kMessageUnexpected);
        return std::nullopt;
      },
  };
  return std::visit(handle, message);
}

// Unreliable parts of the world before may arrive late, and their ticks would hide those of this one. 0 = a
// server that counts no epochs.
bool ClientInbox::is_of_this_epoch(std::uint32_t epoch) const noexcept {
  return epoch == 0 || epoch == epoch_;
}

void ClientInbox::handle_room(std::uint64_t now_us, RoomState&& room, Link& link, MessageWriter& writer) {
  if (has_room_ && room.epoch < epoch_) {
    counters_->add(Counter::kMessageBadField);  // epochs only grow
    return;
  }
  bool const is_new_world = (has_room_ || has_resumed_) && room.epoch != epoch_;
  if (room.epoch != epoch_) world_ = SnapshotDecoder();
  if (is_new_world) {
    geometries_.clear();
    join_.clear();
    confirmed_.reset();
  }
  epoch_ = room.epoch;
  has_room_ = true;
  if (is_new_world) link.send_reliable(writer.write(RoomEntered{room.epoch, inputs_.next_sequence()}));
  double const ticks_per_s = room.paused ? 0.0 : static_cast<double>(room.speed) * room.tick_rate_hz;
  double const way_s = static_cast<double>(link.stats().rtt_us) * 0.5e-6;
  clock_.restart(now_us, static_cast<double>(room.tick) + way_s * ticks_per_s, ticks_per_s);
  pings_.restart(now_us);
  events_.push_back(RoomChanged{std::move(room), is_new_world});
}

// The server sends everything of the world anew, and no snapshot before it knows that this has arrived. The
// changes come in order, each once.
std::optional<SessionEnd> ClientInbox::handle_mode_switch(ModeSwitch&& told) {
  bool const changes = told.mode != mode_;
  bool const is_possible = !changes || (options_->may_switch_mode && !told.refused);
  if (!is_possible || told.mode_epoch != mode_epoch_ + (changes ? 1 : 0)) {
    counters_->add(Counter::kMessageUnexpected);
    return protocol_error("the server changed the mode out of turn");
  }
  if (changes) {
    mode_ = told.mode;
    mode_epoch_ = told.mode_epoch;
    world_ = SnapshotDecoder();
    geometries_.clear();
    join_.clear();
    confirmed_.reset();
  }
  events_.push_back(std::move(told));
  return std::nullopt;
}

void ClientInbox::handle_snapshot(SnapshotPart&& part) {
  // Over datagrams a part may overtake the session's first RoomState; it names the epoch as well.
  if (!has_room_ && epoch_ == 0) epoch_ = part.epoch;
  if (part.epoch != epoch_ || part.mode_epoch != mode_epoch_) {
    counters_->add(Counter::kSnapshotOtherEpoch);
    return;
  }
  switch (world_.handle_part(part)) {
    case SnapshotDecoder::Outcome::kApplied:
      events_.push_back(SnapshotArrived{std::move(part), false, world_.take_ropes()});
      return;
    case SnapshotDecoder::Outcome::kCompleted:
      events_.push_back(SnapshotArrived{std::move(part), true, world_.take_ropes()});
      return;
    case SnapshotDecoder::Outcome::kDuplicate: counters_->add(Counter::kSnapshotDuplicate); return;
    case SnapshotDecoder::Outcome::kStale: counters_->add(Counter::kSnapshotStale); return;
    case SnapshotDecoder::Outcome::kIndexRange: counters_->add(Counter::kSnapshotIndexRange); return;
    case SnapshotDecoder::Outcome::kBadRopes:
    case SnapshotDecoder::Outcome::kInconsistent: counters_->add(Counter::kMessageBadField); return;
  }
}

void ClientInbox::handle_pong(std::uint64_t now_us, const Pong& pong, Link& link) {
  // Only times we sent lately: else a server could feed the clock any round trip it likes, or a copy an old
  // one.
  if (pong.client_time_us > now_us || now_us - pong.client_time_us > options_->timeout_us) {
    counters_->add(Counter::kMessageBadField);
    return;
  }
  clock_.handle_sample(now_us, pong.client_time_us, pong.tick, pong.tick_fraction);
  std::uint64_t const arrived_us = std::max(earliest_us(now_us), pong.client_time_us);
  link.handle_rtt(arrived_us - pong.client_time_us, now_us - pong.client_time_us);
}

void ClientInbox::handle_input_ack(InputAck&& ack) {
  if (!inputs_.handle_ack(ack.received_through)) {
    counters_->add(Counter::kMessageBadField);
    return;
  }
  if (ack.outcomes.empty()) {
    events_.push_back(InputsAcknowledged{ack.received_through, ack.tick, ack.margin_ticks});
  } else {
    events_.push_back(CommandOutcomes{std::move(ack.outcomes)});
  }
}

std::optional<SessionEnd> ClientInbox::handle_join_slice(JoinSlice&& slice) {
  std::uint64_t const tick = slice.tick;
  switch (join_.handle_slice(std::move(slice))) {
    case JoinAssembler::Outcome::kNeedMore: return std::nullopt;
    case JoinAssembler::Outcome::kComplete:
      events_.push_back(JoinImageArrived{tick, join_.take_bytes()});
      confirmed_.start_at(tick);
      report_confirmed();
      return std::nullopt;
    case JoinAssembler::Outcome::kBad:
      counters_->add(Counter::kJoinImageBad);
      return protocol_error("the join image does not add up");
  }
  return std::nullopt;
}

std::optional<SessionEnd> ClientInbox::handle_geometry(const GeometrySlice& slice) {
  switch (geometries_.handle_slice(slice)) {
    case GeometryAssembler::Outcome::kNeedMore: return std::nullopt;
    case GeometryAssembler::Outcome::kComplete:
      events_.push_back(GeometryArrived{geometries_.digest(), geometries_.take()});
      return std::nullopt;
    case GeometryAssembler::Outcome::kBad:
      counters_->add(Counter::kGeometryBad);
      return protocol_error("a geometry does not add up");
  }
  return std::nullopt;
}

std::optional<SessionEnd> ClientInbox::handle_confirmed(ConfirmedSlice&& slice) {
  if (!steps_confirmed(mode_)) {
    counters_->add(Counter::kMessageUnexpected);
    return std::nullopt;
  }
  if (slice.mode_epoch != mode_epoch_) {
    counters_->add(Counter::kConfirmedOtherEpoch);
    return std::nullopt;
  }
  switch (confirmed_.handle_slice(std::move(slice), epoch_)) {
    case ConfirmedReceiver::Outcome::kTaken: report_confirmed(); return std::nullopt;
    case ConfirmedReceiver::Outcome::kOtherEpoch:
      counters_->add(Counter::kConfirmedOtherEpoch);
      return std::nullopt;
    case ConfirmedReceiver::Outcome::kBad:
      counters_->add(Counter::kConfirmedBad);
      return protocol_error("the confirmed ticks do not add up");
  }
  return std::nullopt;
}

void ClientInbox::report_confirmed() {
  if (auto batch = confirmed_.take()) events_.push_back(TicksConfirmed{*std::move(batch)});
}

}  // namespace takt::protocol
