#include "takt/server/log.h"

#include <spdlog/async.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace takt::server {
namespace {

constexpr std::size_t kQueuedLines = 1024;
constexpr auto kEndPatience = std::chrono::seconds(1);

std::atomic<bool> has_log_thread = false;

/// The log's own thread and queue: those of spdlog belong to the program. They are never destroyed, since a
/// thread that a full pipe holds would hold the end of the program too.
std::shared_ptr<spdlog::details::thread_pool>& log_thread() {
  static auto* const kPool = [] {
    // Signals are for threads that wait for them; this one would end the program.
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    auto* const made = new std::shared_ptr<spdlog::details::thread_pool>(
        std::make_shared<spdlog::details::thread_pool>(kQueuedLines, 1));
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    has_log_thread = true;
    std::atexit([] {  // the last lines are written, unless nobody reads them
      auto const end = std::chrono::steady_clock::now() + kEndPatience;
      while (log_thread()->queue_size() > 0 && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));  // the line that was taken last
    });
    return made;
  }();
  return *kPool;
}

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

/// Writes to the descriptor. A write that waits inside of the FILE stderr would hold its lock, which the end
/// of the program needs.
class DescriptorSink final : public spdlog::sinks::base_sink<std::mutex> {
 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    for (std::size_t done = 0; done < line.size();) {
      ssize_t const count = ::write(STDERR_FILENO, line.data() + done, line.size() - done);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return;
      done += static_cast<std::size_t>(count);
    }
  }
  void flush_() override {}
};

std::shared_ptr<spdlog::sinks::sink> make_sink() {
  if (::isatty(STDERR_FILENO) != 0) return std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
  return std::make_shared<DescriptorSink>();
}

}  // namespace

void start_log(LogLevel level) {
  auto logger = std::make_shared<spdlog::async_logger>("takt", make_sink(), log_thread(),
                                                       spdlog::async_overflow_policy::overrun_oldest);
  logger->set_level(to_spdlog(level));
  logger->set_pattern("[%H:%M:%S.%e] %^%l%$: %v");
  // The log's thread may still use a logger when the program ends, so none is destroyed.
  static auto* const kKept = new std::vector<std::shared_ptr<spdlog::logger>>();
  kKept->push_back(logger);
  spdlog::set_default_logger(std::move(logger));
}

std::uint64_t dropped_log_lines() { return has_log_thread ? log_thread()->overrun_counter() : 0; }

}  // namespace takt::server
