// Waits and wakes of threads at words of memory: futex(2) of Linux. Words of shared memory have the same name
// in each program that maps them.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace takt::service {

/// Wakes the threads of all programs that wait at the word.
void wake_at(std::atomic<std::uint32_t>& word) noexcept;
/// Waits while the word has the value: until wake_at(), the limit, or a signal.
void wait_at(std::atomic<std::uint32_t>& word, std::uint32_t value, std::chrono::nanoseconds limit) noexcept;
/// Waits while both words have their values: until wake_at() of one, or a signal.
void wait_at_either(std::atomic<std::uint32_t>& a, std::uint32_t value_a, std::atomic<std::uint32_t>& b,
                    std::uint32_t value_b) noexcept;
/// True when the system has wait_at_either(): Linux 5.16, unless a sandbox forbids it.
[[nodiscard]] bool can_wait_at_either() noexcept;

/// A short busy wait for what another processor does, before a thread sleeps. It is as long as the last waits
/// let expect, at most kMax, and 0 where the thread may use one processor alone, or waits were long.
class SpinWait {
 public:
  using Clock = std::chrono::steady_clock;
  /// About what a sleeping thread and its wake cost; a longer spin costs more than it may save.
  static constexpr std::chrono::nanoseconds kMax = std::chrono::microseconds(50);

  SpinWait() noexcept;

  /// True when is_over() became true within the spin. If not, the caller sleeps and then calls slept().
  template <class IsOver>
  [[nodiscard]] bool spin(const IsOver& is_over) noexcept {
    if (is_over()) return true;
    begin_ = Clock::now();
    if (expected_ > kMax) return false;
    auto const end = begin_ + kMax;
    for (auto now = begin_; now < end; now = Clock::now()) {
      for (int i = 0; i < 16; ++i) {
        relax();
        if (is_over()) return learn(), true;
      }
    }
    return false;
  }
  void slept() noexcept { learn(); }

 private:
  static void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
  }
  void learn() noexcept;

  std::chrono::nanoseconds expected_{0};  // of a wait
  Clock::time_point begin_{};
  bool has_processors_;  // more than one
};

}  // namespace takt::service
