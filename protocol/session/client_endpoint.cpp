#include "protocol/session/client_endpoint.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "protocol/messages/repeated_inputs.h"
#include "protocol/session/refusal.h"
#include "takt/core/assert.h"

namespace takt::protocol {
namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

/// Unsent stream bytes at which a client counts as congested: it sends little, so the server is not reading.
constexpr std::size_t kClientStreamBacklog = 256 * 1024;

/// Reliable bytes of a client that may wait. A server that takes none of them is not there.
constexpr std::size_t kReliableBacklogMax = 64 * 1024;

DatagramLinkOptions link_options(const Accept& accept) {
  DatagramLinkOptions options;
  options.connection_id = static_cast<std::uint32_t>(accept.session);
  options.cipher = static_cast<crypto::DatagramCipher>(accept.cipher);
  options.send_window = kFragmentWindowToServer;
  options.receive_window = kFragmentWindowToClient;
  return options;
}

}  // namespace

ClientEndpoint::ClientEndpoint(const ClientOptions& options)
    : options_(options), handshake_(options_), inbox_(options_, counters_) {
  TAKT_ASSERT(options.player_name.size() <= kPlayerNameBytesMax && is_printable(options.player_name));
  TAKT_ASSERT(options.token.size() <= kConnectTokenBytesMax);
  TAKT_ASSERT(options.token.empty() || options.token_keys != nullptr);
}

void ClientEndpoint::connect(std::uint64_t now_us) {
  check_time(now_us);
  TAKT_ASSERT(state_ == ClientState::kIdle);
  state_ = ClientState::kRequesting;
  started_us_ = now_us;
  last_arrival_us_ = now_us;
  handshake_.begin(now_us, std::move(options_.key_seed));
  if (!over_stream()) return;
  StreamLinkOptions link_options{kFrameBytesMax, kClientStreamBacklog};
  if (options_.transport == TransportKind::kStream) link_options.clear_frames = kHandshakeFrames;
  auto link = std::make_unique<StreamLink>(link_options, now_us, counters_);
  stream_ = link.get();
  link_ = std::move(link);
  link_->send_reliable(writer_.write(handshake_.request()));
}

void ClientEndpoint::disconnect(std::uint64_t now_us, std::string_view text) {
  check_time(now_us);
  if (state_ == ClientState::kLeaving || state_ == ClientState::kDisconnected) return;
  Disconnected event{DisconnectReason::kClientLeft, RefuseReason::kNone, printable_text(text)};
  if (state_ != ClientState::kConnected) return finish(std::move(event));
  leave(now_us, std::move(event));
}

// ---------------------------------------------------------------- bytes

void ClientEndpoint::handle_datagram(std::uint64_t now_us, std::span<const std::byte> bytes) {
  check_time(now_us);
  TAKT_ASSERT(!over_stream());
  counters_.add(Counter::kDatagramsReceived);
  counters_.add(Counter::kDatagramBytesReceived, bytes.size());
  if (bytes.size() > kDatagramBytesMax) {
    counters_.add(Counter::kDatagramOversize);
    return;
  }
  if (!is_sealed(bytes)) {
    auto const body = read_handshake(bytes);
    if (!body) {
      counters_.add(counter_of_header(body.error()));
    } else {
      handle_handshake(now_us, *body);
    }
    return;
  }
  if (state_ != ClientState::kConnected) {
    counters_.add(Counter::kDatagramWrongState);  // often honest: a snapshot that overtook the Accept
    return;
  }
  if (datagrams_->handle_datagram(now_us, bytes, inbox_.earliest_us(now_us))) handle_arrival(now_us);
}

void ClientEndpoint::handle_path_change(std::uint64_t now_us) {
  check_time(now_us);
  TAKT_ASSERT(!over_stream() && state_ == ClientState::kConnected);
  datagrams_->restart_path();
  link_->send_unreliable(writer_.write(Ping{now_us}), 0);
}

bool ClientEndpoint::poll_datagram(std::uint64_t now_us, std::vector<std::byte>& out) {
  check_time(now_us);
  TAKT_ASSERT(!over_stream());
  handle_time(now_us);
  if (is_connecting()) return handshake_.poll_datagram(now_us, writer_, out) && count_sent(out);
  if (datagrams_ != nullptr && state_ != ClientState::kDisconnected) {
    // The server has seen this end at another address, and asks whether it is there.
    if (auto const probe = datagrams_->take_probe()) {
      datagrams_->write_probe(now_us, *probe, out);
      return count_sent(out);
    }
    if (datagrams_->poll_datagram(now_us, out)) return count_sent(out);
  }
  if (state_ == ClientState::kLeaving && farewell_.is_done()) state_ = ClientState::kDisconnected;
  return false;
}

