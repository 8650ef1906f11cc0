#include "physics/joints/joint_pose.h"

#include "physics/joints/joint_pose_steps.h"
#include "takt/physics/trigonometry.h"

namespace takt {

double angle_of(double y, double x) noexcept {
  // Numbers past Fixed's, or none, have no angle that counts; Fixed would count an overflow for each, and so
  // for each lane that repeats a joint.
  constexpr double kPast = 0x1p31;
  bool const known = y < kPast && y > -kPast && x < kPast && x > -kPast;
  return known ? to_double(atan2(to_real<Fixed>(y), to_real<Fixed>(x))) : 0.0;
}

JointAxis last_rotation_axis(std::uint8_t locked) noexcept {
  unsigned const revolutions = locked_rotations(locked);
  if (count_of(revolutions) == 2) return static_cast<JointAxis>(3 + only(revolutions ^ 7u));
  if (count_of(revolutions) == 1) return static_cast<JointAxis>(3 + next(only(revolutions)));
  return JointAxis::kDistance;
}

JointAxis first_rotation_axis(std::uint8_t locked) noexcept {
  unsigned const revolutions = locked_rotations(locked);
  return count_of(revolutions) == 1 ? static_cast<JointAxis>(3 + previous(only(revolutions)))
                                    : JointAxis::kDistance;
}

template class PoseOf<double>;

}  // namespace takt
