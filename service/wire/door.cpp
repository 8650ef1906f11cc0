#include "service/wire/door.h"

#include <charconv>

namespace takt::service {
namespace {

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return port;
}

}  // namespace

std::optional<Door> parse_door(std::string_view text) {
  Door door;
  if (text.find('\0') != std::string_view::npos) return std::nullopt;
  door.is_shared = text.starts_with("shm:");
  if (door.is_shared || text.starts_with("unix:")) {
    door.path = text.substr(text.find(':') + 1);
    if (door.path.empty() || door.path.size() > kUnixPathBytesMax) return std::nullopt;
    return door;
  }
  if (!text.starts_with("tcp:")) return std::nullopt;
  text.remove_prefix(4);
  std::size_t const colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']'))
    host = host.substr(1, host.size() - 2);
  else if (host.find(':') != std::string_view::npos)
    return std::nullopt;
  auto const port = parse_port(text.substr(colon + 1));
  if (host.empty() || !port) return std::nullopt;
  door.host = host;
  door.port = *port;
  return door;
}

std::string text_of(const Door& door) {
  if (door.is_unix()) return (door.is_shared ? "shm:" : "unix:") + door.path;
  bool const is_v6 = door.host.find(':') != std::string::npos;
  return "tcp:" + (is_v6 ? "[" + door.host + "]" : door.host) + ":" + std::to_string(door.port);
}

}  // namespace takt::service
