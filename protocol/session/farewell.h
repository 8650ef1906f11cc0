// Farewell sends the Disconnect message of a session that ends, on a client or a server. Over a stream it
// sends one copy, behind the bytes that wait. Over datagrams it sends kDisconnectCopies copies,
// kDisconnectSpacing apart, because a lost copy is not resent. ServerPeer and ClientEndpoint each have one,
// and call handle_time() until is_done().
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "protocol/link/link.h"
#include "protocol/wire/limits.h"

namespace takt::protocol {

class Farewell {
 public:
  /// Copies `message`; the first copy is due at `now_us`.
  void begin(std::uint64_t now_us, std::span<const std::byte> message, bool is_stream) {
    message_.assign(message.begin(), message.end());
    copies_left_ = is_stream ? 1 : kDisconnectCopies;
    next_us_ = now_us;
  }
  /// Queues one copy in the link if one is due.
  void handle_time(std::uint64_t now_us, Link& link) {
    if (copies_left_ == 0 || now_us < next_us_) return;
    --copies_left_;
    next_us_ = now_us + kDisconnectSpacing;
    // A congested stream drops unreliable messages; there the farewell queues behind the bytes that wait.
    if (link.is_stream()) {
      link.send_reliable(message_);
    } else {
      link.send_unreliable(message_, 0);
    }
  }
  /// True when all copies are in the link, and before begin().
  [[nodiscard]] bool is_done() const noexcept { return copies_left_ == 0; }
  /// Time of the next copy; UINT64_MAX when is_done().
  [[nodiscard]] std::uint64_t next_wakeup_us() const noexcept {
    return is_done() ? std::numeric_limits<std::uint64_t>::max() : next_us_;
  }

 private:
  std::vector<std::byte> message_;
  std::uint64_t next_us_ = 0;
  std::uint32_t copies_left_ = 0;
};

}  // namespace takt::protocol
