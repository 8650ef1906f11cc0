// TickLoop on a clock that the test moves: the number of ticks at each speed, and the updates between them.
#include "server/tick_loop.h"

#include <gtest/gtest.h>

#include <vector>

namespace takt::server {
namespace {

thread_local std::uint64_t loop_cpu_ns = 0;  ///< processor time of the thread, moved by the tests

/// A world that takes a given time to step, and nothing else.
class Metronome final : public Playable {
 public:
  explicit Metronome(std::uint64_t& now_us) : now_us_(&now_us) {}
  void handle_event(protocol::ServerEvent&&) override {}
  [[nodiscard]] RoomUpdate step(const UpdateRequest& request) override {
    ++tick;
    *now_us_ += step_us;
    loop_cpu_ns += 1000 * cpu_us;
    (void)tick_rate_.count_tick();
    return update(request);
  }
  [[nodiscard]] RoomUpdate idle(const UpdateRequest& request) override { return update(request); }
  void note_tick(std::uint32_t cost_us, std::uint32_t) override { costs_us.push_back(cost_us); }
  [[nodiscard]] const TickRate& tick_rate() const noexcept override { return tick_rate_; }
  [[nodiscard]] RoomChange now() const override { return {}; }
  [[nodiscard]] WorldStats stats() const override { return {tick, 0, 0, 0}; }
  [[nodiscard]] std::uint64_t hash() const override { return 0; }
  [[nodiscard]] const RoomCounters& counters() const noexcept override { return counters_; }
  [[nodiscard]] std::uint32_t tick_rate_hz() const noexcept override { return rate_hz; }
  [[nodiscard]] NumbersMode numbers() const noexcept override { return NumbersMode::kFloat; }
  [[nodiscard]] std::uint32_t players_max() const noexcept override { return 1; }
  void control(protocol::ControlAction action, float speed = 1, std::uint64_t ticks = 0) {
    (void)tick_rate_.apply({0, action, speed, ticks, {}});
  }

  std::uint64_t tick = 0;
  std::uint64_t step_us = 0;
  std::uint64_t cpu_us = 0;
  std::uint32_t rate_hz = 60;
  std::vector<std::uint32_t> costs_us;  ///< as note_tick() had them

 private:
  RoomUpdate update(const UpdateRequest& request) const {
    RoomUpdate out;
    out.tick = tick;
    if (request.snapshot) out.snapshot.emplace();
    if (request.stats) out.stats.emplace();
    return out;
  }
  std::uint64_t* now_us_;
  TickRate tick_rate_;
  RoomCounters counters_;
};

class TickLoopTest : public testing::Test {
 protected:
  TickLoopTest()
      : world(now_us),
        loop(
            world, 5, [this] { return now_us; }, TickCost([]() noexcept { return loop_cpu_ns; })) {
    loop.start();
  }
  void run_for(std::uint64_t us) {
    std::uint64_t const until = now_us + us;
    while (loop.next_us() <= until) {
      now_us = std::max(now_us, loop.next_us());
      ++calls;
      loop.run_due([this](RoomUpdate&& update) {
        ++updates;
        snapshots += update.snapshot ? 1u : 0u;
        stats += update.stats ? 1u : 0u;
      });
    }
    now_us = std::max(now_us, until);
  }
  void reset() { calls = updates = snapshots = stats = 0; }

