#include "protocol/session/client_endpoint.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <utility>

#include "protocol/link/datagram_link.h"
#include "protocol/link/stream_link.h"
#include "protocol/messages/message_reader.h"
#include "protocol/messages/message_writer.h"
#include "protocol/session/geometry_assembler.h"
#include "protocol/session/input_sender.h"
#include "protocol/session/join_assembler.h"
#include "protocol/session/refusal.h"
#include "takt/core/assert.h"

namespace takt::protocol {
namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

/// The clock wants several samples soon: the first kFastPings go every kFastPingInterval.
constexpr std::uint32_t kFastPings = 8;
constexpr std::uint64_t kFastPingInterval = 100 * kMillisecond;

/// A client has little to say reliably; its stream is congested only when the server does not read.
constexpr std::size_t kClientStreamBacklog = 256 * 1024;

/// Reliable bytes of a client that may wait; a server that takes none of them is not there.
constexpr std::size_t kReliableBacklogMax = 64 * 1024;

}  // namespace

class ClientEndpoint::Implementation {
 public:
  explicit Implementation(const ClientOptions& options)
      : options_(options),
        inputs_(options.transport == TransportKind::kStream),
        join_(options.join_image_max) {
    TAKT_ASSERT(options.player_name.size() <= kPlayerNameBytesMax);
  }

  void connect(std::uint64_t now_us) {
    check_time(now_us);
    TAKT_ASSERT(state_ == ClientState::kIdle);
    state_ = ClientState::kRequesting;
    started_us_ = now_us;
    last_arrival_us_ = now_us;
    next_handshake_us_ = now_us;
    if (!over_stream()) return;
    auto link = std::make_unique<StreamLink>(StreamLinkOptions{kFrameBytesMax, kClientStreamBacklog}, now_us,
                                             counters_);
    stream_ = link.get();
    link_ = std::move(link);
    link_->send_reliable(writer_.write(request()));
  }

  void disconnect(std::uint64_t now_us, std::string_view text) {
    check_time(now_us);
    if (state_ == ClientState::kLeaving || state_ == ClientState::kDisconnected) return;
    Disconnect const farewell{DisconnectReason::kClientLeft, printable_text(text)};
    bool const tell = state_ == ClientState::kConnected;
    finish(DisconnectReason::kClientLeft, RefuseReason::kNone, farewell.text);
    if (!tell) return;
    state_ = ClientState::kLeaving;
    auto const bytes = writer_.write(farewell);
    farewell_.assign(bytes.begin(), bytes.end());
    farewells_left_ = over_stream() ? 1 : kDisconnectCopies;
    next_farewell_us_ = now_us;
  }

  // ------------------------------------------------------------ bytes

  void handle_datagram(std::uint64_t now_us, std::span<const std::byte> bytes) {
    check_time(now_us);
    TAKT_ASSERT(!over_stream());
    counters_.add(Counter::kDatagramsReceived);
    counters_.add(Counter::kDatagramBytesReceived, bytes.size());
    auto const header = read_header(bytes);
    if (!header) {
      counters_.add(counter_of_header(header.error()));
      return;
    }
    if (header->type == DatagramType::kHandshake) {
      handle_handshake(now_us, bytes.subspan(kDatagramHeaderBytes));
      return;
    }
    if (state_ != ClientState::kConnected) {
      counters_.add(Counter::kDatagramWrongState);  // often honest: a snapshot that overtook the Accept
      return;
    }
    if (header->session != datagrams_->session()) {
      counters_.add(Counter::kDatagramUnknownSession);
      return;
    }
    if (datagrams_->handle_datagram(now_us, *header, bytes)) handle_arrival(now_us);
  }

  bool poll_datagram(std::uint64_t now_us, std::vector<std::byte>& out) {
    check_time(now_us);
    TAKT_ASSERT(!over_stream());
    handle_time(now_us);
    if (state_ == ClientState::kRequesting || state_ == ClientState::kResponding) {
      if (now_us < next_handshake_us_) return false;
      next_handshake_us_ = now_us + kHandshakeRetry;
      write_handshake(out);
      return count_sent(out);
    }
    if (datagrams_ != nullptr && state_ != ClientState::kDisconnected &&
        datagrams_->poll_datagram(now_us, out))
      return count_sent(out);
    if (state_ == ClientState::kLeaving && farewells_left_ == 0) state_ = ClientState::kDisconnected;
    return false;
  }

