// The generic joint is each of the others.
#include <gtest/gtest.h>

#include <initializer_list>

#include "joint_kinds.h"

namespace takt::test {
namespace {

template <class Real>
class GenericJointTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(GenericJointTest, Reals);

/// The parts of each of kinds(), by hand and of generic joints alone: bits of `locked` are x, y, z, then the
/// rotations about them.
std::vector<Kind> spelled_out(BodyId a, BodyId b) {
  constexpr std::uint8_t kX = 1, kY = 2, kZ = 4, kAboutX = 8, kAboutY = 16, kAboutZ = 32;
  auto const generic = [&](std::uint8_t locked, double arm, Quat<double> rotation = {}) {
    JointDef def;
    def.body_a = a;
    def.body_b = b;
    def.frame_a = {{arm, 0, 0}, rotation};
    def.frame_b = {{-arm, 0, 0}, rotation};
    def.locked = locked;
    return def;
  };
  auto const soft = [](JointDef def, Softness softness) {
    def.linear = def.angular = softness;
    return def;
  };
  JointAxisDef rod{.axis = JointAxis::kDistance, .has_drive = true, .target = 1.0};
  JointAxisDef rope{.axis = JointAxis::kDistance, .lower = 0.5, .upper = 1.0};
  JointAxisDef suspension{
      .axis = JointAxis::kLinearX, .has_drive = true, .drive_softness = Softness::frequency(4.0, 0.7)};
  JointAxisDef twist{.axis = JointAxis::kAngularX, .lower = -0.3, .upper = 0.3};
  JointAxisDef cone{.axis = JointAxis::kSwing, .lower = 0.0, .upper = 0.5};
  JointAxisDef drive{.axis = JointAxis::kAngularX, .speed = 4.0, .max_motor = 3.0, .friction = 0.2};
  auto const with = [](JointDef def, std::initializer_list<JointAxisDef> axes) {
    for (const JointAxisDef& axis : axes) def.axes[def.axis_count++] = axis;
    return def;
  };
  std::vector<Kind> all = {
      {"point", generic(kX | kY | kZ, 0.5)},
      {"revolute", generic(kX | kY | kZ | kAboutY | kAboutZ, 0.5, kXToZ)},
      {"prismatic", generic(kY | kZ | kAboutX | kAboutY | kAboutZ, 0.5)},
      {"weld", generic(63, 0.5)},
      {"soft weld", soft(generic(63, 0.5), Softness::frequency(3.0, 0.5))},
      {"rod", with(generic(0, 0.0), {rod})},
      {"rope", with(generic(0, 0.0), {rope})},
      {"angle", generic(kAboutX | kAboutY | kAboutZ, 0.5)},
      {"parallel", generic(kAboutY | kAboutZ, 0.5, kXToZ)},
      {"wheel", with(generic(kY | kZ | kAboutY, 0.5, kXToZ), {suspension})},
      {"motor", soft(generic(63, 0.5), Softness::frequency(2.0, 1.0))},
      {"target", soft(generic(kX | kY | kZ, 0.5), Softness::frequency(5.0, 1.0))},
      {"limited point", with(generic(kX | kY | kZ, 0.5), {twist, cone})},
      {"driven hinge", with(generic(kX | kY | kZ | kAboutY | kAboutZ, 0.5, kXToZ), {drive})},
  };
  all[10].def.max_force_n = 50.0;
  all[10].def.max_torque_n_m = 20.0;
  all[11].def.max_force_n = 30.0;
  return all;
}

TYPED_TEST(GenericJointTest, ThatSpellsOutAnotherMovesWithTheSameBits) {
  ASSERT_EQ(spelled_out({}, {}).size(), kinds({}, {}).size());
  for (std::size_t k = 0; k < kinds({}, {}).size(); ++k) {
    ASSERT_EQ(spelled_out({}, {})[k].name, kinds({}, {})[k].name);
    std::vector<BodyPose<TypeParam>> poses;
    for (bool const generic : {false, true}) {
      World<TypeParam> world = make_world<TypeParam>(awake());
      BodyId const a = add_anchor(world);
      BodyId const b = add_mass(world, 3.0, {0.2, 0.3, 0.4}, at(1, 0, 0));
      (void)add_joint(world, (generic ? spelled_out(a, b) : kinds(a, b))[k].def);
      ASSERT_TRUE(world.set_velocity(b, {0.3, -0.4, 0.1}, {0.5, 1.0, -0.7}).ok());
      run(world, 200);
      poses.push_back(world.pose(b));
    }
    EXPECT_EQ(poses[0].position, poses[1].position) << kinds({}, {})[k].name;
    EXPECT_EQ(poses[0].rotation, poses[1].rotation) << kinds({}, {})[k].name;
  }
}

}  // namespace
}  // namespace takt::test
