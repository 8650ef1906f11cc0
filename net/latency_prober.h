// LatencyProber measures round trips to a server without a session: it sends latency probes
// (protocol/wire/latency_probe.h) and matches the replies. `takt ping` uses it. LatencyProber has no thread:
// the calls of its owner send and receive. Anybody on the path can forge a reply, so a result proves nothing
// about the server.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "net/error.h"
#include "takt/core/result.h"

namespace takt::net {

/// The reply to a probe.
struct LatencyResult {
  std::uint64_t number = 0;  ///< of the probe, from 1
  std::uint64_t rtt_us = 0;
  std::uint32_t protocol_version = 0;  ///< of the server
};

class LatencyProber {
 public:
  /// Resolves `host` (a name or an address; the system's resolver may block) and opens a socket towards its
  /// first usable address, IPv4 before IPv6. Errors: kBadAddress (no such host), kPermissionDenied,
  /// kConnectFailed (no route, or no resolver that answers), kSystem.
  static Result<std::unique_ptr<LatencyProber>, Failure> open(const std::string& host, std::uint16_t port);
  ~LatencyProber();
  LatencyProber(const LatencyProber&) = delete;
  LatencyProber& operator=(const LatencyProber&) = delete;

  /// Sends the next probe and returns its number. A send that the system refuses is a lost probe. Throws
  /// std::exception if the system has no random device.
  std::uint64_t send();
  /// The next reply to a probe that waits for one, within `timeout_us`; nothing: there was none. A copy of a
  /// reply is none. The round trip ends when a call reads the reply, so the owner calls all the time.
  [[nodiscard]] std::optional<LatencyResult> wait_for(std::uint64_t timeout_us);
  /// The number of the oldest probe, if it has waited for more than `timeout_us`. A later reply to it is
  /// ignored.
  [[nodiscard]] std::optional<std::uint64_t> poll_lost(std::uint64_t timeout_us);
  /// True while a probe waits for its reply.
  [[nodiscard]] bool is_waiting() const noexcept;
  /// The address that is measured, such as "192.0.2.1:7777" or "[2001:db8:0:0:0:0:0:1]:7777".
  [[nodiscard]] const std::string& address() const noexcept;
  /// True if the machine there has reported that no program has the port.
  [[nodiscard]] bool is_refused() const noexcept;

 private:
  class Implementation;
  explicit LatencyProber(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace takt::net