  void handle_stream_bytes(std::uint64_t now_us, std::span<const std::byte> bytes) {
    check_time(now_us);
    TAKT_ASSERT(over_stream());
    if (stream_ == nullptr || state_ == ClientState::kLeaving || state_ == ClientState::kDisconnected) return;
    counters_.add(Counter::kStreamBytesReceived, bytes.size());
    stream_->handle_bytes(bytes);
    handle_arrival(now_us);
  }

  void handle_stream_closed(std::uint64_t now_us, std::string_view why) {
    check_time(now_us);
    if (state_ == ClientState::kLeaving) state_ = ClientState::kDisconnected;
    if (state_ != ClientState::kDisconnected && state_ != ClientState::kIdle)
      finish(DisconnectReason::kConnectionLost, RefuseReason::kNone, std::string(why));
  }

  std::size_t poll_stream(std::uint64_t now_us, std::size_t bytes_max, std::vector<std::byte>& out) {
    check_time(now_us);
    handle_time(now_us);
    if (stream_ == nullptr) return 0;
    std::size_t const written = stream_->poll_bytes(now_us, bytes_max, out);
    if (state_ == ClientState::kLeaving && farewells_left_ == 0 && !stream_->has_bytes())
      state_ = ClientState::kDisconnected;
    return written;
  }

  bool wants_close() const noexcept { return over_stream() && state_ == ClientState::kDisconnected; }

  std::uint64_t next_wakeup_us(std::uint64_t now_us) const {
    std::uint64_t wakeup_us = kNever;
    switch (state_) {
      case ClientState::kIdle:
      case ClientState::kDisconnected: return kNever;
      case ClientState::kRequesting:
      case ClientState::kResponding:
        wakeup_us = started_us_ + options_.connect_timeout_us;
        if (!over_stream()) wakeup_us = std::min(wakeup_us, next_handshake_us_);
        break;
      case ClientState::kConnected:
        wakeup_us = std::min({last_arrival_us_ + options_.timeout_us, next_ping_us_,
                              inputs_.next_wakeup_us(now_us, link_->retransmit_us())});
        break;
      case ClientState::kLeaving: wakeup_us = farewells_left_ > 0 ? next_farewell_us_ : now_us; break;
    }
    if (datagrams_ != nullptr) wakeup_us = std::min(wakeup_us, datagrams_->next_wakeup_us(now_us));
    // Bytes that wait, wait for the socket, not for us: waking for them would spin on a server that does not
    // read.
    if (stream_ != nullptr && !stream_->has_bytes() && state_ == ClientState::kConnected)
      wakeup_us = std::min(wakeup_us, stream_->next_keep_alive_us());
    return std::max(wakeup_us, now_us);
  }

  // ------------------------------------------------------------ application

  bool poll_event(ClientEvent& out) {
    if (events_.empty()) return false;
    out = std::move(events_.front());
    events_.pop_front();
    return true;
  }

  Result<std::uint32_t, Error> send_input(std::uint64_t now_us, std::uint64_t tick, Command&& command) {
    check_time(now_us);
    if (state_ != ClientState::kConnected) return Error::kNotConnected;
    if (auto const checked = check(command); !checked) return checked.error();
    if (inputs_.is_full()) return Error::kQueueFull;
    return inputs_.push(tick, std::move(command));
  }

