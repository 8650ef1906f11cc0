// StopSignal turns the first SIGINT or SIGTERM into an orderly end: from then on wait_ms(), which waits for a
// signal, returns true. A second signal kills the program, as if no StopSignal existed. StopSignal also
// ignores SIGPIPE, so that a write to a closed pipe fails and does not kill the program.
// fill_standard_streams() opens missing standard streams on /dev/null. The commands bot, relay, serve, shot
// and replay play use both; run and replay seek use the latter.
#pragma once

#include <cstdint>

namespace takt::cli {

class StopSignal {
 public:
  /// Blocks the signals in this thread and in those it starts from now on: make it before any thread.
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  /// True when a signal has come; waits up to `ms` milliseconds for one.
  [[nodiscard]] bool wait_ms(std::uint32_t ms);

 private:
  bool has_come_ = false;
};

/// A program started without stdin, stdout or stderr gets /dev/null there, so that no socket or file takes
/// their numbers and receives what is printed.
void fill_standard_streams();

}  // namespace takt::cli
