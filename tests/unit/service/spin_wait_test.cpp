// SpinWait with a clock that polls, reads of the clock and sleeps advance: no test here waits.
#include "service/client/spin_wait.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace takt::service::test {
namespace {

using namespace std::chrono_literals;

// A read takes time, too, so that a pause between two polls ends.
struct Clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<Clock>;
  static constexpr bool is_steady = true;
  static constexpr duration kRead = 25ns;
  static time_point now() noexcept { return time += kRead; }
  static inline time_point time{};
  static void yield() noexcept {}
};

using Spin = BasicSpinWait<Clock>;

struct Wait {
  std::chrono::nanoseconds nap{};
  std::chrono::nanoseconds spun{};  // with the nap
  int polls = 0;
  bool is_over = false;
};

// A wait for what is true `after` from now, with polls of this cost. A spin in vain is followed by a sleep.
Wait wait(Spin& spin, std::chrono::nanoseconds after, std::chrono::nanoseconds poll_cost,
          std::chrono::nanoseconds late = 0ns) {
  Wait out;
  auto const begin = Clock::time;
  out.nap = spin.begin();
  Clock::time += std::min(out.nap, after);  // what it waits for ends a nap
  out.is_over = spin.spin([&] {
    ++out.polls;
    Clock::time += poll_cost;
    return Clock::time - begin >= after;
  });
  out.spun = Clock::time - begin;
  if (!out.is_over) {
    Clock::time = std::max(Clock::time, begin + after) + late;
    spin.end_sleep();
  }
  return out;
}

constexpr auto kNever = 10s;

TEST(SpinWait, EndsAtTheFirstPollAfterItsLimit) {
  for (auto const poll : {0ns, 3ns, 40ns, 700ns, 1000ns, 20'000ns, 49'000ns, 51'000ns, 90'000ns}) {
    Spin spin(2);
    Wait const made = wait(spin, kNever, poll);
    EXPECT_FALSE(made.is_over);
    EXPECT_GE(made.spun, Spin::kShort) << poll.count();
    EXPECT_LE(made.spun, Spin::kShort + 2 * poll + 100ns) << poll.count();  // the poll before, and the last
  }
}

TEST(SpinWait, EndsWithWhatItWaitsFor) {
  for (auto const after : {0ns, 1000ns, 20'000ns, 49'000ns}) {
    Spin spin(2);
    for (int i = 0; i < 5; ++i) {
      Wait const made = wait(spin, after, 40ns);
      EXPECT_TRUE(made.is_over);
      EXPECT_LE(made.spun, after + 150ns);
    }
  }
}

TEST(SpinWait, PollsOnceOnOneProcessor) {
  Spin spin(1);
  spin.allow_long_spins();
  for (int i = 0; i < 40; ++i) EXPECT_EQ(wait(spin, 10us, 40ns).polls, 1);
}

TEST(SpinWait, SkipsMoreAndMoreWaitsAfterSpinsInVain) {
  Spin spin(2);
  std::vector<int> skipped;  // between two spins
  int count = 0;
  while (skipped.size() < 8) {
    if (wait(spin, kNever, 1us).polls == 1) {
      ++count;
    } else {
      skipped.push_back(count);
      count = 0;
    }
  }
  EXPECT_EQ(skipped, (std::vector<int>{0, 1, 3, 7, 15, 15, 15, 15}));
  // One spin that was worth it ends that.
  while (!wait(spin, 10us, 1us).is_over) {
  }
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(wait(spin, 10us, 1us).is_over);
}

// Polls of rings, of sockets and of slow systems.
TEST(SpinWait, ALongSpinReachesAnswersThatTakeAsLongAsTheLastOnes) {
  for (auto const poll : {3ns, 1000ns, 5000ns}) {
    for (std::chrono::nanoseconds const answer : {80us, 300us, 700us, 900us}) {
      Spin spin(2);
      spin.allow_long_spins();
      int spins = 0;
      for (int i = 0; i < 40; ++i) {
        Wait const made = wait(spin, answer, poll, 40us);
        if (!made.is_over) continue;
        ++spins;
        EXPECT_LE(made.spun, answer + answer / 64 + 2 * poll + 200ns);
        EXPECT_LE(made.polls, 50us / (poll + 25ns) + 64 * 3 + 2);  // logarithmic beyond 50 us
      }
      EXPECT_GE(spins, 36) << poll.count() << ' ' << answer.count();
    }
  }
}

// The service computes alone but for the last quarter of an answer, or its last 100 us.
TEST(SpinWait, ALongSpinBeginsLate) {
  for (auto const answer : {60us, 100us, 120us, 300us, 480us, 700us}) {
    Spin spin(2);
    spin.allow_long_spins();
    for (int i = 0; i < 20; ++i) (void)wait(spin, answer, 1us);
    Wait const made = wait(spin, answer, 1us);
    EXPECT_TRUE(made.is_over);
    auto const expected = std::max<std::chrono::nanoseconds>(answer - std::max(100us, answer / 4), 0ns);
    EXPECT_GE(made.nap, expected) << answer.count();
    EXPECT_LE(made.nap, expected + answer / 64 + 4us) << answer.count();
  }
}

// An answer within a nap ends it, and the waits after it have none.
TEST(SpinWait, AShortAnswerAfterLongOnesEndsTheNaps) {
  Spin spin(2);
  spin.allow_long_spins();
  for (int i = 0; i < 20; ++i) (void)wait(spin, 700us, 1us);
  Wait const made = wait(spin, 80us, 1us);
  EXPECT_GT(made.nap, 80us);
  EXPECT_TRUE(made.is_over);
  EXPECT_LE(made.spun, 80us + 3us);
  EXPECT_EQ(wait(spin, 700us, 1us).nap, 0ns);
}

