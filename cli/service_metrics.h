// service_pages() makes the pages /readyz and /metrics of `takt service`. docs/SERVICE.md lists the metrics,
// and a test compares the lists.
#pragma once

#include <functional>
#include <string>

#include "server/web/operator_pages.h"
#include "service/service_host.h"

namespace takt::cli {

/// /metrics calls `counts`, and /readyz `is_ready`, on the web thread.
[[nodiscard]] server::OperatorPages service_pages(std::function<service::ServiceCounts()> counts,
                                                  std::function<bool()> is_ready);

}  // namespace takt::cli
