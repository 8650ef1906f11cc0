// Results of commands go to stdout, and a result that gets lost there must not count as success. A program
// calls finish_standard_output() once, after its command. It passes the buffered bytes on and turns a failure
// of any earlier print into an error line and an exit code. print_error() notes failures on the way, while
// the system still has their reason.
#pragma once

#include <string_view>

namespace takt::cli {

/// Prints a text that may be longer than the buffer of stdout, whose failure would otherwise lose its reason.
void print_standard_output(std::string_view text) noexcept;

/// Flushes stdout. Its first failure keeps its reason for finish_standard_output().
void flush_standard_output() noexcept;

/// The exit code of the process: `exit_code`, or kExitFailed in place of kExitDone when stdout took less than
/// was printed. Prints "<program>: stdout: cannot be written: <reason>" then.
[[nodiscard]] int finish_standard_output(int exit_code);

}  // namespace takt::cli
