// Gateway connects a room or playback with the sessions of its players, over UDP, TCP and web sockets alike.
// handle_update() sends a RoomUpdate through protocol::ServerEndpoint, which owns the sessions and the bytes;
// poll_event() returns the sessions' events. A player that joins receives the room's state at once; its
// Welcome, all present bodies, comes with a later update, once an epoch. Gateway stores which players were
// welcomed in the present epoch (the room's present world): only they receive changes of bodies. Gateway also
// stores which geometry each player was sent, so that none is sent twice in an epoch, and the serialised
// descriptions of all bodies, which newcomers share. Server uses Gateway on its network thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "protocol/session/server_endpoint.h"
#include "server/room_update.h"

namespace takt::server {

class Gateway {
 public:
  /// The endpoint must outlive the gateway.
  explicit Gateway(protocol::ServerEndpoint& endpoint) noexcept : endpoint_(&endpoint) {}

  /// Sets the room's state. Call it once, before all other functions.
  void begin(const RoomChange& room);
  /// Moves the next event for the room into `out`, in order; false when there is none. A player that joined
  /// is sent the room's state.
  [[nodiscard]] bool poll_event(protocol::ServerEvent& out);
  /// Sends a room's update to the clients that it concerns. Updates come in the order of the room.
  void handle_update(std::uint64_t now_us, const RoomUpdate& update);
  /// Reports to the player that its inputs were refused, because too many wait (kTooManyWaiting).
  void refuse(const protocol::InputsArrived& inputs);

 private:
  /// Descriptions of bodies, written once for all who receive them.
  struct BodyPages {
    protocol::SharedMessages plain;         // those without geometry, which need not wait for it
    protocol::SharedMessages others;        // those that name geometry
    std::vector<std::uint64_t> geometries;  // digests that `others` name, ascending
  };

  struct Welcomed {
    std::uint32_t mode_epoch = 0;
    std::set<std::uint64_t> geometries;  // digests of those that were sent
  };

  /// The session is in the mode for which something was made; false too if it is gone.
  [[nodiscard]] bool is_in(protocol::PlayerId player, std::uint32_t mode_epoch) const {
    return endpoint_->mode_epoch_of(player) == mode_epoch;
  }
  void handle_change(const RoomChange& change);
  [[nodiscard]] BodyPages write_pages(std::uint64_t tick, const std::vector<protocol::BodyInfo>& bodies);
  /// Each geometry that they name once per player and epoch, before the first body that names it. False: the
  /// player is gone.
  bool send_bodies(protocol::PlayerId player, const RoomUpdate& update, const BodyPages& pages);

  protocol::ServerEndpoint* endpoint_;
  std::optional<protocol::RoomState> room_;
  std::uint64_t tick_ = 0;
  // The bodies of the newest Welcome and their pages: while the room describes its bodies by the same list,
  // newcomers share the pages.
  std::shared_ptr<const BodyList> welcome_bodies_;
  BodyPages welcome_pages_;
  // In the present epoch: who has been welcomed.
  std::map<protocol::PlayerId, Welcomed> welcomed_;
};

}  // namespace takt::server
