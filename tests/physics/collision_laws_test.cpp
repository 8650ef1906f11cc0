// Conservation laws of collisions for all shapes: momentum in a thousand random collisions of two bodies of
// every convex kind.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "takt/core/random.h"
#include "tests/physics/polyhedra.h"
#include "tests/physics/simple_world.h"

namespace takt {
namespace {

using test::at;

template <class Real>
class CollisionLawsTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(CollisionLawsTest, Reals);

constexpr std::array<ShapeKind, 6> kConvexKinds{ShapeKind::kSphere,   ShapeKind::kCapsule, ShapeKind::kBox,
                                                ShapeKind::kCylinder, ShapeKind::kCone,    ShapeKind::kHull};

Vec3<double> random_direction(Random& random) {
  for (;;) {
    double const x = random.next_between(-1, 1);
    double const y = random.next_between(-1, 1);
    double const z = random.next_between(-1, 1);
    Vec3<double> const v{x, y, z};
    double const size = length(v);
    if (size > 0.1 && size < 1) return v * (1 / size);
  }
}

/// Around a kilogram each, so that Fixed's absolute rounding means the same for all.
ShapeDef random_shape(ShapeKind kind, Random& random, std::span<const Vec3<double>> hull_points_m) {
  double const a = random.next_between(0.2, 0.5);
  double const b = random.next_between(0.2, 0.5);
  double const c = random.next_between(0.2, 0.5);
  ShapeDef shape = test::box(a, b, c);
  shape.kind = kind;
  shape.radius_m = a;
  shape.half_length_m = b;
  shape.hull_points_m = hull_points_m;
  if (kind == ShapeKind::kCone)
    shape.local_position_m.y = b / 2;  // its centre of mass, a quarter of the height up, is the body's origin
  shape.density_kg_m3 = random.next_between(1, 5);
  shape.restitution = random.next_between(0, 1);
  shape.friction = random.next_between(0, 1);
  return shape;
}

/// How far the sum of m v of two bodies that collide is off, and what rounding may make of it.
struct MomentumError {
  double off = 0;     ///< kg m/s
  double worst = 0;   ///< bound if all roundings went one way
  double random = 0;  ///< bound if each went its own way
};

// Two bodies fly at one another, centre to centre, so they meet whatever their shapes. An impulse changes two
// velocities; each change rounds the product P / m and the sum, so it puts off the sum of m v by at most 4
// roundings of the momentum's size. In a tick with contact there are 4 substeps of 3 passes (warm start,
// solve, relax) over at most 4 normal rows, 2 tangents and a twist, and then restitution of 4 rows.
template <class Real>
MomentumError collide(std::uint64_t seed, ShapeKind kind_a, ShapeKind kind_b) {
  Random random(seed);
  static auto const kHullPoints = test::icosahedron(0.4);
  WorldDef world_def;
  world_def.gravity_m_s2 = {};
  auto world = test::make_world<Real>(world_def);
  std::array<BodyId, 2> bodies;
  Vec3<double> const displacement = random_direction(random);
  for (std::size_t i = 0; i < 2; ++i) {
    ShapeDef const shape = random_shape(i == 0 ? kind_a : kind_b, random, kHullPoints);
    double const side = i == 0 ? -1.0 : 1.0;
    double const turn = random.next_between(0, 6);
    BodyDef def = test::body(BodyType::kDynamic, {&shape, 1},
                             at(side * displacement.x, side * displacement.y, side * displacement.z),
                             test::about_x(turn));
    def.linear_velocity_m_s = displacement * (-side * random.next_between(1, 5));
    def.angular_velocity_rad_s = random_direction(random) * random.next_between(0, 5);
    bodies[i] = test::add(world, def);
  }
  double size = 0;
  auto const momentum = [&] {
    Vec3<double> sum{};
    size = 0;
    for (BodyId const id : bodies) {
      Vec3<double> const p = to_double(world.linear_velocity(id)) * world.mass_kg(id);
      sum += p;
      size += length(p);
    }
    return sum;
  };
  Vec3<double> const before = momentum();
  double const size_before = size;
  int contact_ticks = 0;
  for (int tick = 0; tick < 60; ++tick) contact_ticks += world.step().contact_count > 0 ? 1 : 0;
  EXPECT_GT(contact_ticks, 0) << "seed " << seed << ": they missed one another";
  double const pushes = contact_ticks * (4.0 * 3.0 * 7.0 + 4.0);
  double const unit = 4 * test::kRounding<Real> * std::max(size_before, 1.0);
  return {length(momentum() - before), pushes * unit, std::sqrt(pushes) * unit};
}

TYPED_TEST(CollisionLawsTest, AThousandCollisionsOfAllKindsKeepMomentumToRounding) {
  double squares = 0;
  int count = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    ShapeKind const a = kConvexKinds[seed % kConvexKinds.size()];
    ShapeKind const b = kConvexKinds[seed / kConvexKinds.size() % kConvexKinds.size()];
    MomentumError const error = collide<TypeParam>(seed, a, b);
    ASSERT_LE(error.off, error.worst) << "seed " << seed;
    squares += error.off * error.off / (error.random * error.random);
    ++count;
  }
  EXPECT_LT(std::sqrt(squares / count), 1.0)
      << "roundings go their own ways; an impulse that acts on one body only does not";
}

}  // namespace
}  // namespace takt
