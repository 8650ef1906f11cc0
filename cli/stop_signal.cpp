#include "cli/stop_signal.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>

namespace takt::cli {
namespace {

sigset_t stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

StopSignal::StopSignal() {
  sigset_t const set = stop_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

StopSignal::~StopSignal() {
  sigset_t const set = stop_signals();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

bool StopSignal::wait_ms(std::uint32_t ms) {
  if (has_come_) return true;
  sigset_t const set = stop_signals();
  timespec const timeout{static_cast<time_t>(ms / 1000), static_cast<long>(ms % 1000) * 1'000'000};
  if (sigtimedwait(&set, nullptr, &timeout) < 0) return false;  // time-out, or another signal's handler ran
  has_come_ = true;
  // From here a second signal ends the program at once.
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  return true;
}

void fill_standard_streams() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // open() takes the lowest free number, which is this one.
    if (::open("/dev/null", descriptor == 0 ? O_RDONLY : O_WRONLY) != descriptor) return;
  }
}

}  // namespace takt::cli
