#include "cli/stop_signal.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>

namespace takt::cli {
namespace {

sigset_t stop_signals(Hangup hangup) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  if (hangup == Hangup::kReload) sigaddset(&set, SIGHUP);
  return set;
}

// SIGHUP stays blocked where it asks to read files: its default would end a program that is stopping.
void unblock_ends() {
  sigset_t const set = stop_signals(Hangup::kDefault);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace

StopSignal::StopSignal(Hangup hangup) : hangup_(hangup) {
  sigset_t const set = stop_signals(hangup_);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

StopSignal::~StopSignal() { unblock_ends(); }

bool StopSignal::wait_ms(std::uint32_t ms) {
  if (has_come_) return true;
  sigset_t const set = stop_signals(hangup_);
  timespec const timeout{static_cast<time_t>(ms / 1000), static_cast<long>(ms % 1000) * 1'000'000};
  int const signal = sigtimedwait(&set, nullptr, &timeout);
  if (signal < 0) return false;  // time-out, or another signal's handler ran
  if (signal == SIGHUP) {
    wants_reload_ = true;
    return false;
  }
  has_come_ = true;
  // From here a second signal ends the program at once.
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  unblock_ends();
  return true;
}

bool has_input_ended(int ms) {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (::poll(&input, 1, ms) <= 0) return false;
  std::array<char, 256> ignored{};
  return ::read(STDIN_FILENO, ignored.data(), ignored.size()) <= 0;
}

void fill_standard_streams() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // open() takes the lowest free number, which is this one.
    if (::open("/dev/null", descriptor == 0 ? O_RDONLY : O_WRONLY) != descriptor) return;
  }
}

}  // namespace takt::cli
