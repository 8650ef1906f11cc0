// WebOptions holds the flags of the web gateway, the HTTP and web socket side of a server: --http,
// --http-bind, --viewer, --origin, --tls-cert, --tls-key, --allow-plain-web, --metrics-listen.
// add_web_options() declares the flags for `takt serve` and `takt replay play`; `takt shot` fills a
// WebOptions itself. http_options_of() converts them to server::HttpOptions, or to none if the port is 0.
// print_web_address() prints the address of the viewer, and print_plain_refusal() whom it keeps out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "takt/server/http_options.h"

namespace CLI {
class App;
}

namespace takt::cli {

struct WebOptions {
  std::string port = "8080";         ///< "0" = no gateway, "auto" = a free port, else the port
  std::string bind_address;          ///< empty = all
  std::string viewer_directory;      ///< empty = the viewer beside the program, if there is one
  std::vector<std::string> origins;  ///< HttpOptions::origins
  std::string certificate_path;      ///< TlsFiles; both empty = plain HTTP
  std::string key_path;
  bool allow_plain = false;    ///< HttpOptions::allow_plain
  std::string metrics_listen;  ///< ADDRESS:PORT of the metrics; empty = the port of the viewer
};

/// Declares the options. `options` must outlive the parsing.
void add_web_options(CLI::App& command, WebOptions& options);

/// Returns an empty text, or a line about an origin that no browser sends, a folder without a viewer, an
/// address of metrics in another form, or half of the options of TLS.
[[nodiscard]] std::string wrong_with(const WebOptions& options);

/// Returns the options of the gateway; none for port 0.
[[nodiscard]] std::optional<server::HttpOptions> http_options_of(const WebOptions& options);

/// Returns the options of the port of metrics; none without one.
[[nodiscard]] std::optional<server::MetricsOptions> metrics_options_of(const WebOptions& options);

/// Prints a line with the address of the metrics. `metrics_port` 0 = no port of their own: prints nothing.
void print_metrics_address(const WebOptions& options, std::uint16_t metrics_port);

/// Prints a line with the address of the viewer, or that the viewer is not built. `http_port` 0 = no gateway:
/// prints nothing.
void print_web_address(const WebOptions& options, std::uint16_t http_port);

/// Prints a line if the gateway listens for other machines, by --http-bind, and refuses them for the lack of
/// TLS. `http_port` 0 = no gateway: prints nothing. A server with trusted proxies needs no call.
void print_plain_refusal(const WebOptions& options, std::uint16_t http_port);

}  // namespace takt::cli
