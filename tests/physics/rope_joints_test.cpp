// Ropes on bodies of joint trees: a rope includes the mass behind the joints of the body on its pin.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "takt/core/random.h"
#include "tests/physics/joint_world.h"
#include "tests/physics/rope_world.h"

namespace takt::test {
namespace {

template <class Real>
class RopeJointsTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(RopeJointsTest, Reals);

constexpr double kGravity = 9.81;
constexpr double kRopeM = 2.0;
constexpr double kComplianceMN = 1e-7;  // per segment
constexpr std::uint32_t kSegments = 20;

struct Scene {
  bool weld = false;
  int links = 0;  ///< further light bodies between the rope's end and the heavy one
  double light_kg = 1.0;
  double heavy_kg = 1000.0;
  std::uint32_t substeps = 4;
  bool compliant = false;
  Vec3<double> direction{0, -1, 0};
};

/// A rope from the origin whose end is tied to a light body, which joints connect with a heavy one.
template <class Real>
struct Tied {
  World<Real> world;
  std::vector<BodyId> bodies;
  std::vector<JointId> joints;
  RopeId rope;

  [[nodiscard]] double stretch_m() const { return rope_length(view(world, rope)) - kRopeM; }
  [[nodiscard]] double largest_gap_m() const {
    double gap = 0.0;
    for (JointId const joint : joints) gap = std::max(gap, gap_m(world, joint));
    return gap;
  }
};

template <class Real>
Tied<Real> tie(const Scene& scene) {
  WorldDef def = awake();
  def.substeps = scene.substeps;
  Tied<Real> tied{make_world<Real>(def), {}, {}, {}};
  World<Real>& world = tied.world;
  double const inertia = scene.light_kg * 0.004;
  auto const add_light = [&](Vec3<double> position) {
    return add_mass(world, scene.light_kg, {inertia, inertia, inertia}, moved(Position{}, position));
  };
  Vec3<double> position = scene.direction * (kRopeM + 0.1);
  tied.bodies.push_back(add_light(position));
  for (int i = 0; i <= scene.links; ++i) {
    Vec3<double> const next = position + scene.direction * (i == scene.links ? 0.5 : 0.3);
    double const heavy = 0.036 * scene.heavy_kg;
    BodyId const previous = tied.bodies.back();
    BodyId const body = i < scene.links
                            ? add_light(next)
                            : add_mass(world, scene.heavy_kg, {heavy, heavy, heavy}, moved(Position{}, next));
    Position const middle = moved(Position{}, (position + next) * 0.5);
    JointFrame const a = world.joint_frame(previous, middle);
    JointFrame const b = world.joint_frame(body, middle);
    tied.joints.push_back(
        add_joint(world, scene.weld ? weld_joint(previous, body, a, b) : point_joint(previous, body, a, b)));
    tied.bodies.push_back(body);
    position = next;
  }
  std::array<RopePin, 2> pins;
  pins[1].node = kSegments;
  pins[1].body = tied.bodies.front();
  pins[1].local_anchor_m = scene.direction * -0.1;
  RopeDef rope;
  rope.node_count = kSegments + 1;
  rope.start = at(0, 0, 0);
  rope.end = moved(Position{}, scene.direction * kRopeM);
  rope.mass_kg = 0.5;
  rope.radius_m = 0.01;
  rope.can_sleep = false;
  rope.pins = pins;
  if (scene.compliant) {
    rope.mode = RopeMode::kCompliant;
    rope.compliance_m_n = kComplianceMN;
  }
  tied.rope = world.create_rope(rope).value();
  return tied;
}

// The rope took the light body's mass for all, so the load fell through its spring for several substeps.
TYPED_TEST(RopeJointsTest, ACompliantRopeStretchesByTheLoadBehindAJoint) {
  for (bool const weld : {false, true}) {
    for (double const light_kg : {1.0, 0.01}) {
      Tied<TypeParam> tied = tie<TypeParam>({.weld = weld, .light_kg = light_kg, .compliant = true});
      double const still = (1000.0 + light_kg) * kGravity * kComplianceMN * kSegments;
      double max = 0.0;
      for (int i = 0; i < 300; ++i) {
        (void)tied.world.step();
        max = std::max(max, tied.stretch_m());
      }
      // A load let go on a spring falls to twice its rest at most; it was 3.5 and 3.8 times.
      EXPECT_LT(max, 2.0 * still * 1.01) << light_kg;
      EXPECT_GT(max, 1.5 * still) << light_kg;
    }
  }
}

// Six links of 1 kg were open by 0.44 m while 1,000 kg swung on them; one substep opened a joint by 85 mm.
TYPED_TEST(RopeJointsTest, ALoadThatSwingsBehindLightLinksOpensNoJoint) {
  for (int const links : {0, 6}) {
    for (std::uint32_t const substeps : {2u, 4u, 8u}) {
      Tied<TypeParam> tied = tie<TypeParam>({.links = links, .substeps = substeps, .direction = {1, 0, 0}});
      double gap = 0.0;
      double stretch = 0.0;
      for (int i = 0; i < 600; ++i) {
        (void)tied.world.step();
        gap = std::max(gap, tied.largest_gap_m());
        stretch = std::max(stretch, tied.stretch_m());
      }
      // Along an arc of radius L at v a substep opens a joint by v^2 h^2 / (2 L), and drift correction takes
      // half of it back each time: 0.47 mm at four substeps, at 2.6 m and 7.2 m/s. Links swing a little more.
      double const h = 1.0 / (60.0 * substeps);
      double const reach = kRopeM + 0.6 + 0.3 * links;
      double const arc = 2.0 * kGravity * reach * h * h / (2.0 * reach);
      EXPECT_LT(gap, 4.0 * 2.0 * arc) << links << " links, " << substeps << " substeps";
      EXPECT_LT(stretch, 1e-6) << links << " links, " << substeps << " substeps";
    }
  }
}

TYPED_TEST(RopeJointsTest, TwoTreesOnAFreeRopeKeepTheirMomentum) {
  World<TypeParam> world = make_world<TypeParam>(without_gravity());
  std::vector<BodyId> bodies;
  std::vector<double> masses;
  std::array<RopePin, 2> pins;
  for (int side = 0; side < 2; ++side) {
    double const sign = side == 0 ? -1.0 : 1.0;
    BodyId const light = add_mass(world, 0.5, {0.002, 0.002, 0.002}, at(1.1 * sign, 0, 0));
    BodyId const heavy = add_mass(world, 50.0, {2, 2, 2}, at(1.6 * sign, 0.2, 0));
    Position const joint = at(1.3 * sign, 0, 0);
    (void)add_joint(
        world, point_joint(light, heavy, world.joint_frame(light, joint), world.joint_frame(heavy, joint)));
    pins[static_cast<std::size_t>(side)].node = side == 0 ? 0 : 20;
    pins[static_cast<std::size_t>(side)].body = light;
    pins[static_cast<std::size_t>(side)].local_anchor_m = {-0.1 * sign, 0, 0};
    EXPECT_TRUE(world.set_velocity(heavy, {3.0 * sign, 1.0, 0}, {0, 0, 2}).ok());
    bodies.insert(bodies.end(), {light, heavy});
    masses.insert(masses.end(), {0.5, 50.0});
  }
  RopeDef def;
  def.node_count = 21;
  def.start = at(-1, 0, 0);
  def.end = at(1, 0, 0);
  def.mass_kg = 0.5;
  def.drag_1_s = 0.0;
  def.can_sleep = false;
  def.pins = pins;
  RopeId const rope = world.create_rope(def).value();
  auto const momentum = [&] {
    Vec3<double> sum;
    for (std::size_t i = 0; i < bodies.size(); ++i)
      sum += to_double(world.linear_velocity(bodies[i])) * masses[i];
    RopeView const seen = view(world, rope);
    for (const Vec3<double>& v : seen.velocities_m_s) sum += v * seen.node_mass_kg;
    return sum;
  };
  Vec3<double> const before = momentum();
  run(world, 120);
  Vec3<double> const after = momentum();
  // 120 ticks x 4 substeps x (4 rope passes x 2 pins + 4 joint passes) round velocities of 50 kg at up to 8
  // m/s once each: the root of their number times the rounding, times 5 for the tail.
  double const roundings = std::sqrt(120.0 * 4.0 * (4.0 * 2.0 + 4.0));
  EXPECT_LT(length_of(after - before), 5.0 * roundings * 50.0 * 8.0 * kRounding<TypeParam>);
}

/// A light body that a weld holds to a kinematic body. A hinge ties it to a heavy block, which a point joint
/// ties to the ground: more rows than freedoms. A rope is pinned to the light body, whose mobility is what
/// cancellation leaves of far larger numbers.
TYPED_TEST(RopeJointsTest, ABodyThatItsTreeHoldsTakesARope) {
  Random random(3);
  for (int scene = 0; scene < 60; ++scene) {
    WorldDef def = awake();
    def.substeps = 1 + scene % 4;
    World<TypeParam> world = make_world<TypeParam>(def);
    auto const draw = [&](double size) {
      double const x = random.next_between(-size, size);
      double const y = random.next_between(-size, size);
      return Vec3<double>{x, y, random.next_between(-size, size)};
    };
    double const light = std::pow(10.0, random.next_between(-3, 0));
    double const heavy = std::pow(10.0, random.next_between(1, 3));
    Vec3<double> const at_light{0, 10, 0};
    Vec3<double> const at_heavy = at_light + draw(6.0);
    BodyId const ground = add_anchor(world);
    BodyDef driver;
    driver.type = BodyType::kKinematic;
    driver.position = moved(Position{}, at_light + draw(4.0));
    BodyId const held = add(world, driver);
    BodyId const link =
        add_mass(world, light, {light * 0.01, light * 0.003, light * 0.01}, moved(Position{}, at_light));
    BodyId const block =
        add_mass(world, heavy, {heavy * 0.04, heavy * 0.03, heavy * 0.05}, moved(Position{}, at_heavy));
    auto const join = [&](BodyId a, BodyId b, Vec3<double> anchor, unsigned locked) {
      Position const position = moved(Position{}, anchor);
      JointDef joint = weld_joint(a, b, world.joint_frame(a, position), world.joint_frame(b, position));
      if (locked != 63) joint.kind = JointKind::kGeneric;
      joint.locked = static_cast<std::uint8_t>(locked);
      (void)add_joint(world, joint);
    };
    join(link, block, at_heavy + draw(1.0), 63 & ~16u);
    join(ground, block, at_heavy + draw(1.0), 7);
    join(held, link, at_light + draw(1.0), 63);
    std::array<RopePin, 2> pins;
    pins[1].node = 15;
    pins[1].body = link;
    RopeDef rope;
    rope.start = at(0, 15, 0);
    rope.end = moved(Position{}, at_light);
    rope.mass_kg = 0.1;
    rope.pins = pins;
    RopeId const id = world.create_rope(rope).value();
    for (int tick = 0; tick < 60; ++tick) (void)world.step();
    EXPECT_NEAR(rope_length(view(world, id)), 5.0, 0.01) << scene;
    EXPECT_LT(length_of(displacement(moved(Position{}, at_light), world.pose(link).position)), 0.01) << scene;
  }
}

}  // namespace
}  // namespace takt::test
