// Door is the address of a service in the form that people type: "unix:PATH" or "tcp:HOST:PORT", with an IPv6
// address in brackets. A client may write "shm:PATH" for shared memory behind the door "unix:PATH".
// parse_door() splits the text. It resolves no name and opens no socket.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace takt::service {

struct Door {
  std::string path;  ///< of a Unix socket; empty = TCP
  std::string host;
  std::uint16_t port = 0;
  bool is_shared = false;  ///< of "shm:PATH"

  [[nodiscard]] bool is_unix() const noexcept { return !path.empty(); }
  friend bool operator==(const Door&, const Door&) = default;
};

inline constexpr std::size_t kUnixPathBytesMax = 107;  ///< of sockaddr_un, without its final zero

/// None for any other text, a port above 65535, and a path that is too long or has a zero byte.
[[nodiscard]] std::optional<Door> parse_door(std::string_view text);
[[nodiscard]] std::string text_of(const Door& door);

}  // namespace takt::service