  Result<std::uint32_t, Error> send_control(std::uint64_t now_us, Control&& control) {
    check_time(now_us);
    if (!(control.speed - control.speed == 0.0f)) return Error::kNotFinite;
    if (control.scene.size() > kSceneNameBytesMax) return Error::kOutOfRange;
    control.request = next_request_;
    if (auto sent = send_reliable(writer_.write(control)); !sent) return sent.error();
    return next_request_++;
  }
  Result<std::uint32_t, Error> send_queries(std::uint64_t now_us, std::vector<Query>&& queries) {
    check_time(now_us);
    if (queries.empty() || queries.size() > kQueriesPerRequest) return Error::kOutOfRange;
    for (const Query& query : queries)
      if (auto const checked = check(query); !checked) return checked.error();
    auto const message = writer_.write(QueryRequest{next_request_, std::move(queries)});
    if (message.size() > kClientMessageBytesMax) return Error::kTooLong;
    if (auto sent = send_reliable(message); !sent) return sent.error();
    return next_request_++;
  }
  Result<Unit, Error> send_inspect(std::uint64_t now_us, std::uint32_t what) {
    check_time(now_us);
    return send_reliable(writer_.write(Inspect{what}));
  }

  ClientState state() const noexcept { return state_; }
  const ClockSync& clock() const noexcept { return clock_; }
  const SnapshotDecoder& world() const noexcept { return world_; }
  const Counters& counters() const noexcept { return counters_; }
  std::size_t inputs_in_flight() const noexcept { return inputs_.in_flight(); }
  SessionStats stats() const { return link_ != nullptr ? link_->stats() : SessionStats{}; }

 private:
  [[nodiscard]] bool over_stream() const noexcept { return options_.transport == TransportKind::kStream; }

  void check_time(std::uint64_t now_us) {
    TAKT_ASSERT(now_us >= last_now_us_);
    last_now_us_ = now_us;
  }

  bool count_sent(const std::vector<std::byte>& datagram) {
    counters_.add(Counter::kDatagramsSent);
    counters_.add(Counter::kDatagramBytesSent, datagram.size());
    return true;
  }

  ConnectRequest request() const {
    ConnectRequest request;
    request.protocol_version = options_.protocol_version;
    request.scene_hash = options_.scene_hash;
    request.numbers_mode = options_.numbers_mode;
    request.mode = options_.mode;
    request.player_name = options_.player_name;
    request.nonce = options_.nonce;
    return request;
  }

  Result<Unit, Error> send_reliable(std::span<const std::byte> message) {
    if (state_ != ClientState::kConnected) return Error::kNotConnected;
    if (link_->reliable_backlog_bytes() > kReliableBacklogMax) return Error::kQueueFull;
    link_->send_reliable(message);
    return Unit{};
  }

  void finish(DisconnectReason reason, RefuseReason refused, std::string text) {
    state_ = ClientState::kDisconnected;
    events_.push_back(Disconnected{reason, refused, std::move(text)});
  }

  // ------------------------------------------------------------ handshake

  void write_handshake(std::vector<std::byte>& out) {
    out.assign(kDatagramHeaderBytes, std::byte{0});
    DatagramHeader header;
    header.type = DatagramType::kHandshake;
    write_header(header, std::span<std::byte, kDatagramHeaderBytes>(out.data(), kDatagramHeaderBytes));
    auto const message = state_ == ClientState::kRequesting
                             ? writer_.write_padded(request(), kConnectRequestBytes - kDatagramHeaderBytes)
                             : writer_.write(ChallengeResponse{cookie_, request()});
    out.insert(out.end(), message.begin(), message.end());
  }

  void handle_handshake(std::uint64_t now_us, std::span<const std::byte> body) {
    if (state_ != ClientState::kRequesting && state_ != ClientState::kResponding) {
      counters_.add(Counter::kDatagramWrongState);  // a copy of an answer we had
      return;
    }
    auto message = reader_.read(body, MessageClass::kDatagram);
    if (!message) {
      counters_.add(counter_of_message(message.error()));
      return;
    }
    // The nonce is ours: without it a stranger's guess could refuse or accept in the server's name.
    if (auto const* challenge = std::get_if<Challenge>(&*message);
        challenge != nullptr && challenge->nonce == options_.nonce) {
      if (state_ == ClientState::kResponding) return;  // a copy; the first cookie is as good
      cookie_ = challenge->cookie;
      state_ = ClientState::kResponding;
      next_handshake_us_ = now_us;
    } else if (auto const* accept = std::get_if<Accept>(&*message);
               accept != nullptr && accept->nonce == options_.nonce && accept->session != 0) {
      auto link = std::make_unique<DatagramLink>(link_options(accept->session), now_us, counters_);
      datagrams_ = link.get();
      link_ = std::move(link);
      enter(now_us, *accept);
    } else if (auto const* refuse = std::get_if<Refuse>(&*message);
               refuse != nullptr && refuse->nonce == options_.nonce) {
      finish(DisconnectReason::kNone, refuse->reason, refuse->text);
    } else {
      counters_.add(Counter::kMessageUnexpected);
    }
  }

