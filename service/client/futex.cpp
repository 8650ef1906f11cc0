#include "service/client/futex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <ctime>

namespace takt::service {
namespace {

#ifdef SYS_futex_waitv
long wait_at_words(futex_waitv* words, unsigned count) noexcept {
  return ::syscall(SYS_futex_waitv, words, count, 0u, nullptr, CLOCK_MONOTONIC);
}
futex_waitv waiter(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
  futex_waitv out{};
  out.val = value;
  out.uaddr = reinterpret_cast<std::uintptr_t>(&word);
  out.flags = FUTEX_32;
  return out;
}
#endif

}  // namespace

void wake_at(std::atomic<std::uint32_t>& word) noexcept {
  (void)::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void wait_at(std::atomic<std::uint32_t>& word, std::uint32_t value, std::chrono::nanoseconds limit) noexcept {
  timespec time{};
  time.tv_sec = static_cast<time_t>(limit.count() / 1'000'000'000);
  time.tv_nsec = static_cast<long>(limit.count() % 1'000'000'000);
  (void)::syscall(SYS_futex, &word, FUTEX_WAIT, value, &time, nullptr, 0);
}

#ifdef SYS_futex_waitv
void wait_at_either(std::atomic<std::uint32_t>& a, std::uint32_t value_a, std::atomic<std::uint32_t>& b,
                    std::uint32_t value_b) noexcept {
  futex_waitv words[2] = {waiter(a, value_a), waiter(b, value_b)};
  (void)wait_at_words(words, 2);
}

// No words are a wrong argument, where the call exists.
bool can_wait_at_either() noexcept { return wait_at_words(nullptr, 0) < 0 && errno == EINVAL; }
#else
void wait_at_either(std::atomic<std::uint32_t>&, std::uint32_t, std::atomic<std::uint32_t>&,
                    std::uint32_t) noexcept {}
bool can_wait_at_either() noexcept { return false; }
#endif

}  // namespace takt::service
