// LiveStatus is the status of a server as its web gateway reports it: a ServerStatus, and whether the server
// is ready. Plain data.
#pragma once

#include "server/server_status.h"

namespace takt::server {

struct LiveStatus {
  ServerStatus status;
  bool is_ready = false;  ///< ticking, and not about to stop
};

}  // namespace takt::server