  static DatagramLinkOptions link_options(std::uint64_t session) {
    DatagramLinkOptions options;
    options.session = session;
    options.send_window = kFragmentWindowToServer;
    options.receive_window = kFragmentWindowToClient;
    return options;
  }

  void enter(std::uint64_t now_us, const Accept& accept) {
    state_ = ClientState::kConnected;
    last_arrival_us_ = now_us;
    next_ping_us_ = now_us;
    clock_ = ClockSync(accept.tick_rate_hz);
    clock_.handle_guess(now_us, accept.current_tick);
    events_.push_back(Connected{accept});
  }

  // ------------------------------------------------------------ session

  void handle_arrival(std::uint64_t now_us) {
    last_arrival_us_ = now_us;
    Link::Inbound inbound;
    while (state_ != ClientState::kDisconnected && link_->poll_message(inbound)) {
      if (state_ == ClientState::kLeaving)
        continue;  // what follows a broken rule, or our goodbye, is for nobody
      auto message = reader_.read(inbound.bytes, inbound.message_class);
      if (!message) {
        counters_.add(counter_of_message(message.error()));
        if (over_stream() || inbound.message_class == MessageClass::kReliable)
          protocol_error(now_us, message_of(message.error()));
      } else if (state_ == ClientState::kRequesting) {
        handle_stream_answer(now_us, *message);
      } else if (state_ == ClientState::kConnected) {
        handle_message(now_us, *std::move(message));
      }
    }
    if (state_ == ClientState::kConnected && link_->has_failed()) protocol_error(now_us, "broken framing");
    if (state_ == ClientState::kRequesting && link_->has_failed())
      finish(DisconnectReason::kProtocolError, RefuseReason::kNone, "broken framing");
  }

  void handle_stream_answer(std::uint64_t now_us, const Message& message) {
    if (auto const* accept = std::get_if<Accept>(&message);
        accept != nullptr && accept->nonce == options_.nonce) {
      enter(now_us, *accept);
    } else if (auto const* refuse = std::get_if<Refuse>(&message);
               refuse != nullptr && refuse->nonce == options_.nonce) {
      finish(DisconnectReason::kNone, refuse->reason, refuse->text);
    } else {
      counters_.add(Counter::kMessageUnexpected);
    }
  }

  // Tells the server what went wrong and reports it here as our reason.
  void protocol_error(std::uint64_t now_us, std::string_view text) {
    if (state_ != ClientState::kConnected)
      return finish(DisconnectReason::kProtocolError, RefuseReason::kNone, std::string(text));
    events_.push_back(Disconnected{DisconnectReason::kProtocolError, RefuseReason::kNone, std::string(text)});
    state_ = ClientState::kLeaving;
    auto const bytes = writer_.write(Disconnect{DisconnectReason::kProtocolError, printable_text(text)});
    farewell_.assign(bytes.begin(), bytes.end());
    farewells_left_ = over_stream() ? 1 : kDisconnectCopies;
    next_farewell_us_ = now_us;
  }

