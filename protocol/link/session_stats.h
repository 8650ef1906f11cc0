// SessionStats holds statistics of one session's network path as plain numbers: round trips, bytes,
// datagrams, losses, queue and rate. Link::stats() returns a copy; ServerEndpoint::stats_of() adds
// ServerPeer's queue. The C++ client SDK (client_sdk/cpp/session.h) chooses the tick of a command by the
// round trip and copies other numbers to its Stats. ClientInbox restarts its clock by the round trip.
#pragma once

#include <cstdint>

namespace takt::protocol {

struct SessionStats {
  std::uint64_t rtt_us = 0;            ///< smoothed round trip (RFC 6298); 0 = not measured yet
  std::uint64_t rtt_variation_us = 0;  ///< RFC 6298 RTTVAR
  std::uint64_t rtt_min_us =
      0;  ///< smallest sample of the last 5 to 10 s over datagrams, else of the session
  std::uint64_t bytes_sent =
      0;  ///< datagrams or stream bytes of this session, headers included, IP and UDP/TCP headers not
  std::uint64_t bytes_received = 0;
  std::uint64_t datagrams_sent = 0;  ///< 0 over a stream
  std::uint64_t datagrams_received = 0;
  std::uint64_t datagrams_lost = 0;  ///< sent ones judged lost
  std::uint64_t received_lost = 0;   ///< sequence numbers of the other end that never arrived (so far)
  std::uint64_t reliable_queue_bytes = 0;
  std::uint64_t send_rate_bytes_per_s = 0;  ///< of the pacer; 0 over a stream
};

}  // namespace takt::protocol
