// One or two bodies in contact against textbook mechanics: friction, restitution, rolling, conveyors,
// momentum.
#include <gtest/gtest.h>

#include "physics/base/solver_constants.h"
#include "takt/core/random.h"
#include "tests/physics/simple_world.h"

namespace takt {
namespace {

using test::at;

template <class Real>
class ContactMechanicsTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(ContactMechanicsTest, Reals);

constexpr double kContactGravity = 9.81;

/// A unit box lies on a slope about z: how fast it goes down the slope after 2 s and after 4 s, m/s.
struct Slide {
  double after_2_s = 0;
  double after_4_s = 0;
};
template <class Real>
Slide slide(double slope_rad, double ground_friction, double box_friction) {
  // One per cent past the threshold it gathers speed so slowly that it would fall asleep on the way.
  WorldDef def;
  def.allow_sleep = false;
  auto world = test::make_world<Real>(def);
  test::add_ground(world, test::about_z(slope_rad), {}, ground_friction);
  ShapeDef shape = test::box(0.5, 0.5, 0.5);
  shape.friction = box_friction;
  BodyId const slider =
      test::add(world, BodyType::kDynamic, shape,
                at(-0.5 * std::sin(slope_rad), 0.5 * std::cos(slope_rad), 0), test::about_z(slope_rad));
  auto const speed = [&] {
    Vec3<double> const v = to_double(world.linear_velocity(slider));
    return -(v.x * std::cos(slope_rad) + v.y * std::sin(slope_rad));
  };
  Slide result;
  test::run(world, 120);
  result.after_2_s = speed();
  test::run(world, 120);
  result.after_4_s = speed();
  return result;
}

/// Limit of rest. A substep of gravity adds 0.04 m/s, which some 30 rows and passes take away again, each
/// rounding to 24 bits at lever arms of about a metre: 30 x 0.04 x 2^-24 = 7e-8, and up to ten times that
/// where one row passes its error to the next (1.6e-6 m/s was measured, in fixed mode 2e-8). Friction that
/// leaked in the biased pass would creep a hundred times faster than this.
constexpr double kStillMPerS = 1e-5;

// Coulomb: a box holds while tan(slope) <= mu. One per cent below, it has come to rest and does not creep.
// One per cent above, it gains g (sin - mu cos) x 2 s between the two readings, to 1 % (the softness cancels
// out of a steady slide).
TYPED_TEST(ContactMechanicsTest, ABoxSlidesExactlyWhenTheSlopePassesFriction) {
  for (double const friction : {0.2, 0.5, 0.9}) {
    double const holds = std::atan(friction * 0.99);
    Slide const held = slide<TypeParam>(holds, friction, friction);
    EXPECT_LT(std::abs(held.after_4_s), kStillMPerS) << "mu " << friction;
    double const slips = std::atan(friction * 1.01);
    double const gain = 2 * kContactGravity * (std::sin(slips) - friction * std::cos(slips));
    Slide const slid = slide<TypeParam>(slips, friction, friction);
    EXPECT_NEAR(slid.after_4_s - slid.after_2_s, gain, 0.01 * gain) << "mu " << friction;
  }
}

// A pair's friction is the geometric mean: 0.9 on 0.4 is 0.6.
TYPED_TEST(ContactMechanicsTest, APairMixesFrictionAsTheGeometricMean) {
  double const slips = std::atan(0.6 * 1.01);
  Slide const slid = slide<TypeParam>(slips, 0.9, 0.4);
  double const gain = 2 * kContactGravity * (std::sin(slips) - 0.6 * std::cos(slips));
  EXPECT_NEAR(slid.after_4_s - slid.after_2_s, gain, 0.01 * gain);
  double const holds = std::atan(0.6 * 0.99);
  EXPECT_LT(std::abs(slide<TypeParam>(holds, 0.9, 0.4).after_4_s), kStillMPerS);
}

// 60 s on flat ground: a box that was put down turns and drifts by no more than rounding, far below a tenth
// of a millimetre.
TYPED_TEST(ContactMechanicsTest, ABoxAtRestDoesNotCreep) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  BodyId const packed_contacts =
      test::add(world, BodyType::kDynamic, test::box(0.5, 0.5, 0.5), at(0, 0.5, 0), test::about_y(0.4));
  test::run(world, 60);
  Position const start = world.center_of_mass(packed_contacts);
  test::run(world, 3600);
  EXPECT_LT(length(test::displacement(start, world.center_of_mass(packed_contacts))), 1e-4);
  EXPECT_LT(to_double(length(world.linear_velocity(packed_contacts))), 1e-4);
}

// A ball leaves with e times its speed of arrival, so it rises to e^2 H. At 600 Hz the speed is read up to
// one tick early (g h of v) and the ball may be up to v h inside: together below 2 (g h / v) + v h / H.
TYPED_TEST(ContactMechanicsTest, ABallReboundsToRestitutionSquaredTimesTheHeight) {
  for (double const restitution : {0.3, 0.6, 0.9}) {
    WorldDef def;
    def.tick_rate_hz = 600;
    auto world = test::make_world<TypeParam>(def);
    test::add_ground(world);
    ShapeDef shape = test::sphere(0.25);
    shape.restitution = restitution;
    double const height = 2.0;
    BodyId const ball = test::add(world, BodyType::kDynamic, shape, at(0, 0.25 + height, 0));
    double top = 0;
    bool bounced = false;
    for (int i = 0; i < 1200; ++i) {
      (void)world.step();
      double const rise = test::metres(world.center_of_mass(ball)).y - 0.25;
      double const speed = to_double(world.linear_velocity(ball).y);
      if (!bounced) bounced = speed > 0;
      if (bounced && speed < 0) break;
      if (bounced) top = std::max(top, rise);
    }
    double const speed = std::sqrt(2 * kContactGravity * height);
    double const tolerance = 2 * kContactGravity / (600 * speed) + speed / (600 * height);
    double const expected = restitution * restitution * height;
    EXPECT_NEAR(top, expected, tolerance * expected + 0.5 * tolerance * tolerance * height)
        << "e " << restitution;
  }
}

// A slow impact does not bounce: below the threshold the ball stays down.
TYPED_TEST(ContactMechanicsTest, AnImpactBelowTheThresholdDoesNotBounce) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  ShapeDef shape = test::sphere(0.25);
  shape.restitution = 1.0;
  double const height = 0.04;  // arrives with 0.89 m/s; the threshold is 1
  BodyId const ball = test::add(world, BodyType::kDynamic, shape, at(0, 0.25 + height, 0));
  test::run(world, 12);
  for (int i = 0; i < 60; ++i) {
    (void)world.step();
    ASSERT_LT(test::metres(world.center_of_mass(ball)).y - 0.25, 0.005);
  }
}

