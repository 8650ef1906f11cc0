#include <gtest/gtest.h>

#include <limits>

#include <array>
#include <vector>

#include "physics/math/block_ldlt_steps.h"
#include "physics/simd/double_lanes.h"
// After the lane types, whose operators its templates call.
#include "physics/joints/joint_row_steps.h"
#include "takt/core/random.h"

namespace takt {
namespace {

using Lanes = Doubles<4>;

/// Equal random numbers for a scalar row and for one lane of a row of four.
struct Numbers {
  explicit Numbers(std::uint64_t seed) : random(seed) {}
  double next() { return static_cast<double>(random.next_below(2000001)) * 1e-6 - 1.0; }
  Random random;
};

template <class N>
struct Scene {
  static constexpr std::uint32_t kRows = 5;
  struct MassOf {
    Vec3<N> inverse_mass;
    N inverse_inertia[6];
  };
  std::array<EqualityRowOf<N>, kRows> rows;
  MassOf a;
  MassOf b;
  LimitRowOf<N, kMaxTreeRows> limit;
  VelocityOf<N> velocity_a;
  VelocityOf<N> velocity_b;
  JointEndOf<N> end_a;
  JointEndOf<N> end_b;
  TensionOf<N> tension;
};

/// Calls visit(number) for each input of a scene, in one order for every N.
template <class N, class Visit>
void visit_inputs(Scene<N>& scene, const Visit& visit) {
  auto const vector = [&](Vec3<N>& v) {
    visit(v.x);
    visit(v.y);
    visit(v.z);
  };
  for (EqualityRowOf<N>& row : scene.rows) {
    vector(row.linear);
    vector(row.jacobian_a);
    vector(row.jacobian_b);
    visit(row.impulse);
  }
  for (Vec3<N>* v : {&scene.limit.linear, &scene.limit.angular_a, &scene.limit.angular_b,
                     &scene.velocity_a.linear, &scene.velocity_a.angular, &scene.velocity_b.linear,
                     &scene.velocity_b.angular, &scene.end_a.lever_arm, &scene.end_b.lever_arm})
    vector(*v);
  visit(scene.limit.lower_gap_or_max);
  visit(scene.limit.upper_gap_or_speed);
  visit(scene.limit.impulse);
}

template <class N>
void set_masses(Scene<N>& scene) {
  scene.a.inverse_mass = {N(0.5), N(0.5), N(0.0)};
  scene.b.inverse_mass = {N(2.0), N(2.0), N(2.0)};
  for (int i = 0; i < 6; ++i) {
    scene.a.inverse_inertia[i] = N(i < 3 ? 1.0 + 0.25 * i : 0.125);
    scene.b.inverse_inertia[i] = N(i < 3 ? 3.0 - 0.5 * i : -0.25);
  }
  scene.end_a.body = 0;
  scene.end_b.body = 1;
  scene.end_a.moves = scene.end_b.moves = true;
}

/// K of the rows, row after row, and its L D L^T factor.
template <class N>
struct Factor {
  N block[Scene<N>::kRows * Scene<N>::kRows];
  explicit Factor(Scene<N>& scene) {
    constexpr std::uint32_t kRows = Scene<N>::kRows;
    for (EqualityRowOf<N>& row : scene.rows) multiply_inertias(row, true, scene.a, true, scene.b);
    fill_diagonal_block(scene.rows.data(), kRows, scene.a.inverse_mass, scene.b.inverse_mass, block);
    N scratch[3 * kRows];
    factor_block(block, kRows, PivotScratch<N>{scratch, scratch + kRows, scratch + 2 * kRows}, kMinPivot);
  }
  void solve(N* values, std::uint32_t count) const { solve_block(block, count, values); }
};

/// Every result of a scene.
template <class N>
std::vector<N> results_of(Scene<N>& scene, bool biased) {
  std::vector<N> out;
  Factor<N> const factor(scene);
  out.insert(out.end(), std::begin(factor.block), std::end(factor.block));
  N coupling[25];
  fill_coupling_block<N>(
      5, [&](std::uint32_t i) { return row_part(scene.rows[i], true); }, 5,
      [&](std::uint32_t i) { return row_part(scene.rows[i], false); }, scene.a.inverse_mass, false, coupling);
  out.insert(out.end(), std::begin(coupling), std::end(coupling));
  auto const& limit = scene.limit;
  project_limit(scene.limit, true, scene.a, true, scene.b, scene.rows.data(), Scene<N>::kRows,
                [&](N* values, std::uint32_t count) { factor.solve(values, count); });
  out.push_back(limit.mobility);
  for (const N& p : limit.projection) out.push_back(p);
  Softness const softness = Softness::frequency(30.0, 5.0);
  N const velocity = limit_velocity(limit, scene.velocity_a, scene.velocity_b);
  out.push_back(velocity);
  out.push_back(rigid_limit_impulse<N>(limit.lower_gap_or_max, limit.upper_gap_or_speed, limit.mobility,
                                       velocity, {1.0 / 240.0, biased ? &softness : nullptr}));
  VelocityOf<N> const sum = joint_impulse<N>(scene.rows.data(), Scene<N>::kRows, &scene.limit, 1);
  for (const N& value : {sum.linear.x, sum.linear.y, sum.linear.z, sum.angular.x, sum.angular.y,
                         sum.angular.z, drift_excess(sum), drift_velocity(sum.linear.x, 0.5, 1.0 / 240.0)})
    out.push_back(value);
  auto const velocity_of = [&](std::uint32_t body) {
    return body == 0 ? scene.velocity_a : scene.velocity_b;
  };
  add_tension(scene.tension, scene.end_a, scene.end_b, -sum.linear, velocity_of);
  add_tension(scene.tension, scene.end_b, scene.end_a, sum.linear, velocity_of);
  for (const N& value : scene.tension.stiffness) out.push_back(value);
  for (const N& value :
       {scene.tension.turning.x, scene.tension.turning.y, scene.tension.turning.z, scene.tension.weight})
    out.push_back(value);
  return out;
}

TEST(JointRowStepsTest, EachLaneHasTheBitsOfTheScalarRow) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Scene<Lanes> lanes;
    set_masses(lanes);
    std::array<Scene<double>, 4> scalar;
    for (std::uint32_t lane = 0; lane < 4; ++lane) {
      set_masses(scalar[lane]);
      Numbers first(seed * 4 + lane);
      visit_inputs(scalar[lane], [&](double& value) { value = first.next(); });
      Numbers second(seed * 4 + lane);
      visit_inputs(lanes, [&](Lanes& value) { value.set(lane, second.next()); });
    }
    std::vector<Lanes> const wide = results_of(lanes, seed % 2 == 0);
    for (std::uint32_t lane = 0; lane < 4; ++lane) {
      std::vector<double> const narrow = results_of(scalar[lane], seed % 2 == 0);
      ASSERT_EQ(narrow.size(), wide.size());
      for (std::size_t i = 0; i < narrow.size(); ++i)
        ASSERT_EQ(narrow[i], wide[i][lane]) << "seed " << seed << " lane " << lane << " result " << i;
    }
  }
}

