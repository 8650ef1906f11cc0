// ClientInbox handles the messages of a connected client. It applies snapshots, pongs and input acks to the
// client's body states (SnapshotDecoder), clock and inputs. It joins sliced join images and geometry, and
// queues events for the application. The one message that it sends is RoomEntered, the answer to a new world.
// handle() returns a SessionEnd when a message ends the session; PingSchedule decides when a Ping is due.
// ClientEndpoint owns the inbox and has the link, the handshake and the end of the session.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "protocol/confirmed/confirmed_receiver.h"
#include "protocol/link/counters.h"
#include "protocol/link/link.h"
#include "protocol/messages/message.h"
#include "protocol/messages/message_writer.h"
#include "protocol/session/client_event.h"
#include "protocol/session/clock_sync.h"
#include "protocol/session/geometry_assembler.h"
#include "protocol/session/input_sender.h"
#include "protocol/session/join_assembler.h"
#include "protocol/snapshot/snapshot_decoder.h"

namespace takt::protocol {

/// The times of a client's pings. Eight go every 100 ms after restart(), because the clock needs several
/// samples; later ones go at an interval of the caller.
class PingSchedule {
 public:
  /// The next ping is due at `now_us`, and is the first of eight.
  void restart(std::uint64_t now_us) noexcept {
    sent_ = 0;
    next_us_ = now_us;
  }
  /// True when a ping is due, and counts it as sent.
  [[nodiscard]] bool poll(std::uint64_t now_us, std::uint64_t settled_interval_us) noexcept;
  [[nodiscard]] std::uint64_t next_wakeup_us() const noexcept { return next_us_; }

 private:
  std::uint32_t sent_ = 0;
  std::uint64_t next_us_ = 0;
};

/// The end of a session because of a message.
struct SessionEnd {
  Disconnected event;
  bool is_violation = false;  ///< true: the server broke the protocol, and the client must send Disconnect
};

class ClientInbox {
 public:
  /// Both arguments must outlive the inbox.
  ClientInbox(const ClientOptions& options, Counters& counters);

  /// Starts the session that the server accepted: starts clock and pings, and queues Connected.
  void enter(std::uint64_t now_us, const Accept& accept);
  /// Sets a time from which on messages may have waited for a stalled caller. With std::nullopt, the default,
  /// messages are handled when they arrive.
  void set_backlog_from(std::optional<std::uint64_t> from_us) noexcept { backlog_from_us_ = from_us; }
  /// Earliest time at which a message that is handled at `now_us` may have arrived.
  [[nodiscard]] std::uint64_t earliest_us(std::uint64_t now_us) const noexcept {
    return std::min(backlog_from_us_.value_or(now_us), now_us);
  }
  /// Handles a message of the connected client. A result: the caller must end the session. `link` gets
  /// RoomEntered and round trips; `writer` writes.
  [[nodiscard]] std::optional<SessionEnd> handle(std::uint64_t now_us, Message&& message, Link& link,
                                                 MessageWriter& writer);

  /// Queues an event of the endpoint behind those of messages.
  void push_event(ClientEvent&& event) { events_.push_back(std::move(event)); }
  /// Moves the next event to `out`; false: there is none.
  [[nodiscard]] bool poll_event(ClientEvent& out);

  /// Changes of the session's mode so far.
  [[nodiscard]] std::uint32_t mode_epoch() const noexcept { return mode_epoch_; }
  [[nodiscard]] const ClockSync& clock() const noexcept { return clock_; }
  [[nodiscard]] const SnapshotDecoder& world() const noexcept { return world_; }
  [[nodiscard]] InputSender& inputs() noexcept { return inputs_; }
  [[nodiscard]] const InputSender& inputs() const noexcept { return inputs_; }
  [[nodiscard]] PingSchedule& pings() noexcept { return pings_; }
  [[nodiscard]] const PingSchedule& pings() const noexcept { return pings_; }

 private:
  [[nodiscard]] bool is_of_this_epoch(std::uint32_t epoch) const noexcept;
  void handle_room(std::uint64_t now_us, RoomState&& room, Link& link, MessageWriter& writer);
  void handle_snapshot(SnapshotPart&& part);
  void handle_pong(std::uint64_t now_us, const Pong& pong, Link& link);
  void handle_input_ack(InputAck&& ack);
  [[nodiscard]] std::optional<SessionEnd> handle_join_slice(JoinSlice&& slice);
  [[nodiscard]] std::optional<SessionEnd> handle_geometry(const GeometrySlice& slice);
  [[nodiscard]] std::optional<SessionEnd> handle_confirmed(ConfirmedSlice&& slice);
  void report_confirmed();

  [[nodiscard]] std::optional<SessionEnd> handle_mode_switch(ModeSwitch&& told);

  const ClientOptions* options_;
  Counters* counters_;
  ReplicationMode mode_;          // of the session now
  std::uint32_t mode_epoch_ = 0;  // changes of it so far
  std::optional<std::uint64_t> backlog_from_us_;
  ClockSync clock_;
  PingSchedule pings_;
  SnapshotDecoder world_;
  InputSender inputs_;
  JoinAssembler join_;
  GeometryAssembler geometries_;
  ConfirmedReceiver confirmed_;
  std::uint32_t epoch_ = 0;   // of the world that world_ shows; 0 = not known, or the server has none
  bool has_room_ = false;     // a RoomState has come
  bool has_resumed_ = false;  // the client has the world of epoch_ from another session
  std::deque<ClientEvent> events_;
};

}  // namespace takt::protocol
