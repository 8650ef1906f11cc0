// Time in which the caller did not run the client: StallWatch finds it, and the jitter buffer does not count
// it as jitter of the network. Real jitter widens the delay as before.
#include "client_sdk/cpp/stall_watch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <vector>

#include "client_sdk/cpp/jitter_buffer.h"
#include "takt/core/random.h"

namespace takt::client {
namespace {

/// A program on a virtual clock: a server at 60 Hz, a path, and a caller that polls once a frame and stalls.
/// The socket queues what arrives between two polls.
struct Program {
  // Microseconds of the path for a snapshot that leaves now.
  std::function<double(std::uint64_t now_us)> delay_us = [](std::uint64_t) { return 1000.0; };
  std::function<bool(std::uint32_t serial)> is_lost = [](std::uint32_t) { return false; };
  // Microseconds of a stall that begins at this poll; 0 = none.
  std::function<double(std::uint64_t now_us)> stall_us = [](std::uint64_t) { return 0.0; };
  std::uint64_t frame_us = 16'000;
  std::size_t handled_per_poll = 1'000'000;
  bool is_watched = true;
  bool is_stream = true;

  JitterBuffer buffer;
  StallWatch watch;
  std::uint64_t now_us = 0;
  double max_delay_ms = 0;

  void run_s(double seconds) {
    auto const end = now_us + static_cast<std::uint64_t>(seconds * 1e6);
    max_delay_ms = 0;
    for (; now_us < end; now_us += 1000) {
      send();
      if (now_us >= next_poll_us_) poll();
    }
  }

 private:
  struct Arrival {
    double at_us;
    std::uint32_t serial;
    std::uint64_t tick;
  };

  static double tick_at(std::uint64_t us) { return 1000 + static_cast<double>(us) * 60e-6; }

  double earliest_tick() const { return tick_at(is_watched ? watch.earliest_us(now_us) : now_us); }

  void send() {
    while (static_cast<double>(tick_ + 1) <= tick_at(now_us)) {
      ++tick_;
      ++serial_;
      if (is_lost(serial_)) continue;
      double at_us = static_cast<double>(now_us) + delay_us(now_us);
      if (is_stream && !queue_.empty()) at_us = std::max(at_us, queue_.back().at_us);
      queue_.push_back({at_us, serial_, tick_});
    }
  }

  void poll() {
    std::stable_sort(queue_.begin(), queue_.end(),
                     [](const Arrival& a, const Arrival& b) { return a.at_us < b.at_us; });
    watch.handle_run(now_us);
    std::size_t handled = 0;
    for (; has_arrived() && handled < handled_per_poll; ++handled, queue_.pop_front())
      buffer.handle_snapshot(queue_.front().serial, queue_.front().tick, false, 0, tick_at(now_us),
                             earliest_tick());
    if (!has_arrived()) watch.handle_drained();
    double const before = buffer.render_tick();
    buffer.advance(now_us, tick_at(now_us), earliest_tick());
    if (buffer.has_snapshot()) {
      ASSERT_GE(buffer.render_tick(), before);
      ASSERT_LE(buffer.render_tick(), static_cast<double>(buffer.newest_tick()));
      max_delay_ms = std::max(max_delay_ms, buffer.delay_ms());
    }
    next_poll_us_ = now_us + std::max(frame_us, static_cast<std::uint64_t>(stall_us(now_us)));
  }
  bool has_arrived() const { return !queue_.empty() && queue_.front().at_us <= static_cast<double>(now_us); }

