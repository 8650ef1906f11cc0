// One joint of each kind that ties two frames, for tests that hold for all of them.
#pragma once

#include <string>
#include <vector>

#include "joint_world.h"

namespace takt::test {

struct Kind {
  std::string name;
  JointDef def;
};
/// The kinds that tie two frames, b 1 m beside a.
inline std::vector<Kind> kinds(BodyId a, BodyId b) {
  JointFrame fa;
  fa.position_m = {0.5, 0, 0};
  JointFrame fb;
  fb.position_m = {-0.5, 0, 0};
  JointFrame za = fa;
  JointFrame zb = fb;
  za.rotation = zb.rotation = kXToZ;
  return {
      {"point", point_joint(a, b, fa, fb)},
      {"revolute", revolute_joint(a, b, za, zb)},
      {"prismatic", prismatic_joint(a, b, fa, fb)},
      {"weld", weld_joint(a, b, fa, fb)},
      {"soft weld", weld_joint(a, b, fa, fb, Softness::frequency(3.0, 0.5), Softness::frequency(3.0, 0.5))},
      {"rod", distance_joint(a, b, {}, {}, 1.0)},
      {"rope", rope_joint(a, b, {}, {}, 0.5, 1.0)},
      {"angle", angle_joint(a, b, fa, fb)},
      {"parallel", parallel_joint(a, b, za, zb)},
      {"wheel", wheel_joint(a, b, za, zb, Softness::frequency(4.0, 0.7), true)},
      {"motor", motor_joint(a, b, fa, fb, Softness::frequency(2.0, 1.0), 50.0, 20.0)},
      {"target", target_joint(a, b, fa, fb, Softness::frequency(5.0, 1.0), 30.0)},
      {"limited point",
       point_joint(a, b, fa, fb).limit(JointAxis::kSwing, 0.0, 0.5).limit(JointAxis::kAngularX, -0.3, 0.3)},
      {"driven hinge", revolute_joint(a, b, za, zb)
                           .motor(JointAxis::kAngularX, 4.0, 3.0)
                           .friction(JointAxis::kAngularX, 0.2)}};
}

}  // namespace takt::test