  std::uint64_t now_us = 1'000'000;
  Metronome world;
  TickLoop loop;
  std::uint64_t calls = 0, updates = 0, snapshots = 0, stats = 0;
};

TEST_F(TickLoopTest, AtSpeedOneEachTickIsAnUpdate) {
  run_for(10'000'000);
  EXPECT_EQ(world.tick, 600u);
  EXPECT_EQ(calls, 600u);
  EXPECT_EQ(snapshots, 600u);
  EXPECT_EQ(stats, 10u);
}

TEST_F(TickLoopTest, SlowTicksComeAtTheirTimeAndTheWorldIsRepeatedInBetween) {
  world.control(protocol::ControlAction::kSetSpeed, 0.1f);
  run_for(10'000'000);
  EXPECT_NEAR(static_cast<double>(world.tick), 60.0, 1.0);
  EXPECT_GT(calls, 500u);      // a control is answered within 17 ms
  EXPECT_GT(snapshots, 150u);  // what was lost comes again
  EXPECT_LT(snapshots, 300u);
  EXPECT_GE(stats, 6u);
}

TEST_F(TickLoopTest, FastTicksComeInBatchesOfWhichOneIsPublished) {
  world.control(protocol::ControlAction::kSetSpeed, 10.0f);
  run_for(100'000);
  std::uint64_t const before = world.tick;
  reset();
  run_for(10'000'000);
  EXPECT_NEAR(static_cast<double>(world.tick - before), 6000.0, 10.0);
  EXPECT_NEAR(static_cast<double>(calls), 600.0, 5.0);
  EXPECT_EQ(snapshots, calls);
  EXPECT_LE(stats, 12u);
  EXPECT_EQ(loop.clock().dropped_ticks(), 0u);
}

TEST_F(TickLoopTest, NoUpdateTakesLongerThanItsBatchHoweverFastItShouldRun) {
  world.step_us = 4'000;
  world.control(protocol::ControlAction::kSetSpeed, 100.0f);
  for (int i = 0; i < 50; ++i) {
    now_us = std::max(now_us, loop.next_us());
    std::uint64_t const begin_us = now_us;
    loop.run_due([](RoomUpdate&&) {});
    EXPECT_LE(now_us - begin_us, TickLoop::kBatchUs + world.step_us);
  }
  EXPECT_GT(loop.clock().dropped_ticks(), 1000u);
}

TEST_F(TickLoopTest, WhilePausedNothingTicksAndNewcomersAreServed) {
  run_for(1'000'000);
  world.control(protocol::ControlAction::kPause);
  reset();
  run_for(3'000'000);
  EXPECT_EQ(world.tick, 60u);
  EXPECT_GT(calls, 150u);
  EXPECT_NEAR(static_cast<double>(snapshots), 58.0, 15.0);  // one every 50 ms
  EXPECT_GE(stats, 1u);
  world.control(protocol::ControlAction::kResume);
  run_for(1'000'000);
  EXPECT_NEAR(static_cast<double>(world.tick), 119.0, 1.0);  // and does not catch up
  EXPECT_EQ(loop.clock().dropped_ticks(), 0u);
}

TEST_F(TickLoopTest, StepsRunAtOnceAndNoFurther) {
  world.control(protocol::ControlAction::kStep, 1, 1000);
  run_for(20'000);
  EXPECT_EQ(world.tick, 1000u);
  run_for(1'000'000);
  EXPECT_EQ(world.tick, 1000u);
}

TEST_F(TickLoopTest, LongStepsLeaveRoomForEverythingElse) {
  world.step_us = 10'000;
  world.control(protocol::ControlAction::kStep, 1, 100);
  now_us = std::max(now_us, loop.next_us());
  std::uint64_t const begin_us = now_us;
  loop.run_due([](RoomUpdate&&) {});
  EXPECT_LE(now_us - begin_us, TickLoop::kBatchUs + world.step_us);
  EXPECT_LT(world.tick, 10u);
  run_for(2'000'000);
  EXPECT_EQ(world.tick, 100u);
  EXPECT_EQ(loop.clock().dropped_ticks(), 0u);  // steps that wait are not lost
}

TEST_F(TickLoopTest, TheWorldHearsOfItsProcessorTimeAndTheWindowOfTheTime) {
  world.step_us = 9'000;
  world.cpu_us = 700;
  run_for(2'000'000);
  ASSERT_GT(world.costs_us.size(), 100u);
  EXPECT_EQ(world.costs_us, std::vector<std::uint32_t>(world.costs_us.size(), 700));
  EXPECT_EQ(loop.costs().quantile_us(0.5), 700u);
  EXPECT_EQ(loop.window().quantile_us(0.5), 9'000u);
  world.cpu_us = 12'000;  // a clock that runs ahead: no tick costs more than it took
  run_for(100'000);
  EXPECT_EQ(world.costs_us.back(), 9'000u);
}

TEST_F(TickLoopTest, AnotherTickRateIsFollowed) {
  world.rate_hz = 120;
  run_for(1'100'000);
  std::uint64_t const before = world.tick;
  run_for(5'000'000);
  EXPECT_NEAR(static_cast<double>(world.tick - before), 600.0, 1.0);
}

TEST_F(TickLoopTest, ASlowRateDoesNotMakeAnswersSlow) {
  world.rate_hz = 1;
  run_for(10'000'000);
  EXPECT_NEAR(static_cast<double>(world.tick), 10.0, 1.0);
  EXPECT_GT(calls, 400u);
}

}  // namespace
}  // namespace takt::server
