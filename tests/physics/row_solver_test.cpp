// The two solvers over rows alone, on the same problems.
#include "takt/physics/row_solver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace takt {
namespace {

struct Problem {
  std::vector<RowSolverBody> bodies;
  std::vector<ConstraintRow> rows;
};

/// Point masses hung one below the other from the world, each on a rigid rod along y; the last is `load`
/// times as heavy. They fall by 1 m/s.
Problem chain(std::size_t links, double load) {
  Problem problem;
  for (std::size_t i = 0; i < links; ++i) {
    RowSolverBody body;
    body.inverse_mass = i + 1 == links ? 1.0 / load : 1.0;
    body.linear_velocity = {0, -1, 0};
    problem.bodies.push_back(body);
    ConstraintRow row;
    row.body_a = i == 0 ? kNoRowBody : static_cast<std::uint32_t>(i - 1);
    row.body_b = static_cast<std::uint32_t>(i);
    row.linear_a = {0, -1, 0};
    row.linear_b = {0, 1, 0};
    problem.rows.push_back(row);
  }
  return problem;
}

double fastest(const Problem& problem) {
  double max = 0.0;
  for (const RowSolverBody& body : problem.bodies) max = std::max(max, std::abs(body.linear_velocity.y));
  return max;
}

TEST(RowSolverTest, ADirectSolveStopsAChainThatSweepsHardlyFeel) {
  Problem direct = chain(20, 1000.0);
  ASSERT_TRUE(solve_rows_directly(direct.bodies, direct.rows).ok());
  EXPECT_LT(fastest(direct), 1e-10);
  for (std::size_t i = 0; i < 20; ++i)
    EXPECT_NEAR(direct.rows[i].impulse, 1000.0 + static_cast<double>(19 - i), 1e-7);
  Problem swept = chain(20, 1000.0);
  ASSERT_TRUE(solve_rows_in_sequence(swept.bodies, swept.rows, 100).ok());
  EXPECT_GT(fastest(swept), 0.9);
}

TEST(RowSolverTest, BothAgreeWhereSweepsConverge) {
  Problem direct = chain(5, 2.0);
  Problem swept = direct;
  for (Problem* problem : {&direct, &swept}) {
    problem->rows[2].gamma = 0.3;
    problem->rows[2].bias = 0.25;
  }
  ASSERT_TRUE(solve_rows_directly(direct.bodies, direct.rows).ok());
  ASSERT_TRUE(solve_rows_in_sequence(swept.bodies, swept.rows, 2000).ok());
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(direct.rows[i].impulse, swept.rows[i].impulse, 1e-9);
    EXPECT_NEAR(direct.bodies[i].linear_velocity.y, swept.bodies[i].linear_velocity.y, 1e-9);
  }
}

TEST(RowSolverTest, AWarmStartedSoftRowHoldsItsWholeImpulse) {
  // Solving twice changes nothing: gamma counts the impulse that is there (CONSTRAINTS 1.4).
  Problem problem = chain(3, 1.0);
  for (ConstraintRow& row : problem.rows) row.gamma = 0.5;
  ASSERT_TRUE(solve_rows_directly(problem.bodies, problem.rows).ok());
  double const impulse = problem.rows[0].impulse;
  EXPECT_GT(impulse, 0.1);
  ASSERT_TRUE(solve_rows_directly(problem.bodies, problem.rows).ok());
  EXPECT_NEAR(problem.rows[0].impulse, impulse, 1e-12);
}

TEST(RowSolverTest, RowsThatRepeatOthersAndTurnsAreSolved) {
  Problem problem;
  RowSolverBody body;
  body.inverse_mass = 0.5;
  body.inverse_inertia = {1.0, 2.0, 4.0, 0.0, 0.0, 0.0};
  body.linear_velocity = {0.0, -3.0, 0.0};
  problem.bodies.push_back(body);
  // A point 1 m along x is held: the body falls and turns about z.
  ConstraintRow row;
  row.body_b = 0;
  row.linear_b = {0, 1, 0};
  row.angular_b = {0, 0, 1};
  problem.rows = {row, row};
  ASSERT_TRUE(solve_rows_directly(problem.bodies, problem.rows).ok());
  const RowSolverBody& now = problem.bodies[0];
  EXPECT_NEAR(now.linear_velocity.y + now.angular_velocity.z, 0.0, 1e-12);
  EXPECT_NEAR(problem.rows[0].impulse + problem.rows[1].impulse, 3.0 / 4.5, 1e-12);
}

TEST(RowSolverTest, BoundsClampTheWholeImpulse) {
  Problem problem = chain(1, 1.0);
  problem.rows[0].lower = 0.0;
  problem.rows[0].upper = 0.4;
  ASSERT_TRUE(solve_rows_in_sequence(problem.bodies, problem.rows, 10).ok());
  EXPECT_EQ(problem.rows[0].impulse, 0.4);
  EXPECT_DOUBLE_EQ(problem.bodies[0].linear_velocity.y, -0.6);
}

TEST(RowSolverTest, BadProblemsAreRefusedByNameAndNothingChanges) {
  auto const refused = [](const Problem& bad, PhysicsError error) {
    Problem direct = bad;
    auto const result = solve_rows_directly(direct.bodies, direct.rows);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error(), error);
    EXPECT_EQ(direct.bodies[0].linear_velocity.y, -1.0);
  };
  Problem bad = chain(2, 1.0);
  bad.rows[0].body_b = 2;
  refused(bad, PhysicsError::kUnknownBody);
  bad = chain(2, 1.0);
  bad.rows[0].gamma = -1.0;
  refused(bad, PhysicsError::kOutOfRange);
  bad = chain(2, 1.0);
  bad.rows[1].upper = 1.0;
  refused(bad, PhysicsError::kOutOfRange);
  bad = chain(2, 1.0);
  bad.rows[1].bias = std::numeric_limits<double>::quiet_NaN();
  refused(bad, PhysicsError::kNotFinite);
  bad = chain(2, 1.0);
  bad.bodies[1].inverse_mass = -1.0;
  refused(bad, PhysicsError::kOutOfRange);
}

}  // namespace
}  // namespace takt
