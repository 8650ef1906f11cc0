// OperatorPages has what a program answers to /readyz and /metrics. HttpSite calls its functions on the web
// thread. live_pages() makes the pages of a server; `takt service` has pages of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "server/live_status.h"
#include "server/web/http_counters.h"

namespace takt::server {

struct OperatorPages {
  std::function<bool()> is_ready;
  /// Prometheus' text format, with the counters and the open connections of the web gateway.
  std::function<std::string(const HttpCounts& http, std::uint32_t http_connections)> metrics;
  std::string_view not_ready = "not ticking\n";  ///< the text of /readyz with 503
};

[[nodiscard]] OperatorPages live_pages(std::function<LiveStatus()> status);

}  // namespace takt::server