// A solid ball rolls without slipping while tan(slope) < 7/2 mu, with a = 5/7 g sin(slope). It starts at
// rest; settling into the soft contact shortens its path by less than 1 %.
TYPED_TEST(ContactMechanicsTest, ABallRollsDownWithFiveSeventhsOfTheSlopesPull) {
  double const slope = 20 * test::kDegree;
  auto world = test::make_world<TypeParam>();
  test::add_ground(world, test::about_z(slope));
  double const r = 0.5;
  BodyId const ball =
      test::add(world, BodyType::kDynamic, test::sphere(r), at(-r * std::sin(slope), r * std::cos(slope), 0));
  test::run(world, 120);
  double const expected = 5.0 / 7.0 * kContactGravity * std::sin(slope) * 2.0;
  double const speed = to_double(length(world.linear_velocity(ball)));
  EXPECT_NEAR(speed, expected, 0.01 * expected);
  EXPECT_NEAR(to_double(world.angular_velocity(ball).z) * r, speed, 0.001 * speed)
      << "rolls without slipping";
}

// A ball thrown along the ground without spin slips until it rolls: 5/7 of the speed is left (angular
// momentum about the contact is kept).
TYPED_TEST(ContactMechanicsTest, ASlippingBallEndsWithFiveSeventhsOfItsSpeed) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  ShapeDef const shape = test::sphere(0.5);
  BodyDef def = test::body(BodyType::kDynamic, {&shape, 1}, at(0, 0.5, 0));
  def.linear_velocity_m_s = {7, 0, 0};
  BodyId const ball = test::add(world, def);
  test::run(world, 120);
  EXPECT_NEAR(to_double(world.linear_velocity(ball).x), 5.0, 0.01 * 5.0);
  EXPECT_NEAR(to_double(world.angular_velocity(ball).z), -10.0, 0.01 * 10.0);
}

// A spinning disc-like box on the ground is stopped by the twist row alone, with the torque mu m g r of its
// ring of contact.
TYPED_TEST(ContactMechanicsTest, ASpinningBoxComesToRest) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  ShapeDef const shape = test::box(0.5, 0.1, 0.5);
  BodyDef def = test::body(BodyType::kDynamic, {&shape, 1}, at(0, 0.1, 0));
  def.angular_velocity_rad_s = {0, 5, 0};
  BodyId const spinner = test::add(world, def);
  // Four points at sqrt(0.5) m: torque 0.6 m g 0.7071, inertia m (1 + 1) / 12: deceleration 24.97 rad/s^2, at
  // rest after 0.200 s = 12 ticks.
  double const rate = 0.6 * kContactGravity * std::sqrt(0.5) / (2.0 / 12.0);
  test::run(world, 6);
  EXPECT_NEAR(to_double(world.angular_velocity(spinner).y), 5 - 0.1 * rate, 0.05 * 5);
  test::run(world, 8);
  EXPECT_NEAR(to_double(world.angular_velocity(spinner).y), 0, 1e-3);
}

