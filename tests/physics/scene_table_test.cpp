// The scene table of the acceptance in both modes, a minute each: nothing explodes, nothing goes through the
// floor, what must stand stands. The crowds are smaller here than in bench_scenes, whose stats for the full
// sizes are in docs/PERFORMANCE.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/physics/simple_world.h"
#include "tests/physics/trial_run.h"
#include "tests/sanitizers.h"
#include "tests/scene_file.h"

namespace takt::test {
namespace {

constexpr int kSeconds = test::kIsSanitized ? 10 : 60;

/// A scene of examples/scenes whose dynamic bodies must stay between two corners.
Trial scene_trial(const char* name, Vec3<double> low_m, Vec3<double> high_m) {
  Trial trial;
  trial.name = name;
  trial.scene = scene_files::load(name);
  trial.low_m = low_m;
  trial.high_m = high_m;
  return trial;
}

/// The ground of a height field of spacing 1 m, between its samples as its triangles run.
double height_at(const HeightFieldDef& field, double x, double z) {
  auto const column = std::min(static_cast<std::uint32_t>(std::max(x, 0.0)), field.columns - 2);
  auto const row = std::min(static_cast<std::uint32_t>(std::max(z, 0.0)), field.rows - 2);
  auto const sample = [&](std::uint32_t r, std::uint32_t c) {
    return field.heights_m[(row + r) * field.columns + column + c];
  };
  double const u = x - column;
  double const v = z - row;
  if (u > v) return sample(0, 0) + u * (sample(0, 1) - sample(0, 0)) + v * (sample(1, 1) - sample(0, 1));
  return sample(0, 0) + v * (sample(1, 0) - sample(0, 0)) + u * (sample(1, 1) - sample(1, 0));
}

template <class Real>
class SceneTableTest : public testing::Test {
 protected:
  /// The stats after a minute; none lost, whatever the trial.
  static TrialStats run(const Trial& trial, int seconds = kSeconds) {
    TrialRun run(trial, kNumbersMode<Real>);
    for (int tick = 0; tick < 60 * seconds; ++tick) run.step();
    TrialStats const stats = run.stats();
    EXPECT_EQ(stats.lost_count, 0u) << trial.name;
    EXPECT_EQ(run.simulation().world().fixed_overflow_total(), 0u) << trial.name;
    return stats;
  }
};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(SceneTableTest, Reals);

// Without kept manifolds it buckles within ten seconds (adr/0004).
TYPED_TEST(SceneTableTest, AStackOfTwentySagsATenthOfABoxAtMost) {
  TrialStats const stats = this->run(stack_trial(20));
  EXPECT_LT(stats.sink_m, 0.1);
  EXPECT_LT(stats.drift_m, 0.1);
}

// Friction is a spring between bodies that move; an impulse scale without the friction anchor lets both
// come apart within a minute (adr/0008).
TYPED_TEST(SceneTableTest, AnArchAndACardHouseStand) {
  for (const Trial& trial : {arch_trial(15), card_house_trial(5)}) {
    TrialStats const stats = this->run(trial);
    EXPECT_LT(stats.sink_m, 0.03) << trial.name;
    EXPECT_LT(stats.fastest_m_s, 1e-3) << trial.name;
  }
}

TYPED_TEST(SceneTableTest, AHeavyBoxRestsOnALightOne) {
  for (double const ratio : {10.0, 100.0, 1000.0}) {
    TrialStats const stats = this->run(mass_ratio_trial(ratio, 1));
    EXPECT_LT(stats.sink_m, 0.03) << ratio;
    EXPECT_LT(stats.fastest_m_s, 1e-3) << ratio;
  }
}

TYPED_TEST(SceneTableTest, AHundredfoldLoadRestsOnATowerOfNine) {
  TrialStats const stats = this->run(mass_ratio_trial(100, 9));
  EXPECT_LT(stats.sink_m, 0.05);
  EXPECT_LT(stats.fastest_m_s, 1e-3);
}

// Each plate knocks the next one over, and all of them come to lie on a side.
TYPED_TEST(SceneTableTest, DominoesOneMetreApartAllFall) {
  Trial const trial = double_domino_trial(15);
  TrialRun run(trial, kNumbersMode<TypeParam>);
  for (int tick = 0; tick < 60 * kSeconds; ++tick) run.step();
  for (std::size_t i = 1; i < run.bodies().size(); ++i) {
    sim::BodyView const plate = run.simulation().world().view(run.bodies()[i]);
    EXPECT_LT(std::abs(rotate(plate.rotation, Vec3<double>{0, 1, 0}).y), std::sqrt(0.5))
        << "plate " << i << " stands";
  }
  EXPECT_EQ(run.stats().lost_count, 0u);
}

// Energy cannot come from anywhere but the way to the middle, so nobody gets farther out than where the
// outermost began.
TYPED_TEST(SceneTableTest, ARushStaysWhereItRuns) {
  Trial trial = rush_trial(60);
  double const reach = length(metres(trial.scene.bodies.front().def.position));
  trial.low_m = {-reach, -reach, -reach};
  trial.high_m = {reach, reach, reach};
  this->run(trial);
}

TYPED_TEST(SceneTableTest, APileOfMixedShapesStaysInItsPitAndHardlyOverlaps) {
  TrialStats const stats = this->run(pile_trial(120));
  EXPECT_GT(stats.penetration.count, 100u) << "they lie on one another";
  EXPECT_LE(stats.penetration.mean_m, 0.0043);
  EXPECT_LE(stats.penetration.p99_m, 0.024);
}

TYPED_TEST(SceneTableTest, ADrumKeepsItsBoxes) { this->run(drum_trial(100)); }

// examples/scenes/stairs.json: 500 balls down a slope and twenty steps of one mesh. A ball that leans over an
// edge has its middle above the step in front.
TYPED_TEST(SceneTableTest, FiveHundredBallsGoDownTheStairsAndNoneThroughThem) {
  Trial const trial = scene_trial("stairs", {-8, 0, -6}, {26, 14, 6});
  TrialRun run(trial, kNumbersMode<TypeParam>);
  double fastest = 0;
  for (int tick = 0; tick < 60 * kSeconds; ++tick) {
    run.step();
    if (tick % 30 == 0) fastest = std::max(fastest, run.stats().fastest_m_s);
  }
  EXPECT_LT(fastest, std::sqrt(2 * 9.81 * 13.4)) << "nothing explodes: they start no higher than 13.4 m";
  EXPECT_EQ(run.stats().lost_count, 0u);
  int balls = 0;
  int below = 0;
  for (std::size_t i = 0; i < run.bodies().size(); ++i) {
    sim::BodyView const ball = run.simulation().world().view(run.bodies()[i]);
    if (ball.type != BodyType::kDynamic) continue;
    Vec3<double> const p = metres(ball.position);
    double const step = std::clamp(std::floor(p.x / 0.6), 0.0, 20.0);
    EXPECT_GT(p.y, p.x < 0 ? 5 - 0.25 * p.x : 5 - 0.25 * std::min(step + 1, 20.0))
        << "ball " << i << " at x " << p.x;
    ++balls;
    if (p.x > 12) ++below;
  }
  EXPECT_EQ(balls, 500);
  if (kSeconds == 60) {
    EXPECT_GT(below, 400) << "they are down after a minute";
  }
}

// examples/scenes/terrain.json: boxes, balls, cylinders, capsules, cones and hulls on a height field with a
// hole, below which is a pit.
TYPED_TEST(SceneTableTest, MixedBodiesRestOnATerrainAndFallThroughItsHoleOnly) {
  Trial const trial = scene_trial("terrain", {-16, 0, -16}, {16, 22, 16});
  TrialRun run(trial, kNumbersMode<TypeParam>);
  double fastest = 0;
  for (int tick = 0; tick < 60 * kSeconds; ++tick) {
    run.step();
    if (tick % 30 == 0) fastest = std::max(fastest, run.stats().fastest_m_s);
  }
  EXPECT_LT(fastest, std::sqrt(2 * 9.81 * 14)) << "nothing explodes: they start no higher than 14 m";
  EXPECT_EQ(run.stats().lost_count, 0u);
  const HeightFieldDef& field = *trial.scene.bodies[0].shapes[0].height_field;
  int bodies = 0;
  for (std::size_t i = 0; i < run.bodies().size(); ++i) {
    sim::BodyView const body = run.simulation().world().view(run.bodies()[i]);
    if (body.type != BodyType::kDynamic) continue;
    ++bodies;
    Vec3<double> const p = metres(body.position);
    bool const in_pit = std::abs(p.x + 9) < 1.3 && std::abs(p.z - 9) < 1.3;
    // A shape's middle is its lowest place or above it, but for rounding and what it sinks.
    EXPECT_TRUE(in_pit || p.y > 2 + height_at(field, p.x + 16, p.z + 16) - 0.02)
        << "body " << i << " at " << p.x << " " << p.y << " " << p.z;
  }
  EXPECT_EQ(bodies, 122);
}

// A thousand kilometres away everything moves by the same bits.
TYPED_TEST(SceneTableTest, AFarPyramidEndsWithTheBitsOfTheNearOne) {
  std::uint64_t const near = this->run(pyramid_trial(8)).digest;
  std::uint64_t const far = this->run(moved_trial(pyramid_trial(8), {1e6, 0, -1e6})).digest;
  EXPECT_EQ(near, far);
}

// Softness is a fraction of the substep rate without a cap: twice the substeps, a stiffer stack and a stiffer
// box under a tenfold load, every time.
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
