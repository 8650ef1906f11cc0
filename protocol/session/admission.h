// judge() checks a ConnectRequest against a server's options (version, replication mode, scene, numbers mode)
// and returns the Refuse to send, or nothing. ServerSessions::judge calls it, and also refuses when the
// server or the address is full, or the server is stopping. UsedCookies remembers challenge cookies
// (challenge.h) that were exchanged for a session, so that none is exchanged twice, in a table of fixed size.
// ServerDatagrams has one UsedCookies.
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
[[nodiscard]] std::optional<Refuse> judge(const ServerOptions& options, const ConnectRequest& request);

/// Cookies that were exchanged for a session, as long as they are valid. The keyed hash in a cookie chooses
/// its row, so that no attacker can fill a chosen one. A full row of 8 forgets its oldest cookie. With 8,192
/// places this takes hundreds of joins a second.
class UsedCookies {
 public:
  UsedCookies() : rows_(kRows) {}
  /// True when the cookie was inserted less than kCookieLifetime ago, and not forgotten since.
  [[nodiscard]] bool contains(std::uint64_t now_us, const Cookie& cookie) const;
  /// Records the cookie in place of the oldest of its row.
  void insert(std::uint64_t now_us, const Cookie& cookie);

 private:
  struct Used {
    std::uint64_t until_us = 0;  // 0 = no cookie
    Cookie cookie{};
  };
  static constexpr std::size_t kRows = 1024;
  using Row = std::array<Used, 8>;
  [[nodiscard]] static std::size_t row_of(const Cookie& cookie) noexcept;

  std::vector<Row> rows_;
};

}  // namespace takt::protocol
