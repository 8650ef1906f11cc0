// Cylinders, cones and hulls against mechanics: they roll as their inertia says, stand where they are put,
// and lie still.
#include <gtest/gtest.h>

#include "tests/physics/polyhedra.h"
#include "tests/physics/simple_world.h"

namespace takt {
namespace {

using test::at;
using test::kDegree;

constexpr double kShapesGravity = 9.81;

template <class Real>
class ShapesTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(ShapesTest, Reals);

/// Nothing sleeps in it: what stands must do so by its contacts.
template <class Real>
World<Real> awake_world() {
  WorldDef def;
  def.allow_sleep = false;
  return test::make_world<Real>(def);
}

/// How fast a body let go on a slope of 10 degrees (downhill is +x) has become along it after two seconds,
/// m/s^2. `on_box`: the slope is a box, not a plane.
template <class Real>
double rolling_acceleration(const ShapeDef& shape, double height_m, Quat<double> rotation, bool on_box) {
  auto world = awake_world<Real>();
  double const slope = 10 * kDegree;
  Vec3<double> const up{std::sin(slope), std::cos(slope), 0};
  Vec3<double> const down{std::cos(slope), -std::sin(slope), 0};
  if (on_box) {
    test::add(world, BodyType::kStatic, test::box(40, 0.5, 5), at(-0.5 * up.x, -0.5 * up.y, 0),
              test::about_z(-slope));
  } else {
    test::add_ground(world, test::about_z(-slope));
  }
  Quat<double> const tilt = test::about_z(-slope);
  BodyId const body =
      test::add(world, BodyType::kDynamic, shape, at(up.x * height_m, up.y * height_m, 0), tilt * rotation);
  test::run(world, 30);  // the soft contact takes the weight
  double const before = dot(to_double(world.linear_velocity(body)), down);
  test::run(world, 120);
  double const after = dot(to_double(world.linear_velocity(body)), down);
  Vec3<double> const spin = to_double(world.angular_velocity(body));
  EXPECT_NEAR(-spin.z * height_m, after, 0.01 * after) << "it slips";
  EXPECT_NEAR(spin.x, 0, 0.01) << "it leaves its track";
  EXPECT_NEAR(spin.y, 0, 0.01);
  return (after - before) / 2.0;
}

// a = g sin(slope) / (1 + I / (m r^2)): 5/7, 2/3, and 1 / 1.5 for any length of cylinder; within 1 %.
TYPED_TEST(ShapesTest, SpheresAndCylindersRollAsTheirInertiaSays) {
  double const pull = kShapesGravity * std::sin(10 * kDegree);
  EXPECT_NEAR(rolling_acceleration<TypeParam>(test::sphere(0.5), 0.5, {}, false), pull * 5 / 7,
              0.01 * pull * 5 / 7);
  EXPECT_NEAR(rolling_acceleration<TypeParam>(test::sphere(0.5), 0.5, {}, true), pull * 5 / 7,
              0.01 * pull * 5 / 7);
  Quat<double> const lying = test::about_x(90 * kDegree);
  for (double const half_length : {0.05, 0.5, 2.0}) {
    for (bool const on_box : {false, true}) {
      double const a = rolling_acceleration<TypeParam>(test::cylinder(0.5, half_length), 0.5, lying, on_box);
      EXPECT_NEAR(a, pull * 2 / 3, 0.01 * pull * 2 / 3)
          << "half length " << half_length << (on_box ? " on a box" : " on a plane");
    }
  }
}

/// Puts a body down, lets it settle for two seconds and watches it for a minute.
struct Rest {
  double drift_m = 0;   ///< of the centre
  double turn_rad = 0;  ///< least angle between the rotations
  double sink_m = 0;    ///< from where it was put
};

template <class Real>
Rest stand(const ShapeDef& shape, double height_m, Quat<double> rotation, bool on_box) {
  auto world = awake_world<Real>();
  if (on_box) {
    test::add(world, BodyType::kStatic, test::box(3, 0.5, 3), at(0, -0.5, 0));
  } else {
    test::add_ground(world);
  }
  BodyId const body = test::add(world, BodyType::kDynamic, shape, at(0, height_m, 0), rotation);
  test::run(world, 120);
  auto const start = world.pose(body);
  test::run(world, 60 * 60);
  auto const end = world.pose(body);
  auto const& p = start.rotation;
  auto const& q = end.rotation;
  double const vx = to_double(p.w) * to_double(q.x) - to_double(p.x) * to_double(q.w) -
                    to_double(p.y) * to_double(q.z) + to_double(p.z) * to_double(q.y);
  double const vy = to_double(p.w) * to_double(q.y) + to_double(p.x) * to_double(q.z) -
                    to_double(p.y) * to_double(q.w) - to_double(p.z) * to_double(q.x);
  double const vz = to_double(p.w) * to_double(q.z) - to_double(p.x) * to_double(q.y) +
                    to_double(p.y) * to_double(q.x) - to_double(p.z) * to_double(q.w);
  return {length(test::displacement(start.position, end.position)),
          2 * std::sqrt(vx * vx + vy * vy + vz * vz), height_m - test::metres(start.position).y};
}

// A millimetre a minute and a milliradian: the contact is soft, not sticky. At rest a contact under weight w
// sinks by g / (bias rate)^2 or less: 0.1 mm.
void expect_still(const Rest& rest, const char* what) {
  EXPECT_LT(rest.drift_m, 0.001) << what;
  EXPECT_LT(rest.turn_rad, 0.001) << what;
  EXPECT_LT(std::abs(rest.sink_m), 0.002) << what;
}

TYPED_TEST(ShapesTest, CylindersStandOnEndAndLieOnTheirSide) {
  Quat<double> const lying = test::about_x(90 * kDegree);
  for (bool const on_box : {false, true}) {
    expect_still(stand<TypeParam>(test::cylinder(0.5, 0.5), 0.5, {}, on_box), "on its end");
    expect_still(stand<TypeParam>(test::cylinder(0.2, 1.0), 1.0, {}, on_box), "a column on its end");
    expect_still(stand<TypeParam>(test::cylinder(1.0, 0.05), 0.05, {}, on_box), "a coin on its face");
    expect_still(stand<TypeParam>(test::cylinder(0.5, 0.5), 0.5, lying, on_box), "on its side");
    expect_still(stand<TypeParam>(test::cylinder(0.1, 1.0), 0.1, lying, on_box), "a pole on its side");
  }
}

TYPED_TEST(ShapesTest, AConeStandsOnItsBase) {
  for (bool const on_box : {false, true}) {
    expect_still(stand<TypeParam>(test::cone(0.5, 0.5), 0.5, {}, on_box), "a cone");
    expect_still(stand<TypeParam>(test::cone(0.3, 1.0), 1.0, {}, on_box), "a tall cone");
  }
}

/// The hull turned so that its first contact face looks down, and how high its middle then is.
struct OnFace {
  Quat<double> rotation;
  double height_m = 0;
};

OnFace on_face(std::span<const Vec3<double>> points, double rounding_m) {
  auto const made = make_hull(points);
  EXPECT_TRUE(made.ok());
  Vec3<double> const n = made->geometry->faces[0].normal;
  // The turn that takes n to -y, about n x -y.
  Vec3<double> const axis = cross(n, Vec3<double>{0, -1, 0});
  Quat<double> q{axis.x, axis.y, axis.z, 1 - n.y};
  double const size = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  q = size > 1e-9 ? Quat<double>{q.x / size, q.y / size, q.z / size, q.w / size} : Quat<double>{1, 0, 0, 0};
  return {q, made->geometry->faces[0].offset + rounding_m};
}

TYPED_TEST(ShapesTest, DiceLieStillForAMinute) {
  struct Die {
    const char* name;
    std::vector<Vec3<double>> points;
  };
  for (const Die& die :
       {Die{"tetrahedron", test::tetrahedron(0.5)}, Die{"cube", test::box_corners(0.3, 0.3, 0.3)},
        Die{"octahedron", test::octahedron(0.5)}, Die{"dodecahedron", test::dodecahedron(0.5)},
        Die{"icosahedron", test::icosahedron(0.5)}}) {
    for (double const rounding : {0.0, 0.05}) {
      OnFace const pose = on_face(die.points, rounding);
      ShapeDef shape = test::hull(die.points);
      shape.rounding_m = rounding;
      for (bool const on_box : {false, true})
        expect_still(stand<TypeParam>(shape, pose.height_m, pose.rotation, on_box), die.name);
    }
  }
}

// Thrown dice: they tumble, come to rest, and then keep still. The face on which they land is chance; that
// they stay is not.
TYPED_TEST(ShapesTest, ThrownDiceComeToRest) {
  auto world = awake_world<TypeParam>();
  test::add_ground(world);
  std::vector<BodyId> dice;
  std::vector<std::vector<Vec3<double>>> const kinds = {
      test::tetrahedron(0.4), test::box_corners(0.25, 0.25, 0.25), test::octahedron(0.4),
      test::dodecahedron(0.4), test::icosahedron(0.4)};
  for (int i = 0; i < 10; ++i) {
    ShapeDef const shape = test::hull(kinds[static_cast<std::size_t>(i) % kinds.size()]);
    BodyDef def = test::body(BodyType::kDynamic, {&shape, 1}, at(3.0 * i, 2, 0), test::about_x(0.3 * i));
    def.angular_velocity_rad_s = {3, 1.0 * i, -2};
    def.linear_velocity_m_s = {0, 0, 1};
    dice.push_back(test::add(world, def));
  }
  test::run(world, 20 * 60);
  std::vector<Position> positions;
  for (BodyId const die : dice) positions.push_back(world.pose(die).position);
  test::run(world, 60 * 60);
  for (std::size_t i = 0; i < dice.size(); ++i) {
    EXPECT_LT(length(test::displacement(positions[i], world.pose(dice[i]).position)), 0.001) << "die " << i;
    EXPECT_GT(test::metres(world.pose(dice[i]).position).y, 0.1) << "fell through";
  }
}

TYPED_TEST(ShapesTest, ATowerOfMixedShapesStands) {
  auto world = awake_world<TypeParam>();
  test::add_ground(world);
  std::vector<Vec3<double>> const slab = test::box_corners(0.5, 0.25, 0.5);
  std::vector<BodyId> floors;
  double height = 0;
  for (int i = 0; i < 6; ++i) {
    ShapeDef const shape =
        i % 3 == 0 ? test::cylinder(0.5, 0.25) : (i % 3 == 1 ? test::hull(slab) : test::box(0.5, 0.25, 0.5));
    floors.push_back(
        test::add(world, BodyType::kDynamic, shape, at(0, height + 0.25, 0), test::about_y(0.4 * i)));
    height += 0.5;
  }
  floors.push_back(test::add(world, BodyType::kDynamic, test::cone(0.4, 0.4), at(0, height + 0.4, 0)));
  test::run(world, 60 * 60);
  for (std::size_t i = 0; i < floors.size(); ++i) {
    Vec3<double> const p = test::metres(world.pose(floors[i]).position);
    EXPECT_LT(std::hypot(p.x, p.z), 0.01) << "floor " << i;
  }
  EXPECT_NEAR(test::metres(world.pose(floors.back()).position).y, height + 0.4, 0.03);
}

// Two collide in the air, off centre, without friction's help: what the one gains the other loses, to the
// rounding of impulses.
TYPED_TEST(ShapesTest, CollisionsConserveMomentum) {
  WorldDef def;
  def.gravity_m_s2 = {};
  std::vector<Vec3<double>> const die = test::icosahedron(0.5);
  for (const ShapeDef& shape : {test::cylinder(0.4, 0.6), test::cone(0.5, 0.5), test::hull(die)}) {
    auto world = test::make_world<TypeParam>(def);
    ShapeDef left = shape;
    left.density_kg_m3 = 1;
    left.restitution = 0.5;
    BodyDef first = test::body(BodyType::kDynamic, {&left, 1}, at(-1, 0.2, 0), test::about_z(0.7));
    first.linear_velocity_m_s = {4, 0, 0};
    BodyDef second = test::body(BodyType::kDynamic, {&left, 1}, at(1, -0.1, 0.1), test::about_x(1.1));
    BodyId const a = test::add(world, first);
    BodyId const b = test::add(world, second);
    auto const momentum = [&] {
      return to_double(world.linear_velocity(a)) * world.mass_kg(a) +
             to_double(world.linear_velocity(b)) * world.mass_kg(b);
    };
    Vec3<double> const before = momentum();
    test::run(world, 60);
    EXPECT_GT(to_double(world.linear_velocity(b)).x, 0.5) << "they missed";
    // A few dozen impulses of about 1 N s, each rounded to 2^-24 of it on either side.
    EXPECT_LT(length(momentum() - before), 1e-4);
  }
}

}  // namespace
}  // namespace takt
