// EventQueue passes the events of sessions (joins, leaves, inputs, controls and others) from the network
// thread to the simulation thread, first in, first out. Inputs are bounded, for all players together and for
// each player, so that one player's inputs displace nobody else's. The other events are always accepted,
// because the limits of the protocol endpoint bound them. Any thread may call push() and pop(); neither waits
// for an event or for room. Server has one EventQueue.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <mutex>

#include "protocol/session/server_event.h"

namespace takt::server {

struct EventQueueLimits {
  /// Batches of inputs (one InputsArrived each) that wait, of all players. 64 clients send about 64 batches a
  /// tick, so the default holds those of a second at 60 Hz.
  std::size_t inputs_max = 4096;
  /// Batches of one player that wait: four seconds at one a tick and 60 Hz.
  std::size_t inputs_per_player_max = 256;
};

class EventQueue {
 public:
  explicit EventQueue(const EventQueueLimits& limits = {}) noexcept : limits_(limits) {}

  /// Adds an event. False for inputs above a limit: the event is not moved from, and the caller refuses them.
  [[nodiscard]] bool push(protocol::ServerEvent&& event);
  /// Moves the oldest event into `out`. False when the queue is empty; `out` is then unchanged.
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
