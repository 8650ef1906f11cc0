// service_pages() makes the pages /readyz and /metrics of `takt service`. docs/SERVICE.md lists the metrics,
// and a test compares the lists.
#pragma once

#include <functional>
#include <string>

#include "server/web/operator_pages.h"
#include "service/service_host.h"

namespace takt::cli {

/// Each page calls `counts`, on the web thread.
[[nodiscard]] server::OperatorPages service_pages(std::function<service::ServiceCounts()> counts);

}  // namespace takt::cli
