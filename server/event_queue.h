// EventQueue passes the events of sessions (joins, leaves, inputs, controls and others) from the network
// thread to the simulation thread, first in, first out. Inputs are bounded, for all players together and for
// each player, so that one player's inputs displace nobody else's. The other events are always accepted,
// because the limits of the protocol endpoint bound them. No call waits for the other thread. Server has one
// EventQueue.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <mutex>

#include "protocol/session/server_event.h"

namespace takt::server {

struct EventQueueLimits {
  /// Batches of inputs that wait. 64 clients send about 64 batches a tick; this is a stall of a second.
  std::size_t inputs_max = 4096;
  /// Batches of one player: four seconds of one a tick.
  std::size_t inputs_per_player_max = 256;
};

class EventQueue {
 public:
  explicit EventQueue(const EventQueueLimits& limits = {}) noexcept : limits_(limits) {}

  /// False for inputs above a limit: the event is left alone.
  [[nodiscard]] bool push(protocol::ServerEvent&& event);
  /// False when the queue is empty.
  [[nodiscard]] bool pop(protocol::ServerEvent& out);

 private:
  EventQueueLimits limits_;
  std::mutex mutex_;
  // Under the mutex.
  std::deque<protocol::ServerEvent> events_;
  std::map<protocol::PlayerId, std::size_t> inputs_;  // batches that wait, by player
  std::size_t inputs_count_ = 0;                      // of all
};

}  // namespace takt::server
