// Manifolds of every pair with a cylinder, cone or hull, in random poses, against the sampled distance:
// nothing missed, nothing invented, depth and normal within the bounds that docs/COLLISION.md derives.
// TAKT_POSES=10000 takes that many poses of each pair.
#include <gtest/gtest.h>

#include "physics/base/solver_constants.h"
#include "physics/narrow_phase/manifold.h"
#include "takt/core/random.h"
#include "tests/physics/simple_world.h"
#include "tests/property/numbers/seed.h"
#include "tests/property/physics/draw_pose.h"
#include "tests/property/physics/pose_count.h"
#include "tests/property/physics/sampled_distance.h"

namespace takt {
namespace {

// docs/COLLISION.md derives these: a face is kept within 2 mm of the best axis, its deepest point within 2 mm
// of that axis, the clip's slack is 1 mm.
constexpr double kDepthM = 0.0042;
constexpr double kNormalM = 0.0032;
/// A contact's points on the two surfaces: off by the clip's slack, or by what a normal within its bound
/// moves them aside.
constexpr double kReachM = 0.0021;
constexpr double kRoundingM = 5e-5;

using test::draw_rotation;
using test::draw_vector;

template <class Real>
struct DrawnShape {
  ShapeGeometry<Real> geometry;
  std::shared_ptr<const HullGeometry> hull;  ///< keeps it alive
};

/// A third of the poses are nearly or wholly aligned, by a rotation that is one of a few: resting scenes are
/// full of them.
template <class Real>
DrawnShape<Real> draw_shape(Random& random, ShapeKind kind, bool aligned) {
  DrawnShape<Real> drawn;
  ShapeGeometry<Real>& shape = drawn.geometry;
  shape.kind = kind;
  double const x = random.next_between(0.1, 1);
  double const y = random.next_between(0.1, 1);
  double const z = random.next_between(0.1, 1);
  if (kind == ShapeKind::kHull) {
    std::vector<Vec3<double>> points;
    int const count = 4 + static_cast<int>(random.next_below(20));
    bool const prism = random.next_below(3) == 0;  // boxes and wedges have parallel faces
    for (int i = 0; i < count; ++i) {
      Vec3<double> p = draw_vector(random);
      if (prism) p.y = p.y > 0 ? 1 : -1;
      points.push_back({p.x * x, p.y * y, p.z * z});
    }
    auto made = make_hull(points);
    if (!made.ok())
      made = make_hull(std::vector<Vec3<double>>{{x, 0, 0}, {0, y, 0}, {0, 0, z}, {-x, -y, -z}});
    drawn.hull = made->geometry;
    shape.hull = drawn.hull.get();
    if (random.next_below(3) == 0) shape.extents.x = to_real<Real>(random.next_between(0.01, 0.2));
  } else if (kind != ShapeKind::kHalfSpace) {
    shape.extents.x = to_real<Real>(x);
    if (kind != ShapeKind::kSphere) shape.extents.y = to_real<Real>(y);
    if (kind == ShapeKind::kBox) shape.extents.z = to_real<Real>(z);
  }
  Quat<Real> rotation = draw_rotation<Real>(random);
  if (aligned) {
    double const tilt = random.next_below(2) == 0 ? 0.0 : random.next_between(-0.01, 0.01);
    double const quarter = random.next_below(2) == 0 ? 0.0 : 1.0;  // upright or lying
    rotation = normalise(Quat<Real>{to_real<Real>(tilt), Real(0), to_real<Real>(quarter + tilt), Real(1)});
  }
  shape.rotation = to_matrix(rotation);
  return drawn;
}

template <class Real>
void compare(ShapeKind first_kind, ShapeKind second_kind) {
  std::uint64_t const seed = test::property_seed();
  Random random(seed, static_cast<std::uint64_t>(first_kind) * 8 + static_cast<std::uint64_t>(second_kind));
  int const poses = test::pose_count(300);
  int touching = 0;
  int apart = 0;
  double worst_depth = 0;
  double worst_normal = 0;
  double worst_reach = 0;
  for (int pose = 0; pose < poses; ++pose) {
    bool const aligned = pose % 3 == 0;
    DrawnShape<Real> const a = draw_shape<Real>(random, first_kind, aligned);
    DrawnShape<Real> const b = draw_shape<Real>(random, second_kind, aligned);
    test::WideShape const wide_a = test::wide_shape(a.geometry, Vec3<Real>{});
    test::WideShape wide_b = test::wide_shape(b.geometry, Vec3<Real>{});
    // Along a random direction, from deep to just out of reach.
    test::WideVec direction = test::towards(test::widened(draw_vector(random)));
    if (aligned) direction = wide_b.axis_y * -1;
    if (second_kind == ShapeKind::kHalfSpace) direction = wide_b.axis_y * -1;
    double const close =
        static_cast<double>(test::support(wide_a, direction) + test::support(wide_b, direction * -1));
    double const offset =
        random.next_below(2) == 0 ? random.next_between(-0.03, 0.04) : random.next_between(-0.5 * close, 0.0);
    double const displacement = close + offset;
    Vec3<Real> const between{to_real<Real>(static_cast<double>(direction.x) * displacement),
                             to_real<Real>(static_cast<double>(direction.y) * displacement),
                             to_real<Real>(static_cast<double>(direction.z) * displacement)};
    wide_b = test::wide_shape(b.geometry, between);

    Manifold<Real> m;
    collide(a.geometry, b.geometry, between, m);
    Vec3<double> const n = to_double(m.normal);
    test::BestGap best = test::largest_gap(wide_a, wide_b, random);
    double along = 0;
    if (m.point_count == 0 && static_cast<double>(best.gap) < kSpeculativeDistanceM) {
      best =
          test::climb(wide_a, wide_b, best, random, 1000);  // before anyone is accused of missing a contact
    }
    if (m.point_count > 0) {
      ASSERT_NEAR(length(n), 1.0, 1e-5);
      along = static_cast<double>(test::gap(wide_a, wide_b, test::towards(test::widened(n))));
      if (second_kind == ShapeKind::kHalfSpace) along = static_cast<double>(best.gap);
      if (along > static_cast<double>(best.gap)) best.gap = along;  // a gap is a gap, whoever found it
    }
    double const distance = static_cast<double>(best.gap);
    auto const where = [&] {
      return testing::Message() << "seed " << seed << " pose " << pose << " distance " << distance
                                << " points " << m.point_count;
    };
    ASSERT_LE(m.point_count, 4u) << where();
    if (m.point_count == 0) {
      EXPECT_GT(distance, kSpeculativeDistanceM - kRoundingM) << "missed: " << where();
      ++apart;
      continue;
    }
    ++touching;
    EXPECT_LE(distance, kSpeculativeDistanceM + kNormalM + kRoundingM) << "invented: " << where();
    double deepest = to_double(m.points[0].separation);
    for (std::uint32_t i = 0; i < m.point_count; ++i) {
      double const separation = to_double(m.points[i].separation);
      deepest = std::min(deepest, separation);
      EXPECT_LE(separation, kSpeculativeDistanceM + 1e-6) << where();
      for (std::uint32_t k = 0; k < i; ++k) EXPECT_NE(m.points[i].feature, m.points[k].feature) << where();
      Vec3<double> const p = to_double(m.points[i].position);
      auto const off = [&](const test::WideShape& shape, double along_normal) {
        return static_cast<double>(test::outside(shape, test::widened(p + n * along_normal)));
      };
      double const reach = std::max(off(wide_a, -separation / 2), off(wide_b, separation / 2));
      EXPECT_LE(reach, kReachM + kRoundingM) << where();
      worst_reach = std::max(worst_reach, reach);
    }
    worst_depth = std::max(worst_depth, std::abs(deepest - distance));
    EXPECT_NEAR(deepest, distance, kDepthM + kRoundingM) << where();
    worst_normal = std::max(worst_normal, distance - along);
    EXPECT_LE(distance - along, kNormalM + kRoundingM) << where();
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(touching, poses / 4);
  EXPECT_GT(apart, poses / 20);
  testing::Test::RecordProperty("worst_depth_um", static_cast<int>(1e6 * worst_depth));
  testing::Test::RecordProperty("worst_normal_um", static_cast<int>(1e6 * worst_normal));
  testing::Test::RecordProperty("worst_reach_um", static_cast<int>(1e6 * worst_reach));
}

template <class Real>
class ConvexManifoldPropertyTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(ConvexManifoldPropertyTest, Reals);

#define TAKT_PAIR(First, Second)                                   \
  TYPED_TEST(ConvexManifoldPropertyTest, First##Second) {          \
    compare<TypeParam>(ShapeKind::k##First, ShapeKind::k##Second); \
  }
TAKT_PAIR(Sphere, Cylinder)
TAKT_PAIR(Capsule, Cylinder)
TAKT_PAIR(Box, Cylinder)
TAKT_PAIR(Cylinder, Cylinder)
TAKT_PAIR(Cylinder, HalfSpace)
TAKT_PAIR(Sphere, Cone)
TAKT_PAIR(Capsule, Cone)
TAKT_PAIR(Box, Cone)
TAKT_PAIR(Cylinder, Cone)
TAKT_PAIR(Cone, Cone)
TAKT_PAIR(Cone, HalfSpace)
TAKT_PAIR(Sphere, Hull)
TAKT_PAIR(Capsule, Hull)
TAKT_PAIR(Box, Hull)
TAKT_PAIR(Cylinder, Hull)
TAKT_PAIR(Cone, Hull)
TAKT_PAIR(Hull, Hull)
TAKT_PAIR(Hull, HalfSpace)
#undef TAKT_PAIR

}  // namespace
}  // namespace takt