TEST(JointRowStepsTest, AProjectedLimitDoesNotDisturbTheEqualityRows) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Scene<double> scene;
    set_masses(scene);
    Numbers numbers(seed);
    visit_inputs(scene, [&](double& value) { value = numbers.next(); });
    Factor<double> const factor(scene);
    double const before = scene.limit.linear.x;
    project_limit(scene.limit, true, scene.a, true, scene.b, scene.rows.data(), 5,
                  [&](double* values, std::uint32_t count) { factor.solve(values, count); });
    ASSERT_NE(scene.limit.linear.x, before);
    ASSERT_GT(scene.limit.mobility, 0.0);
    VelocityOf<double> const a = limit_change_a(scene.limit, scene.a.inverse_mass, 1.0);
    VelocityOf<double> const b = limit_change_b(scene.limit, scene.b.inverse_mass, 1.0);
    for (const EqualityRowOf<double>& row : scene.rows)
      ASSERT_NEAR(row_velocity(row, a, b), 0.0, 1e-9) << seed;
    EXPECT_NEAR(limit_velocity(scene.limit, a, b), scene.limit.mobility, 1e-12);
  }
}

TEST(JointRowStepsTest, AWarmStartIsReducedToTheLowestEnergyAlongIt) {
  EXPECT_EQ(warm_start_factor(0.0, 0.0), 1.0);
  EXPECT_EQ(warm_start_factor(-1.0, 2.0), 1.0);  // as much energy as without it
  EXPECT_EQ(warm_start_factor(-1.0, 4.0), 0.25);
  EXPECT_EQ(warm_start_factor(1.0, 4.0), 0.0);
  EXPECT_EQ(warm_start_factor(1.0, 0.0), 0.0);
  double const infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(warm_start_factor(-1.0, infinity), 0.0);
  EXPECT_EQ(warm_start_factor(infinity - infinity, infinity), 0.0);
}

TEST(JointRowStepsTest, ALimitAllowsTheGapToCloseWithinOneSubstep) {
  double const h = 1.0 / 240.0;
  double const gap = 0.01;
  LimitSoftness const rigid{h, nullptr};
  EXPECT_EQ(rigid_limit_impulse<double>(gap, kUnbounded, 2.0, -gap / h + 0.1, rigid), 0.0);
  EXPECT_NEAR(rigid_limit_impulse<double>(gap, kUnbounded, 2.0, -gap / h - 0.1, rigid), 0.05, 1e-12);
  EXPECT_NEAR(rigid_limit_impulse<double>(kUnbounded, gap, 2.0, gap / h + 0.1, rigid), -0.05, 1e-12);
  EXPECT_EQ(rigid_limit_impulse<double>(-gap, kUnbounded, 2.0, 1.0, rigid), 0.0);
}

TEST(JointRowStepsTest, ABodyTurningWithItsAnchorsHasNoLineVelocity) {
  JointEndOf<double> const body{1, true, {1.0, 0.0, 0.0}};
  JointEndOf<double> const other{2, true, {-1.0, 0.0, 0.0}};
  VelocityOf<double> const rest;
  VelocityOf<double> const orbit{{0.0, 4.0, 0.0}, {}};
  Vec3<double> const still = line_angular_velocity(body, rest, other, rest);
  EXPECT_EQ(still, (Vec3<double>{}));
  Vec3<double> const turning = line_angular_velocity(body, rest, other, orbit);
  EXPECT_NEAR(turning.z, 2.0, 1e-12);  // 4 m/s over a line of 2 m
}

}  // namespace
}  // namespace takt
