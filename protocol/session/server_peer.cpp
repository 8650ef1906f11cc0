#include "protocol/session/server_peer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "protocol/session/refusal.h"
#include "takt/core/overload.h"

namespace takt::protocol {
namespace {

/// Bytes of a snapshot on the path for each byte of records: 13 records of 80 bytes travel in 1,248 bytes
/// with all headers.
constexpr std::size_t kPathBytes = 6;
constexpr std::size_t kRecordBytes = 5;

SnapshotBudget budget_of(SnapshotBudget budget, const PeerOrigin& origin) noexcept {
  if (origin.is_local_stream)
    budget.bytes_per_snapshot = std::max(budget.bytes_per_snapshot, budget.bytes_per_snapshot_local);
  return budget;
}

// The limit of the server, or that of the token if it is lower.
std::uint32_t commands_of(std::uint32_t max, const PeerOrigin& origin) noexcept {
  std::uint32_t const granted = origin.grant ? origin.grant->commands_per_s_max : 0;
  return granted == 0 ? max : std::min(max, granted);
}

}  // namespace

ServerShared::ServerShared(const ServerOptions& server_options, const SecretKey& secret_key,
                           const ServerSeeds& seeds)
    : options(server_options),
      secret(secret_key),
      keys(seeds.lasting, seeds.chain),
      confirmed(1),
      gate(server_options.address, server_options.loopback, secret_key),
      egress(server_options.egress_max),
      token_opens({server_options.token_opens_per_s, server_options.token_open_burst}, kTokenShare,
                  secret_key),
      agreements({server_options.agreements_per_s, server_options.agreement_burst}, kAgreementShare,
                 secret_key) {
  confirmed = ConfirmedLog(ConfirmedLog::kSeconds * options.tick_rate_hz);
  room.scene_hash = options.scene_hash;
  room.tick_rate_hz = options.tick_rate_hz;
  room.substeps = options.substeps;
  room.ticks_per_s = options.tick_rate_hz;
}

Pong ServerShared::tick_now(std::uint64_t now_us, std::uint64_t client_time_us) const noexcept {
  std::uint64_t const elapsed_us = now_us > tick_at_us ? now_us - tick_at_us : 0;
  // A tick that is overdue stands at its end: the server is late, time is not.
  double const max = std::max(1.0, room.ticks_per_s / room.tick_rate_hz);
  double const passed = std::min(static_cast<double>(elapsed_us) * 1e-6 * room.ticks_per_s, max);
  double const whole = std::min(std::floor(passed), max - 1.0);
  double const fraction = std::min((passed - whole) * 0x1p32, 4294967295.0);
  return {client_time_us, tick + static_cast<std::uint64_t>(whole), static_cast<std::uint32_t>(fraction)};
}

ServerPeer::ServerPeer(ServerShared& shared, std::uint64_t now_us, PlayerId player, const PeerOrigin& origin,
                       std::unique_ptr<Link> link)
    : shared_(&shared),
      player_(player),
      origin_(origin),
      link_(std::move(link)),
      encoder_(budget_of(shared.options.snapshot_budget, origin)),
      simulates_again_us_(now_us + kModeSwitchInterval),
      inputs_(commands_of(shared.options.inputs_per_s, origin),
              commands_of(shared.options.input_burst, origin), now_us),
      budget_(shared.options.session, now_us),
      controls_(shared.options.controls_per_s, shared.options.control_burst, now_us),
      queries_(shared.options.queries_per_s, shared.options.query_burst, now_us),
      joined_us_(now_us),
      last_arrival_us_(now_us),
      last_on_path_us_(now_us) {
  shared.gate.add(origin.address);
  ++shared.present[static_cast<std::size_t>(origin.role)];
  ++shared.present_over[static_cast<std::size_t>(origin.transport)];
  ++shared.present_in[static_cast<std::size_t>(origin.mode)];
  if (!link_->is_stream()) shared.unspoken.emplace(joined_us_, player_);
  if (!origin.resume_tick) return;
  confirmed_.start(*origin.resume_tick);
  has_image_ = true;
  image_epoch_ = shared.room.epoch;
  image_mark_ = link_->reliable_mark();
  shared.counters.add(Counter::kSessionsResumed);
}

bool ServerPeer::can_move_to(const Address& address) {
  if (address.is_loopback() != origin_.address.is_loopback()) return false;
  if (leaving_) return true;  // it counts nowhere
  shared_->gate.remove(origin_.address);
  bool const has_place = shared_->gate.has_place(address);
  shared_->gate.add(origin_.address);
  return has_place;
}

void ServerPeer::move_to(const Address& address) {
  if (!leaving_) {  // leave() has removed it
    shared_->gate.remove(origin_.address);
    shared_->gate.add(address);
  }
  origin_.address = address;
}

void ServerPeer::settle_tokens() {
  Link::Settled settled;
  while (link_->poll_settled(settled)) {
    if ((settled.token & ConfirmedSender::kTokenBit) != 0) {
      confirmed_.handle_settled(settled.token, settled.delivered);
    } else if (settled.delivered) {
      encoder_.handle_delivered(settled.token);
    } else {
      shared_->counters.add(Counter::kSnapshotPartsLost);
      encoder_.handle_lost(settled.token);
    }
  }
}

// ---------------------------------------------------------------- in

bool ServerPeer::take_datagram(std::uint64_t now_us, std::size_t bytes) {
  if (budget_.take_datagram(now_us, bytes)) return true;
  shared_->counters.add(Counter::kSessionBudget);
  end_if_spent(now_us);
  return false;
}

void ServerPeer::note_malformed(std::uint64_t now_us, std::uint32_t count) {
  budget_.note_malformed(now_us, count);
  end_if_spent(now_us);
}

void ServerPeer::end_if_spent(std::uint64_t now_us) {
  if (!leaving_ && budget_.is_spent())
    leave(now_us, DisconnectReason::kProtocolError, "too many or malformed messages", true);
}

void ServerPeer::note_spoken() {
  if (std::exchange(has_spoken_, true)) return;
  shared_->unspoken.erase({joined_us_, player_});
}

void ServerPeer::handle_arrival(std::uint64_t now_us, bool is_on_path) {
  auto const restart_time_out = [&] {
    last_arrival_us_ = now_us;
    if (is_on_path) last_on_path_us_ = now_us;
  };
  if (!link_->is_stream()) note_spoken();
  if (has_spoken_) restart_time_out();
  settle_tokens();
  note_malformed(now_us, link_->take_malformed());
  Link::Inbound inbound;
  while (!leaving_ && link_->poll_message(inbound)) {
    if (!has_spoken_) {  // bytes of a stream may be those of the handshake, or a part of a message
      note_spoken();
      restart_time_out();
    }
    if (!budget_.take_message(now_us)) {
      shared_->counters.add(Counter::kSessionBudget);
      end_if_spent(now_us);
      continue;
    }
    auto const repeated = !link_->is_stream() && inbound.message_class == MessageClass::kDatagram
                              ? read_repeated_inputs(inbound.bytes)
                              : std::nullopt;
    if (repeated) {
      handle_repeated(now_us, *repeated);
      continue;
    }
    auto message = shared_->reader.read(inbound.bytes, inbound.message_class);
    if (message) {
      handle_message(now_us, inbound.message_class, *std::move(message));
      continue;
    }
    shared_->counters.add(counter_of_message(message.error()));
    // A client that is in error in one message of a datagram may go on; one of a stream or of the reliable
    // channel may not, because what follows depends on it.
    if (link_->is_stream() || inbound.message_class == MessageClass::kReliable) {
      leave(now_us, DisconnectReason::kProtocolError, protocol::message(message.error()), true);
    } else {
      note_malformed(now_us, 1);
    }
  }
  if (!leaving_ && link_->has_failed())
    leave(now_us, DisconnectReason::kProtocolError, "broken framing", true);
}

void ServerPeer::handle_message(std::uint64_t now_us, MessageClass message_class, Message&& message) {
  auto const refuse = [&] {
    shared_->counters.add(Counter::kMessageUnexpected);
    note_malformed(now_us, 1);
  };
  bool const needs_order =
      std::holds_alternative<Control>(message) || std::holds_alternative<QueryRequest>(message) ||
      std::holds_alternative<RoomEntered>(message) || std::holds_alternative<Inspect>(message) ||
      std::holds_alternative<DesyncProbe>(message) || std::holds_alternative<ModeSwitch>(message);
  if (needs_order && message_class != MessageClass::kReliable) return refuse();
  Overload const handle{
      [&](const Ping& ping) {
        send_input_ack(now_us);
        link_->send_unreliable(shared_->writer.write(shared_->tick_now(now_us, ping.client_time_us)), 0);
      },
      [&](Inputs& inputs) { handle_inputs(now_us, std::move(inputs)); },
      [&](Control& control) { handle_control(now_us, std::move(control)); },
      [&](QueryRequest& query) { handle_query(now_us, std::move(query)); },
      [&](const RoomEntered& entered) { handle_entered(entered); },
      [&](const Inspect& inspect) { handle_inspect(now_us, inspect); },
      [&](DesyncProbe& probe) {
        // The client sent it before it knew of its mode: the world that it is about is gone.
        if (probe.mode_epoch != mode_epoch_) return shared_->counters.add(Counter::kMessageUnexpected);
        if (!steps_confirmed(origin_.mode)) return refuse();
        if (!queries_.take(now_us)) {
          shared_->counters.add(Counter::kQueryRate);
          DesyncAnswer const none{probe.tick, std::move(probe.path), {}, DesyncStatus::kForgotten};
          return (void)send_reliable(now_us, shared_->writer.write(none), Lane::kPrompt);
        }
        shared_->events.push_back(DesyncProbed{player_, std::move(probe), entered_epoch_});
      },
      [&](const ModeSwitch& wanted) {
        // 0 is what a change by the server has: the client could not tell the answer from one.
        if (wanted.request == 0) {
          shared_->counters.add(Counter::kMessageBadField);
          return leave(now_us, DisconnectReason::kProtocolError,
                       "a ModeSwitch has a request of 0; number requests from 1", true);
        }
        handle_mode_switch(now_us, wanted);
      },
      // Whatever reason the client gives, the application is told that it left.
      [&](const Disconnect& disconnect) {
        leave(now_us, DisconnectReason::kClientLeft, disconnect.text, false);
      },
      [](const KeepAlive&) {},
      [&]<OneOf<ConnectRequest, Challenge, ChallengeResponse, Accept, Refuse, Pong, InputAck, SnapshotPart,
                JoinSlice, BodiesAdded, BodiesRemoved, GameEvent, ServerStats, ControlResult, RoomState,
                Contacts, JointFrames, GeometrySlice, QueryResult, JointsBroken, ConfirmedSlice, DesyncAnswer,
                SealedAccept>
              Unexpected>(const Unexpected&) { refuse(); },
  };
  std::visit(handle, message);
}

void ServerPeer::handle_inspect(std::uint64_t now_us, const Inspect& inspect) {
  inspect_ = inspect.what & kInspectAll;
  encoder_.send_ropes_again();
  inspect_owed_ = true;
  report_inspect(now_us);
}

bool ServerPeer::may_have(ReplicationMode mode) const noexcept {
  return !origin_.grant || (origin_.grant->modes >> static_cast<unsigned>(mode) & 1u) != 0;
}

void ServerPeer::handle_mode_switch(std::uint64_t now_us, const ModeSwitch& wanted) {
  auto const refuse = [&](std::string_view text) {
    ModeSwitch const told{origin_.mode, printable_text(text), wanted.request, true, mode_epoch_};
    send_mode(now_us, told, false);
  };
  if (!controls_.take(now_us)) {
    shared_->counters.add(Counter::kControlRate);
    return refuse("too many changes of the mode a second");
  }
  if (!shared_->options.modes.contains(wanted.mode))
    return refuse("this server offers " + shared_->options.modes.text() + ", you asked for " +
                  std::string(name_of(wanted.mode)));
  if (!may_have(wanted.mode)) return refuse(text_of_token_refusal(RefuseReason::kTokenWrongMode));
  bool const costs_image = protocol::simulates(wanted.mode) && wanted.mode != origin_.mode;
  if (costs_image && now_us < simulates_again_us_)
    return refuse("your mode changed less than 10 s ago; ask again later");
  switch_mode(now_us, wanted.mode, wanted.text, wanted.request);
}

void ServerPeer::switch_mode(std::uint64_t now_us, ReplicationMode mode, std::string_view text,
                             std::uint32_t request) {
  if (leaving_) return;
  if (!may_have(mode))
    return leave(now_us, DisconnectReason::kKicked,
                 std::string(text) + "; your token does not allow mode " + std::string(name_of(mode)), true);
  bool const changes = mode != origin_.mode;
  ModeSwitch const told{mode, printable_text(text), request, false, mode_epoch_ + (changes ? 1 : 0)};
  if (!changes) return send_mode(now_us, told, false);
  --shared_->present_in[static_cast<std::size_t>(origin_.mode)];
  ++shared_->present_in[static_cast<std::size_t>(mode)];
  origin_.mode = mode;
  mode_epoch_ = told.mode_epoch;
  confirmed_.stop();
  encoder_.restart();
  // The client forgets the world, so what waits of it would only delay the news.
  reliable_.drop_world();
  has_image_ = false;
  is_mode_on_way_ = true;
  simulates_again_us_ = now_us + kModeSwitchInterval;
  shared_->counters.add(Counter::kModesSwitched);
  shared_->events.push_back(ModeSwitched{player_, mode, told.text, mode_epoch_});
  send_mode(now_us, told, true);
}

void ServerPeer::send_mode(std::uint64_t now_us, const ModeSwitch& told, bool is_marked) {
  auto const message = shared_->writer.write(told);
  if (!has_room_for(now_us, message.size())) return;
  reliable_.push_mode(message, is_marked);
  reliable_.pump(*link_, shared_->writer);
}

// Snapshots would overtake the message, and the client would drop what counts as delivered here. A stream
// keeps the order.
bool ServerPeer::has_mode_arrived() {
  auto const mark = reliable_.mark();
  if (is_mode_on_way_ && mark && (link_->is_stream() || link_->has_arrived(*mark))) is_mode_on_way_ = false;
  return !is_mode_on_way_;
}

void ServerPeer::report_inspect(std::uint64_t now_us) {
  bool const is_early = inspect_told_us_ != 0 && now_us < inspect_told_us_ + kInspectInterval;
  if (!inspect_owed_ || leaving_ || is_early) return;
  inspect_owed_ = false;
  inspect_told_us_ = now_us;
  shared_->events.push_back(InspectArrived{player_, inspect_});
}

// A client repeats only commands that this end has: those after an input that it knows to have arrived. It
// knows too that one of them failed the range check here, if its own check is wider; what repeats that one
// fails as it did.
void ServerPeer::handle_repeated(std::uint64_t now_us, const RepeatedInputs& repeated) {
  if (const Command* const command = inputs_.last_command())
    return handle_inputs(now_us, expand(repeated, *command, inputs_.received_through(), shared_->tick));
  Inputs refused;
  for (const Input& input :
       expand(repeated, ReleaseCommand{}, inputs_.received_through(), shared_->tick).inputs)
    refused.invalid_sequences.push_back(input.sequence);
  handle_inputs(now_us, std::move(refused));
}

void ServerPeer::handle_inputs(std::uint64_t now_us, Inputs&& inputs) {
  auto taken = inputs_.handle_inputs(now_us, shared_->tick, std::move(inputs), shared_->counters);
  // A stream has no ack of its own to share a datagram with.
  if (!input_ack_due_us_)
    input_ack_due_us_ =
        link_->is_stream() ? now_us : std::max(now_us, input_acked_us_ + kInputAckInterval) + kAckDelayMax;
  std::erase_if(taken.inputs, [&](const Input& input) {
    CommandOutcome outcome{
        input.sequence, CommandStatus::kRefusedLate, shared_->tick, CommandRefusal::kOtherWorld, {}};
    if (origin_.role == Role::kSpectator) {
      outcome.status = CommandStatus::kRefusedPermission;
      outcome.refusal = CommandRefusal::kSpectator;
    } else if (input.sequence >= first_input_) {
      return false;
    }  // else said before the client entered this epoch: its body ids are those of another world
    taken.refused.push_back(std::move(outcome));
    return true;
  });
  if (!taken.inputs.empty())
    shared_->events.push_back(InputsArrived{player_, std::move(taken.inputs), entered_epoch_});
  auto refused = std::span<const CommandOutcome>(taken.refused);
  while (!refused.empty() && !leaving_) {
    auto const some = refused.first(std::min(refused.size(), kCommandOutcomesPerMessage));
    InputAck ack{inputs_.received_through(), shared_->tick, 0, {some.begin(), some.end()}};
    (void)send_reliable(now_us, shared_->writer.write(ack), Lane::kPrompt);
    refused = refused.subspan(some.size());
  }
}

void ServerPeer::handle_control(std::uint64_t now_us, Control&& control) {
  ControlResult refused{control.request, ControlStatus::kFailed, "too many control messages a second"};
  if (!controls_.take(now_us)) {
    shared_->counters.add(Counter::kControlRate);
  } else if (!origin_.admin) {
    shared_->counters.add(Counter::kControlPermission);
    refused = {control.request, ControlStatus::kRefusedPermission, "this server does not let you control it"};
  } else {
    shared_->events.push_back(ControlArrived{player_, std::move(control)});
    return;
  }
  (void)send_reliable(now_us, shared_->writer.write(refused), Lane::kPrompt);
}

void ServerPeer::handle_query(std::uint64_t now_us, QueryRequest&& request) {
  if (!queries_.take(now_us, static_cast<std::uint32_t>(request.queries.size()))) {
    shared_->counters.add(Counter::kQueryRate);
    (void)send_reliable(
        now_us,
        shared_->writer.write(QueryResult{request.request, QueryStatus::kRefusedRate, shared_->tick, {}, {}}),
        Lane::kPrompt);
    return;
  }
  shared_->events.push_back(QueryArrived{player_, std::move(request), entered_epoch_});
}

void ServerPeer::handle_entered(const RoomEntered& entered) {
  // An older epoch is an answer that a newer RoomState has overtaken.
  if (entered.epoch > told_epoch_) shared_->counters.add(Counter::kMessageUnexpected);
  if (entered.epoch != told_epoch_ || entered_epoch_ == told_epoch_) return;
  entered_epoch_ = told_epoch_;
  first_input_ = entered.first_input;
  encoder_.restart();
  shared_->events.push_back(EpochEntered{player_, entered.epoch, mode_epoch_});
}

// ---------------------------------------------------------------- out

void ServerPeer::publish_snapshot(std::uint64_t now_us, std::size_t bytes_max) {
  if (leaving_ || !has_entered() || !takes_snapshots(origin_.mode)) return;
  settle_tokens();
  // Before the image has arrived, snapshots would delay it, and a client has no world for them.
  if (!has_mode_arrived() || (simulates() && !has_image_arrived())) return;
  if (link_->is_congested()) {
    shared_->counters.add(Counter::kSnapshotDroppedSlowReader);
    return;
  }
  bool const reliable_waits = !reliable_.empty() || link_->reliable_backlog_bytes() > 0;
  std::size_t const allowed = std::min(link_->snapshot_allowance(now_us, reliable_waits), bytes_max);
  std::uint64_t bytes_sent = 0;
  SnapshotWants const wants{.ropes = (inspect_ & kInspectRopes) != 0, .movers = simulates()};
  for (auto& outgoing : encoder_.encode(shared_->source, wants, allowed / kPathBytes * kRecordBytes)) {
    send_input_ack(now_us);
    shared_->counters.add(Counter::kSnapshotPartsSent);
    outgoing.part.epoch = shared_->room.epoch;
    outgoing.part.mode_epoch = mode_epoch_;
    auto const bytes = shared_->writer.write(outgoing.part);
    bytes_sent += bytes.size();
    link_->send_unreliable(bytes, outgoing.token);
  }
  link_->spend_snapshot_allowance(bytes_sent, encoder_.was_cut());
  if (bytes_sent > 0) shared_->snapshot_sizes.add(bytes_sent);
}

bool ServerPeer::has_image_arrived() {
  if (!has_image_) return false;
  if (!image_mark_ && reliable_.empty()) image_mark_ = link_->reliable_mark();
  return image_mark_ && link_->has_arrived(*image_mark_);
}

void ServerPeer::publish_confirmed(std::uint64_t now_us) {
  if (leaving_ || !has_entered() || !steps_confirmed(origin_.mode)) return;
  settle_tokens();
  if (confirmed_.has_fallen_behind(shared_->confirmed))
    return switch_mode(now_us, ReplicationMode::kSnapshot, "you are behind all ticks that this server keeps");
  bool const reliable_waits = !reliable_.empty() || link_->reliable_backlog_bytes() > 0;
  bool const is_image_there = has_image_arrived();
  bool const is_allowed = link_->snapshot_allowance(now_us, reliable_waits) >= kDatagramBytesMax &&
                          shared_->egress.is_open(now_us);
  if (link_->is_congested() || !is_allowed) return;  // the next update has these ticks too
  for (OutgoingBatch const& batch : confirmed_.poll(
           now_us, shared_->confirmed, {shared_->room.epoch, player_, reliable_.empty(), is_image_there}))
    send_confirmed(now_us, batch);
}

void ServerPeer::send_confirmed(std::uint64_t now_us, const OutgoingBatch& batch) {
  auto const bytes = std::span<const std::byte>(batch.bytes);
  shared_->counters.add(Counter::kConfirmedBytesSent, bytes.size());
  send_input_ack(now_us);
  if (batch.token != 0) {
    auto const message =
        shared_->writer.write(ConfirmedSlice{{bytes.begin(), bytes.end()}, 0, 0, mode_epoch_});
    link_->spend_snapshot_allowance(message.size(), false);
    link_->send_unreliable(message, batch.token);
    return;
  }
  for (std::size_t at = 0; at < bytes.size(); at += kConfirmedSliceBytes) {
    auto const slice = bytes.subspan(at, std::min(kConfirmedSliceBytes, bytes.size() - at));
    ConfirmedSlice const message{{slice.begin(), slice.end()},
                                 static_cast<std::uint32_t>(at),
                                 static_cast<std::uint32_t>(bytes.size()),
                                 mode_epoch_};
    if (!send_reliable(now_us, shared_->writer.write(message), Lane::kWorld)) return;
  }
}

Result<Unit, Error> ServerPeer::send_room_state(std::uint64_t now_us, RoomState&& state) {
  if (told_epoch_ != 0) state.marks.clear();
  if (told_epoch_ == 0) entered_epoch_ = state.epoch;
  if (image_epoch_ != state.epoch) has_image_ = false;
  if (told_epoch_ != 0 && told_epoch_ != state.epoch) reliable_.drop_world();
  told_epoch_ = state.epoch;
  state.admin = origin_.admin;
  return send_reliable(now_us, shared_->writer.write(state), Lane::kRoom);
}

bool ServerPeer::has_room_for(std::uint64_t now_us, std::size_t bytes) {
  if (reliable_.bytes() + bytes <= shared_->options.reliable_queue_max) return true;
  shared_->counters.add(Counter::kSlowReaders);
  leave(now_us, DisconnectReason::kSlowReader, "too much waits for you", true);
  return false;
}

Result<Unit, Error> ServerPeer::send_reliable(std::uint64_t now_us, std::span<const std::byte> message,
                                              Lane lane) {
  if (leaving_) return Error::kNotConnected;
  if (!has_room_for(now_us, message.size())) return Error::kQueueFull;
  reliable_.push(message, lane);
  reliable_.pump(*link_, shared_->writer);
  return Unit{};
}

Result<Unit, Error> ServerPeer::send_shared(const SharedMessages& messages) {
  if (leaving_) return Error::kNotConnected;
  reliable_.push_shared(messages);
  reliable_.pump(*link_, shared_->writer);
  return Unit{};
}

Result<Unit, Error> ServerPeer::send_image(std::uint64_t tick,
                                           std::shared_ptr<const std::vector<std::byte>> image) {
  if (leaving_) return Error::kNotConnected;
  if (steps_confirmed(origin_.mode)) confirmed_.start(tick);
  has_image_ = true;
  image_epoch_ = shared_->room.epoch;
  image_mark_.reset();
  reliable_.push_image(tick, std::move(image));
  reliable_.pump(*link_, shared_->writer);
  return Unit{};
}

Result<Unit, Error> ServerPeer::send_geometry(GeometryBlob geometry) {
  if (leaving_) return Error::kNotConnected;
  reliable_.push_geometry(std::move(geometry));
  reliable_.pump(*link_, shared_->writer);
  return Unit{};
}

void ServerPeer::handle_time(std::uint64_t now_us) {
  if (!leaving_ && now_us >= last_on_path_us_ + shared_->options.timeout_us) {
    shared_->counters.add(Counter::kTimeouts);
    leave(now_us, DisconnectReason::kTimedOut, "nothing heard from you", true);
  }
  settle_tokens();
  if (leaving_) return farewell_.handle_time(now_us, *link_);
  report_inspect(now_us);
  reliable_.pump(*link_, shared_->writer);
  if (input_ack_due_us_ && (now_us >= *input_ack_due_us_ || link_->is_ack_due(now_us)))
    send_input_ack(now_us);
}

// With the first message that goes anyway once kInputAckInterval has passed, or else with the link's own ack,
// which is due kAckDelayMax after an input: one datagram for the inputs of 20 ms.
void ServerPeer::send_input_ack(std::uint64_t now_us) {
  if (!input_ack_due_us_) return;
  if (!link_->is_stream() && now_us < input_acked_us_ + kInputAckInterval) return;
  input_ack_due_us_.reset();
  input_acked_us_ = now_us;
  auto const [ticks, tick] = inputs_.take_margin();
  link_->send_unreliable(shared_->writer.write(InputAck{inputs_.received_through(), tick, ticks, {}}), 0);
}

std::uint64_t ServerPeer::next_wakeup_us() const noexcept {
  if (leaving_) return farewell_.next_wakeup_us();
  bool const can_pump = !reliable_.empty() && link_->reliable_backlog_bytes() < link_->useful_backlog_bytes();
  if (can_pump) return 0;
  std::uint64_t wakeup_us = last_on_path_us_ + shared_->options.timeout_us;
  if (inspect_owed_) wakeup_us = std::min(wakeup_us, inspect_told_us_ + kInspectInterval);
  return input_ack_due_us_ ? std::min(wakeup_us, *input_ack_due_us_) : wakeup_us;
}

SessionStats ServerPeer::stats() const {
  SessionStats stats = link_->stats();
  stats.reliable_queue_bytes += reliable_.bytes();
  return stats;
}

void ServerPeer::leave(std::uint64_t now_us, DisconnectReason reason, std::string_view text, bool tell) {
  if (leaving_) return;
  leaving_ = true;
  shared_->unspoken.erase({joined_us_, player_});
  shared_->gate.remove(origin_.address);
  if (origin_.grant) shared_->options.tokens->release(origin_.grant->tag, origin_.token_holder);
  --shared_->present[static_cast<std::size_t>(origin_.role)];
  --shared_->present_over[static_cast<std::size_t>(origin_.transport)];
  --shared_->present_in[static_cast<std::size_t>(origin_.mode)];
  reliable_.clear();
  Disconnect const farewell{reason, printable_text(text)};
  shared_->events.push_back(PlayerLeft{player_, reason, farewell.text});
  if (!tell) return;
  farewell_.begin(now_us, shared_->writer.write(farewell), link_->is_stream());
}

}  // namespace takt::protocol
