// HttpSite makes the web gateway's replies to GET and HEAD: the viewer's files, /healthz, /readyz and
// /metrics. HttpPages selects those of a port. The web gateway is the server's HTTP and web socket
// part. The last two come from OperatorPages, which the caller passes. HttpSite also holds the
// gateway's options and counters, which HttpServer and HttpConnection use. HttpSite uses no sockets, and the
// web thread runs it. HttpConnection admits web sockets, by the rules of web_origin.h.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "net/clock.h"
#include "protocol/wire/network_prefix.h"
#include "server/line_limit.h"
#include "server/live_status.h"
#include "server/web/http_counters.h"
#include "server/web/http_reply.h"
#include "server/web/operator_pages.h"
#include "server/web/static_files.h"
#include "takt/server/http_options.h"

namespace takt::server {

/// The targets of a port. /healthz and /readyz are on every port.
enum class HttpPages : std::uint8_t {
  kAll,       ///< the viewer, web sockets and /metrics
  kViewer,    ///< the viewer and web sockets; /metrics has a port of its own
  kOperator,  ///< /metrics
};

class HttpSite {
 public:
  /// Each /readyz and /metrics calls `status`, on the web thread.
  HttpSite(const HttpOptions& options, std::function<LiveStatus()> status)
      : HttpSite(options, live_pages(std::move(status))) {}
  HttpSite(const HttpOptions& options, OperatorPages pages)
      : options_(options), files_(options.viewer_directory), pages_(std::move(pages)) {
    for (const std::string& text : options.trusted_proxies)
      if (auto const proxy = protocol::parse_prefix(text)) proxies_.push_back(*proxy);
  }

  /// The reply to GET or HEAD of a target, with the value of the If-None-Match header, which may be empty. An
  /// ordinary request for /ws gives 426, and a target of another port 404.
  [[nodiscard]] HttpReply answer(HttpPages pages, std::string_view target,
                                 std::string_view if_none_match) const;

  /// The reply to a client of another machine that asks for the viewer or a web socket without TLS, where
  /// options() allow neither: 403 with the remedy. The log has a line for the operator.
  [[nodiscard]] HttpReply refuse_plain(const protocol::Address& client);

  [[nodiscard]] const HttpOptions& options() const noexcept { return options_; }
  [[nodiscard]] HttpCounts& counts() noexcept { return counts_; }
  /// HttpOptions::trusted_proxies, without texts that are no network.
  [[nodiscard]] std::span<const protocol::NetworkPrefix> proxies() const noexcept { return proxies_; }
  void count(HttpCounter counter) noexcept { ++counts_[static_cast<std::size_t>(counter)]; }
  std::uint32_t open_connections = 0;  ///< of all ports; each HttpListener counts its own

 private:
  HttpOptions options_;
  StaticFiles files_;
  std::vector<protocol::NetworkPrefix> proxies_;
  OperatorPages pages_;
  HttpCounts counts_{};
  LineLimit plain_lines_{1, 5, net::now_us()};
};

}  // namespace takt::server
