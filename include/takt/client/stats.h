// Stats has statistics of a client's connection: round trip and loss, traffic, interpolation and commands.
// Client::stats() returns a copy. Rates of traffic are those of the last half second; counters begin at
// connect().
#pragma once

#include <cstdint>

namespace takt::client {

struct Stats {
  // Path.
  double rtt_ms = 0;  ///< smoothed round trip; 0 = not measured yet
  double rtt_variation_ms = 0;
  double loss = 0;  ///< fraction of the server's datagrams that never came, 0 .. 1; 0 over TCP
  // Traffic of the last half second.
  double snapshots_per_s = 0;
  double received_bytes_per_s = 0;  ///< without IP and UDP/TCP headers
  double sent_bytes_per_s = 0;
  // Traffic since the start.
  std::uint64_t snapshots = 0;
  std::uint64_t received_bytes = 0;
  std::uint64_t sent_bytes = 0;
  // Interpolation.
  double buffer_ms = 0;   ///< how far behind the server's present the bodies are shown
  double jitter_ms = 0;   ///< mean deviation of the snapshots' lateness
  double starved_ms = 0;  ///< render time stood still for want of snapshots, since the start
  double longest_starvation_ms = 0;
  double longest_gap_ms = 0;  ///< longest stretch between two snapshots that were interpolated
  std::uint64_t starvations = 0;
  // Commands.
  std::uint64_t commands_sent = 0;
  std::uint64_t commands_moved = 0;
  std::uint64_t commands_refused = 0;
  std::uint32_t last_acknowledged = 0;  ///< every command up to this sequence has arrived
  std::uint32_t in_flight = 0;          ///< commands not yet acknowledged
  std::int32_t margin_ticks = 0;        ///< how early (> 0) or late the latest commands arrived
};

}  // namespace takt::client
