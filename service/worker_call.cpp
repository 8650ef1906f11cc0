#include "service/worker_call.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>

#include "service/client/futex.h"

namespace takt::service {

WorkerCall::WorkerCall() noexcept : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

WorkerCall::~WorkerCall() {
  if (event_ >= 0) ::close(event_);
}

// Either this thread sees the worker at the words, or the worker sees the word before it sleeps.
void WorkerCall::wake() noexcept {
  word_.store(1);
  if (is_at_words_.load()) return wake_at(word_);
  std::uint64_t const one = 1;
  (void)!::write(event_, &one, sizeof one);
}

void WorkerCall::wait(int socket) noexcept {
  std::array<pollfd, 2> sources{{{event_, POLLIN, 0}, {socket, POLLIN, 0}}};
  nfds_t const count = socket < 0 ? 1 : 2;
  (void)spin_.begin();  // a spin of a worker is short, without a sleep before it
  bool const is_over = socket >= 0 && spin_.spin([&] { return ::poll(sources.data(), count, 0) != 0; });
  if (!is_over) (void)::poll(sources.data(), count, -1);
  std::uint64_t calls = 0;
  if (sources[0].revents != 0) (void)!::read(event_, &calls, sizeof calls);
  word_.store(0);
}

// A call that comes after the wait and before the word is cleared has its reason in the queue of jobs or in
// the connection, which the worker looks at next.
void WorkerCall::wait(SharedRings& rings) noexcept {
  RingReader& requests = rings.reader();
  is_at_words_.store(true);
  (void)spin_.begin();
  bool const is_over =
      spin_.spin([&] { return requests.has_bytes() || word_.load(std::memory_order_acquire) != 0; });
  if (!is_over && word_.load() == 0 && requests.begin_wait(RingWait::kFutex)) {
    wait_at_either(requests.wait_word(), static_cast<std::uint32_t>(RingWait::kFutex), word_, 0);
    requests.end_wait();
  }
  is_at_words_.store(false);
  word_.store(0);
}

}  // namespace takt::service
