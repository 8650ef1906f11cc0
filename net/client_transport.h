// ClientTransport connects a protocol::ClientEndpoint to a server over a real socket, UDP or TCP. It moves
// bytes between socket and endpoint, and gives the endpoint the time. It has no thread: the application calls
// poll() every frame, or wait_for() to wait for bytes. The endpoint reads the messages. The C++ SDK's Client
// (client_sdk/cpp/client.cpp) uses it.
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
  /// Resolves `host` (a name or an address; may block for as long as the system's resolver does), opens a
  /// socket and begins to connect the endpoint, which must be idle, of the same transport kind, and outlive
  /// this. A refused TCP connection comes later, as the endpoint's Disconnected event.
  static Result<std::unique_ptr<ClientTransport>, Failure> open(const std::string& host, std::uint16_t port,
                                                                protocol::TransportKind kind,
                                                                protocol::ClientEndpoint& endpoint);
  ~ClientTransport();
  ClientTransport(const ClientTransport&) = delete;
  ClientTransport& operator=(const ClientTransport&) = delete;

  /// Handles what has arrived and sends what is due. Does not wait. Returns true if all was handled; a flood
  /// leaves bytes for the next call.
  bool poll();
  /// Waits up to `timeout_us` for bytes or the endpoint's next wake-up, then does what poll() does.
  bool wait_for(std::uint64_t timeout_us);

  [[nodiscard]] const TransportCounters& counters() const noexcept;

 private:
  class Implementation;
  explicit ClientTransport(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace takt::net