  void handle_message(std::uint64_t now_us, Message&& message) {
    if (auto* part = std::get_if<SnapshotPart>(&message)) {
      handle_snapshot(std::move(*part));
    } else if (auto const* pong = std::get_if<Pong>(&message)) {
      handle_pong(now_us, *pong);
    } else if (auto* ack = std::get_if<InputAck>(&message)) {
      handle_input_ack(std::move(*ack));
    } else if (auto* slice = std::get_if<JoinSlice>(&message)) {
      handle_slice(now_us, std::move(*slice));
    } else if (auto const* geometry = std::get_if<GeometrySlice>(&message)) {
      handle_geometry(now_us, *geometry);
    } else if (auto* added = std::get_if<BodiesAdded>(&message)) {
      events_.push_back(std::move(*added));
    } else if (auto* removed = std::get_if<BodiesRemoved>(&message)) {
      events_.push_back(std::move(*removed));
    } else if (auto* event = std::get_if<GameEvent>(&message)) {
      events_.push_back(std::move(*event));
    } else if (auto const* stats = std::get_if<ServerStats>(&message)) {
      events_.push_back(*stats);
    } else if (auto* room = std::get_if<RoomState>(&message)) {
      handle_room(now_us, std::move(*room));
    } else if (auto* result = std::get_if<ControlResult>(&message)) {
      events_.push_back(std::move(*result));
    } else if (auto* answered = std::get_if<QueryResult>(&message)) {
      events_.push_back(std::move(*answered));
    } else if (auto* contacts = std::get_if<Contacts>(&message)) {
      if (is_of_this_epoch(contacts->epoch)) events_.push_back(std::move(*contacts));
    } else if (auto* joints = std::get_if<JointFrames>(&message)) {
      if (is_of_this_epoch(joints->epoch)) events_.push_back(std::move(*joints));
    } else if (auto* broken = std::get_if<JointsBroken>(&message)) {
      events_.push_back(std::move(*broken));
    } else if (auto const* disconnect = std::get_if<Disconnect>(&message)) {
      finish(disconnect->reason, RefuseReason::kNone, disconnect->text);
    } else if (!std::holds_alternative<KeepAlive>(message)) {
      counters_.add(Counter::kMessageUnexpected);
    }
  }

  // Unreliable parts of the world before may come late, and their ticks would hide those of this one. 0 = a
  // server that does not tell.
  [[nodiscard]] bool is_of_this_epoch(std::uint32_t epoch) const noexcept {
    return epoch == 0 || epoch == epoch_;
  }

  void handle_room(std::uint64_t now_us, RoomState&& room) {
    if (has_room_ && room.epoch < epoch_) {
      counters_.add(Counter::kMessageBadField);  // epochs only grow
      return;
    }
    bool const is_new_world = has_room_ && room.epoch != epoch_;
    if (room.epoch != epoch_) world_ = SnapshotDecoder();
    if (is_new_world) geometries_.clear();
    epoch_ = room.epoch;
    has_room_ = true;
    if (is_new_world) link_->send_reliable(writer_.write(RoomEntered{room.epoch, inputs_.next_sequence()}));
    double const ticks_per_s = room.paused ? 0.0 : static_cast<double>(room.speed) * room.tick_rate_hz;
    double const way_s = static_cast<double>(link_->stats().rtt_us) * 0.5e-6;
    clock_.restart(now_us, static_cast<double>(room.tick) + way_s * ticks_per_s, ticks_per_s);
    pings_sent_ = 0;
    next_ping_us_ = now_us;
    events_.push_back(RoomChanged{std::move(room), is_new_world});
  }

  void handle_snapshot(SnapshotPart&& part) {
    // Over datagrams a part may overtake the session's first RoomState; it names the epoch as well.
    if (!has_room_ && epoch_ == 0) epoch_ = part.epoch;
    if (part.epoch != epoch_) {
      counters_.add(Counter::kSnapshotOtherEpoch);
      return;
    }
    switch (world_.handle_part(part)) {
      case SnapshotDecoder::Outcome::kApplied:
        events_.push_back(SnapshotArrived{std::move(part), false, world_.take_ropes()});
        return;
      case SnapshotDecoder::Outcome::kCompleted:
        events_.push_back(SnapshotArrived{std::move(part), true, world_.take_ropes()});
        return;
      case SnapshotDecoder::Outcome::kDuplicate: counters_.add(Counter::kSnapshotDuplicate); return;
      case SnapshotDecoder::Outcome::kStale: counters_.add(Counter::kSnapshotStale); return;
      case SnapshotDecoder::Outcome::kIndexRange: counters_.add(Counter::kSnapshotIndexRange); return;
      case SnapshotDecoder::Outcome::kBadRopes:
      case SnapshotDecoder::Outcome::kInconsistent: counters_.add(Counter::kMessageBadField); return;
    }
  }