void ClientEndpoint::handle_stream_bytes(std::uint64_t now_us, std::span<const std::byte> bytes) {
  check_time(now_us);
  TAKT_ASSERT(over_stream());
  if (stream_ == nullptr || state_ == ClientState::kLeaving || state_ == ClientState::kDisconnected) return;
  counters_.add(Counter::kStreamBytesReceived, bytes.size());
  stream_->handle_bytes(bytes);
  handle_arrival(now_us);
}

void ClientEndpoint::handle_stream_closed(std::uint64_t now_us, std::string_view why) {
  check_time(now_us);
  if (state_ == ClientState::kLeaving) state_ = ClientState::kDisconnected;
  if (state_ == ClientState::kConnected && stream_->is_sealed()) counters_.add(Counter::kStreamTruncated);
  if (state_ != ClientState::kDisconnected && state_ != ClientState::kIdle)
    finish({DisconnectReason::kConnectionLost, RefuseReason::kNone, std::string(why)});
}

std::size_t ClientEndpoint::poll_stream(std::uint64_t now_us, std::size_t bytes_max,
                                        std::vector<std::byte>& out) {
  check_time(now_us);
  handle_time(now_us);
  if (stream_ == nullptr) return 0;
  std::size_t const written = stream_->poll_bytes(now_us, bytes_max, out);
  if (state_ == ClientState::kLeaving && farewell_.is_done() && !stream_->has_bytes())
    state_ = ClientState::kDisconnected;
  return written;
}

std::uint64_t ClientEndpoint::next_wakeup_us(std::uint64_t now_us) const {
  std::uint64_t wakeup_us = kNever;
  switch (state_) {
    case ClientState::kIdle:
    case ClientState::kDisconnected: return kNever;
    case ClientState::kRequesting:
    case ClientState::kResponding:
      wakeup_us = started_us_ + options_.connect_timeout_us;
      if (!over_stream()) wakeup_us = std::min(wakeup_us, handshake_.next_wakeup_us());
      break;
    case ClientState::kConnected:
      wakeup_us = std::min({last_arrival_us_ + options_.timeout_us, inbox_.pings().next_wakeup_us(),
                            inbox_.inputs().next_wakeup_us(now_us, link_->retransmit_us())});
      break;
    case ClientState::kLeaving: wakeup_us = farewell_.is_done() ? now_us : farewell_.next_wakeup_us(); break;
  }
  if (datagrams_ != nullptr) wakeup_us = std::min(wakeup_us, datagrams_->next_wakeup_us(now_us));
  // Bytes that wait, wait for the socket, not for us: waking for them would spin on a server that does not
  // read.
  if (stream_ != nullptr && !stream_->has_bytes() && state_ == ClientState::kConnected)
    wakeup_us = std::min(wakeup_us, stream_->next_keep_alive_us());
  return std::max(wakeup_us, now_us);
}

// ---------------------------------------------------------------- the application

Result<std::uint32_t, Error> ClientEndpoint::send_input(std::uint64_t now_us, std::uint64_t tick,
                                                        Command command) {
  check_time(now_us);
  if (state_ != ClientState::kConnected) return Error::kNotConnected;
  if (auto const checked = check(command); !checked) return checked.error();
  if (inbox_.inputs().is_full()) return Error::kQueueFull;
  return inbox_.inputs().push(tick, std::move(command));
}

Result<std::uint32_t, Error> ClientEndpoint::send_control(std::uint64_t now_us, Control control) {
  check_time(now_us);
  if (!(control.speed - control.speed == 0.0f)) return Error::kNotFinite;
  // A server ends the session of a client that sends any other name.
  if (control.scene.size() > kSceneNameBytesMax || !is_printable(control.scene)) return Error::kOutOfRange;
  control.request = next_request_;
  if (auto sent = send_reliable(writer_.write(control)); !sent) return sent.error();
  return next_request_++;
}

Result<std::uint32_t, Error> ClientEndpoint::send_queries(std::uint64_t now_us, std::vector<Query> queries,
                                                          std::uint64_t at_tick) {
  check_time(now_us);
  if (queries.empty() || queries.size() > kQueriesPerRequest) return Error::kOutOfRange;
  for (const Query& query : queries)
    if (auto const checked = check(query); !checked) return checked.error();
  auto const message = writer_.write(QueryRequest{next_request_, std::move(queries), at_tick});
  if (message.size() > kClientMessageBytesMax) return Error::kTooLong;
  if (auto sent = send_reliable(message); !sent) return sent.error();
  return next_request_++;
}

