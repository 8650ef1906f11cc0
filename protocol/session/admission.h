// judge() checks a ConnectRequest against a server's options (version, replication mode, scene, numbers mode)
// and returns the Refuse to send, or nothing. ServerSessions::judge calls it, and also refuses when the
// server is full or stopping. UsedCookies remembers challenge cookies (challenge.h) that were exchanged for a
// session, so that none is exchanged twice. ServerDatagrams has one UsedCookies.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "protocol/messages/message.h"
#include "protocol/session/server_event.h"

namespace takt::protocol {

/// Why this request cannot be served by a server with these options, or nothing. `text` names what would be
/// allowed.
[[nodiscard]] std::optional<Refuse> judge(const ServerOptions& options, const ConnectRequest& request);

/// Cookies that were exchanged for a session, for as long as they would be honoured again. Grows with
/// accepted sessions only, never with strangers.
class UsedCookies {
 public:
  /// True when the cookie was recorded and would still be honoured.
  [[nodiscard]] bool contains(std::uint64_t now_us, const Cookie& cookie) const;
  /// Records the cookie and forgets those that have expired.
  void insert(std::uint64_t now_us, const Cookie& cookie);

 private:
  struct Used {
    std::uint64_t at_us = 0;
    Cookie cookie{};
  };
  std::deque<Used> used_;  // oldest first
};

}  // namespace takt::protocol