  void handle_pong(std::uint64_t now_us, const Pong& pong) {
    // Only times we sent lately: else a server could feed the clock any round trip it likes, or a copy an old
    // one.
    if (pong.client_time_us > now_us || now_us - pong.client_time_us > options_.timeout_us) {
      counters_.add(Counter::kMessageBadField);
      return;
    }
    clock_.handle_sample(now_us, pong.client_time_us, pong.tick, pong.tick_fraction);
    if (stream_ != nullptr) stream_->handle_rtt(now_us - pong.client_time_us);
  }

  void handle_input_ack(InputAck&& ack) {
    if (!inputs_.handle_ack(ack.received_through)) {
      counters_.add(Counter::kMessageBadField);
      return;
    }
    if (ack.outcomes.empty()) {
      events_.push_back(InputsAcknowledged{ack.received_through, ack.tick, ack.margin_ticks});
    } else {
      events_.push_back(CommandOutcomes{std::move(ack.outcomes)});
    }
  }

  void handle_slice(std::uint64_t now_us, JoinSlice&& slice) {
    std::uint64_t const tick = slice.tick;
    switch (join_.handle_slice(std::move(slice))) {
      case JoinAssembler::Outcome::kNeedMore: return;
      case JoinAssembler::Outcome::kComplete:
        events_.push_back(JoinImageArrived{tick, join_.take_bytes()});
        return;
      case JoinAssembler::Outcome::kBad:
        counters_.add(Counter::kJoinImageBad);
        protocol_error(now_us, "the join image does not add up");
        return;
    }
  }

  void handle_geometry(std::uint64_t now_us, const GeometrySlice& slice) {
    switch (geometries_.handle_slice(slice)) {
      case GeometryAssembler::Outcome::kNeedMore: return;
      case GeometryAssembler::Outcome::kComplete:
        events_.push_back(GeometryArrived{geometries_.digest(), geometries_.take()});
        return;
      case GeometryAssembler::Outcome::kBad:
        counters_.add(Counter::kGeometryBad);
        protocol_error(now_us, "a geometry does not add up");
        return;
    }
  }

  // ------------------------------------------------------------ time

  void handle_time(std::uint64_t now_us) {
    bool const connecting = state_ == ClientState::kRequesting || state_ == ClientState::kResponding;
    if (connecting && now_us >= started_us_ + options_.connect_timeout_us) {
      counters_.add(Counter::kTimeouts);
      finish(DisconnectReason::kConnectionLost, RefuseReason::kNone, "no answer from the server");
    }
    if (state_ == ClientState::kConnected && now_us >= last_arrival_us_ + options_.timeout_us) {
      counters_.add(Counter::kTimeouts);
      finish(DisconnectReason::kTimedOut, RefuseReason::kNone, "nothing heard from the server");
    }
    if (state_ == ClientState::kLeaving && farewells_left_ > 0 && now_us >= next_farewell_us_) {
      --farewells_left_;
      next_farewell_us_ = now_us + kDisconnectSpacing;
      if (over_stream()) {
        link_->send_reliable(farewell_);
      } else {
        link_->send_unreliable(farewell_, 0);
      }
    }
    if (state_ != ClientState::kConnected) return;
    if (now_us >= next_ping_us_) {
      ++pings_sent_;
      next_ping_us_ = now_us + (pings_sent_ < kFastPings ? kFastPingInterval : options_.ping_interval_us);
      link_->send_unreliable(writer_.write(Ping{now_us}), 0);
    }
    std::vector<Input> batch;
    while (inputs_.poll(now_us, link_->retransmit_us(), batch)) {
      auto const message = writer_.write(std::span<const Input>(batch));
      // Inputs over a stream are said once, so they may not be dropped there.
      if (over_stream()) {
        link_->send_reliable(message);
      } else {
        link_->send_unreliable(message, 0);
      }
    }
    if (stream_ != nullptr) stream_->handle_time(now_us);
  }

