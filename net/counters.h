// TransportCounters counts, for one transport, failed sends, receives and accepts, and streams that were
// accepted, refused, failed or cut. UdpSocket, TcpStream and ServerTransport count; counters() of
// ServerTransport and ClientTransport returns the numbers, which belong to the transport's thread.
// protocol/link/counters.h counts datagrams, bytes and messages.
#pragma once

#include <cstdint>

namespace takt::net {

struct TransportCounters {
  std::uint64_t datagram_send_blocked = 0;    ///< the system's send buffer was full: the datagram waited
  std::uint64_t datagram_send_failed = 0;     ///< any other error: the datagram is lost
  std::uint64_t datagram_receive_failed = 0;  ///< e.g. an ICMP message that no program has the port
  std::uint64_t streams_accepted = 0;         ///< by ServerEndpoint::handle_stream_open()
  std::uint64_t streams_refused = 0;          ///< by ServerEndpoint::handle_stream_open()
  std::uint64_t accept_failed = 0;            ///< e.g. out of file descriptors
  std::uint64_t streams_failed = 0;           ///< closed by an error, reset included
  std::uint64_t streams_forced = 0;  ///< closed, because the last bytes took longer than the linger time
};

}  // namespace takt::net
