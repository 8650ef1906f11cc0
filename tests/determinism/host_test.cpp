// The host may be hostile: flushed denormals, another rounding mode, another thread. Nothing that a
// simulation does may see it, and the host finds its own settings again.
#include <gtest/gtest.h>

#include <cfenv>
#include <thread>

#include "tests/determinism/stage.h"
#include "tests/scene_file.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace takt::determinism {
namespace {

void be_hostile(int rounding) {
  std::fesetround(rounding);
#if defined(__x86_64__)
  _mm_setcsr(_mm_getcsr() | 0x8040u);  // flush to zero, denormals are zero
#elif defined(__aarch64__)
  std::uint64_t fpcr = 0;
  __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
  __asm__ volatile("msr fpcr, %0" ::"r"(fpcr | (std::uint64_t{1} << 24u)));
#endif
}

class Host : public testing::TestWithParam<Stage> {
 protected:
  void SetUp() override { std::fegetenv(&environment_); }
  void TearDown() override { std::fesetenv(&environment_); }

 private:
  std::fenv_t environment_;
};

TEST_P(Host, RoundingModeAndFlushedDenormalsDoNotCount) {
  std::uint64_t const ticks = run_ticks(0.2);
  sim::Scene const scene = scene_files::load(GetParam().scene);
  Play const reference = play(scene, GetParam().mode, ticks);
  for (int const rounding : {FE_UPWARD, FE_TOWARDZERO}) {
    be_hostile(rounding);
    // loading, creating, inputs, stepping, hashing, saving, restoring: all of it in the foreign environment
    sim::Scene const again = scene_files::load(GetParam().scene);
    EXPECT_EQ(sim::scene_hash(again), sim::scene_hash(scene));
    sim::Simulation simulation = begin(again, GetParam().mode);
    Chronicle chronicle;
    chronicle.note(simulation);
    while (simulation.tick() < ticks) {
      if (simulation.tick() % 50 == 20) {
        auto restored = sim::Simulation::restore(simulation.save());
        ASSERT_TRUE(restored.ok());
        simulation = std::move(restored).value();
      }
      step(simulation, reference.script);
      ASSERT_EQ(std::fegetround(), rounding) << "the host's rounding mode did not come back";
      chronicle.note(simulation);
    }
    EXPECT_EQ(first_difference(reference.chronicle, chronicle), "");
  }
}

TEST_P(Host, AnyThreadMayStep) {
  std::uint64_t const ticks = run_ticks(0.1);
  sim::Scene const scene = scene_files::load(GetParam().scene);
  Chronicle const expected = run(scene, GetParam().mode, {}, ticks);
  // a new thread for every tick, each with a hostile environment
  sim::Simulation simulation = begin(scene, GetParam().mode);
  Chronicle chronicle;
  chronicle.note(simulation);
  while (simulation.tick() < ticks) {
    std::thread([&] {
      be_hostile(FE_DOWNWARD);
      step(simulation, {});
    }).join();
    chronicle.note(simulation);
  }
  EXPECT_EQ(first_difference(expected, chronicle), "");
}

INSTANTIATE_TEST_SUITE_P(Scenes, Host, testing::ValuesIn(stages_once_near()),
                         [](const auto& at) { return name_of(at.param); });

}  // namespace
}  // namespace takt::determinism
