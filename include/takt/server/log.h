// start_log() opens the log of this process to which a Host writes: lines on stderr with local time and
// level, such as a player that joins, or ticks that were dropped. A program calls start_log() before its
// first Host. Otherwise a Host writes to the default logger of the library spdlog, which a program that links
// spdlog can set itself.
#pragma once

#include <cstdint>

namespace takt::server {

/// The level of a line. A log shows the lines of its own level and of higher ones; kOff shows none.
enum class LogLevel : std::uint8_t {
  kTrace = 0,
  kDebug = 1,
  kInfo = 2,
  kWarning = 3,
  kError = 4,
  kOff = 5,
};

/// Opens the log, or replaces it. A program must not call this while a Host runs. A thread of the log writes
/// the lines, so no caller waits for stderr. Lines wait for their turn, 1,024 at most; then the oldest ones
/// are dropped. exit() waits up to a second for what is left; a signal or _exit() loses it.
void start_log(LogLevel level);
/// Lines dropped since start_log(), because stderr took none for a while. Any thread may call it.
[[nodiscard]] std::uint64_t dropped_log_lines();

}  // namespace takt::server
