// ServerStatus holds the statistics of a server: tick, players, tick times, inputs, recording and network
// counters. Server makes one about once a second. `takt serve` prints it as a status line, and
// server/web/metrics.h converts it to metrics. ServerStatus is plain data. Counters count from the server's
// start.
#pragma once

#include <array>
#include <cstdint>

#include "protocol/link/counters.h"
#include "protocol/session/server_endpoint.h"
#include "server/playable.h"
#include "server/tick_histogram.h"

namespace takt::server {

struct ServerStatus {
  std::uint64_t tick = 0;
  std::uint64_t hash = 0;               ///< state hash of `tick`
  std::uint32_t client_count = 0;       ///< sessions: players and spectators
  std::uint32_t body_count = 0;         ///< of the newest tick, which may be later than `tick`
  std::uint32_t awake_count = 0;        ///< bodies awake in that tick
  std::uint32_t tick_median_us = 0;     ///< time of a tick over the last ticks (tick_window.h)
  std::uint32_t tick_p99_us = 0;        ///< 99th percentile of the same times
  std::uint32_t tick_cost_us = 0;       ///< median processor time of the same ticks (tick_cost.h)
  std::uint64_t late_ticks = 0;         ///< TickClock::late_ticks()
  std::uint64_t dropped_ticks = 0;      ///< TickClock::dropped_ticks()
  std::uint64_t inputs_overflowed = 0;  ///< inputs refused because the queue to the simulation was full
  bool is_overloaded = false;           ///< spawns of players are refused (tick_governor.h)
  JournalStatus journal;                ///< of the recording
  bool recording_failed = false;        ///< the recording has ended by a failure of its store
  std::string failure;                  ///< why the simulation ended by itself; empty = it runs
  TickHistogram tick_times;             ///< of all ticks
  std::array<std::uint32_t, protocol::kTransportKinds> clients{};  ///< by TransportKind
  std::array<std::uint32_t, protocol::kReplicationModes> modes{};  ///< the same, by ReplicationMode
  std::array<std::uint64_t, protocol::kRefuseReasons> refusals{};  ///< of newcomers, by RefuseReason
  protocol::SizeHistogram snapshot_sizes;                          ///< bytes
  RoomCounters room;
  protocol::Counters network;
};

}  // namespace takt::server
