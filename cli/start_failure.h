// start_failure() returns the line that a command prints when its server could not start: the failure and the
// option that changes it. `takt serve`, `takt replay play` and `takt shot` use start_failure().
#pragma once

#include <cstdint>
#include <string>

#include "cli/web_options.h"
#include "takt/server/error.h"

namespace takt::cli {

/// `port` is the value of --port, and `web` has those of the web options.
[[nodiscard]] std::string start_failure(const server::Failure& failure, std::uint16_t port,
                                        const WebOptions& web);

}  // namespace takt::cli
