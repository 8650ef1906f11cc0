// Reported reactions of joints, and the loads at which joints break: each kind under a force and a torque
// that it resists.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "joint_world.h"

namespace takt::test {
namespace {

template <class Real>
class JointReactionsTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(JointReactionsTest, Reals);

/// b's centre of mass stands 0.4 m along x from its anchor; a does not move.
constexpr Vec3<double> kArmM{0.4, 0.0, 0.0};

struct Loaded {
  std::string name;
  JointDef def;
  Vec3<double> force_n;     ///< at b's centre of mass
  Vec3<double> torque_n_m;  ///< on b
  double gap_m = 0.0;       ///< between the anchors, along x
};

/// Loads have no part along what a kind leaves free.
std::vector<Loaded> loaded_kinds(BodyId a, BodyId b) {
  JointFrame const fa;
  JointFrame fb;
  fb.position_m = -kArmM;
  Softness const stiff = Softness::frequency(20.0, 1.0);
  Vec3<double> const pull{50.0, 0.0, 0.0};
  Vec3<double> const force{30.0, -49.0, 20.0};
  Vec3<double> const torque{5.0, -3.0, 7.0};
  JointDef generic = weld_joint(a, b, fa, fb);
  generic.kind = JointKind::kGeneric;
  return {{"point", point_joint(a, b, fa, fb), pull, {}},
          {"revolute", revolute_joint(a, b, fa, fb), force, {0.0, -3.0, 7.0}},
          {"prismatic", prismatic_joint(a, b, fa, fb), {0.0, -49.0, 20.0}, torque},
          {"weld", weld_joint(a, b, fa, fb), force, torque},
          {"soft weld", weld_joint(a, b, fa, fb, stiff, stiff), force, torque},
          {"generic", generic, force, torque},
          {"rod", distance_joint(a, b, fa, fb, 1.0), pull, {}, 1.0},
          {"spring", distance_joint(a, b, fa, fb, 1.0, stiff), pull, {}, 1.0},
          {"rope", rope_joint(a, b, fa, fb, 0.0, 1.0), pull, {}, 1.0},
          {"angle", angle_joint(a, b, fa, fb), {}, torque},
          {"parallel", parallel_joint(a, b, fa, fb), {}, {0.0, -3.0, 7.0}},
          {"wheel", wheel_joint(a, b, fa, fb, stiff), {30.0, 0.0, 20.0}, {5.0, -3.0, 0.0}},
          {"motor", motor_joint(a, b, fa, fb, stiff, 1000.0, 1000.0), force, torque},
          {"target", target_joint(a, b, fa, fb, stiff, 1000.0), pull, {}}};
}

template <class Real>
struct LoadedJoint {
  World<Real> world = make_world<Real>(without_gravity());
  BodyId a = add_anchor(world);
  BodyId b;
  JointId joint;
  Loaded kind;

  explicit LoadedJoint(std::size_t index, double break_force_n = kUnbounded,
                       double break_torque_n_m = kUnbounded) {
    // Bodies come in the order of their ids, so that the gap of the kind is known before b is made.
    double const gap = loaded_kinds(a, a)[index].gap_m;
    b = add_mass(world, 5.0, {0.3, 0.3, 0.3}, moved(Position{}, kArmM + Vec3<double>{gap, 0.0, 0.0}));
    kind = loaded_kinds(a, b)[index];
    kind.def.break_force_n = break_force_n;
    kind.def.break_torque_n_m = break_torque_n_m;
    joint = add_joint(world, kind.def);
  }
  /// The load comes up over the first half, so that what is stretched does not overshoot.
  void load(int ticks) {
    for (int i = 1; i <= ticks; ++i) {
      double const share = std::min(1.0, 2.0 * i / ticks);
      ASSERT_TRUE(world.apply_force(b, kind.force_n * share, kind.torque_n_m * share).ok());
      (void)world.step();
    }
  }
  [[nodiscard]] Vec3<double> expected_torque() const {
    return -(kind.torque_n_m + cross(kArmM, kind.force_n));
  }
};

TYPED_TEST(JointReactionsTest, EveryKindSaysTheLoadItCarries) {
  for (std::size_t i = 0; i < loaded_kinds({}, {}).size(); ++i) {
    LoadedJoint<TypeParam> loaded(i);
    loaded.load(300);
    JointView const view = loaded.world.joint(loaded.joint);
    double const size = length_of(loaded.kind.force_n);
    double const turn = length_of(loaded.expected_torque());
    // 1 % of the load; where one part is none, of 0.1 N and 0.1 N m.
    EXPECT_LT(length_of(view.force_n + loaded.kind.force_n), 0.01 * std::max(size, 0.1)) << loaded.kind.name;
    EXPECT_LT(length_of(view.torque_n_m - loaded.expected_torque()), 0.01 * std::max(turn, 0.1))
        << loaded.kind.name;
  }
}

TYPED_TEST(JointReactionsTest, EveryKindBreaksByForceAndByTorqueAtItsThreshold) {
  for (std::size_t i = 0; i < loaded_kinds({}, {}).size(); ++i) {
    for (bool const by_torque : {false, true}) {
      Loaded const kind = LoadedJoint<TypeParam>(i).kind;
      double const max =
          by_torque ? length_of(kind.torque_n_m + cross(kArmM, kind.force_n)) : length_of(kind.force_n);
      if (!(max > 0.0)) continue;
      for (double const share : {0.98, 1.02}) {
        LoadedJoint<TypeParam> loaded(i, by_torque ? kUnbounded : share * max,
                                      by_torque ? share * max : kUnbounded);
        loaded.load(300);
        EXPECT_EQ(loaded.world.joint(loaded.joint).broken, share < 1.0)
            << kind.name << (by_torque ? " torque" : " force");
      }
    }
  }
}

}  // namespace
}  // namespace takt::test