Result<Unit, Error> ClientEndpoint::send_inspect(std::uint64_t now_us, std::uint32_t what) {
  check_time(now_us);
  return send_reliable(writer_.write(Inspect{what}));
}

Result<Unit, Error> ClientEndpoint::send_desync_probe(std::uint64_t now_us, DesyncProbe probe) {
  check_time(now_us);
  probe.mode_epoch = inbox_.mode_epoch();
  return send_reliable(writer_.write(probe));
}

Result<std::uint32_t, Error> ClientEndpoint::send_mode_switch(std::uint64_t now_us, ReplicationMode mode,
                                                              std::string_view text) {
  check_time(now_us);
  ModeSwitch wanted{mode, printable_text(text)};
  wanted.request = next_request_;
  if (auto sent = send_reliable(writer_.write(wanted)); !sent) return sent.error();
  return next_request_++;
}

Result<Unit, Error> ClientEndpoint::send_reliable(std::span<const std::byte> message) {
  if (state_ != ClientState::kConnected) return Error::kNotConnected;
  if (link_->reliable_backlog_bytes() > kReliableBacklogMax) return Error::kQueueFull;
  link_->send_reliable(message);
  return Unit{};
}

// ---------------------------------------------------------------- handshake

bool ClientEndpoint::is_connecting() const noexcept {
  return state_ == ClientState::kRequesting || state_ == ClientState::kResponding;
}

void ClientEndpoint::handle_handshake(std::uint64_t now_us, std::span<const std::byte> body) {
  if (!is_connecting()) {
    counters_.add(Counter::kDatagramWrongState);  // a copy of an earlier answer
    return;
  }
  auto const message = reader_.read(body, MessageClass::kDatagram);
  if (!message) {
    counters_.add(counter_of_message(message.error()));
  } else {
    handle_answer(now_us, *message);
  }
}

void ClientEndpoint::handle_answer(std::uint64_t now_us, const Message& message) {
  switch (handshake_.handle(now_us, message)) {
    case HandshakeStep::kChallenged:
      state_ = ClientState::kResponding;
      full_.reset();
      if (over_stream()) link_->send_reliable(writer_.write(handshake_.response()));
      return;
    case HandshakeStep::kRepeated: return;
    case HandshakeStep::kAccepted: enter(now_us, handshake_.accept()); return;
    case HandshakeStep::kRefused: {
      Refuse const& refuse = std::get<Refuse>(message);
      Disconnected event{DisconnectReason::kNone, refuse.reason, refuse.text};
      // The session of an attempt that this client gave up may hold the last place for a moment yet, of an
      // address that the client has left. Requests go on until the time-out.
      if (refuse.reason == RefuseReason::kServerFull && handshake_.has_begun_anew()) {
        full_ = std::move(event);
      } else {
        finish(std::move(event));
      }
      return;
    }
    case HandshakeStep::kKeyBad:
      counters_.add(Counter::kHandshakeKeyBad);
      if (over_stream())
        finish({DisconnectReason::kConnectionLost, RefuseReason::kNone, text_of_no_answer()});
      return;
    case HandshakeStep::kForged: counters_.add(Counter::kHandshakeProofBad); break;
    case HandshakeStep::kUnexpected: counters_.add(Counter::kMessageUnexpected); break;
  }
  // Nobody but the server is at the other end of a stream.
  if (options_.transport == TransportKind::kStream) protocol_error(now_us, "the server broke the handshake");
}

std::string ClientEndpoint::text_of_no_answer() const {
  return handshake_.has_met_other_key()
             ? "the server has another key than the address names: get the address of the server anew"
             : "no answer from the server";
}

void ClientEndpoint::enter(std::uint64_t now_us, const Accept& accept) {
  if (!over_stream()) {
    auto link = std::make_unique<DatagramLink>(link_options(accept), LinkKeys::of_client(handshake_.keys()),
                                               now_us, counters_);
    datagrams_ = link.get();
    link_ = std::move(link);
  } else if (options_.transport == TransportKind::kStream) {
    stream_->seal(LinkKeys::of_client(handshake_.keys()));
  }
  handshake_.forget();
  options_.token_keys.reset();
  state_ = ClientState::kConnected;
  last_arrival_us_ = now_us;
  inbox_.enter(now_us, accept);
}

