// ClientEndpoint is the client's end of one session, over datagrams or a stream, without any I/O. Bytes and
// the time come in by handle_*; bytes and events go out by poll_*. The C++ SDK's Session (client_sdk/cpp/)
// owns one; net/client_transport.h connects it to a socket.
//
// Included: the connect handshake with retries, acks, the reliable channel, inputs (over datagrams repeated
// until acknowledged), clock sync, the newest state of every body, keep-alive, time-out. Not included:
// interpolation and drawing (client_sdk/), simulation and prediction (client_sdk/cpp/replica/), clocks and
// threads.
//
// Times are monotonic microseconds from any zero point and must not run backwards (asserted).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "protocol/link/counters.h"
#include "protocol/link/datagram_link.h"
#include "protocol/link/session_stats.h"
#include "protocol/link/stream_link.h"
#include "protocol/messages/message_reader.h"
#include "protocol/messages/message_writer.h"
#include "protocol/session/client_event.h"
#include "protocol/session/client_handshake.h"
#include "protocol/session/client_inbox.h"
#include "protocol/session/farewell.h"
#include "protocol/wire/error.h"
#include "takt/core/result.h"

namespace takt::protocol {

class ClientEndpoint {
 public:
  explicit ClientEndpoint(const ClientOptions& options);
  ClientEndpoint(const ClientEndpoint&) = delete;
  ClientEndpoint& operator=(const ClientEndpoint&) = delete;

  /// Starts the handshake; over a stream, call it when the stream is open. Once per endpoint (asserted).
  void connect(std::uint64_t now_us);
  /// Leaves: the server is told. Poll for about kDisconnectCopies x kDisconnectSpacing afterwards, until
  /// state() is disconnected.
  void disconnect(std::uint64_t now_us, std::string_view text = {});

  // ------------------------------------------------------------ bytes

  /// The caller stalled: bytes may have arrived since then, and their lateness is not the network's. nullopt
  /// = bytes are handled when they arrive, as at the start.
  void set_backlog_from(std::optional<std::uint64_t> from_us) noexcept { inbox_.set_backlog_from(from_us); }

  void handle_datagram(std::uint64_t now_us, std::span<const std::byte> bytes);
  /// The next datagram to send now, or false. Call until false after every handle_* and send_*, and at
  /// next_wakeup_us(). Reuses `out`.
  [[nodiscard]] bool poll_datagram(std::uint64_t now_us, std::vector<std::byte>& out);

  void handle_stream_bytes(std::uint64_t now_us, std::span<const std::byte> bytes);
  /// The stream closed, failed or could not be opened. `why` is for a person, when the session did not end
  /// for another reason.
  void handle_stream_closed(std::uint64_t now_us, std::string_view why = "the stream closed");
  /// Appends up to about `bytes_max` bytes to write now; returns how many.
  [[nodiscard]] std::size_t poll_stream(std::uint64_t now_us, std::size_t bytes_max,
                                        std::vector<std::byte>& out);
  /// True when the transport must close the stream after writing what poll_stream still gives.
  [[nodiscard]] bool wants_close() const noexcept {
    return over_stream() && state_ == ClientState::kDisconnected;
  }

  /// Poll no later than this; UINT64_MAX = no need.
  [[nodiscard]] std::uint64_t next_wakeup_us(std::uint64_t now_us) const;

  // ------------------------------------------------------------ the application

  [[nodiscard]] bool poll_event(ClientEvent& out) { return inbox_.poll_event(out); }

  /// Queues a command for `tick`; the value is its sequence number. Error::kNotConnected, Error::kQueueFull
  /// (kInputWindow unacknowledged), Error::kNotFinite or Error::kOutOfRange (check(Command)).
  Result<std::uint32_t, Error> send_input(std::uint64_t now_us, std::uint64_t tick, Command command);

  /// Asks the room for something; needs the admin right (RoomState::admin). A ControlResult event with the
  /// value as its `request` answers. `request` of the argument is ignored. Error::kNotConnected,
  /// Error::kQueueFull, Error::kNotFinite, Error::kOutOfRange (a scene's name that is too long).
  Result<std::uint32_t, Error> send_control(std::uint64_t now_us, Control control);
  /// Asks for Contacts and JointFrames events, and for ropes in snapshots, until told otherwise: kInspect
  /// bits. Error::kNotConnected, Error::kQueueFull.
  Result<Unit, Error> send_inspect(std::uint64_t now_us, std::uint32_t what);

  /// Asks the server's world. A QueryResult event with the value as its `request` answers.
  /// Error::kNotConnected, Error::kQueueFull, Error::kNotFinite, Error::kOutOfRange (check(Query); none, or
  /// more than kQueriesPerRequest), Error::kTooLong (more than kClientMessageBytesMax).
  Result<std::uint32_t, Error> send_queries(std::uint64_t now_us, std::vector<Query> queries,
                                            std::uint64_t at_tick = 0);

  [[nodiscard]] ClientState state() const noexcept { return state_; }
  [[nodiscard]] const ClockSync& clock() const noexcept { return inbox_.clock(); }
  /// The newest known state of every body.
  [[nodiscard]] const SnapshotDecoder& world() const noexcept { return inbox_.world(); }
  [[nodiscard]] SessionStats stats() const { return link_ != nullptr ? link_->stats() : SessionStats{}; }
  [[nodiscard]] const Counters& counters() const noexcept { return counters_; }
  /// Inputs not yet acknowledged.
  [[nodiscard]] std::size_t inputs_in_flight() const noexcept { return inbox_.inputs().in_flight(); }

 private:
  [[nodiscard]] bool over_stream() const noexcept { return options_.transport == TransportKind::kStream; }
  [[nodiscard]] bool is_connecting() const noexcept;
  void check_time(std::uint64_t now_us);
  void handle_handshake(std::uint64_t now_us, std::span<const std::byte> body);
  void handle_answer(std::uint64_t now_us, const Message& message);
  void handle_arrival(std::uint64_t now_us);
  void handle_time(std::uint64_t now_us);
  void enter(std::uint64_t now_us, const Accept& accept);
  Result<Unit, Error> send_reliable(std::span<const std::byte> message);
  bool count_sent(const std::vector<std::byte>& datagram);
  void finish(Disconnected&& event);
  void leave(std::uint64_t now_us, Disconnected&& event);
  void protocol_error(std::uint64_t now_us, std::string_view text);

  ClientOptions options_;
  ClientState state_ = ClientState::kIdle;
  Counters counters_;
  MessageReader reader_;
  MessageWriter writer_;
  std::unique_ptr<Link> link_;
  DatagramLink* datagrams_ = nullptr;  // link_, if it is one
  StreamLink* stream_ = nullptr;       // link_, if it is one
  ClientHandshake handshake_;
  ClientInbox inbox_;
  Farewell farewell_;
  std::uint32_t next_request_ = 1;
  std::uint64_t started_us_ = 0;
  std::uint64_t last_arrival_us_ = 0;
  std::uint64_t last_now_us_ = 0;
};

}  // namespace takt::protocol
