// SessionBudget limits the work that one session may cause on the network thread: datagrams, bytes and
// messages a second, each with a burst (SessionLimits). ServerPeer drops datagrams and messages above a
// limit. A session that goes on above its limits, or that sends malformed messages again and again, has to
// end: is_spent() returns true. ServerPeer owns a SessionBudget and ends the session. Limits of single kinds
// of messages (inputs, controls, queries) are TokenBuckets of ServerPeer and InputReceiver.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/link/rate_limiter.h"

namespace takt::protocol {

/// A client at 60 Hz sends about 130 datagrams, 50 kB and 200 messages a second; a join adds up to 450
/// acknowledgements a second. The limits are several times as high, and the bursts cover a path that was
/// silent for seconds.
struct SessionLimits {
  std::uint32_t datagrams_per_s = 2'000;  ///< reads of a stream count as datagrams
  std::uint32_t datagram_burst = 4'000;
  std::uint32_t bytes_per_s = 1024 * 1024;
  std::uint32_t byte_burst = 4 * 1024 * 1024;
  std::uint32_t messages_per_s = 4'000;
  std::uint32_t message_burst = 8'000;
  /// Rate and burst of datagrams and messages above the limits; more of them end the session.
  std::uint32_t excess_per_s = 100;
  std::uint32_t excess_burst = 1'000;
  /// Rate and burst of malformed datagrams and messages; more of them end the session. Some are tolerated,
  /// because somebody who saw the session id may have forged them.
  std::uint32_t malformed_per_s = 1;
  std::uint32_t malformed_burst = 32;
};

class SessionBudget {
 public:
  SessionBudget(const SessionLimits& limits, std::uint64_t now_us) noexcept;

  /// Charges a datagram, or bytes of a stream; false: they are above a limit.
  [[nodiscard]] bool take_datagram(std::uint64_t now_us, std::size_t bytes) noexcept;
  /// Charges a message; false: it is above the limit and must be dropped.
  [[nodiscard]] bool take_message(std::uint64_t now_us) noexcept;
  /// `count` malformed datagrams or messages arrived.
  void note_malformed(std::uint64_t now_us, std::uint32_t count = 1) noexcept;
  /// True once the session must end with DisconnectReason::kProtocolError.
  [[nodiscard]] bool is_spent() const noexcept { return spent_; }

 private:
  bool note_excess(std::uint64_t now_us) noexcept;

  TokenBucket datagrams_;
  TokenBucket bytes_;
  TokenBucket messages_;
  TokenBucket excess_;
  TokenBucket malformed_;
  bool spent_ = false;
};

}  // namespace takt::protocol
