#include "physics/joints/joint_rows.h"

#include "physics/base/solver_constants.h"
#include "takt/core/assert.h"

namespace takt {

JointConstants JointConstants::of(const JointTick& tick) noexcept {
  TAKT_ASSERT(tick.substep_s > 0.0 && tick.substeps > 0);
  Softness const softness =
      Softness::frequency(kContactHertzPerSubstepRate / tick.substep_s, kContactDampingRatio);
  return {tick, softness, softness.row(tick.substep_s, 1.0)};
}

bool is_point_joint(const JointRecord& record) noexcept {
  constexpr std::uint8_t kLinear =
      lock_of(JointAxis::kLinearX) | lock_of(JointAxis::kLinearY) | lock_of(JointAxis::kLinearZ);
  return record.locked == kLinear && record.linear.is_rigid() && record.first_axis == kNoIndex &&
         !is_coupling(record.kind) && !(record.max_force < kUnbounded);
}

}  // namespace takt
