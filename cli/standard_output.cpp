#include "cli/standard_output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "cli/subcommand.h"

namespace takt::cli {
namespace {

int g_reason = 0;  // errno of the first failed flush; 0 = none

}  // namespace

void print_standard_output(std::string_view text) noexcept {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() && g_reason == 0) g_reason = errno;
}

void flush_standard_output() noexcept {
  errno = 0;
  if (std::fflush(stdout) != 0 && g_reason == 0) g_reason = errno;
}

int finish_standard_output(int exit_code) {
  flush_standard_output();
  if (g_reason == 0 && std::ferror(stdout) == 0) return exit_code;
  std::string const reason = g_reason == 0 ? std::string() : std::string(": ") + std::strerror(g_reason);
  print_error("stdout: cannot be written" + reason + "; the output there is incomplete");
  return exit_code == kExitDone ? kExitFailed : exit_code;
}

}  // namespace takt::cli
