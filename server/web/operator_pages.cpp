#include "server/web/operator_pages.h"

#include <utility>

#include "server/web/metrics.h"

namespace takt::server {

OperatorPages live_pages(std::function<LiveStatus()> status) {
  OperatorPages pages;
  pages.is_ready = [status] { return status().is_ready; };
  pages.metrics = [status = std::move(status)](const HttpCounts& http, std::uint32_t http_connections) {
    return metrics_text(status().status, http, http_connections);
  };
  return pages;
}

}  // namespace takt::server
