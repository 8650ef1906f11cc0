// LossyRelay makes loopback behave like a bad network: it listens on one port, UDP and TCP, and relays to a
// server and back. The datagrams of each UDP client go through a PacketSimulator each way (loss, delay,
// jitter, duplicates, reordering, from a seed). TCP bytes are only delayed each way, with bounded buffers,
// because a stream loses nothing. `takt relay` and tests use LossyRelay, which is not a proxy for production.
// LossyRelay runs on the caller's thread: call run_for() in a loop.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "net/error.h"
#include "protocol/link/packet_simulator.h"
#include "takt/core/result.h"

namespace takt::net {

struct LossyRelayOptions {
  std::string bind_address = "127.0.0.1";    ///< an IP address of this machine
  std::uint16_t port = 0;                    ///< 0 = the system picks one that is free for UDP and TCP
  std::string target_address = "127.0.0.1";  ///< IP address of the server
  std::uint16_t target_port = 7777;          ///< of the server, UDP and TCP
  protocol::Impairment impairment = protocol::Impairment::hostile();  ///< each way; TCP uses delay_us alone
  std::uint64_t seed = 1;  ///< of the PacketSimulators; each UDP client has two seeds of its own
  /// Time after which a UDP client gets another port to the server, as NATs and phones do it; 0 = never.
  /// Datagrams of the server to the port before are lost.
  std::uint64_t rebind_us = 0;
  /// UDP clients at once, by address and port. For one more, the client that was silent longest is dropped.
  std::size_t clients_max = 256;
};

struct LossyRelayCounters {
  std::uint64_t datagrams_in = 0;       ///< received, both ways
  std::uint64_t datagrams_dropped = 0;  ///< by the PacketSimulators, both ways
  std::uint64_t datagrams_out = 0;      ///< sent, both ways, copies included
  std::uint64_t stream_bytes = 0;       ///< received over TCP, both ways
  std::uint64_t rebinds = 0;            ///< ports that a UDP client got after its first
  std::uint64_t streams = 0;            ///< TCP connections that the target accepted
};

class LossyRelay {
 public:
  /// Opens the sockets for clients. Errors: kBadAddress, kPortInUse, kPermissionDenied, kSystem. The target
  /// need not run yet.
  static Result<std::unique_ptr<LossyRelay>, Failure> open(const LossyRelayOptions& options);
  ~LossyRelay();
  LossyRelay(const LossyRelay&) = delete;
  LossyRelay& operator=(const LossyRelay&) = delete;

  /// The port in use, for UDP and TCP.
  [[nodiscard]] std::uint16_t port() const noexcept;
  /// Sends what is due, waits up to `timeout_us` for bytes or the next due datagram, and handles them.
  void run_for(std::uint64_t timeout_us);
  [[nodiscard]] LossyRelayCounters counters() const noexcept;

 private:
  class Implementation;
  explicit LossyRelay(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace takt::net
