// HttpOptions holds the options of a web gateway, the HTTP and web socket side of a server: address, viewer's
// files, allowed origins, proxies and limits. HostOptions::http (takt/server/host.h) takes an HttpOptions.
// MetricsOptions moves the metrics to a port of their own; HostOptions::metrics takes it.
// The options of `takt serve` set address, port, files, origins and proxies. Each limit has its reason beside
// it; docs/HTTP.md repeats the limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace takt::server {

/// Files in PEM form, which the server reads again when they change.
struct TlsFiles {
  std::string certificate_path;  ///< the server's certificate, then those of its chain
  /// The private key, without a passphrase. Only its owner may have rights to the file; the group may read
  /// one that root owns.
  std::string key_path;
};

struct HttpOptions {
  std::string bind_address;          ///< an IP address of this machine; empty = all, IPv6 and IPv4
  std::uint16_t port = 8080;         ///< 0 = one that is free
  std::string viewer_directory;      ///< static files; empty or missing = a page about how to build them
  std::vector<std::string> origins;  ///< that may open web sockets, such as "https://game.example", besides
                                     ///< pages of this server and of this machine

  std::optional<TlsFiles> tls;  ///< none = plain HTTP; otherwise the port speaks TLS alone
  /// True: web sockets without TLS may come from other machines. False: only from this one and from trusted
  /// proxies, which are expected to speak TLS with the browser.
  bool allow_plain = false;

  /// Networks of reverse proxies, such as "10.0.0.0/8" or "127.0.0.1"; other texts are ignored. For a
  /// connection from such a network, the address of the client is the last entry of X-Forwarded-For that is
  /// in none of them. It counts for the limits of sessions and never gives the admin right.
  std::vector<std::string> trusted_proxies;

  /// Connections at once, all together. Each takes a file descriptor and about 40 kB, with TLS about 110 kB.
  std::uint32_t connections_max = 512;
  /// Connections at once from one IPv4 address or IPv6 /64; trusted proxies have no such limit. 128 suffice
  /// for a class behind one address, each with a page and a socket, or for 100 clients of a load test.
  std::uint32_t connections_per_address_max = 128;
  std::size_t header_bytes_max = 8 * 1024;  ///< of a request; browsers send under 2 kB
  std::size_t body_bytes_max = 1024;        ///< of a request; the server uses no request body
  /// The limit is for one message of a web socket. A client's frames are under 1.2 kB, and a message may have
  /// several.
  std::size_t message_bytes_max = 16 * 1024;
  /// For a whole request header, from the end of the response before. Slow bytes do not extend it.
  std::uint32_t request_timeout_ms = 10'000;
  std::uint32_t response_timeout_ms = 30'000;  ///< until the client has read a response: 700 kB at 25 kB/s
  std::uint32_t handshake_timeout_ms = 5'000;  ///< of TLS, and of a web socket for its opening and closing
  /// A web socket that sends nothing for half of this time is pinged, and is closed after all of it.
  std::uint32_t idle_timeout_ms = 20'000;
  int send_buffer_bytes = 128 * 1024;  ///< of each socket: small, so that a slow reader is noticed early
};

/// A port for those who run the server: /metrics, /healthz and /readyz. The port of HttpOptions then has no
/// /metrics.
struct MetricsOptions {
  std::string bind_address = "127.0.0.1";  ///< an IP address of this machine; empty = all, IPv6 and IPv4
  std::uint16_t port = 0;                  ///< 0 = one that is free
};

}  // namespace takt::server
