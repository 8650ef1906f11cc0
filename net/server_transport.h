// ServerTransport connects a protocol::ServerEndpoint to real sockets: UDP and TCP on one port number.
// Without a bind address it serves IPv6 and IPv4. It moves bytes between sockets and endpoint, and gives the
// endpoint the time. The endpoint reads the messages and decides about sessions.
//
// ServerTransport has no thread of its own: call run_for() in a loop and take events from the endpoint in
// between. Call flush() after giving the endpoint something to send. Only wake() may be called from another
// thread. server/app/server.cpp does this on its network thread.
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
  /// A TCP connection from one of these may begin with a header of the PROXY protocol, version 2, which names
  /// the client's address. UDP has no such header.
  std::vector<protocol::NetworkPrefix> proxies;
  /// For UDP and TCP alike; 0 = the system picks one that is free for both.
  std::uint16_t port = 7777;
  /// Asked of the system for the UDP socket, each way, bytes: a tick's snapshots for 64 clients are 300 kB at
  /// once. The system may give less.
  int udp_buffer_bytes = 4 * 1024 * 1024;
  /// Send buffer of each TCP socket, bytes. Small, so that a slow reader shows early: the endpoint cannot
  /// drop bytes that the kernel holds.
  int tcp_send_buffer_bytes = 128 * 1024;
  /// A closing stream may take this long to take its last bytes.
  std::uint64_t linger_us = 1'000'000;
};

class ServerTransport {
 public:
  /// Opens both sockets. The endpoint must outlive the transport.
  static Result<std::unique_ptr<ServerTransport>, Failure> open(const ServerTransportOptions& options,
                                                                protocol::ServerEndpoint& endpoint);
  ~ServerTransport();
  ServerTransport(const ServerTransport&) = delete;
  ServerTransport& operator=(const ServerTransport&) = delete;

  /// The port in use, for UDP and TCP.
  [[nodiscard]] std::uint16_t port() const noexcept;

  /// Waits up to `timeout_us` for bytes, the endpoint's next wake-up or wake(), handles what is there for
  /// about 2 ms, and sends what the endpoint has.
  void run_for(std::uint64_t timeout_us);
  /// Sends what the endpoint has, without waiting or reading.
  void flush();
  /// Makes run_for() return soon. Any thread, any time before the transport is destroyed.
  void wake();

  [[nodiscard]] const TransportCounters& counters() const noexcept;

 private:
  class Implementation;
  explicit ServerTransport(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace takt::net
