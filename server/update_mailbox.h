// UpdateMailbox passes RoomUpdates from the simulation thread to the network thread. put() never waits for
// the network thread. Only the newest snapshot, ropes, internals and statistics wait: later ones replace
// them. Facts (bodies that came and went, outcomes, answers, messages of a game and others) wait in
// order, and are bounded: a player for whom too much waits loses its facts and has to go. Facts that concern
// all players are bounded likewise; above that bound all players have to go. The mailbox sends nothing;
// Server gives its contents to a Gateway.
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
  /// Bytes of facts that wait for one player, and that wait for all: the bound of the session's own reliable
  /// queue (protocol::ServerOptions::reliable_queue_max), for the reader is slow in both cases.
  static constexpr std::size_t kFactBytesMax = 4 * 1024 * 1024;

  explicit UpdateMailbox(std::size_t fact_bytes_max = kFactBytesMax) noexcept : bytes_max_(fact_bytes_max) {}

  /// Contents of the mailbox at one moment.
  struct Delivery {
    std::vector<RoomUpdate> updates;  ///< in order; at most one has a snapshot
    bool is_overrun = false;  ///< facts for all were lost before `updates`: every present session must end
  };

  /// Any thread. Waits for no other thread, apart from the time of a copy of pointers.
  void put(RoomUpdate&& update);
  /// False when nothing waits.
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