TEST(SpinWait, NoNapIsBeforeAShortSpin) {
  Spin spin(2);
  for (int i = 0; i < 40; ++i) EXPECT_EQ(wait(spin, 700us, 1us).nap, 0ns);
}

TEST(SpinWait, AWaitThatIsNoAnswerOfOtherThreadsHasNoLongSpin) {
  Spin spin(2);
  for (int i = 0; i < 100; ++i) EXPECT_LE(wait(spin, 700us, 1us, 40us).spun, Spin::kShort + 3us);
}

// A spin in 16 is made for answers that take longer than any spin, and lasts 50 us.
TEST(SpinWait, LongAnswersCostNoLongSpins) {
  for (auto const answer : {1100us, 5000us, 1'000'000us}) {
    Spin spin(2);
    spin.allow_long_spins();
    std::chrono::nanoseconds spun{};
    for (int i = 0; i < 320; ++i) spun += wait(spin, answer, 1us).spun;
    EXPECT_LE(spun, 20 * 55us + 320 * 3us + 5 * 55us) << answer.count();
  }
}

TEST(SpinWait, ALimitIsOneMillisecondAndForgetsOldAnswers) {
  Spin spin(2);
  spin.allow_long_spins();
  for (int i = 0; i < 8; ++i) (void)wait(spin, 900us, 1us);
  Wait made = wait(spin, kNever, 1us);
  EXPECT_GE(made.spun, 1ms);
  EXPECT_LE(made.spun, 1ms + 20us);
  for (int i = 0; i < 80; ++i) (void)wait(spin, kNever, 1us);
  for (int i = 0; i < 40; ++i) EXPECT_LE(wait(spin, kNever, 1us).spun, Spin::kShort + 3us);
}

// A wait whose 10th poll is late, because another thread had the processor, and sees its end or not.
bool lose(Spin& spin, bool has_end, int& polls) {
  polls = 0;
  Clock::time += spin.begin();
  bool const is_over = spin.spin([&] {
    Clock::time += ++polls == 10 ? Spin::kLost + 1us : 100ns;
    return has_end && polls == 10;
  });
  Clock::time += 1ms;
  return is_over;
}

// The processor was given to another thread, whose work the spin may wait for.
TEST(SpinWait, ASpinEndsWhenItHasLostTheProcessor) {
  for (bool const has_end : {false, true}) {
    Spin spin(2);
    spin.allow_long_spins();
    while (!wait(spin, 700us, 1us).is_over) {
    }
    auto const begin = Clock::time;
    int polls = 0;
    EXPECT_EQ(lose(spin, has_end, polls), has_end);
    EXPECT_EQ(polls, 10);
    EXPECT_LT(Clock::time - begin, 1300us) << "its limit was a millisecond, and the sleep is another one";
  }
}

// On a busy machine each loss is milliseconds: a long spin in 1,024 waits, soon. Afterwards it is over fast.
TEST(SpinWait, LossesOfTheProcessorMakeLongSpinsRare) {
  Spin spin(2);
  spin.allow_long_spins();
  while (!wait(spin, 700us, 1us).is_over) {
  }
  int losses = 0;
  for (int i = 0; i < 20'000; ++i) {
    int polls = 0;
    auto const begin = Clock::time;
    Clock::time += spin.begin();
    bool const is_over = spin.spin([&] {
      bool const is_long = ++polls > 1 && Clock::time - begin > Spin::kShort + 3us;
      Clock::time += is_long ? 3ms : 1us;
      return is_long;
    });
    if (is_over) {
      ++losses;
    } else {
      EXPECT_LE(polls, 52);
      Clock::time = begin + 700us;
      spin.end_sleep();
    }
  }
  EXPECT_LE(losses, 5 + 20);
  EXPECT_GE(losses, 5 + 15);
  int waits = 0;
  for (int in_a_row = 0; in_a_row < 20; ++waits) in_a_row = wait(spin, 700us, 1us).is_over ? in_a_row + 1 : 0;
  EXPECT_LT(waits, 1023 + 2 * 16 + 30);
  int polls = 0;
  EXPECT_FALSE(lose(spin, false, polls));
  for (waits = 0; !wait(spin, 700us, 1us).is_over;) ++waits;
  EXPECT_LT(waits, 3 + 2 * 16) << "one loss after long spins without one";
}

TEST(SpinWait, ShortSpinsThatEndLateDoNotBringLongOnesBack) {
  Spin spin(2);
  spin.allow_long_spins();
  while (!wait(spin, 700us, 1us).is_over) {
  }
  int losses = 0;
  for (int i = 0; i < 20'000; ++i) {
    int polls = 0;
    auto const begin = Clock::time;
    // Each second wait is over at its second poll, which comes 3 ms late.
    bool const is_late = i % 2 == 1;
    Clock::time += spin.begin();
    bool const is_over = spin.spin([&] {
      bool const is_long = ++polls > 1 && Clock::time - begin > Spin::kShort + 3us;
      Clock::time += is_long || (is_late && polls > 1) ? 3ms : 1us;
      return is_long || (is_late && polls > 1);
    });
    if (is_over && !is_late) ++losses;
    if (is_over) continue;
    Clock::time = begin + 700us;
    spin.end_sleep();
  }
  EXPECT_LE(losses, 5 + 20);
}

}  // namespace
}  // namespace takt::service::test
