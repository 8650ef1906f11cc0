// UpdateMailbox passes RoomUpdates from the simulation thread to the network thread. A later snapshot
// replaces the waiting snapshot and its ropes; later internals and statistics replace those that wait. Facts
// (bodies that came and went, outcomes, answers, messages of a game and others) wait in order, and their
// estimated bytes are bounded. A player above the bound loses its facts, and take() adds a Kick for it. Facts
// for all players above the bound are lost, and every session must end (Delivery::is_overrun). The mailbox
// sends nothing; Server gives its contents to a Gateway.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "server/room_update.h"

namespace takt::server {

class UpdateMailbox {
 public:
  /// Bound of the facts for all players, and of the sum of these and the facts for one player. It equals the
  /// bound of a session's own reliable queue (protocol::ServerOptions::reliable_queue_max).
  static constexpr std::size_t kFactBytesMax = 4 * 1024 * 1024;

  explicit UpdateMailbox(std::size_t fact_bytes_max = kFactBytesMax) noexcept : bytes_max_(fact_bytes_max) {}

  /// Contents of the mailbox at one moment.
  struct Delivery {
    std::vector<RoomUpdate> updates;  ///< in order; at most one has a snapshot
    bool is_overrun = false;  ///< facts for all were lost before `updates`: every present session must end
  };

  /// Adds an update. Any thread may call it; it waits for nothing but a put() or take() of another thread.
  void put(RoomUpdate&& update);
  /// Replaces `out` by all that waits. Any thread may call it. False when nothing waits; `out` is then empty.
  [[nodiscard]] bool take(Delivery& out);

 private:
  void count(const RoomUpdate& update);
  void drop_player(sim::PlayerId player);
  void drop_all();

  std::size_t bytes_max_;
  std::mutex mutex_;
  // Under the mutex.
  std::vector<RoomUpdate> waiting_;
  std::map<sim::PlayerId, std::size_t> player_bytes_;  // of facts that wait for one player
  std::size_t shared_bytes_ = 0;                       // of facts that wait for all
  std::set<sim::PlayerId> gone_;                       // have to go with the next delivery
  bool is_overrun_ = false;
};

}  // namespace takt::server
