#include "takt/server/log.h"

#include <spdlog/async.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <memory>
#include <utility>

namespace takt::server {
namespace {

constexpr std::size_t kQueuedLines = 1024;

spdlog::level::level_enum to_spdlog(LogLevel level) noexcept {
  switch (level) {
    case LogLevel::kTrace: return spdlog::level::trace;
    case LogLevel::kDebug: return spdlog::level::debug;
    case LogLevel::kInfo: return spdlog::level::info;
    case LogLevel::kWarning: return spdlog::level::warn;
    case LogLevel::kError: return spdlog::level::err;
    case LogLevel::kOff: break;
  }
  return spdlog::level::off;
}

}  // namespace

void start_log(LogLevel level) {
  spdlog::init_thread_pool(kQueuedLines, 1);
  // After the first use of spdlog, so that it runs before spdlog's own objects end.
  static int const failed = std::atexit([] { spdlog::shutdown(); });
  (void)failed;
  auto logger = std::make_shared<spdlog::async_logger>(
      "takt", std::make_shared<spdlog::sinks::stderr_color_sink_mt>(), spdlog::thread_pool(),
      spdlog::async_overflow_policy::overrun_oldest);
  logger->set_level(to_spdlog(level));
  logger->set_pattern("[%H:%M:%S.%e] %^%l%$: %v");
  spdlog::set_default_logger(std::move(logger));
}

std::uint64_t dropped_log_lines() {
  auto const pool = spdlog::thread_pool();
  return pool == nullptr ? 0 : pool->overrun_counter();
}

}  // namespace takt::server
