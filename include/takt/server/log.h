// start_log() opens the log of this process to which a Host writes: lines on stderr with time and level, such
// as a player that joins, or ticks that were dropped. A program calls it before its first Host. Without it a
// Host writes to the default logger of the library spdlog, which a program that links spdlog can set itself.
#pragma once

#include <cstdint>

namespace takt::server {

/// The least important lines that a log shows.
enum class LogLevel : std::uint8_t {
  kTrace = 0,
  kDebug = 1,
  kInfo = 2,
  kWarning = 3,
  kError = 4,
  kOff = 5,
};

/// A later call replaces the log. Not while a Host runs.
void start_log(LogLevel level);

}  // namespace takt::server
