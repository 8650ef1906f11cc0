// metrics_text() converts a server's statistics and its web gateway's counters to Prometheus' text format.
// HttpSite serves the text as /metrics. The function is pure. Names and labels are in docs/HTTP.md, and an
// integration test checks the text with promtool.
#pragma once

#include <string>

#include "server/server_status.h"
#include "server/web/http_counters.h"

namespace takt::server {

/// `http` are the counters, and `http_connections` the present connections, of the web gateway.
[[nodiscard]] std::string metrics_text(const ServerStatus& status, const HttpCounts& http,
                                       std::uint32_t http_connections);

}  // namespace takt::server