  ClientOptions options_;
  ClientState state_ = ClientState::kIdle;
  Counters counters_;
  MessageReader reader_;
  MessageWriter writer_;
  std::unique_ptr<Link> link_;
  DatagramLink* datagrams_ = nullptr;  // link_, if it is one
  StreamLink* stream_ = nullptr;       // link_, if it is one
  ClockSync clock_;
  SnapshotDecoder world_;
  InputSender inputs_;
  JoinAssembler join_;
  GeometryAssembler geometries_;
  std::uint32_t epoch_ = 0;  // of the world that world_ shows; 0 = not known, or the server has none
  bool has_room_ = false;    // a RoomState has come
  std::uint32_t next_request_ = 1;
  Cookie cookie_{};
  std::deque<ClientEvent> events_;
  std::vector<std::byte> farewell_;
  std::uint64_t started_us_ = 0;
  std::uint64_t last_arrival_us_ = 0;
  std::uint64_t next_handshake_us_ = 0;
  std::uint64_t next_ping_us_ = 0;
  std::uint64_t next_farewell_us_ = 0;
  std::uint64_t last_now_us_ = 0;
  std::uint32_t farewells_left_ = 0;
  std::uint32_t pings_sent_ = 0;
};

ClientEndpoint::ClientEndpoint(const ClientOptions& options)
    : implementation_(std::make_unique<Implementation>(options)) {}
ClientEndpoint::~ClientEndpoint() = default;
void ClientEndpoint::connect(std::uint64_t now_us) { implementation_->connect(now_us); }
void ClientEndpoint::disconnect(std::uint64_t now_us, std::string_view text) {
  implementation_->disconnect(now_us, text);
}
void ClientEndpoint::handle_datagram(std::uint64_t now_us, std::span<const std::byte> bytes) {
  implementation_->handle_datagram(now_us, bytes);
}
bool ClientEndpoint::poll_datagram(std::uint64_t now_us, std::vector<std::byte>& out) {
  return implementation_->poll_datagram(now_us, out);
}
void ClientEndpoint::handle_stream_bytes(std::uint64_t now_us, std::span<const std::byte> bytes) {
  implementation_->handle_stream_bytes(now_us, bytes);
}
void ClientEndpoint::handle_stream_closed(std::uint64_t now_us, std::string_view why) {
  implementation_->handle_stream_closed(now_us, why);
}
std::size_t ClientEndpoint::poll_stream(std::uint64_t now_us, std::size_t bytes_max,
                                        std::vector<std::byte>& out) {
  return implementation_->poll_stream(now_us, bytes_max, out);
}
bool ClientEndpoint::wants_close() const noexcept { return implementation_->wants_close(); }
std::uint64_t ClientEndpoint::next_wakeup_us(std::uint64_t now_us) const {
  return implementation_->next_wakeup_us(now_us);
}
bool ClientEndpoint::poll_event(ClientEvent& out) { return implementation_->poll_event(out); }
Result<std::uint32_t, Error> ClientEndpoint::send_input(std::uint64_t now_us, std::uint64_t tick,
                                                        Command command) {
  return implementation_->send_input(now_us, tick, std::move(command));
}
Result<std::uint32_t, Error> ClientEndpoint::send_control(std::uint64_t now_us, Control control) {
  return implementation_->send_control(now_us, std::move(control));
}
Result<Unit, Error> ClientEndpoint::send_inspect(std::uint64_t now_us, std::uint32_t what) {
  return implementation_->send_inspect(now_us, what);
}
Result<std::uint32_t, Error> ClientEndpoint::send_queries(std::uint64_t now_us, std::vector<Query> queries) {
  return implementation_->send_queries(now_us, std::move(queries));
}
ClientState ClientEndpoint::state() const noexcept { return implementation_->state(); }
const ClockSync& ClientEndpoint::clock() const noexcept { return implementation_->clock(); }
const SnapshotDecoder& ClientEndpoint::world() const noexcept { return implementation_->world(); }
SessionStats ClientEndpoint::stats() const { return implementation_->stats(); }
const Counters& ClientEndpoint::counters() const noexcept { return implementation_->counters(); }
std::size_t ClientEndpoint::inputs_in_flight() const noexcept { return implementation_->inputs_in_flight(); }

}  // namespace takt::protocol
