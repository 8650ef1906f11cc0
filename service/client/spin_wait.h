// SpinWait is a busy wait for what another thread does, before a thread sleeps at a word or at a socket. It
// reads the clock after each poll, because a poll takes nanoseconds at a ring and microseconds at a socket.
// SpinWait does not sleep: its caller does, before a long spin and after a spin in vain. A spin takes caches,
// units of a core and power from the thread whose work it waits for, so a long one begins late; Linux waits
// so for fast disks (hybrid polling).
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>

namespace takt::service {

/// Processors that this thread may use, from 1.
[[nodiscard]] std::uint32_t processor_count() noexcept;

/// A wait spins for kShort at most, and ends at the first poll after its limit. After allow_long_spins() the
/// limit is twice the longest of the last waits that were at most kLong, from kShort to kLong. Each spin in
/// vain doubles the number of waits without one, up to kSkipMax. A spin beyond kShort yields the processor
/// between its polls, and ends when another thread has had it. On a busy machine that costs a slice of the
/// scheduler, milliseconds: such a loss quadruples the number of waits without a long spin, up to
/// kLongSkipMax, and a long spin without one quarters it. A thread that may use one processor alone does not
/// spin. `Clock` is std::chrono::steady_clock but in tests, whose clock has its own yield().
template <class Clock>
class BasicSpinWait {
 public:
  using Duration = std::chrono::nanoseconds;
  /// About what a sleeping thread and its wake cost.
  static constexpr Duration kShort = std::chrono::microseconds(50);
  /// A late wake costs 5 % of such a wait, and less of a longer one.
  static constexpr Duration kLong = std::chrono::milliseconds(1);
  /// The end of a wait for which no thread sleeps: a timer may wake it that late.
  static constexpr Duration kNapMargin = std::chrono::microseconds(100);
  /// A poll that is so late was delayed: another thread, or another machine of the host, had the processor.
  static constexpr Duration kLost = std::chrono::microseconds(100);
  static constexpr std::uint32_t kSkipMax = 15;  ///< waits that are longer than spins then have 6 % of spins
  static constexpr std::uint32_t kLongSkipMax = 1023;  ///< 3 ms in so many waits of 500 us are 0.6 %
  static constexpr int kPollsPerWait = 64;             ///< of a long spin: a poll is late by 1/64 of the wait

  explicit BasicSpinWait(std::uint32_t processors = processor_count()) noexcept
      : has_processors_(processors > 1) {}

  /// For waits that end with the work of other threads, when these have processors of their own.
  void allow_long_spins() noexcept { max_ = kLong; }
  [[nodiscard]] Duration max() const noexcept { return max_; }  ///< of the limits of spins

  /// Begins a wait. The result is a time that the last waits, all of them, took and a margin more: the caller
  /// sleeps for it, or until what it waits for is there, and then spins. Zero before a short spin or none.
  [[nodiscard]] Duration begin() noexcept {
    sleeps_ = false;
    begin_ = Clock::now();
    limit_ = limit();
    if (limit_ > kShort && long_left_to_skip_ > 0) {
      --long_left_to_skip_;
      limit_ = kShort;
    }
    bool const is_long = has_processors_ && left_to_skip_ == 0 && limit_ > kShort;
    Duration const shortest = *std::ranges::min_element(last_);
    nap_ = is_long ? std::max(shortest - std::max(kNapMargin, shortest / 4), Duration(0)) : Duration(0);
    return nap_;
  }

  /// True when is_over() became true within the spin. If not, the caller sleeps, and calls end_sleep().
  template <class IsOver>
  [[nodiscard]] bool spin(const IsOver& is_over) noexcept {
    if (is_over()) {
      if (nap_ > Duration(0)) add(Clock::now() - begin_);
      return true;
    }
    if (has_processors_ && left_to_skip_ == 0) {
      if (spin_for(limit_, is_over)) return true;
      skip_ = std::min(2 * skip_ + 1, kSkipMax);
      left_to_skip_ = skip_;
    } else if (left_to_skip_ > 0) {
      --left_to_skip_;
    }
    sleeps_ = true;
    return false;
  }

  /// The wait of the last spin() is over. No effect after a spin that was not in vain.
  void end_sleep() noexcept {
    if (sleeps_) add(Clock::now() - begin_);
    sleeps_ = false;
  }

 private:
  using Time = typename Clock::time_point;

  [[nodiscard]] Duration limit() const noexcept {
    Duration longest{0};
    for (Duration const wait : last_) {
      if (wait <= max_) longest = std::max(longest, wait);
    }
    return std::clamp(2 * longest, kShort, max_);
  }

  void add(Duration wait) noexcept {
    last_[next_] = wait;
    next_ = (next_ + 1) % last_.size();
  }

  template <class IsOver>
  bool spin_for(Duration limit, const IsOver& is_over) noexcept {
    bool has_seen = false;
    bool has_lost = false;
    Time now = Clock::now();
    while (!has_seen && !has_lost && now - begin_ < limit) {
      pause(now);
      has_seen = is_over();
      Time const last = std::exchange(now, Clock::now());
      has_lost = now - last > kLost;
    }
    if (has_lost && limit > kShort) {
      long_skip_ = std::min(4 * long_skip_ + 3, kLongSkipMax);
      long_left_to_skip_ = long_skip_;
    } else if (limit > kShort && has_seen && now - begin_ > kShort) {
      long_skip_ /= 4;
    }
    if (!has_seen) return false;
    skip_ = 0;
    add(now - begin_);
    return true;
  }

  // Between two polls. The pauses of a long spin leave the caches and the units of a core to its other
  // threads.
  void pause(Time now) const noexcept {
    relax();
    if (now - begin_ < kShort) return;
    yield();
    Time const next = now + (now - begin_) / kPollsPerWait;
    while (Clock::now() < next) relax();
  }

  static void yield() noexcept {
    if constexpr (requires { Clock::yield(); })
      Clock::yield();
    else
      std::this_thread::yield();
  }

  static void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
  }

  Duration max_ = kShort;
  Time begin_{};                    // of the last wait
  Duration limit_ = kShort;         // of its spin
  Duration nap_{0};                 // before that
  std::array<Duration, 4> last_{};  // waits
  std::size_t next_ = 0;            // of `last_`
  std::uint32_t skip_ = 0;          // after the last spin, if that was in vain
  std::uint32_t left_to_skip_ = 0;
  std::uint32_t long_skip_ = 0;  // after the last long spin that lost the processor
  std::uint32_t long_left_to_skip_ = 0;
  bool has_processors_;  // more than one
  bool sleeps_ = false;  // the caller, since a spin in vain
};

using SpinWait = BasicSpinWait<std::chrono::steady_clock>;

}  // namespace takt::service
