// What the web gateway tells of the server it belongs to. Plain data.
#pragma once

#include "server/server_status.h"

namespace takt::server {

struct LiveStatus {
  ServerStatus status;
  bool is_ready = false;  ///< ticking, and not about to stop
};

}  // namespace takt::server
