// StopSignal turns the first SIGINT or SIGTERM into an orderly end: from then on wait_ms(), which waits for a
// signal, returns true. A second signal ends the program by the system's default. With Hangup::kReload,
// SIGHUP asks to read files again and ends nothing. StopSignal also ignores SIGPIPE, so that a write to a
// closed pipe fails and does not end the program. fill_standard_streams() opens missing standard streams on
// /dev/null. The commands bot, ping, relay, serve, shot and replay play use both; run, batch and replay seek
// use fill_standard_streams() alone. `service` and `batch run` end with has_input_ended().
#pragma once

#include <cstdint>
#include <utility>

namespace takt::cli {

/// The meaning of SIGHUP.
enum class Hangup : std::uint8_t {
  kDefault,  ///< of the system: it ends the program
  kReload,   ///< take_reload() returns true once; ignored from the first stop signal on
};

class StopSignal {
 public:
  /// Blocks the signals in this thread and in those that it starts later. A program creates its StopSignal
  /// before its other threads.
  explicit StopSignal(Hangup hangup = Hangup::kDefault);
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  /// Waits up to `ms` milliseconds for a signal. Returns true, and at once, when one has come in this call or
  /// an earlier one.
  [[nodiscard]] bool wait_ms(std::uint32_t ms);
  /// True when SIGHUP has come since the last call; wait_ms() notices it and returns false.
  [[nodiscard]] bool take_reload() noexcept { return std::exchange(wants_reload_, false); }

 private:
  Hangup hangup_;
  bool has_come_ = false;
  bool wants_reload_ = false;
};

/// Waits up to `ms` milliseconds for the end of the standard input, and returns true when it has ended. Bytes
/// are read and lost. A child whose input is a pipe of its parent notices so that the parent is gone.
[[nodiscard]] bool has_input_ended(int ms);
/// The help text of --until-input-ends, which asks for that.
inline constexpr const char* kUntilInputEndsText =
    "Stop at the end of the standard input: a child whose input is a pipe of its parent ends with it";

/// Opens /dev/null as stdin, stdout or stderr where the process was started without it. Otherwise a socket or
/// file could take its number and receive printed text.
void fill_standard_streams();

}  // namespace takt::cli
