// LineChild runs another program and exchanges lines with it over its stdin and stdout, with a time limit for
// each line. Its stderr is that of `takt`. The program may end, hang or print anything: every failure is a
// text that says so. The child gets the end of its stdin, and later SIGKILL, when the LineChild goes. `takt
// lockstep-test` runs its two ends so; run_program() (cli/child_process.h) runs programs to their end.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "takt/core/result.h"

namespace takt::cli {

/// Why the other program cannot go on: "it ended with exit code 3", "it answered nothing within the time
/// limit".
struct ChildFailure {
  std::string text;
};

class LineChild {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  /// Starts `words[0]`, a path or a name in $PATH, with the other words as arguments. This process ignores
  /// SIGPIPE from then on.
  [[nodiscard]] static Result<LineChild, ChildFailure> start(const std::vector<std::string>& words);
  LineChild(LineChild&& other) noexcept;
  LineChild& operator=(LineChild&&) = delete;
  LineChild(const LineChild&) = delete;
  LineChild& operator=(const LineChild&) = delete;
  ~LineChild();

  /// Writes the line and a line end. A child that reads too little until the deadline is a failure.
  [[nodiscard]] Result<Unit, ChildFailure> write(std::string_view line, Deadline deadline);
  /// The next line without its end. A line longer than `max_bytes` is a failure.
  [[nodiscard]] Result<std::string, ChildFailure> read(Deadline deadline, std::size_t max_bytes);

 private:
  LineChild(pid_t process, int input, int output) : process_(process), input_(input), output_(output) {}
  [[nodiscard]] ChildFailure ended();

  pid_t process_;  // -1 = moved from or waited for
  int input_;      // we write; -1 = closed
  int output_;     // we read
  std::string unread_;
  std::size_t scanned_bytes_ = 0;  // of unread_, without a line end
};

}  // namespace takt::cli