  std::deque<Arrival> queue_;
  std::uint64_t next_poll_us_ = 0;
  std::uint64_t tick_ = 1000;
  std::uint32_t serial_ = 0;
};

/// A stall of 250 ms at the first poll from `at_us` on.
std::function<double(std::uint64_t)> one_stall(std::uint64_t at_us) {
  return [at_us, is_over = false](std::uint64_t now_us) mutable {
    if (is_over || now_us < at_us) return 0.0;
    is_over = true;
    return 250'000.0;
  };
}

/// Stalls of 30 to 400 ms, `per_s` a second on average.
std::function<double(std::uint64_t)> random_stalls(std::uint64_t seed, double per_s) {
  return [random = Random(seed), per_s](std::uint64_t) mutable {
    return random.next_unit() < per_s * 0.016 ? random.next_between(30'000, 400'000) : 0.0;
  };
}

TEST(StallWatch, RunsCloseToEachOtherArePrompt) {
  StallWatch watch;
  for (std::uint64_t us = 0; us < 1'000'000; us += 16'000) {
    watch.handle_run(us);
    EXPECT_EQ(watch.earliest_us(us), us);
  }
}

TEST(StallWatch, AfterAStallArrivalsMayBeAsOldAsTheLastRunUntilTheSocketIsDrained) {
  StallWatch watch;
  watch.handle_run(1'000'000);
  watch.handle_run(1'250'000);
  EXPECT_EQ(watch.earliest_us(1'250'000), 1'000'000u);
  watch.handle_run(1'266'000);
  EXPECT_EQ(watch.earliest_us(1'266'000), 1'000'000u);
  watch.handle_drained();
  EXPECT_EQ(watch.earliest_us(1'266'000), 1'266'000u);
}

TEST(StallWatch, AWaitForTheSocketIsNoStall) {
  StallWatch watch;
  watch.handle_run(1'000'000);
  watch.handle_waited(1'250'000);
  watch.handle_run(1'250'000);
  EXPECT_EQ(watch.earliest_us(1'250'000), 1'250'000u);
}

TEST(StallWatch, TwoStallsCostNoDelayAndNoStarvation) {
  for (bool const is_watched : {true, false}) {
    Program program;
    program.is_watched = is_watched;
    program.run_s(5);
    double const before_ms = program.buffer.delay_ms();
    EXPECT_LT(before_ms, 60);
    program.stall_us = one_stall(5'000'000);
    program.run_s(2);
    program.stall_us = one_stall(7'000'000);
    program.run_s(4);
    if (is_watched) {
      EXPECT_LT(program.max_delay_ms, before_ms + 2);
      EXPECT_EQ(program.buffer.starvations(), 0u);
    } else {
      EXPECT_GT(program.max_delay_ms, 200);  // the reproduction of issue 16
    }
  }
}

TEST(StallWatch, ABacklogThatTakesSeveralPollsCostsNoDelay) {
  Program program;
  program.run_s(5);
  double const before_ms = program.buffer.delay_ms();
  program.handled_per_poll = 4;
  program.stall_us = one_stall(5'000'000);
  program.run_s(3);
  EXPECT_LT(program.max_delay_ms, before_ms + 2);
  EXPECT_EQ(program.buffer.starvations(), 0u);
}

TEST(StallWatch, AProgramThatStallsAtEveryFrameHasAnOrdinaryDelay) {
  for (std::uint64_t const frame_us : {33'000u, 50'000u, 100'000u, 300'000u}) {
    for (double const transit_us : {1'000.0, 60'000.0}) {
      Program program;
      program.frame_us = frame_us;
      program.delay_us = [&](std::uint64_t) { return transit_us; };
      program.run_s(30);
      double const transit_ms = transit_us / 1000;
      EXPECT_GE(program.buffer.delay_ms(), transit_ms) << frame_us << " " << transit_us;
      EXPECT_LT(program.buffer.delay_ms(), transit_ms * 1.1 + 60) << frame_us << " " << transit_us;
      EXPECT_LT(program.buffer.starved_ms(), 40) << frame_us << " " << transit_us;
    }
  }
}

TEST(StallWatch, ASlowProgramFollowsAPathThatBecomesSlower) {
  Program program;
  program.frame_us = 80'000;
  program.delay_us = [](std::uint64_t now_us) { return now_us < 10'000'000 ? 10'000.0 : 120'000.0; };
  program.run_s(30);
  EXPECT_GT(program.buffer.delay_ms(), 110);
  EXPECT_LT(program.buffer.delay_ms(), 220);
}

TEST(StallWatch, AnOutageOfTheNetworkIsNoStall) {
  for (std::uint64_t const frame_us : {16'000u, 33'000u}) {
    Program program;
    program.frame_us = frame_us;
    program.is_lost = [](std::uint32_t serial) { return serial >= 300 && serial < 330; };
    program.run_s(8);
    EXPECT_EQ(program.buffer.starvations(), 1u);
    EXPECT_GT(program.buffer.starved_ms(), 350);
    EXPECT_GT(program.max_delay_ms, 500 - JitterBuffer::kRegainMs - 33);
  }
}

class RandomStalls : public testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Seeds, RandomStalls, testing::Range<std::uint64_t>(1, 17));

TEST_P(RandomStalls, DelayAndStarvationAreThoseOfTheSamePathWithoutStalls) {
  for (double const jitter_us : {0.0, 30'000.0, 80'000.0}) {
    for (bool const is_stream : {true, false}) {
      auto const make = [&](double stalls_per_s) {
        Program program;
        program.is_stream = is_stream;
        program.delay_us = [random = Random(100 + GetParam()), jitter_us](std::uint64_t) mutable {
          return 20'000 + random.next_between(0, jitter_us);
        };
        program.stall_us = random_stalls(GetParam(), stalls_per_s);
        return program;
      };
      struct Outcome {
        double max_delay_ms;
        double starved_ms;
      };
      auto const run = [](Program program) {
        program.run_s(12);
        double const starved_before_ms = program.buffer.starved_ms();
        program.run_s(48);
        return Outcome{program.max_delay_ms, program.buffer.starved_ms() - starved_before_ms};
      };
      Outcome const calm = run(make(0));
      Outcome const stalled = run(make(0.7));
      auto const about = testing::Message()
                         << "seed " << GetParam() << ", jitter " << jitter_us << ", stream " << is_stream;
      EXPECT_LT(stalled.max_delay_ms, calm.max_delay_ms + 25) << about;
      EXPECT_GT(stalled.max_delay_ms, calm.max_delay_ms - 25) << about;
      EXPECT_LE(stalled.starved_ms, calm.starved_ms + 60) << about;  // 0.1 % of the time
    }
  }
}

TEST_P(RandomStalls, JitterThatBeginsAmongStallsStillWidensTheDelay) {
  Program program;
  program.delay_us = [random = Random(GetParam())](std::uint64_t now_us) mutable {
    return 20'000 + (now_us > 20'000'000 ? random.next_between(0, 100'000) : 0);
  };
  program.stall_us = random_stalls(GetParam(), 1);
  program.run_s(19);
  EXPECT_LT(program.max_delay_ms, 90);
  program.run_s(21);
  EXPECT_GT(program.buffer.delay_ms(), 110);
  // Transit, two ticks until a frame has it, half a tick, and three tenths of the variation.
  EXPECT_LT(program.buffer.delay_ms(), 120 + 2.5 * 16.7 + 0.3 * (100 + 16.7));
}

}  // namespace
}  // namespace takt::client
