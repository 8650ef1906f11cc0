// Waits and wakes of threads at words of memory: futex(2) of Linux. Words of shared memory have the same name
// in each program that maps them. SpinWait comes before a wait at a word or at a socket.
#pragma once

#include <algorithm>
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

/// A short busy wait for what another processor does, before a thread sleeps. Each spin in vain doubles the
/// number of waits without one, up to 15. A thread that may use one processor alone does not spin.
class SpinWait {
 public:
  using Clock = std::chrono::steady_clock;
  /// About what a sleeping thread and its wake cost; a longer spin costs more than it may save.
  static constexpr std::chrono::nanoseconds kMax = std::chrono::microseconds(50);
  static constexpr std::uint32_t kSkipMax = 15;  ///< waits of 50 us or more then have 6 % of spins

  SpinWait() noexcept;

  /// True when is_over() became true within the spin. If not, the caller sleeps.
  template <class IsOver>
  [[nodiscard]] bool spin(const IsOver& is_over) noexcept {
    if (is_over()) return true;
    if (!has_processors_) return false;
    if (left_to_skip_ > 0) {
      --left_to_skip_;
      return false;
    }
    auto const end = Clock::now() + kMax;
    do {
      for (int i = 0; i < 16; ++i) {
        relax();
        if (!is_over()) continue;
        skip_ = 0;
        return true;
      }
    } while (Clock::now() < end);
    skip_ = std::min(2 * skip_ + 1, kSkipMax);
    left_to_skip_ = skip_;
    return false;
  }

 private:
  static void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
  }

  std::uint32_t skip_ = 0;  // after the last spin, if that was in vain
  std::uint32_t left_to_skip_ = 0;
  bool has_processors_;  // more than one
};

}  // namespace takt::service
