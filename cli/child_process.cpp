#include "cli/child_process.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <system_error>

#include "cli/stop_signal.h"

namespace takt::cli {
namespace {

constexpr std::uint32_t kWaitMs = 20;

bool can_run(const std::string& path) { return ::access(path.c_str(), X_OK) == 0; }

std::string find_in_path(const std::string& name) {
  char const* const path = std::getenv("PATH");
  std::string rest = path != nullptr ? path : "";
  while (!rest.empty()) {
    std::size_t const end = rest.find(':');
    std::string candidate = rest.substr(0, end) + "/" + name;
    if (can_run(candidate)) return candidate;
    rest = end == std::string::npos ? "" : rest.substr(end + 1);
  }
  return "";
}

}  // namespace

std::string find_program(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    std::string found = name.find('/') == std::string::npos ? find_in_path(name) : can_run(name) ? name : "";
    if (!found.empty()) return found;
  }
  return "";
}

Result<int, SpawnError> run_program(const std::vector<std::string>& arguments, StopSignal& stop_signal) {
  std::vector<char*> words;
  words.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));  // posix_spawn does not write to them
  words.push_back(nullptr);

  // The child must not inherit that we block the stop signals and ignore SIGPIPE.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  sigset_t pipe_signal = none;
  sigaddset(&pipe_signal, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &pipe_signal);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  int const failed = posix_spawn(&child, arguments[0].c_str(), nullptr, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) return SpawnError{std::generic_category().message(failed)};

  for (bool is_stopping = false;;) {
    int status = 0;
    pid_t const ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (ended < 0 && errno != EINTR) return SpawnError{std::generic_category().message(errno)};
    if (stop_signal.wait_ms(kWaitMs) && !is_stopping) {
      is_stopping = true;
      ::kill(child, SIGTERM);
    }
    // After the signal has come, wait_ms returns at once.
    if (is_stopping) ::usleep(kWaitMs * 1000);
  }
}

}  // namespace takt::cli
