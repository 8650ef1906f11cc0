// SessionStats holds statistics of one session's network path as plain numbers: round trips, bytes,
// datagrams, losses, queue and rate. Counts are since the start of the session. Link::stats() returns a copy;
// ServerEndpoint::stats_of() adds ServerPeer's queue. The C++ client SDK (client_sdk/cpp/session.h) chooses
// the tick of a command by the round trip and copies other numbers to its Stats. ClientInbox restarts its
// clock by the round trip.
#pragma once

#include <cstdint>

namespace takt::protocol {

struct SessionStats {
  std::uint64_t rtt_us = 0;            ///< smoothed round trip (RFC 6298); 0 = not measured yet
  std::uint64_t rtt_variation_us = 0;  ///< RFC 6298 RTTVAR
  std::uint64_t rtt_min_us =
      0;  ///< smallest sample: over datagrams of the last 5 to 10 s, over a stream of the session
  std::uint64_t bytes_sent =
      0;  ///< of datagrams or frames with Takt's headers, without those of IP, UDP, TCP and WebSocket
  std::uint64_t bytes_received = 0;
  std::uint64_t datagrams_sent = 0;  ///< 0 over a stream
  std::uint64_t datagrams_received = 0;
  std::uint64_t datagrams_lost = 0;  ///< sent, with messages or fragments, and judged lost
  std::uint64_t received_lost = 0;   ///< AckWindow::missing(): on a client about 1 in 576 without any loss
  std::uint64_t reliable_queue_bytes = 0;   ///< Link::reliable_backlog_bytes()
  std::uint64_t send_rate_bytes_per_s = 0;  ///< of the pacer; 0 over a stream
};

}  // namespace takt::protocol
