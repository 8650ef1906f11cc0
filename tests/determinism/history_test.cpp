// A state is all that counts, never how it came about: save and restore, rollback, and derived state thrown
// away, at every tick, leave every later tick's bits as they were. Bodies come, go and are grabbed within
// every window that is rolled back.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "takt/core/random.h"
#include "tests/determinism/committed_golden.h"
#include "tests/determinism/stage.h"
#include "tests/scene_file.h"

namespace takt::determinism {
namespace {

class History : public testing::TestWithParam<Stage> {
 protected:
  void prepare(double share) {
    scene_ = scene_files::load(GetParam().scene);
    ticks_ = run_ticks(share);
    Play reference = play(scene_, GetParam().mode, ticks_);
    script_ = std::move(reference.script);
    expected_ = std::move(reference.chronicle);
  }
  sim::Scene scene_;
  std::uint64_t ticks_ = 0;
  Script script_;
  Chronicle expected_;
};

void save_and_restore(sim::Simulation& simulation) {
  std::vector<std::byte> const image = simulation.save();
  auto fresh = sim::Simulation::restore(image);
  ASSERT_TRUE(fresh.ok()) << "tick " << simulation.tick() << ": " << message(fresh.error());
  ASSERT_EQ(fresh->tick(), simulation.tick());
  ASSERT_EQ(fresh->hash(), simulation.hash()) << "tick " << simulation.tick();
  ASSERT_EQ(fresh->save(), image) << "tick " << simulation.tick()
                                  << ": the image of a restored world is another one";
  simulation = std::move(fresh).value();
}

TEST_P(History, SavedAndRestoredEvery37Ticks) {
  auto const table = read_golden(GetParam(), true);  // the same run without saves
  ASSERT_TRUE(table.has_value());
  Play const restored = play(scene_files::load(GetParam().scene), GetParam().mode,
                             std::min(run_ticks(), kCostlyTicks), [](sim::Simulation& simulation) {
                               if (simulation.tick() % 37 == 0) save_and_restore(simulation);
                             });
  EXPECT_EQ(first_difference(*table, restored.chronicle), "");
}

TEST_P(History, SavedAndRestoredAtEveryTick) {
  prepare(0.25);
  sim::Simulation simulation = begin(scene_, GetParam().mode);
  Chronicle chronicle;
  chronicle.note(simulation);
  while (simulation.tick() < ticks_) {
    ASSERT_NO_FATAL_FAILURE(save_and_restore(simulation));
    step(simulation, script_);
    chronicle.note(simulation);
  }
  EXPECT_EQ(first_difference(expected_, chronicle), "");
}

TEST_P(History, RolledBackEightTicksAtEveryTick) {
  prepare(0.15);
  constexpr std::size_t kDepth = 8;
  sim::Simulation simulation = begin(scene_, GetParam().mode);
  std::deque<sim::SimulationSnapshot> past;  // of the last kDepth ticks, oldest first
  Chronicle chronicle;
  chronicle.note(simulation);
  while (simulation.tick() < ticks_) {
    past.emplace_back();
    simulation.capture(past.back());
    if (past.size() > kDepth) past.pop_front();
    step(simulation, script_);
    std::uint64_t const there = simulation.tick();
    std::uint64_t const hash = simulation.hash();
    simulation.rollback(past.front());
    ASSERT_EQ(simulation.tick(), there - past.size());
    while (simulation.tick() < there) step(simulation, script_);
    ASSERT_EQ(simulation.hash(), hash)
        << "stepping from tick " << there - past.size() << " to " << there << " again gave another state";
    chronicle.note(simulation);
  }
  EXPECT_EQ(first_difference(expected_, chronicle), "");
}

TEST_P(History, RolledBackOverAnotherFuture) {
  // the client's case: eight ticks with wrong inputs, then back and with the right ones; the wrong future
  // spawned and removed other bodies
  prepare(0.15);
  Script wrong = script_;
  for (std::uint64_t t = 5; t < wrong.size(); ++t) {
    sim::SpawnCommand spawn;
    spawn.position = Position::from_metres(0.25 * static_cast<double>(t % 16) - 2.0, 5.0, 0.5);
    wrong[t].clear();
    if (t % 3 != 0) wrong[t].push_back({t, 1, static_cast<std::uint32_t>(1000 + t), spawn});
  }
  sim::Simulation simulation = begin(scene_, GetParam().mode);
  sim::SimulationSnapshot before;
  Chronicle chronicle;
  chronicle.note(simulation);
  while (simulation.tick() < ticks_) {
    simulation.capture(before);
    std::uint64_t const hash = simulation.hash();
    for (int i = 0; i < 8; ++i) step(simulation, wrong);
    simulation.rollback(before);
    ASSERT_EQ(simulation.hash(), hash) << "tick " << simulation.tick();
    step(simulation, script_);
    chronicle.note(simulation);
  }
  EXPECT_EQ(first_difference(expected_, chronicle), "");
}

TEST_P(History, DerivedStateThrownAwayAtRandomTicks) {
  prepare(0.3);
  Random random(3, 3);
  sim::Simulation simulation = begin(scene_, GetParam().mode);
  Chronicle chronicle;
  chronicle.note(simulation);
  while (simulation.tick() < ticks_) {
    if (random.next_below(3) == 0) simulation.drop_derived_state();
    step(simulation, script_);
    chronicle.note(simulation);
  }
  EXPECT_EQ(first_difference(expected_, chronicle), "");
}

TEST_P(History, TwoSimulationsSteppedInTurnDoNotMeet) {
  prepare(0.2);
  sim::Simulation one = begin(scene_, GetParam().mode);
  sim::Simulation other = begin(scene_, GetParam().mode);
  for (int i = 0; i < 7; ++i) step(other, script_);
  Chronicle chronicle;
  chronicle.note(one);
  while (one.tick() < ticks_) {
    step(one, script_);
    step(other, {});
    chronicle.note(one);
  }
  EXPECT_EQ(first_difference(expected_, chronicle), "");
}

INSTANTIATE_TEST_SUITE_P(Scenes, History, testing::ValuesIn(stages_once_near()),
                         [](const auto& at) { return name_of(at.param); });

}  // namespace
}  // namespace takt::determinism
