// metrics_text() converts a server's statistics and its web gateway's counters to Prometheus' text format.
// HttpSite serves the text as /metrics. The function is pure. Names and labels are in docs/HTTP.md, and an
// integration test checks the text with promtool.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "server/server_status.h"
#include "server/web/http_counters.h"

namespace takt::server {

/// `http` are the counters, and `http_connections` the present connections, of the web gateway.
[[nodiscard]] std::string metrics_text(const ServerStatus& status, const HttpCounts& http,
                                       std::uint32_t http_connections);

/// A value without labels.
struct PlainMetric {
  enum class Kind : std::uint8_t { kGauge, kCounter };
  std::string_view name;
  std::string_view help;
  Kind kind;
  double value;
};

/// Metrics of a program that is no server, followed by those of its web gateway and its build.
[[nodiscard]] std::string metrics_text(std::span<const PlainMetric> metrics, const HttpCounts& http,
                                       std::uint32_t http_connections);

}  // namespace takt::server