// ---------------------------------------------------------------- session

void ClientEndpoint::handle_arrival(std::uint64_t now_us) {
  last_arrival_us_ = now_us;
  Link::Inbound inbound;
  while (state_ != ClientState::kDisconnected && link_->poll_message(inbound)) {
    if (state_ == ClientState::kLeaving)
      continue;  // what follows a broken rule, or our goodbye, is for nobody
    auto message = reader_.read(inbound.bytes, inbound.message_class);
    if (!message) {
      counters_.add(counter_of_message(message.error()));
      if (over_stream() || inbound.message_class == MessageClass::kReliable)
        protocol_error(now_us, protocol::message(message.error()));
    } else if (is_connecting()) {
      handle_answer(now_us, *message);
    } else if (state_ == ClientState::kConnected) {
      auto end = inbox_.handle(now_us, *std::move(message), *link_, writer_);
      if (end.has_value() && end->is_violation) {
        protocol_error(now_us, end->event.text);
      } else if (end.has_value()) {
        finish(std::move(end->event));
      }
    }
  }
  if (state_ == ClientState::kConnected && link_->has_failed()) protocol_error(now_us, "broken framing");
  if (is_connecting() && link_->has_failed())
    finish({DisconnectReason::kProtocolError, RefuseReason::kNone, "broken framing"});
}

void ClientEndpoint::handle_time(std::uint64_t now_us) {
  if (is_connecting() && now_us >= started_us_ + options_.connect_timeout_us) {
    counters_.add(Counter::kTimeouts);
    if (full_) return finish(*std::exchange(full_, std::nullopt));
    finish({DisconnectReason::kConnectionLost, RefuseReason::kNone, text_of_no_answer()});
  }
  if (is_connecting() && handshake_.begin_anew_if_due(now_us)) state_ = ClientState::kRequesting;
  if (state_ == ClientState::kConnected && now_us >= last_arrival_us_ + options_.timeout_us) {
    counters_.add(Counter::kTimeouts);
    Disconnected event{DisconnectReason::kTimedOut, RefuseReason::kNone, "nothing heard from the server"};
    if (over_stream()) return finish(std::move(event));
    // The server may hear this end all the same: the place and the token are free at once.
    leave(now_us, std::move(event));
  }
  if (state_ == ClientState::kLeaving) farewell_.handle_time(now_us, *link_);
  if (state_ != ClientState::kConnected) return;
  if (inbox_.pings().poll(now_us, options_.ping_interval_us))
    link_->send_unreliable(writer_.write(Ping{now_us}), 0);
  std::vector<Input> batch;
  std::vector<std::byte> repeated_bytes;
  auto const server_tick = static_cast<std::uint64_t>(clock().server_tick(now_us));
  while (inbox_.inputs().poll(now_us, link_->retransmit_us(), batch)) {
    auto const repeated = inbox_.inputs().repeats(batch) ? repeated_inputs(batch, server_tick) : std::nullopt;
    if (repeated) {
      write_repeated_inputs(*repeated, repeated_bytes);
      link_->send_unreliable(repeated_bytes, 0);
      continue;
    }
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

void ClientEndpoint::finish(Disconnected&& event) {
  state_ = ClientState::kDisconnected;
  inbox_.push_event(std::move(event));
}

void ClientEndpoint::leave(std::uint64_t now_us, Disconnected&& event) {
  state_ = ClientState::kLeaving;
  farewell_.begin(now_us, writer_.write(Disconnect{event.reason, event.text}), over_stream());
  inbox_.push_event(std::move(event));
}

// Tells the server which rule it broke, and reports the same reason here.
void ClientEndpoint::protocol_error(std::uint64_t now_us, std::string_view text) {
  if (state_ != ClientState::kConnected)
    return finish({DisconnectReason::kProtocolError, RefuseReason::kNone, std::string(text)});
  leave(now_us, {DisconnectReason::kProtocolError, RefuseReason::kNone, printable_text(text)});
}

void ClientEndpoint::check_time(std::uint64_t now_us) {
  TAKT_ASSERT(now_us >= last_now_us_);
  last_now_us_ = now_us;
}

bool ClientEndpoint::count_sent(const std::vector<std::byte>& datagram) {
  counters_.add(Counter::kDatagramsSent);
  counters_.add(Counter::kDatagramBytesSent, datagram.size());
  return true;
}

}  // namespace takt::protocol
