// metrics_text returns a server's statistics in Prometheus' text format. A pure function of plain numbers;
// names and labels are in docs/HTTP.md, and promtool checks them.
#pragma once

#include <string>

#include "server/server_status.h"
#include "server/web/http_counters.h"

namespace takt::server {

[[nodiscard]] std::string metrics_text(const ServerStatus& status, const HttpCounts& http,
                                       std::uint32_t http_connections);

}  // namespace takt::server
