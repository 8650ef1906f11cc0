// Gateway connects a room with the sessions of its players. It sends each RoomUpdate through the protocol's
// endpoint, and the room's state to newcomers. It stores which players have been welcomed, so that a player
// hears of each body of an epoch exactly once. ServerEndpoint owns the sessions and the bytes. Gateway runs
// on its thread.
#pragma once

#include <cstdint>
#include <map>
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

  /// The room's state before the first update.
  void begin(const RoomChange& room);
  /// The next event for the room, in order, or false.
  [[nodiscard]] bool poll_event(protocol::ServerEvent& out);
  /// Sends a room's update to the clients that it concerns.
  void handle_update(std::uint64_t now_us, const RoomUpdate& update);
  /// The room could not take these inputs: their player is told.
  void refuse(const protocol::InputsArrived& inputs);

 private:
  void handle_change(const RoomChange& change);
  /// Each geometry that they name once per player and epoch, before the first body that names it. False: the
  /// player is gone.
  bool send_bodies(protocol::PlayerId player, const RoomUpdate& update,
                   const std::vector<protocol::BodyInfo>& bodies);

  protocol::ServerEndpoint* endpoint_;
  std::optional<protocol::RoomState> room_;
  std::uint64_t tick_ = 0;
  // In the present epoch: who has been welcomed, and the digests of the geometry that each was sent.
  std::map<protocol::PlayerId, std::set<std::uint64_t>> welcomed_;
};

}  // namespace takt::server
