// judge() checks a ConnectRequest against a server's options (version, replication mode, scene, numbers mode)
// and returns the Refuse to send, or nothing. ServerSessions::judge calls it, and also refuses when the
// server is full or stopping. UsedCookies remembers challenge cookies (challenge.h) that were exchanged for a
// session, so that none is exchanged twice, in a table of fixed size. ServerDatagrams has one UsedCookies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "protocol/messages/message.h"
#include "protocol/session/server_event.h"

namespace takt::protocol {

/// Why this request cannot be served by a server with these options, or nothing. `text` names what would be
/// allowed.
[[nodiscard]] std::optional<Refuse> judge(const ServerOptions& options, const ConnectRequest& request);

/// Cookies that were exchanged for a session, for as long as they would be honoured again. The bytes of a
/// cookie that are a keyed hash choose its row, so that nobody can aim at one. A row that is full forgets its
/// oldest cookie: at 8,192 places that takes hundreds of joins a second.
class UsedCookies {
 public:
  UsedCookies() : rows_(kRows) {}
  /// True when the cookie was recorded and would still be honoured.
  [[nodiscard]] bool contains(std::uint64_t now_us, const Cookie& cookie) const;
  /// Records the cookie and forgets those that have expired.
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
