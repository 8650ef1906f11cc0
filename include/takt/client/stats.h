// Stats has statistics of a client's connection: round trip and loss, traffic, interpolation and commands.
// Client::stats() returns a copy. Rates of traffic are those of the last finished window of at least half a
// second. Counters begin at connect(); those of interpolation begin again with each new world (RoomChanged).
#pragma once

#include <cstdint>

namespace takt::client {

struct Stats {
  // Path.
  double rtt_ms = 0;            ///< smoothed round trip; 0 = not measured yet
  double rtt_variation_ms = 0;  ///< smoothed deviation of it
  /// Fraction of the server's datagrams that have not arrived since connect(), [0, 1]; 0 over TCP. The server
  /// skips one sequence number in 576 (a check of acknowledgements), so a path without loss has about 0.002.
  double loss = 0;
  // Traffic of the last window.
  double snapshots_per_s = 0;
  double received_bytes_per_s = 0;  ///< without IP and UDP/TCP headers
  double sent_bytes_per_s = 0;
  // Traffic since the start.
  std::uint64_t snapshots = 0;
  std::uint64_t received_bytes = 0;
  std::uint64_t sent_bytes = 0;
  // Interpolation.
  /// Delay of the render tick behind the server's. Waits (starved_ms) are not in it, up to 50 ms of each; the
  /// part above is.
  double buffer_ms = 0;
  double jitter_ms = 0;              ///< mean deviation of the snapshots' lateness
  double starved_ms = 0;             ///< total time in which the render tick waited for late snapshots
  double longest_starvation_ms = 0;  ///< longest such wait
  double longest_gap_ms = 0;         ///< longest time between two successive snapshots
  std::uint64_t starvations = 0;     ///< number of such waits
  // Commands.
  std::uint64_t commands_sent = 0;
  std::uint64_t commands_moved = 0;  ///< acted in a later tick than asked
  std::uint64_t commands_refused = 0;
  std::uint32_t last_acknowledged = 0;  ///< the server has all commands up to this sequence
  std::uint32_t in_flight = 0;          ///< number of commands not yet acknowledged
  std::int32_t margin_ticks = 0;        ///< ticks by which the latest commands came early; below 0 late
};

}  // namespace takt::client
