// LiveStatus is the status of a server as its web gateway reports it over HTTP: a ServerStatus, and whether
// the server is ready. Server makes one on request; HttpSite answers /readyz and /metrics from it. LiveStatus
// is plain data.
#pragma once

#include "server/server_status.h"

namespace takt::server {

struct LiveStatus {
  ServerStatus status;
  bool is_ready = false;  ///< ticking, and not about to stop
};

}  // namespace takt::server
