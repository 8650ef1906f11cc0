// Commands print results to stdout, and a command whose results are lost there must fail. A program calls
// finish_standard_output() once, after its command. The call flushes stdout, and turns a failure of any
// earlier print into an error line and an exit code. print_standard_output() prints long texts. print_error()
// (cli/subcommand.h) flushes stdout as well, before errno is overwritten.
#pragma once

#include <string_view>

namespace takt::cli {

/// Prints a text of any length and stores the reason of a failure. std::printf of a text longer than the
/// buffer of stdout would lose the reason.
void print_standard_output(std::string_view text) noexcept;

/// Flushes stdout and stores the reason of a failure for finish_standard_output(); the first reason stays.
void flush_standard_output() noexcept;

/// Flushes stdout and returns `exit_code`. If any print to stdout has failed, returns kExitFailed in place of
/// kExitDone, and prints to stderr:
/// "<program>: stdout: cannot be written: <reason>; the output there is incomplete".
[[nodiscard]] int finish_standard_output(int exit_code);

}  // namespace takt::cli
