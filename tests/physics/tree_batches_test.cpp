// Equal trees of joints are solved side by side in lanes: a world of several kinds of them, of trees that are
// like none and of trees that other joints tie together has the same bits in lanes of every width, one by
// one, and shared by workers.
#include <gtest/gtest.h>

#include "joint_world.h"
#include "tests/fine_pool.h"

namespace takt::test {
namespace {

struct Limb {
  std::vector<JointId> joints;
  std::vector<BodyId> bodies;
};

/// How a limb differs from others in more than numbers.
enum class Form { kWhole, kShort, kDrivenEnd, kSoftLimit };

/// A driven arm, a ball and socket, a slide and another arm that rubs, hung on `root`, whose numbers are
/// those of `index`. A short one has no last arm; the last arm of another is driven where it else rubs, so
/// that nothing but what its row does tells the two apart.
Limb add_limb(World<float>& world, BodyId root, const Position& position, int index,
              Form form = Form::kWhole) {
  Limb limb;
  BodyId previous = root;
  auto const next = [&](double offset_m) {
    double const mass_kg = 1.0 + 0.3 * index;
    double const inertia = 0.05 * mass_kg;
    BodyId const body = add_mass(world, mass_kg, {inertia, 0.7 * inertia, 1.3 * inertia},
                                 moved(position, Vec3<double>{offset_m, 0, 0}));
    EXPECT_TRUE(world.set_velocity(body, {0.3 * index, 1.0, -0.2 * index}, {2.0, 0.5 * index, -3.0}).ok());
    limb.bodies.push_back(body);
    return body;
  };
  auto const add = [&](JointDef (*make)(BodyId, BodyId, const JointFrame&, const JointFrame&),
                       double offset_m, const auto& more) {
    BodyId const body = next(offset_m);
    JointDef def = make(previous, body, {{previous == root ? 0.0 : 0.5, 0, 0}, {}}, {{-0.5, 0, 0}, {}});
    more(def);
    limb.joints.push_back(add_joint(world, def));
    previous = body;
  };
  add(&revolute_joint, 0.5, [&](JointDef& def) {
    def.motor(JointAxis::kAngularX, 2.0 + index, 3.0).limit(JointAxis::kAngularX, -0.8, 0.6);
  });
  add(&point_joint, 1.5, [](JointDef& def) {
    def.limit(JointAxis::kAngularX, -0.3, 0.4)
        .limit(JointAxis::kSwing, -kUnbounded, 0.5)
        .friction(JointAxis::kAngularY, 0.4);
  });
  add(&prismatic_joint, 2.5, [&](JointDef& def) {
    def.limit(JointAxis::kLinearX, 0.9, 1.2,
              form == Form::kSoftLimit ? Softness::frequency(6.0, 0.4) : Softness::rigid());
    def.friction(JointAxis::kLinearX, 0.5);
  });
  if (form == Form::kShort) return limb;
  add(&revolute_joint, 3.5, [&](JointDef& def) {
    if (form == Form::kDrivenEnd) {
      def.motor(JointAxis::kAngularX, 4.0, 0.1);
    } else {
      def.friction(JointAxis::kAngularX, 0.1);
    }
  });
  return limb;
}

/// A heavy load on light links that swing: a universal joint, a weld, a free ball that is limited about its
/// middle axis and a hinge, with rotated frames. Tension in the links raises their conditioned inertia.
Limb add_pendulum(World<float>& world, BodyId root, const Position& position, int index) {
  Limb limb;
  BodyId previous = root;
  auto const add = [&](double mass_kg, double inertia, auto const& make) {
    double const offset_m = 0.5 + static_cast<double>(limb.bodies.size());
    BodyId const body = add_mass(world, mass_kg, {inertia, 1.2 * inertia, 0.9 * inertia},
                                 moved(position, Vec3<double>{offset_m, 0, 0}));
    Quat<double> const turn = about_y(20.0 * index * kDegree);
    JointDef def =
        make(JointFrame{{previous == root ? 0.0 : 0.5, 0, 0}, turn}, JointFrame{{-0.5, 0, 0}, turn}, body);
    limb.joints.push_back(add_joint(world, def));
    limb.bodies.push_back(body);
    previous = body;
  };
  add(0.05, 2e-4, [&](const JointFrame& a, const JointFrame& b, BodyId body) {
    JointDef universal = point_joint(previous, body, a, b);
    universal.kind = JointKind::kGeneric;
    universal.locked = static_cast<std::uint8_t>(kLockLinear | lock_of(JointAxis::kAngularY));
    return universal.friction(JointAxis::kAngularX, 0.01)
        .limit(JointAxis::kAngularZ, -0.4 - 0.1 * index, 0.9);
  });
  add(0.05, 2e-4, [&](const JointFrame& a, const JointFrame& b, BodyId body) {
    return weld_joint(previous, body, a, b);
  });
  add(0.05, 2e-4, [&](const JointFrame& a, const JointFrame& b, BodyId body) {
    return point_joint(previous, body, a, b)
        .limit(JointAxis::kAngularX, -0.2, 0.3)
        .limit(JointAxis::kAngularY, -0.5, 0.5);
  });
  add(60.0 + index, 5.0, [&](const JointFrame& a, const JointFrame& b, BodyId body) {
    return revolute_joint(previous, body, a, b);
  });
  EXPECT_TRUE(world.set_velocity(limb.bodies[3], {0.0, 4.0, 3.0 + 0.2 * index}, {3.0, 1.0, 0.0}).ok());
  return limb;
}

/// Two bodies that may not twist against each other, on a rope.
Limb add_tether(World<float>& world, BodyId root, const Position& position, int index) {
  Limb limb;
  limb.bodies.push_back(add_mass(world, 2.0, {0.1, 0.2, 0.15}, moved(position, Vec3<double>{0.5, 0, 0})));
  limb.bodies.push_back(
      add_mass(world, 1.0 + index, {0.1, 0.2, 0.15}, moved(position, Vec3<double>{1.5, 0, 0})));
  JointDef def = point_joint(limb.bodies[0], limb.bodies[1], {{0.1, 0, 0}, {}}, {{-0.1, 0.1, 0}, {}});
  def.kind = JointKind::kGeneric;
  def.locked = lock_of(JointAxis::kAngularX);
  limb.joints.push_back(add_joint(world, revolute_joint(root, limb.bodies[0], {}, {{-0.5, 0, 0}, {}})));
  limb.joints.push_back(add_joint(world, def.limit(JointAxis::kDistance, 0.2, 1.0)));
  EXPECT_TRUE(world.set_velocity(limb.bodies[1], {1.0, -2.0, 0.1 * index}, {1.0, 2.0, 0.0}).ok());
  return limb;
}

struct Limbs {
  World<float> world = make_world<float>(awake());
  std::vector<Limb> limbs;
};

Limbs limbs_of_every_kind() {
  Limbs made;
  World<float>& world = made.world;
  auto const position_of = [](int i) { return at(5.0 * i, 3.0, 0.0); };
  // Eleven equal ones on what stands still, so that no width divides them; three on what moves by itself; two
  // without a root; one like no other.
  for (int i = 0; i < 11; ++i)
    made.limbs.push_back(add_limb(world, add_anchor(world, position_of(i)), position_of(i), i));
  for (int i = 11; i < 14; ++i) {
    BodyDef def;
    def.type = BodyType::kKinematic;
    def.position = position_of(i);
    BodyId const root = add(world, def);
    EXPECT_TRUE(world.set_velocity(root, {0, 0.2, 0}, {0.5, 0, 0.1 * i}).ok());
    made.limbs.push_back(add_limb(world, root, position_of(i), i, i == 13 ? Form::kShort : Form::kWhole));
  }
  for (int i = 14; i < 16; ++i)
    made.limbs.push_back(add_limb(world, add_mass(world, 4.0, {1, 1, 1}, position_of(i)), position_of(i), i));
  // Equal ones whose joints also do what is not solved in lanes: a largest force, a gear between two trees, a
  // loop, locked axes.
  auto const anchored = [&](int i) -> Limb& {
    return made.limbs.emplace_back(add_limb(world, add_anchor(world, position_of(i)), position_of(i), i));
  };
  JointDef weak = point_joint(anchored(16).bodies[3], anchored(17).bodies[3], {}, {});
  weak.max_force_n = 5.0;
  (void)add_joint(world, weak);
  JointId const first = anchored(18).joints[3];
  JointId const second = anchored(19).joints[3];
  BodyId const b = made.limbs.back().bodies[3];
  BodyId const a = made.limbs[made.limbs.size() - 2].bodies[3];
  (void)add_joint(world, gear_joint(a, b, first, JointAxis::kAngularX, second, JointAxis::kAngularX, 2.0));
  Limb const& ring = anchored(20);
  (void)add_joint(world, point_joint(ring.bodies[0], ring.bodies[3], {{0, 1, 0}, {}}, {{-3, 1, 0}, {}}));
  // Equal to the first but for what a row does; with springs, which are not solved in lanes.
  for (int i = 21; i < 24; ++i)
    made.limbs.push_back(
        add_limb(world, add_anchor(world, position_of(i)), position_of(i), i, Form::kDrivenEnd));
  for (int i = 24; i < 26; ++i)
    made.limbs.push_back(
        add_limb(world, add_anchor(world, position_of(i)), position_of(i), i, Form::kSoftLimit));
  for (int i = 26; i < 31; ++i)
    made.limbs.push_back(add_pendulum(world, add_anchor(world, position_of(i)), position_of(i), i - 26));
  for (int i = 31; i < 33; ++i)
    made.limbs.push_back(add_tether(world, add_anchor(world, position_of(i)), position_of(i), i - 31));
  return made;
}

TEST(TreeBatchesTest, EveryWidthAndAnyWorkersGiveTheSameBits) {
  constexpr int kTicks = 90;
  std::vector<std::uint64_t> one_by_one;
  test::FinePool fine(3);
  struct BodyMotion {
    std::uint32_t lanes;
    TaskPool* pool;
  };
  for (BodyMotion const& displacement :
       {BodyMotion{1, nullptr}, BodyMotion{4, nullptr}, BodyMotion{8, nullptr}, BodyMotion{16, nullptr},
        BodyMotion{0, &fine}}) {
    Limbs made = limbs_of_every_kind();
    for (int tick = 0; tick < kTicks; ++tick) {
      if (tick == 30) {
        ASSERT_TRUE(made.world.destroy_joint(made.limbs[2].joints[3]).ok());
      }
      if (tick == 60) {
        ASSERT_TRUE(made.world.set_joint_enabled(made.limbs[5].joints[1], false).ok());
      }
      if (tick == 45) {
        ASSERT_TRUE(made.world.destroy_body(made.limbs[7].bodies[1]).ok());
      }
      (void)made.world.step({.lanes = displacement.lanes, .pool = displacement.pool});
      if (displacement.lanes == 1) {
        one_by_one.push_back(made.world.hash());
      } else {
        ASSERT_EQ(made.world.hash(), one_by_one[static_cast<std::size_t>(tick)])
            << displacement.lanes << " lanes, tick " << tick;
      }
    }
    // They move, and what drives, limits and rubs has something to do.
    for (const Limb& limb : made.limbs) {
      if (!made.world.contains(limb.bodies[1])) continue;
      EXPECT_GT(length_of(to_double(made.world.linear_velocity(limb.bodies[1]))) +
                    length_of(to_double(made.world.angular_velocity(limb.bodies[1]))),
                1e-3);
      EXPECT_GT(length_of(made.world.joint(limb.joints[0]).force_n), 0.1);
    }
  }
}

}  // namespace
}  // namespace takt::test
