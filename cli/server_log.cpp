#include "cli/server_log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <utility>

namespace takt::cli {

void start_log(const std::string& level) {
  auto logger = spdlog::stderr_color_mt("takt");
  logger->set_level(spdlog::level::from_str(level));
  logger->set_pattern("[%H:%M:%S.%e] %^%l%$: %v");
  logger->flush_on(spdlog::level::trace);
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace takt::cli