// A kinematic platform at 1 m/s carries a box: friction brings it to speed, after v^2 / (2 mu g) = 85 mm of
// slip.
TYPED_TEST(ContactMechanicsTest, AKinematicPlatformCarriesABox) {
  auto world = test::make_world<TypeParam>();
  ShapeDef const deck = test::box(10, 0.5, 2);
  BodyDef def = test::body(BodyType::kKinematic, {&deck, 1}, at(0, -0.5, 0));
  BodyId const platform = test::add(world, def);
  BodyId const rider = test::add(world, BodyType::kDynamic, test::box(0.5, 0.25, 0.5), at(0, 0.25, 0));
  test::run(world, 30);
  ASSERT_TRUE(world.set_velocity(platform, {1, 0, 0}, {}).ok());
  double const before = test::displacement(world.center_of_mass(platform), world.center_of_mass(rider)).x;
  test::run(world, 120);
  double const after = test::displacement(world.center_of_mass(platform), world.center_of_mass(rider)).x;
  double const slip = 1.0 / (2 * 0.6 * kContactGravity);
  EXPECT_NEAR(before - after, slip, 0.1 * slip);
  EXPECT_NEAR(to_double(world.linear_velocity(rider).x), 1.0, 1e-3);
  EXPECT_EQ(world.linear_velocity(platform), (Vec3<TypeParam>{TypeParam(1), TypeParam(0), TypeParam(0)}))
      << "nothing pushes a kinematic body";
}

/// Sum of m v of all bodies, and of m |v| as a measure of size.
struct Momentum {
  Vec3<double> sum;
  double size = 0;
};
template <class Real>
Momentum momentum_of(const World<Real>& world, const std::vector<BodyId>& bodies) {
  Momentum total;
  for (BodyId const id : bodies) {
    Vec3<double> const p = to_double(world.linear_velocity(id)) * world.mass_kg(id);
    total.sum += p;
    total.size += length(p);
  }
  return total;
}

// Impulses act in pairs, so collisions keep the sum of m v. An impulse P changes it by the rounding of 1/m
// and of the two velocities: a few units in the last place of P each time. 4 substeps x (2 solves + warm
// start) x at most 3 pushes a contact, over `tick_count` ticks, each worth four roundings.
template <class Real>
void collide_and_compare(std::uint64_t seed, int body_count, int tick_count) {
  Random random(seed);
  WorldDef def;
  def.gravity_m_s2 = {};
  auto world = test::make_world<Real>(def);
  std::vector<BodyId> bodies;
  double const reach = body_count == 2 ? 1.0 : 2.0;
  for (int i = 0; i < body_count; ++i) {
    auto const draw = [&random](double low, double high) { return random.next_between(low, high); };
    double const a = draw(0.2, 0.5);
    double const b = draw(0.2, 0.5);
    double const c = draw(0.2, 0.5);
    ShapeDef shape = i % 3 == 0 ? test::box(a, b, c) : (i % 3 == 1 ? test::sphere(a) : test::capsule(a, b));
    shape.density_kg_m3 =
        draw(0.5, 5.0);  // about a kilogram, so that Fixed's absolute rounding means the same for all
    shape.restitution = draw(0, 1);
    double const x = draw(-reach, reach);
    double const y = draw(-reach, reach);
    double const z = draw(-reach, reach);
    BodyDef one = test::body(BodyType::kDynamic, {&shape, 1}, at(x, y, z), test::about_x(draw(0, 6)));
    one.linear_velocity_m_s = {-3 * x, -3 * y, -3 * z};  // towards the middle
    one.angular_velocity_rad_s.y = draw(-5, 5);
    bodies.push_back(test::add(world, one));
  }
  Momentum const before = momentum_of(world, bodies);
  bool touched = false;
  for (int i = 0; i < tick_count; ++i) touched = world.step().contact_count > 0 || touched;
  Momentum const after = momentum_of(world, bodies);
  double const pushes = tick_count * 4.0 * 3.0 * 3.0 * body_count;
  double const tolerance = pushes * 4 * test::kRounding<Real> * std::max(before.size, 1.0);
  EXPECT_LT(length(after.sum - before.sum), tolerance) << "seed " << seed;
  if (body_count == 10) {
    EXPECT_TRUE(touched) << "seed " << seed;
  }
}

TYPED_TEST(ContactMechanicsTest, CollisionsOfTwoKeepMomentum) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) collide_and_compare<TypeParam>(seed, 2, 40);
}

TYPED_TEST(ContactMechanicsTest, CollisionsOfTenKeepMomentum) {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) collide_and_compare<TypeParam>(1000 + seed, 10, 60);
}

// Two equal balls, head on, e = 1: they swap velocities. One centre line, so nothing but rounding and the
// soft contact's give disturbs it.
TYPED_TEST(ContactMechanicsTest, EqualBallsSwapVelocities) {
  WorldDef def;
  def.gravity_m_s2 = {};
  auto world = test::make_world<TypeParam>(def);
  ShapeDef shape = test::sphere(0.5);
  shape.restitution = 1;
  BodyDef left = test::body(BodyType::kDynamic, {&shape, 1}, at(-1, 0, 0));
  left.linear_velocity_m_s = {2, 0, 0};
  BodyId const a = test::add(world, left);
  BodyId const b = test::add(world, BodyType::kDynamic, shape, at(0.2, 0, 0));
  test::run(world, 60);
  EXPECT_NEAR(to_double(world.linear_velocity(a).x), 0, 1e-3 * 2);
  EXPECT_NEAR(to_double(world.linear_velocity(b).x), 2, 1e-3 * 2);
}

}  // namespace
}  // namespace takt
