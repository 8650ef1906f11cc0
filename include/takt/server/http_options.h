// HttpOptions holds the options of a web gateway, the HTTP and web socket side of a server: address, viewer's
// files, allowed origins, and limits. HostOptions::http (takt/server/host.h) takes them, and the command line
// sets address, files and origins. Each limit has its reason beside it; docs/HTTP.md repeats the limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace takt::server {

struct HttpOptions {
  std::string bind_address;          ///< an IP address of this machine; empty = all, IPv6 and IPv4
  std::uint16_t port = 8080;         ///< 0 = one that is free
  std::string viewer_directory;      ///< static files; empty or missing = a page that says how to build them
  std::vector<std::string> origins;  ///< allowed for web sockets besides pages of this server and of this
                                     ///< machine, e.g. "https://game.example"

  /// Networks of reverse proxies, such as "10.0.0.0/8" or "127.0.0.1". The client of such a proxy is the last
  /// entry of X-Forwarded-For that is no proxy itself. It counts for limits and never for the admin right.
  std::vector<std::string> trusted_proxies;

  std::uint32_t connections_max = 512;  ///< at once, all together: file descriptors, and about 40 kB each
  std::uint32_t connections_per_address_max =
      128;  ///< a class behind one address, each with a page and a socket; or 100 clients of a load test
  std::size_t header_bytes_max = 8 * 1024;  ///< browsers send under 2 kB
  std::size_t body_bytes_max = 1024;        ///< nothing here takes a body
  std::size_t message_bytes_max =
      16 *
      1024;  ///< of a web socket: a client's frames are under 1.2 kB, and it may put several into one message
  std::uint32_t request_timeout_ms =
      10'000;  ///< for a whole request header, the wait for it included: slow bytes do not extend it
  std::uint32_t response_timeout_ms = 30'000;  ///< for taking a whole response: 700 kB at 25 kB/s
  std::uint32_t handshake_timeout_ms = 5'000;  ///< of a web socket, at its begin and its end
  std::uint32_t idle_timeout_ms =
      20'000;  ///< of a web socket that answers no ping, which goes out after half of it
  int send_buffer_bytes = 128 * 1024;  ///< of each socket: small, so that a slow reader shows early
};

}  // namespace takt::server
