// judge() checks a ConnectRequest against a server's options (version, replication mode, scene, numbers mode)
// and its transport, and returns the Refuse to send, or nothing. ServerSessions::judge calls it, and also
// refuses when the server or the address is full, or the server is stopping. UsedCookies remembers challenge
// cookies (challenge.h) that were exchanged for a session, so that none is exchanged twice, in a table of
// fixed size. ServerSessions has one UsedCookies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "protocol/messages/message.h"
#include "protocol/session/server_event.h"

namespace takt::protocol {

/// The refusal of a request that a server with these options cannot serve, or nothing. Refuse::text names the
/// value that the server would accept.
/// A name in a request over UDP or TCP is refused: everybody on the path reads the request, and the name
/// belongs into the proof (sealed_name.h).
[[nodiscard]] std::optional<Refuse> judge(const ServerOptions& options, TransportKind transport,
                                          const ConnectRequest& request);

/// Cookies that were exchanged for a session, as long as they are valid. A keyed hash of the cookie,
/// which no cookie shows, chooses its row of 16, so that no attacker can fill a chosen one. A full row has no
/// place for another cookie until one of its own expires: none is forgotten, because a session from a
/// forgotten one would use the nonces of an earlier session. With 500 joins a second
/// (ServerOptions::agreements_per_s) one row in 6,000 is full.
class UsedCookies {
 public:
  /// `secret`: of the server's cookies.
  explicit UsedCookies(const std::array<std::uint64_t, 2>& secret) : secret_(secret), rows_(kRows) {}
  /// True when the cookie was inserted less than kCookieLifetime ago.
  [[nodiscard]] bool contains(std::uint64_t now_us, const Cookie& cookie) const;
  /// True when insert() has a place for the cookie.
  [[nodiscard]] bool has_place(std::uint64_t now_us, const Cookie& cookie) const;
  /// Records the cookie, which was not used and for which there is a place (both asserted).
  void insert(std::uint64_t now_us, const Cookie& cookie);

 private:
  struct Used {
    std::uint64_t until_us = 0;  // 0 = no cookie
    Cookie cookie{};
  };
  static constexpr std::size_t kRows = 1024;
  using Row = std::array<Used, 16>;
  [[nodiscard]] std::size_t row_of(const Cookie& cookie) const;

  std::array<std::uint64_t, 2> secret_;
  std::vector<Row> rows_;
};

}  // namespace takt::protocol
