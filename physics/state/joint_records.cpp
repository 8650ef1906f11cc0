#include "physics/state/joint_records.h"

#include "physics/state/rotation_locks.h"

namespace takt {

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

}  // namespace takt
