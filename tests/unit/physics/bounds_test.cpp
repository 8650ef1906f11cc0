// Both ends of a range belong to it, also as binary32 numbers: in the functions themselves, and in a world's
// checks of shapes, ropes, dampings and rotations.
#include "takt/physics/bounds.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "takt/physics/world.h"

namespace takt {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double rounded(double value) { return static_cast<double>(static_cast<float>(value)); }
// The next binary32 number of the rounded bound in the direction of `to`.
double beyond(double value, double to) {
  return static_cast<double>(std::nextafter(static_cast<float>(value), static_cast<float>(to)));
}

TEST(Bounds, TheRoundedBoundIsInsideAndTheNextNumberIsNot) {
  for (double const bound : {0.005, 0.01, 0.018, 0.1, 0.3, 1.4, 100.0, 1e9, -0.005, -0.1}) {
    EXPECT_TRUE(is_at_least(bound, bound) && is_at_most(bound, bound)) << bound;
    EXPECT_TRUE(is_at_least(rounded(bound), bound) && is_at_most(rounded(bound), bound)) << bound;
    double const below = beyond(bound, -1e30);
    double const above = beyond(bound, 1e30);
    EXPECT_EQ(is_at_least(below, bound), below >= bound) << bound;
    EXPECT_EQ(is_at_most(above, bound), above <= bound) << bound;
    EXPECT_FALSE(is_at_least(beyond(below, -1e30), bound)) << bound;
    EXPECT_FALSE(is_at_most(beyond(above, 1e30), bound)) << bound;
  }
  EXPECT_LT(rounded(0.005), 0.005);  // the case that began this
  EXPECT_FALSE(is_between(kNaN, -1, 1));
  EXPECT_FALSE(is_at_least(kNaN, 0) || is_at_most(kNaN, 0));
  EXPECT_TRUE(is_between(1e300, -1e300, 1e300));
  EXPECT_FALSE(is_at_most(1e300, 1e299));
}

ShapeDef shape_of(ShapeKind kind, double size) {
  ShapeDef shape;
  shape.kind = kind;
  shape.radius_m = shape.half_length_m = size;
  shape.half_extents_m = {size, size, size};
  shape.density_kg_m3 = 1e5;
  return shape;
}

template <class Real>
void expect_smallest_shapes() {
  auto world = World<Real>::create({});
  ASSERT_TRUE(world.ok());
  constexpr std::array kKinds{ShapeKind::kSphere, ShapeKind::kCapsule, ShapeKind::kBox, ShapeKind::kCylinder,
                              ShapeKind::kCone};
  for (ShapeKind const kind : kKinds) {
    for (double const size : {kMinExtentM, rounded(kMinExtentM)}) {
      auto const body = world->create_body({}, shape_of(kind, size));
      ASSERT_TRUE(body.ok()) << static_cast<int>(kind) << " of " << size;
      // A follower and a query get the shape as it is stored.
      EXPECT_TRUE(world->create_body({}, world->shape(world->shapes(*body).at(0))).ok());
    }
    auto const smaller = world->create_body({}, shape_of(kind, beyond(kMinExtentM, 0)));
    ASSERT_FALSE(smaller.ok());
    EXPECT_EQ(smaller.error(), PhysicsError::kShapeTooSmall);
  }
  auto const restored = World<Real>::restore(world->save());
  ASSERT_TRUE(restored.ok());
  EXPECT_EQ(restored->hash(), world->hash());
}

TEST(Bounds, TheSmallestShapesAreMadeFromBothNumbers) {
  expect_smallest_shapes<float>();
  expect_smallest_shapes<Fixed>();
}

TEST(Bounds, RopesAndRotationsHaveTheirEnds) {
  auto world = World<float>::create({});
  ASSERT_TRUE(world.ok());
  RopeDef rope;
  rope.start = Position::from_metres(0, 2, 0);
  rope.end = Position::from_metres(1, 2, 0);
  rope.radius_m = rope.segment_length_m = rounded(kMinExtentM);
  EXPECT_TRUE(world->create_rope(rope).ok());
  rope.radius_m = beyond(kMinExtentM, 0);
  EXPECT_FALSE(world->create_rope(rope).ok());
  BodyDef body;
  body.type = BodyType::kStatic;
  for (double const length : {0.99, 1.01, rounded(0.99), rounded(1.01)}) {
    body.rotation = {0, 0, 0, length};
    EXPECT_TRUE(world->create_body(body).ok()) << length;
  }
  for (double const length : {0.9899, 1.0101}) {
    body.rotation = {0, 0, 0, length};
    EXPECT_FALSE(world->create_body(body).ok()) << length;
  }
}

}  // namespace
}  // namespace takt
