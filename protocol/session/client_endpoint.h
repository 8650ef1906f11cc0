// ClientEndpoint is the client's end of one session, over datagrams or a stream, without any I/O. Bytes and
// the time come in by handle_*; bytes and events go out by poll_*. The C++ SDK's Session (client_sdk/cpp/)
// owns one; net/client_transport.h connects it to a socket.
//
// Included: the connect handshake with retries, acks, the reliable channel, inputs (over datagrams repeated
// until acknowledged), clock sync, keep-alive and time-out. world() has the newest state of every body. Not
// included: interpolation and drawing (client_sdk/), simulation and prediction (client_sdk/cpp/replica/),
// clocks and threads.
//
// Only one thread may use an endpoint at a time. Times are monotonic microseconds from any zero point and
// must not run backwards (asserted; next_wakeup_us() excepted).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
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
  /// Copies the options; ClientOptions documents the ranges that are asserted.
  explicit ClientEndpoint(const ClientOptions& options);
  ClientEndpoint(const ClientEndpoint&) = delete;
  ClientEndpoint& operator=(const ClientEndpoint&) = delete;

  /// Starts the handshake and ClientOptions::connect_timeout_us. Over a stream the request waits for
  /// poll_stream(), so the stream may open later. Once per endpoint (asserted).
  void connect(std::uint64_t now_us);
  /// Ends the session: queues Disconnected (kClientLeft), and sends Disconnect with the next polls. The
  /// caller polls afterwards until state() is kDisconnected, about kDisconnectCopies x kDisconnectSpacing. A
  /// second call has no effect. `text` is made printable.
  void disconnect(std::uint64_t now_us, std::string_view text = {});

  // ------------------------------------------------------------ bytes

  /// Sets a time from which on bytes may have waited for a stalled caller, so that round trips are known
  /// within bounds only. With std::nullopt, the default, bytes are handled when they arrive.
  void set_backlog_from(std::optional<std::uint64_t> from_us) noexcept { inbox_.set_backlog_from(from_us); }

  /// Handles a datagram of the server's address; not over a stream (asserted). A malformed, forged, old or
  /// repeated one is dropped and counted.
  void handle_datagram(std::uint64_t now_us, std::span<const std::byte> bytes);
  /// Datagrams go from another socket from now on: round trips begin anew, and a ping tells the server the
  /// new address at once. Only over datagrams and in state kConnected (asserted).
  void handle_path_change(std::uint64_t now_us);
  /// When something of the session, which opened, arrived last, or when the session began.
  [[nodiscard]] std::uint64_t last_arrival_us() const noexcept { return last_arrival_us_; }
  /// The next datagram to send now replaces `out`; false: there is none. Also handles time-outs and inputs.
  /// Call it until false after handle_* and send_* calls, and at next_wakeup_us(). Not over a stream
  /// (asserted).
  [[nodiscard]] bool poll_datagram(std::uint64_t now_us, std::vector<std::byte>& out);

  /// Handles bytes of the stream, in order, split anywhere; only over a stream (asserted).
  void handle_stream_bytes(std::uint64_t now_us, std::span<const std::byte> bytes);
  /// The stream closed, failed or could not be opened. Unless the session has ended already, it ends as
  /// kConnectionLost with the text `why`.
  void handle_stream_closed(std::uint64_t now_us, std::string_view why = "the stream closed");
  /// Appends whole frames to `out`, until `bytes_max` is reached or passed; returns the number of bytes. Also
  /// handles time-outs and inputs. Call it after handle_* and send_* calls, and at next_wakeup_us().
  [[nodiscard]] std::size_t poll_stream(std::uint64_t now_us, std::size_t bytes_max,
                                        std::vector<std::byte>& out);
  /// True when the transport must close the stream after it has written what poll_stream() gives.
  [[nodiscard]] bool wants_close() const noexcept {
    return over_stream() && state_ == ClientState::kDisconnected;
  }

  /// The time by which poll_datagram() or poll_stream() must be called again, at least `now_us`; UINT64_MAX =
  /// nothing is due.
  [[nodiscard]] std::uint64_t next_wakeup_us(std::uint64_t now_us) const;

  // ------------------------------------------------------------ the application

  /// Moves the next event to `out`, in order of occurrence; false: there is none.
  [[nodiscard]] bool poll_event(ClientEvent& out) { return inbox_.poll_event(out); }

  /// Queues a command for `tick`; the result is its sequence. Error::kNotConnected, Error::kQueueFull
  /// (kInputWindow unacknowledged), Error::kNotFinite or Error::kOutOfRange (check(Command)).
  Result<std::uint32_t, Error> send_input(std::uint64_t now_us, std::uint64_t tick, Command command);

  /// Sends a Control, which needs the admin right (RoomState::admin). The result is a number that the answer,
  /// a ControlResult event, has as `request`; control.request is ignored. Error::kNotConnected,
  /// Error::kQueueFull (64 KiB wait), Error::kNotFinite (speed), Error::kOutOfRange (a scene's name too long
  /// or not printable).
  Result<std::uint32_t, Error> send_control(std::uint64_t now_us, Control control);
  /// Asks for Contacts and JointFrames events, and for ropes in snapshots. `what` has kInspect bits and
  /// replaces those of the call before. Error::kNotConnected, Error::kQueueFull.
  Result<Unit, Error> send_inspect(std::uint64_t now_us, std::uint32_t what);

  /// Sends the own answer to a path of the hash tree; the server's is a DesyncAnswer event.
  /// probe.mode_epoch is ignored. Error::kNotConnected, Error::kQueueFull.
  Result<Unit, Error> send_desync_probe(std::uint64_t now_us, DesyncProbe probe);

  /// Asks that the session goes on in another mode. The result is a number that the answer, a ModeSwitch
  /// event, has as `request`. It has the mode in which the session goes on, the present one if the server
  /// refuses. `text` is the reason, for a person; it is made printable. Error::kNotConnected,
  /// Error::kQueueFull.
  Result<std::uint32_t, Error> send_mode_switch(std::uint64_t now_us, ReplicationMode mode,
                                                std::string_view text);
  /// Sends queries for the server's world. The result is a number that the answer, a QueryResult event, has
  /// as `request`. `at_tick`: QueryRequest::at_tick. Error::kNotConnected, Error::kQueueFull,
  /// Error::kNotFinite, Error::kOutOfRange (check(Query); no query, or more than kQueriesPerRequest),
  /// Error::kTooLong (more than kClientMessageBytesMax).
  Result<std::uint32_t, Error> send_queries(std::uint64_t now_us, std::vector<Query> queries,
                                            std::uint64_t at_tick = 0);

  [[nodiscard]] ClientState state() const noexcept { return state_; }
  [[nodiscard]] const ClockSync& clock() const noexcept { return inbox_.clock(); }
  /// The newest known state of every body; replaced by an empty one with each new epoch.
  [[nodiscard]] const SnapshotDecoder& world() const noexcept { return inbox_.world(); }
  /// All zeros before the session begins; over a stream, the bytes of the handshake count from connect() on.
  [[nodiscard]] SessionStats stats() const { return link_ != nullptr ? link_->stats() : SessionStats{}; }
  [[nodiscard]] const Counters& counters() const noexcept { return counters_; }
  /// Inputs not yet acknowledged.
  [[nodiscard]] std::size_t inputs_in_flight() const noexcept { return inbox_.inputs().in_flight(); }

 private:
  [[nodiscard]] bool over_stream() const noexcept { return options_.transport != TransportKind::kDatagram; }
  [[nodiscard]] bool is_connecting() const noexcept;
  void check_time(std::uint64_t now_us);
  void handle_handshake(std::uint64_t now_us, std::span<const std::byte> body);
  void handle_answer(std::uint64_t now_us, const Message& message);
  void handle_arrival(std::uint64_t now_us);
  void handle_time(std::uint64_t now_us);
  void enter(std::uint64_t now_us, const Accept& accept);
  [[nodiscard]] std::string text_of_no_answer() const;
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
  std::optional<Disconnected>
      full_;  // the newest refusal of an attempt after the first, if the server was full
  std::uint32_t next_request_ = 1;
  std::uint64_t started_us_ = 0;
  std::uint64_t last_arrival_us_ = 0;
  std::uint64_t last_now_us_ = 0;
};

}  // namespace takt::protocol
