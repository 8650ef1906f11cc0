// The scene table of the acceptance in both modes, a minute each: nothing explodes, nothing goes through the floor, what must stand stands. The crowds are smaller
// here than in bench_scenes, whose figures for the full sizes are in docs/PERFORMANCE.md.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/physics/simple_world.h"
#include "tests/physics/trial_run.h"

namespace takt::test {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kSeconds = 10;
#else
constexpr int kSeconds = 60;
#endif

template <class Real>
class SceneTableTest : public testing::Test {
 protected:
  /// The figures after a minute; none lost, whatever the trial.
  static TrialFigures run(const Trial& trial, int seconds = kSeconds) {
    TrialRun run(trial, kNumbersMode<Real>);
    for (int tick = 0; tick < 60 * seconds; ++tick) run.step();
    TrialFigures const figures = run.figures();
    EXPECT_EQ(figures.lost_count, 0u) << trial.name;
    EXPECT_EQ(run.simulation().world().fixed_overflow_total(), 0u) << trial.name;
    return figures;
  }
};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(SceneTableTest, Reals);

// Without kept manifolds it buckles within ten seconds (adr/0004).
TYPED_TEST(SceneTableTest, AStackOfTwentySagsATenthOfABoxAtMost) {
  TrialFigures const figures = this->run(stack_trial(20));
  EXPECT_LT(figures.sink_m, 0.1);
  EXPECT_LT(figures.drift_m, 0.1);
}

// Friction is a spring between bodies that move; a leak without its shear lets both come apart within a minute (adr/0008).
TYPED_TEST(SceneTableTest, AnArchAndACardHouseStand) {
  for (const Trial& trial : {arch_trial(15), card_house_trial(5)}) {
    TrialFigures const figures = this->run(trial);
    EXPECT_LT(figures.sink_m, 0.03) << trial.name;
    EXPECT_LT(figures.fastest_m_s, 1e-3) << trial.name;
  }
}

TYPED_TEST(SceneTableTest, AHeavyBoxRestsOnALightOne) {
  for (double const ratio : {10.0, 100.0, 1000.0}) {
    TrialFigures const figures = this->run(mass_ratio_trial(ratio, 1));
    EXPECT_LT(figures.sink_m, 0.03) << ratio;
    EXPECT_LT(figures.fastest_m_s, 1e-3) << ratio;
  }
}

TYPED_TEST(SceneTableTest, AHundredfoldLoadRestsOnATowerOfNine) {
  TrialFigures const figures = this->run(mass_ratio_trial(100, 9));
  EXPECT_LT(figures.sink_m, 0.05);
  EXPECT_LT(figures.fastest_m_s, 1e-3);
}

// Each plate knocks the next one over, and all of them come to lie on a side.
TYPED_TEST(SceneTableTest, DominoesOneMetreApartAllFall) {
  Trial const trial = double_domino_trial(15);
  TrialRun run(trial, kNumbersMode<TypeParam>);
  for (int tick = 0; tick < 60 * kSeconds; ++tick) run.step();
  for (std::size_t i = 1; i < run.bodies().size(); ++i) {
    sim::BodyView const plate = run.simulation().world().view(run.bodies()[i]);
    EXPECT_LT(std::abs(rotate(plate.rotation, Vec3<double>{0, 1, 0}).y), std::sqrt(0.5)) << "plate " << i << " stands";
  }
  EXPECT_EQ(run.figures().lost_count, 0u);
}

// Energy cannot come from anywhere but the way to the middle, so nobody gets farther out than where the outermost began.
TYPED_TEST(SceneTableTest, ARushStaysWhereItRuns) {
  Trial trial = rush_trial(60);
  double const reach = length(metres(trial.scene.bodies.front().def.position));
  trial.low_m = {-reach, -reach, -reach};
  trial.high_m = {reach, reach, reach};
  this->run(trial);
}

TYPED_TEST(SceneTableTest, APileOfMixedShapesStaysInItsPitAndHardlyOverlaps) {
  TrialFigures const figures = this->run(pile_trial(120));
  EXPECT_GT(figures.penetration.count, 100u) << "they lie on one another";
  EXPECT_LE(figures.penetration.mean_m, 0.0043);
  EXPECT_LE(figures.penetration.p99_m, 0.024);
}

TYPED_TEST(SceneTableTest, ADrumKeepsItsBoxes) { this->run(drum_trial(100)); }

// A thousand kilometres away everything moves by the same bits.
TYPED_TEST(SceneTableTest, AFarPyramidEndsWithTheBitsOfTheNearOne) {
  std::uint64_t const near = this->run(pyramid_trial(8)).digest;
  std::uint64_t const far = this->run(moved_trial(pyramid_trial(8), {1e6, 0, -1e6})).digest;
  EXPECT_EQ(near, far);
}

// Softness is a share of the substep rate without a cap: twice the substeps, a stiffer stack and a stiffer box under a tenfold load, every time.
TYPED_TEST(SceneTableTest, MoreSubstepsMakeEverythingStiffer) {
  for (bool const is_stack : {true, false}) {
    double last = 1.0;
    for (std::uint32_t const substeps : {4u, 8u, 16u}) {
      Trial trial = is_stack ? stack_trial(20) : mass_ratio_trial(10, 1);
      trial.scene.world.substeps = substeps;
      double const sink = this->run(trial, 10).sink_m;
      EXPECT_LT(sink, 0.6 * last) << trial.name << ", " << substeps << " substeps";
      last = sink;
    }
  }
}

}  // namespace
}  // namespace takt::test
