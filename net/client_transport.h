// ClientTransport connects a protocol::ClientEndpoint to a server over a real socket, UDP or TCP. It moves
// bytes between socket and endpoint, and gives the endpoint the time. It has no thread and no lock: the
// application calls poll() every frame, or wait_for() to wait for bytes, on one thread at a time. The
// endpoint reads the messages. A session over UDP in which nothing arrives for 1.5 s goes on from another
// socket, because the address of the first may be gone; the next follow after 3 and 6 s of silence. The C++
// SDK's Client (client_sdk/cpp/client.cpp) uses ClientTransport.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "net/counters.h"
#include "net/error.h"
#include "protocol/session/client_endpoint.h"
#include "takt/core/result.h"

namespace takt::net {

class ClientTransport {
 public:
  /// Resolves `host` (a name or an address), opens a socket and calls endpoint.connect(). The system's
  /// resolver may block. The endpoint is idle (asserted), has the same `kind` (kDatagram or kStream) in its
  /// options, and outlives the transport. Errors: kBadAddress (host), kPermissionDenied, kConnectFailed,
  /// kSystem. A refused TCP connection comes later, as the endpoint's Disconnected event.
  static Result<std::unique_ptr<ClientTransport>, Failure> open(const std::string& host, std::uint16_t port,
                                                                protocol::TransportKind kind,
                                                                protocol::ClientEndpoint& endpoint);
  ~ClientTransport();
  ClientTransport(const ClientTransport&) = delete;
  ClientTransport& operator=(const ClientTransport&) = delete;

  /// Handles arrivals and sends what is due, without waiting. Returns true if all arrivals were handled; a
  /// flood leaves some for the next call.
  bool poll();
  /// Waits up to `timeout_us` for bytes or the endpoint's next wake-up, then does and returns what poll()
  /// does.
  bool wait_for(std::uint64_t timeout_us);

  [[nodiscard]] const TransportCounters& counters() const noexcept;

 private:
  class Implementation;
  explicit ClientTransport(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace takt::net
