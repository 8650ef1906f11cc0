// WebOptions holds the flags of the web gateway, the HTTP and web socket side of a server: --http,
// --http-bind, --viewer, --origin. add_web_options() declares the flags for `takt serve` and `takt replay
// play`; `takt shot` fills a WebOptions itself. http_options_of() converts them to server::HttpOptions, or to
// none if the port is 0. print_web_address() prints the address of the viewer.
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
  std::string port = "8080";  ///< "0" = off, "auto" = a free one
  std::string bind_address;
  std::string viewer_directory;  ///< empty = beside the program
  std::vector<std::string> origins;
};

void add_web_options(CLI::App& command, WebOptions& options);

/// Empty, or a line about an origin that no browser sends, or a folder without a viewer.
[[nodiscard]] std::string wrong_with(const WebOptions& options);

/// None when it is turned off.
[[nodiscard]] std::optional<server::HttpOptions> http_options_of(const WebOptions& options);

/// A line with the address of the viewer, or that the viewer is not built. Nothing without a gateway.
void print_web_address(const WebOptions& options, std::uint16_t http_port);

}  // namespace takt::cli
