#include "physics/joints/point_joint_rows.h"

#include <gtest/gtest.h>

namespace takt {
namespace {

constexpr SymMat64 kInertiaA{1.0, 2.0, 3.0, 0.1, -0.2, 0.3};
constexpr SymMat64 kInertiaB{2.0, 1.0, 0.5, -0.1, 0.2, 0.1};

PreparedPointJoint sample() {
  PreparedPointJoint point;
  point.local_a = {0.5, 0.25, -0.125};
  point.local_b = {-1.0, 0.5, 0.75};
  point.delta_center = {2.0, 0.5, 0.0};
  update_point_joint(point, false, {{}, {0.1, 0.0, 0.0}}, false, {{}, {0.0, 0.2, 0.0}});
  return point;
}

TEST(PointJointRowsTest, TheErrorLeadsFromTheAnchorOfAToThatOfB) {
  PreparedPointJoint const point = sample();
  EXPECT_EQ(point.r_b, (Vec3<double>{-1.0, 0.5, 0.75}));
  EXPECT_NEAR(point.error.x, 2.0 - 0.1 - 1.0 - 0.5, 1e-12);
  EXPECT_NEAR(point.error.y, 0.5 + 0.2 + 0.5 - 0.25, 1e-12);
  // Impulses act on both bodies at one point: r_a - r_b is the line between the centres.
  EXPECT_NEAR((point.r_a - point.r_b).x, 1.9, 1e-12);
  EXPECT_NEAR((point.r_a - point.r_b).y, 0.7, 1e-12);
}

TEST(PointJointRowsTest, KIsTheVelocityOfTheAnchorsByUnitImpulses) {
  PreparedPointJoint point = sample();
  Vec3<double> const mass_a{0.5, 0.5, 0.5};
  Vec3<double> const mass_b{2.0, 2.0, 2.0};
  double block[9];
  fill_point_block(point, mass_a + mass_b, kInertiaA, kInertiaB, 0.0, block);
  for (std::uint32_t column = 0; column < 3; ++column) {
    Vec3<double> const impulse{column == 0 ? 1.0 : 0.0, column == 1 ? 1.0 : 0.0, column == 2 ? 1.0 : 0.0};
    VelocityOf<double> const a{along_axes(-impulse, mass_a), multiply(kInertiaA, cross(point.r_a, -impulse))};
    VelocityOf<double> const b{along_axes(impulse, mass_b), multiply(kInertiaB, cross(point.r_b, impulse))};
    Vec3<double> const velocity = residual(point, a, b);
    EXPECT_NEAR(block[column], velocity.x, 1e-12);
    EXPECT_NEAR(block[3 + column], velocity.y, 1e-12);
    EXPECT_NEAR(block[6 + column], velocity.z, 1e-12);
  }
}

TEST(PointJointRowsTest, ComplianceIsAFractionOfTheMobility) {
  PreparedPointJoint point = sample();
  double rigid[9];
  double soft[9];
  fill_point_block(point, {1, 1, 1}, kInertiaA, kInertiaB, 0.0, rigid);
  fill_point_block(point, {1, 1, 1}, kInertiaA, kInertiaB, 0.25, soft);
  EXPECT_NEAR(soft[0], 1.25 * rigid[0], 1e-12);
  EXPECT_EQ(soft[1], rigid[1]);
  EXPECT_NEAR(point.gamma.y, 0.25 * rigid[4], 1e-12);
}

TEST(PointJointRowsTest, TheCouplingOfTwoJointsMatchesTheirGeneralRows) {
  PreparedPointJoint const one = sample();
  Vec3<double> const other_arm{0.3, -0.6, 0.9};
  Vec3<double> const mass{2.0, 2.0, 0.0};
  for (bool const same_side : {true, false}) {
    double point[9];
    double general[9];
    fill_point_coupling(mass, kInertiaB, one.r_b, other_arm, same_side, point);
    fill_coupling_block<double>(
        3, [&](std::uint32_t i) { return point_row_part(i, one.r_b, kInertiaB); }, 3,
        [&](std::uint32_t i) { return point_row_part(i, other_arm, kInertiaB); }, mass, same_side, general);
    for (int i = 0; i < 9; ++i) EXPECT_NEAR(point[i], general[i], 1e-12) << i;
    EXPECT_NE(point[1], 0.0);
  }
}

}  // namespace
}  // namespace takt
