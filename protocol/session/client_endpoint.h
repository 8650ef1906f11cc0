// The client's end of one session, over datagrams or a stream, without any I/O: bytes and the time come in by
// handle_*, bytes and events go out by poll_*. net/client_transport.h drives it with sockets.
//
// What it does: the connect handshake with retries, acks, the reliable channel, inputs repeated until
// acknowledged, clock sync, the newest state of every body, keep-alive, time-out. What it does not:
// interpolate, predict, draw, own a clock or a thread.
//
// Times are monotonic microseconds of any epoch and must not run backwards (asserted).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "protocol/messages/message.h"
#include "protocol/session/clock_sync.h"
#include "protocol/session/counters.h"
#include "protocol/session/error.h"
#include "protocol/session/server_endpoint.h"
#include "protocol/session/session_stats.h"
#include "protocol/snapshot/snapshot_decoder.h"
#include "takt/core/result.h"

namespace takt::protocol {

struct ClientOptions {
  TransportKind transport = TransportKind::kDatagram;
  std::string player_name;       ///< at most kPlayerNameBytesMax bytes of printable UTF-8 (asserted)
  std::uint64_t scene_hash = 0;  ///< 0 = any
  NumbersMode numbers_mode = NumbersMode::kAny;
  ReplicationMode mode = ReplicationMode::kSnapshot;
  std::uint32_t protocol_version = kProtocolVersion;  ///< another one is for tests
  /// Random; tells two attempts from one address apart. Draw it from the operating system.
  std::uint64_t nonce = 1;
  /// The whole handshake must be done in this time, else Disconnected{connection_lost}.
  std::uint64_t connect_timeout_us = 5 * kSecond;
  /// Silence that ends the session.
  std::uint64_t timeout_us = 10 * kSecond;
  /// Between two pings once the clock has settled; the first eight go every 100 ms.
  std::uint64_t ping_interval_us = 500 * kMillisecond;
  /// Greatest join image taken, bytes.
  std::uint64_t join_image_max = 256ull * 1024 * 1024;
};

enum class ClientState : std::uint8_t {
  kIdle,        ///< connect() not called yet
  kRequesting,  ///< waiting for the challenge (or, over a stream, the answer)
  kResponding,  ///< waiting for the answer to our response
  kConnected,
  kLeaving,       ///< disconnect() called; the copies are going out
  kDisconnected,  ///< over; the endpoint is spent
};

/// We are in.
struct Connected {
  Accept accept;
};
/// It is over, or never began: then `refused` says why, if the server did.
struct Disconnected {
  DisconnectReason reason = DisconnectReason::kNone;
  RefuseReason refused = RefuseReason::kNone;
  std::string text;
};
/// A part of a snapshot, already applied to world(). What it holds are samples of tick `part.tick` for an
/// interpolator; parts may come out of order, and a body may be older here than in world().
struct SnapshotArrived {
  SnapshotPart part;
  bool completes = false;  ///< with this part, all parts of its snapshot are here
  RopeNews ropes;          ///< what the part says of ropes
};
struct JoinImageArrived {
  std::uint64_t tick = 0;
  std::vector<std::byte> bytes;  ///< hash checked
};
/// The geometry of hulls, meshes or height fields, whole and checked; bodies that name it follow. Void when
/// another world begins.
struct GeometryArrived {
  std::uint64_t digest = 0;
  Geometry geometry;
};
/// Every input up to `received_through` has arrived. `margin_ticks` says how early (> 0) or late the latest
/// ones were.
struct InputsAcknowledged {
  std::uint32_t received_through = 0;
  std::uint64_t tick = 0;
  std::int32_t margin_ticks = 0;
};
/// Inputs that were moved or refused.
struct CommandOutcomes {
  std::vector<CommandOutcome> outcomes;
};

/// What plays, or how, has changed; the first one follows the Connected event. The clock has been restarted
/// at the room's pace.
struct RoomChanged {
  RoomState room;
  /// Another world: every body and snapshot of before is void. The server has been told that we are there.
  bool is_new_world = false;
};

using ClientEvent =
    std::variant<Connected, Disconnected, SnapshotArrived, BodiesAdded, BodiesRemoved, JoinImageArrived,
                 InputsAcknowledged, CommandOutcomes, GameEvent, ServerStats, RoomChanged, ControlResult,
                 Contacts, JointFrames, GeometryArrived, QueryResult, JointsBroken>;

class ClientEndpoint {
 public:
  explicit ClientEndpoint(const ClientOptions& options);
  ~ClientEndpoint();
  ClientEndpoint(const ClientEndpoint&) = delete;
  ClientEndpoint& operator=(const ClientEndpoint&) = delete;

  /// Starts the handshake; over a stream, call it when the stream is open. Once per endpoint (asserted).
  void connect(std::uint64_t now_us);
  /// Leaves: the server is told. Poll for about kDisconnectCopies x kDisconnectSpacing afterwards, until
  /// state() is disconnected.
  void disconnect(std::uint64_t now_us, std::string_view text = {});

  // ------------------------------------------------------------ bytes

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
  [[nodiscard]] bool wants_close() const noexcept;

  /// Poll no later than this; UINT64_MAX = no need.
  [[nodiscard]] std::uint64_t next_wakeup_us(std::uint64_t now_us) const;

  // ------------------------------------------------------------ the application

  [[nodiscard]] bool poll_event(ClientEvent& out);

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
  Result<std::uint32_t, Error> send_queries(std::uint64_t now_us, std::vector<Query> queries);

  [[nodiscard]] ClientState state() const noexcept;
  [[nodiscard]] const ClockSync& clock() const noexcept;
  /// The newest known state of every body.
  [[nodiscard]] const SnapshotDecoder& world() const noexcept;
  [[nodiscard]] SessionStats stats() const;
  [[nodiscard]] const Counters& counters() const noexcept;
  /// Inputs not yet acknowledged.
  [[nodiscard]] std::size_t inputs_in_flight() const noexcept;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace takt::protocol
