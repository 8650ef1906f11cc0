// Session is one client's session without any I/O. It has the protocol's ClientEndpoint, a SnapshotView, a
// RopeStore, and the newest contacts and joints. Bytes go in and out through endpoint(). update(), called
// each frame, reads the endpoint's events and moves the render tick (the tick to draw). bodies() and ropes()
// return the states at the render tick; next_event() returns events for the application. Times are arguments
// in microseconds of one clock and never decrease. Client (client.cpp) adds a socket and a clock; a test
// (tests/simulation/server/virtual_room.h) adds a virtual network.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "client_sdk/cpp/complete_ticks.h"
#include "client_sdk/cpp/part_collector.h"
#include "client_sdk/cpp/rate_meter.h"
#include "client_sdk/cpp/rope_store.h"
#include "client_sdk/cpp/snapshot_view.h"
#include "client_sdk/cpp/stall_watch.h"
#include "protocol/session/client_endpoint.h"
#include "takt/client/body.h"
#include "takt/client/error.h"
#include "takt/client/event.h"
#include "takt/client/geometry.h"
#include "takt/client/inspection.h"
#include "takt/client/stats.h"
#include "takt/sim/command.h"

namespace takt::client {

struct SessionOptions {
  protocol::ClientOptions endpoint;
  double buffer_min_ms = 20;    ///< as client::Options
  double buffer_max_ms = 1000;  ///< as client::Options
};

class Session {
 public:
  explicit Session(const SessionOptions& options);

  /// The endpoint for the transport, which calls connect, handle_* and poll_* of bytes. update() alone reads
  /// the endpoint's events.
  [[nodiscard]] protocol::ClientEndpoint& endpoint() noexcept { return endpoint_; }
  [[nodiscard]] const protocol::ClientEndpoint& endpoint() const noexcept { return endpoint_; }

  /// Begins a run (stall_watch.h). The caller calls it before it passes arrived bytes to the endpoint, so
  /// that their wait during a stall of the caller is not measured as a round trip.
  void handle_run(std::uint64_t now_us) noexcept;
  /// Reads the endpoint's events and moves the render tick. The caller calls it every frame, after it has
  /// passed arrived bytes to the endpoint. `is_drained`: no arrived bytes are left.
  void update(std::uint64_t now_us, bool is_drained = true);
  /// The caller waited for its socket until now, which is no stall. It calls this before update().
  void handle_waited(std::uint64_t now_us) noexcept { stalls_.handle_waited(now_us); }
  // A call without a comment has the contract of the call of that name in takt/client/client.h.
  [[nodiscard]] std::optional<Event> next_event();

  [[nodiscard]] bool is_joined() const noexcept {
    return endpoint_.state() == protocol::ClientState::kConnected;
  }
  [[nodiscard]] std::uint32_t player() const noexcept { return joined_.player; }
  /// Returns all bodies at the render tick of the last update, in id order; valid until the next update.
  [[nodiscard]] const std::vector<Body>& bodies() { return view_.bodies(); }
  [[nodiscard]] const Geometry* geometry(std::uint64_t digest) const noexcept {
    return view_.geometry(digest);
  }
  [[nodiscard]] double render_tick() const noexcept { return buffer().render_tick(); }
  [[nodiscard]] double server_tick(std::uint64_t now_us) const noexcept {
    return endpoint_.clock().server_tick(now_us);
  }
  [[nodiscard]] const JitterBuffer& buffer() const noexcept { return view_.buffer(); }

  /// The first tick before which a command that is sent now will arrive, as estimated.
  [[nodiscard]] std::uint64_t command_tick(std::uint64_t now_us) const noexcept;
  /// As Client::send_at().
  Result<std::uint32_t, ClientError> send(std::uint64_t now_us, std::uint64_t tick,
                                          const sim::Command& command);
  [[nodiscard]] const std::optional<Room>& room() const noexcept { return room_; }
  /// As Client::pause() and its neighbours; control.request is ignored.
  Result<std::uint32_t, ClientError> control(std::uint64_t now_us, protocol::Control control);
  Result<std::uint32_t, ClientError> query(std::uint64_t now_us, std::span<const Query> queries,
                                           std::uint64_t at_tick);
  void inspect(std::uint64_t now_us, const Inspect& what);
  [[nodiscard]] const std::optional<ContactList>& contacts() const noexcept { return contacts_; }
  [[nodiscard]] const std::optional<JointList>& joints() const noexcept { return joints_; }
  /// Returns all ropes at the render tick of the last update, in id order; valid until the next update.
  [[nodiscard]] const std::vector<Rope>& ropes();
  void leave(std::uint64_t now_us, std::string_view text);

  [[nodiscard]] Stats stats() const;

 private:
  void handle(std::uint64_t now_us, protocol::ClientEvent&& event);
  void handle_room(protocol::RoomChanged&& changed);
  void handle_snapshot(std::uint64_t now_us, protocol::SnapshotArrived&& arrived);
  void handle_ropes(std::uint64_t tick, protocol::RopeNews&& news);
  void handle_added(const protocol::BodiesAdded& added);
  void handle_removed(const protocol::BodiesRemoved& removed);
  void handle_connected(std::uint64_t now_us, const protocol::Accept& accept);
  void handle_disconnected(const protocol::Disconnected& over);
  void handle_outcomes(const protocol::CommandOutcomes& decided);
  void handle_contacts(const protocol::Contacts& part);
  void handle_joints(const protocol::JointFrames& part);
  void send_inspect(std::uint64_t now_us);
  void forget_inspected(const Inspect& but);

  protocol::ClientEndpoint endpoint_;
  StallWatch stalls_;
  SnapshotView view_;
  Inspect inspect_;
  PartCollector<Contact> contact_parts_;
  PartCollector<Joint> joint_parts_;
  std::optional<ContactList> contacts_;
  std::optional<JointList> joints_;
  RopeStore rope_store_;
  std::vector<Rope> ropes_;
  bool ropes_are_fresh_ = false;
  std::deque<Event> events_;
  CompleteTicks complete_rope_ticks_;  // of snapshots that had room for all ropes
  Joined joined_;
  std::optional<Room> room_;
  double ticks_per_s_ = 60;  // of the room: its tick rate times its speed, 0 while it is paused
  bool asked_to_leave_ = false;

  std::uint64_t commands_sent_ = 0;
  std::uint64_t commands_moved_ = 0;
  std::uint64_t commands_refused_ = 0;
  std::uint32_t last_acknowledged_ = 0;
  std::int32_t margin_ticks_ = 0;
  RateMeter snapshot_rate_;
  RateMeter received_rate_;
  RateMeter sent_rate_;
};

}  // namespace takt::client
