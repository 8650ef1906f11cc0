// The number of workers that share a step never changes a bit, nor does who does which part when: 1, 2, 3 and
// 8 threads, parts cut as small as can be, parts done in any order, with lanes of 1 and the widest, saved,
// restored, rolled back and with a pool that several worlds use.
#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <numeric>
#include <thread>

#include "takt/core/random.h"
#include "takt/threads/thread_pool.h"
#include "tests/determinism/stage.h"
#include "tests/fine_pool.h"
#include "tests/scene_file.h"

namespace takt::determinism {
namespace {

using test::FinePool;

/// One thread that does single items in a random order, as any of eight workers.
class ShuffledPool final : public TaskPool {
 public:
  [[nodiscard]] std::uint32_t worker_count() const noexcept override { return 8; }
  void for_each(std::size_t count, std::size_t, const Loop& loop) override {
    order_.resize(count);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    for (std::size_t i = count; i > 1; --i)
      std::swap(order_[i - 1], order_[random_.next_below(static_cast<std::uint32_t>(i))]);
    for (std::size_t const i : order_) loop.run(loop.context, i, i + 1, random_.next_below(8));
  }

 private:
  Random random_{11, 3};
  std::vector<std::size_t> order_;
};

Chronicle run_on(TaskPool* pool, const sim::Scene& scene, NumbersMode mode, const Script& script,
                 std::uint64_t ticks, std::uint32_t lanes) {
  sim::Simulation simulation = begin(scene, mode);
  Chronicle chronicle;
  chronicle.note(simulation);
  while (simulation.tick() < ticks) {
    step(simulation, script, {.lanes = lanes, .pool = pool});
    chronicle.note(simulation);
  }
  return chronicle;
}

class Threads : public testing::TestWithParam<Stage> {};

TEST_P(Threads, AnyNumberGivesTheSameBits) {
  sim::Scene const scene = scene_files::load(GetParam().scene);
  std::uint64_t const ticks = run_ticks(0.07);
  Play const reference = play(scene, GetParam().mode, ticks);
  for (std::uint32_t const threads : {1u, 2u, 3u, 8u}) {
    ThreadPool pool(threads);
    FinePool fine(threads);
    for (std::uint32_t const lanes : {1u, 16u}) {
      if (GetParam().mode == NumbersMode::kFixed && lanes != 1)
        continue;  // fixed mode takes no notice of the width
      EXPECT_EQ(first_difference(reference.chronicle,
                                 run_on(&fine, scene, GetParam().mode, reference.script, ticks, lanes)),
                "")
          << threads << " threads, " << lanes << " lanes, parts of one item";
    }
    EXPECT_EQ(first_difference(reference.chronicle,
                               run_on(&pool, scene, GetParam().mode, reference.script, ticks, 0)),
              "")
        << threads << " threads";
  }
}

TEST_P(Threads, TheOrderOfPartsDoesNotCount) {
  sim::Scene const scene = scene_files::load(GetParam().scene);
  std::uint64_t const ticks = run_ticks(0.15);
  Play const reference = play(scene, GetParam().mode, ticks);
  ShuffledPool pool;
  EXPECT_EQ(first_difference(reference.chronicle,
                             run_on(&pool, scene, GetParam().mode, reference.script, ticks, 0)),
            "");
}

// One pool for two worlds in turn: what a worker left in its scratch for one must not reach the other. The
// number of workers changes from tick to tick, and the state is saved and restored, rolled back and stripped
// of what is derived between them.
TEST_P(Threads, WorldsMayShareAPoolAndChangeIt) {
  sim::Scene const scene = scene_files::load(GetParam().scene);
  std::uint64_t const ticks = run_ticks(0.1);
  Play const reference = play(scene, GetParam().mode, ticks);
  FinePool two(2);
  FinePool three(3);
  TaskPool* const pools[] = {&two, &three, nullptr};
  Random random(9, 9);
  sim::Simulation simulation = begin(scene, GetParam().mode);
  sim::Simulation other = begin(scene, GetParam().mode);
  sim::SimulationSnapshot snapshot;
  Chronicle chronicle;
  Chronicle of_other;
  chronicle.note(simulation);
  of_other.note(other);
  while (simulation.tick() < ticks) {
    disturb(simulation, random.next_below(8), snapshot, reference.script, {.pool = &three});
    step(simulation, reference.script, {.pool = pools[random.next_below(3)]});
    chronicle.note(simulation);
    step(other, reference.script, {.lanes = 1, .pool = pools[random.next_below(3)]});
    of_other.note(other);
  }
  EXPECT_EQ(first_difference(reference.chronicle, chronicle), "");
  EXPECT_EQ(first_difference(reference.chronicle, of_other), "");
}

INSTANTIATE_TEST_SUITE_P(Scenes, Threads, testing::ValuesIn(stages_once_near()),
                         [](const auto& at) { return name_of(at.param); });

/// Threads of a host that rounds upwards: each part gets the control word of a step all the same.
class HostilePool final : public TaskPool {
 public:
  [[nodiscard]] std::uint32_t worker_count() const noexcept override { return 2; }
  void for_each(std::size_t count, std::size_t, const Loop& loop) override {
    for (std::size_t i = 0; i < count; ++i) {
      std::thread([&] {
        std::fesetround(FE_UPWARD);
        loop.run(loop.context, i, i + 1, static_cast<std::uint32_t>(i % 2));
        if (std::fegetround() != FE_UPWARD) lost_ = true;
      }).join();
    }
  }
  [[nodiscard]] bool lost_its_mode() const noexcept { return lost_; }

 private:
  bool lost_ = false;
};

class ThreadsOfAHost : public testing::TestWithParam<NumbersMode> {};

TEST_P(ThreadsOfAHost, MayRoundAsTheyLike) {
  sim::Scene const scene = scene_files::load("shapes");
  std::uint64_t const ticks = 12;
  Play const reference = play(scene, GetParam(), ticks);
  HostilePool pool;
  EXPECT_EQ(
      first_difference(reference.chronicle, run_on(&pool, scene, GetParam(), reference.script, ticks, 0)),
      "");
  EXPECT_FALSE(pool.lost_its_mode()) << "a part left the host's rounding mode changed";
}

INSTANTIATE_TEST_SUITE_P(Modes, ThreadsOfAHost, testing::Values(NumbersMode::kFloat, NumbersMode::kFixed),
                         [](const auto& at) { return std::string(mode_name(at.param)); });

}  // namespace
}  // namespace takt::determinism
