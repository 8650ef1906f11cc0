// ServerTransport connects a protocol::ServerEndpoint to real sockets: UDP and TCP on one port number.
// Without a bind address it serves IPv6 and IPv4. It moves bytes between sockets and endpoint, and gives the
// endpoint the time. The endpoint reads the messages and decides about sessions.
//
// ServerTransport has no thread of its own: its caller runs run_for() in a loop and polls events of the
// endpoint in between. The caller runs flush() after it has given the endpoint something to send. Only wake()
// may be called from another thread. server/app/server.cpp does this on its network thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "net/counters.h"
#include "net/error.h"
#include "protocol/session/server_endpoint.h"
#include "takt/core/result.h"

namespace takt::net {

struct ServerTransportOptions {
  /// An IP address of this machine; empty = all, IPv6 and IPv4 (IPv4 alone where the system has no IPv6).
  std::string bind_address;
  /// Trusted proxies. A TCP connection from one of them may begin with a header of the PROXY protocol,
  /// version 2 (proxy_header.h). The address in it counts for limits, and the stream is untrusted. UDP has no
  /// such header.
  std::vector<protocol::NetworkPrefix> proxies;
  /// Time for that header, or for the first byte of a connection without one; then the connection is closed.
  std::uint64_t proxy_header_timeout_us = 5'000'000;
  /// For UDP and TCP alike; 0 = the system picks one that is free for both.
  std::uint16_t port = 7777;
  /// Size of the send and the receive buffer requested for the UDP socket, bytes each; the system may give
  /// less. A tick's snapshots for 64 clients are 300 kB at once.
  int udp_buffer_bytes = 4 * 1024 * 1024;
  /// Send buffer requested for each TCP socket, bytes; 0 = the system's default. A small buffer shows a slow
  /// reader early: the endpoint cannot drop bytes that the kernel has.
  int tcp_send_buffer_bytes = 128 * 1024;
  /// Greatest time between the decision to close a stream and its end; it is cut if its last bytes or the
  /// other end take longer.
  std::uint64_t linger_us = 1'000'000;
};

class ServerTransport {
 public:
  /// Opens both sockets. The endpoint must outlive the transport. Errors: kBadAddress (bind_address),
  /// kPortInUse, kPermissionDenied, kNoFreePort, kSystem.
  static Result<std::unique_ptr<ServerTransport>, Failure> open(const ServerTransportOptions& options,
                                                                protocol::ServerEndpoint& endpoint);
  ~ServerTransport();
  ServerTransport(const ServerTransport&) = delete;
  ServerTransport& operator=(const ServerTransport&) = delete;

  /// The port in use, for UDP and TCP.
  [[nodiscard]] std::uint16_t port() const noexcept;

  /// Sends what the endpoint has, then waits up to `timeout_us` for bytes, the endpoint's next wake-up or
  /// wake(). Handles arrivals for about 2 ms, and sends again.
  void run_for(std::uint64_t timeout_us);
  /// Sends what the endpoint has, without waiting or reading.
  void flush();
  /// Ends the wait of the present or next run_for(). Any thread may call it while the transport exists.
  void wake();

  [[nodiscard]] const TransportCounters& counters() const noexcept;

 private:
  class Implementation;
  explicit ServerTransport(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace takt::net
