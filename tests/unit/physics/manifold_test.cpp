// Hand-made contacts of the nine pairs: where the points are, how deep, which way the normal looks. Random
// poses are in tests/property/physics.
#include "physics/narrow_phase/manifold.h"

#include <gtest/gtest.h>

#include "tests/physics/simple_world.h"

namespace takt {
namespace {

template <class Real>
class ManifoldTest : public testing::Test {
 protected:
  static Vec3<Real> vector(double x, double y, double z) {
    return {to_real<Real>(x), to_real<Real>(y), to_real<Real>(z)};
  }
  static ShapeGeometry<Real> shape(ShapeKind kind, double x, double y = 0, double z = 0,
                                   Quat<double> q = {}) {
    return {kind, vector(x, y, z),
            to_matrix(normalise(
                Quat<Real>{to_real<Real>(q.x), to_real<Real>(q.y), to_real<Real>(q.z), to_real<Real>(q.w)}))};
  }
  static Manifold<Real> touch(const ShapeGeometry<Real>& first, const ShapeGeometry<Real>& second,
                              Vec3<Real> between) {
    Manifold<Real> m;
    m.point_count = 99;
    collide(first, second, between, m);
    return m;
  }
  static void expect_near(Vec3<Real> a, Vec3<double> b) {
    EXPECT_LT(length(to_double(a) - b), 2e-6) << a << " is not " << b;
  }
  /// One point at `place`, of that separation, with that normal.
  static void expect_point(const Manifold<Real>& m, Vec3<double> normal, Vec3<double> position,
                           double separation) {
    ASSERT_EQ(m.point_count, 1u);
    expect_near(m.normal, normal);
    expect_near(m.points[0].position, position);
    EXPECT_NEAR(to_double(m.points[0].separation), separation, 2e-6);
  }
  static void expect_all(const Manifold<Real>& m, std::uint32_t count, Vec3<double> normal,
                         double separation) {
    ASSERT_EQ(m.point_count, count);
    expect_near(m.normal, normal);
    for (std::uint32_t i = 0; i < count; ++i)
      EXPECT_NEAR(to_double(m.points[i].separation), separation, 2e-6) << "point " << i;
  }
};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(ManifoldTest, Reals);

constexpr auto kSphere = ShapeKind::kSphere;
constexpr auto kCapsule = ShapeKind::kCapsule;
constexpr auto kBox = ShapeKind::kBox;
constexpr auto kHalfSpace = ShapeKind::kHalfSpace;

TYPED_TEST(ManifoldTest, SphereOnSphere) {
  auto const a = this->shape(kSphere, 0.5);
  auto const b = this->shape(kSphere, 0.25);
  EXPECT_EQ(this->touch(a, b, this->vector(0.78, 0, 0)).point_count, 0u) << "30 mm apart";
  this->expect_point(this->touch(a, b, this->vector(0.76, 0, 0)), {1, 0, 0}, {0.505, 0, 0}, 0.01);
  this->expect_point(this->touch(a, b, this->vector(0, 0, -0.7)), {0, 0, -1}, {0, 0, -0.475}, -0.05);
  this->expect_point(this->touch(a, b, this->vector(0, 0, 0)), {0, 1, 0}, {0, 0.125, 0}, -0.75);
}

TYPED_TEST(ManifoldTest, SphereOnCapsule) {
  auto const ball = this->shape(kSphere, 0.5);
  auto const rod = this->shape(kCapsule, 0.2, 1);
  this->expect_point(this->touch(ball, rod, this->vector(0.69, 0.3, 0)), {1, 0, 0}, {0.495, 0, 0},
                     -0.01);  // beside the axis
  this->expect_point(this->touch(ball, rod, this->vector(0, 1.7, 0)), {0, 1, 0}, {0, 0.5, 0},
                     0.0);  // on the cap
  EXPECT_EQ(this->touch(ball, rod, this->vector(0, 1.73, 0)).point_count, 0u);
}

TYPED_TEST(ManifoldTest, CapsulesCrossedEndToEndAndSideBySide) {
  auto const upright = this->shape(kCapsule, 0.2, 1);
  auto const lying = this->shape(kCapsule, 0.2, 1, 0, test::about_z(90 * test::kDegree));
  this->expect_point(this->touch(upright, lying, this->vector(0, 0, 0.39)), {0, 0, 1}, {0, 0, 0.195}, -0.01);
  this->expect_point(this->touch(upright, upright, this->vector(0, 2.4, 0)), {0, 1, 0}, {0, 1.2, 0}, 0.0);
  // Side by side and half overlapped along the axis: a line from 0 to 1.
  auto const line = this->touch(upright, upright, this->vector(0.39, 1, 0));
  this->expect_all(line, 2, {1, 0, 0}, -0.01);
  EXPECT_NEAR(to_double(line.points[0].position.y), 0, 2e-6);
  EXPECT_NEAR(to_double(line.points[1].position.y), 1, 2e-6);
  EXPECT_NE(line.points[0].feature, line.points[1].feature);
}

TYPED_TEST(ManifoldTest, SphereOnFaceEdgeAndCornerAndInsideABox) {
  auto const ball = this->shape(kSphere, 0.25);
  auto const box = this->shape(kBox, 1, 0.5, 0.5);
  this->expect_point(this->touch(ball, box, this->vector(0, -0.74, 0)), {0, -1, 0}, {0, -0.245, 0}, -0.01);
  double const leg = 0.25 / std::sqrt(2.0);
  this->expect_point(this->touch(ball, box, this->vector(-1 - leg, -0.5 - leg, 0)),
                     {-2 * std::sqrt(0.5) / 2, -std::sqrt(0.5), 0}, {-leg, -leg, 0}, 0);
  double const third = 0.25 / std::sqrt(3.0);
  double const c = -1 / std::sqrt(3.0);
  this->expect_point(this->touch(ball, box, this->vector(-1 - third, -0.5 - third, -0.5 - third)), {c, c, c},
                     {-third, -third, -third}, 0);
  // The centre 0.1 below the top face: out through it.
  this->expect_point(this->touch(ball, box, this->vector(0.2, -0.4, 0)), {0, -1, 0}, {0, -0.075, 0}, -0.35);
}

TYPED_TEST(ManifoldTest, CapsuleLyingStandingAndStuckInABox) {
  auto const box = this->shape(kBox, 1, 0.5, 1);
  auto const lying = this->shape(kCapsule, 0.2, 0.5, 0, test::about_z(90 * test::kDegree));
  this->expect_all(this->touch(lying, box, this->vector(0, -0.69, 0)), 2, {0, -1, 0}, -0.01);
  auto const standing = this->shape(kCapsule, 0.2, 0.5);
  this->expect_point(this->touch(standing, box, this->vector(0, -1.19, 0)), {0, -1, 0}, {0, -0.695, 0},
                     -0.01);
  // Its lower end 0.1 deep in the box.
  this->expect_point(this->touch(standing, box, this->vector(0, -0.9, 0)), {0, -1, 0}, {0, -0.55, 0}, -0.3);
  EXPECT_EQ(this->touch(standing, box, this->vector(0, -1.221, 0)).point_count, 0u);
}

TYPED_TEST(ManifoldTest, BoxOnBoxFlush) {
  auto const box = this->shape(kBox, 0.5, 0.5, 0.5);
  auto const m = this->touch(box, box, this->vector(0, 0.99, 0));
  this->expect_all(m, 4, {0, 1, 0}, -0.01);
  double x = 0;
  for (const auto& p : m.points) {
    EXPECT_NEAR(std::abs(to_double(p.position.x)), 0.5, 2e-6);
    EXPECT_NEAR(to_double(p.position.y), 0.495, 2e-6);
    x += to_double(p.position.x);
  }
  EXPECT_NEAR(x, 0, 2e-6) << "two on each side";
  EXPECT_EQ(this->touch(box, box, this->vector(0, 1.021, 0)).point_count, 0u);
  this->expect_all(this->touch(box, box, this->vector(0.7, 1.01, 0)), 4, {0, 1, 0}, 0.01);
}

// A quarter of 45 degrees: the incident square is cut to an octagon, of which four points are kept.
TYPED_TEST(ManifoldTest, BoxTurnedOnBoxKeepsFourOfEightPoints) {
  auto const box = this->shape(kBox, 0.5, 0.5, 0.5);
  auto const rotated = this->shape(kBox, 0.5, 0.5, 0.5, test::about_y(45 * test::kDegree));
  auto const m = this->touch(box, rotated, this->vector(0, 0.99, 0));
  this->expect_all(m, 4, {0, 1, 0}, -0.01);
  Vec3<double> sum{};
  for (const auto& p : m.points) sum += to_double(p.position);
  EXPECT_LT(std::abs(sum.x) + std::abs(sum.z), 1.0) << "the four surround the middle";
}

TYPED_TEST(ManifoldTest, BoxOnItsEdgeAndOnItsCorner) {
  auto const box = this->shape(kBox, 0.5, 0.5, 0.5);
  auto const on_edge = this->shape(kBox, 0.5, 0.5, 0.5, test::about_z(45 * test::kDegree));
  this->expect_all(this->touch(box, on_edge, this->vector(0, 0.5 + std::sqrt(0.5) - 0.01, 0)), 2, {0, 1, 0},
                   -0.01);
  // The diagonal upright: a turn by acos(1 / sqrt 3) about (1, 0, -1) / sqrt 2.
  double const angle = std::acos(1 / std::sqrt(3.0));
  double const s = std::sin(angle / 2) * std::sqrt(0.5);
  auto const on_corner = this->shape(kBox, 0.5, 0.5, 0.5, {s, 0, -s, std::cos(angle / 2)});
  auto const m = this->touch(box, on_corner, this->vector(0, 0.5 + std::sqrt(0.75) - 0.01, 0));
  this->expect_point(m, {0, 1, 0}, {0, 0.495, 0}, -0.01);
}

TYPED_TEST(ManifoldTest, EdgeOnEdge) {
  auto const along_z = this->shape(kBox, 0.5, 0.5, 1, test::about_z(45 * test::kDegree));
  auto const along_x = this->shape(kBox, 1, 0.5, 0.5, test::about_x(45 * test::kDegree));
  double const reach = 2 * std::sqrt(0.5);
  this->expect_point(this->touch(along_z, along_x, this->vector(0, reach - 0.02, 0)), {0, 1, 0},
                     {0, reach / 2 - 0.01, 0}, -0.02);
  EXPECT_EQ(this->touch(along_z, along_x, this->vector(0, reach + 0.021, 0)).point_count, 0u);
}

TYPED_TEST(ManifoldTest, EveryShapeOnAHalfSpace) {
  auto const ground = this->shape(kHalfSpace, 0);
  this->expect_point(this->touch(this->shape(kSphere, 0.5), ground, this->vector(3, -0.49, 2)), {0, -1, 0},
                     {0, -0.495, 0}, -0.01);
  EXPECT_EQ(this->touch(this->shape(kSphere, 0.5), ground, this->vector(3, -0.521, 2)).point_count, 0u);
  auto const lying = this->shape(kCapsule, 0.2, 0.5, 0, test::about_z(90 * test::kDegree));
  this->expect_all(this->touch(lying, ground, this->vector(0, -0.2, 0)), 2, {0, -1, 0}, 0);
  this->expect_point(this->touch(this->shape(kCapsule, 0.2, 0.5), ground, this->vector(0, -0.7, 0)),
                     {0, -1, 0}, {0, -0.7, 0}, 0);
  auto const box = this->shape(kBox, 0.5, 0.5, 0.5);
  this->expect_all(this->touch(box, ground, this->vector(0, -0.49, 0)), 4, {0, -1, 0}, -0.01);
  EXPECT_EQ(this->touch(box, ground, this->vector(0, 5, 0)).point_count, 4u)
      << "far below: still out through the plane";
  auto const slope = this->shape(kHalfSpace, 0, 0, 0, test::about_z(90 * test::kDegree));
  this->expect_all(this->touch(box, slope, this->vector(0.49, 0, 0)), 4, {1, 0, 0}, -0.01);
}

}  // namespace
}  // namespace takt
