// LiveStatus is the status of a server as its web gateway reports it over HTTP: a ServerStatus, and whether
// the server is ready. Server makes one on request; HttpSite answers /readyz and /metrics from it. LiveStatus
// is plain data.
#pragma once

#include "server/server_status.h"

namespace takt::server {

struct LiveStatus {
  ServerStatus status;    ///< the newest, with the present counters of the network
  bool is_ready = false;  ///< the simulation's loop ran in the last 2 s, and the server is not stopping
};

}  // namespace takt::server
