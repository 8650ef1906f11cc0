// The rows of pulleys and gears.
#include "physics/joints/joint_solver.h"

#include <algorithm>

namespace takt {

template <class Real>
void JointSolver<Real>::add_pulley(const WorldState<Real>& state, const JointBodies<Real>& at,
                                   PreparedJoint& joint, const JointPose& pose) {
  const JointRecord& record = state.joints[joint.index];
  LimitRow& row = limited_[joint.first_limit];
  std::array<RowSide, 4>& sides = sides_of(row).sides;
  auto const pulley_side = [&](const RowBody& body, std::uint32_t index, const Position& ground,
                               Vec3<double> lever_arm, double weight, double& line_m) {
    Vec3<double> away = relative<double>(state.bodies[index].motion.center, ground) + lever_arm;
    if (body.body != 0) away += doubles_of(at.bodies[body.body].delta_position);
    line_m = length(away);
    Vec3<double> const direction = normalise_or(away, Vec3<double>{0.0, -1.0, 0.0}, 1e-9) * weight;
    return body.side(-direction,
                     -cross(lever_arm, direction));  // a positive impulse pulls towards the ground anchors
  };
  sides[0] = pulley_side(joint.a, record.body_a, record.coupling.ground_a, pose.r_a(), 1.0, row.lines_m[0]);
  sides[1] = pulley_side(joint.b, record.body_b, record.coupling.ground_b, pose.r_b(), record.coupling.ratio,
                         row.lines_m[1]);
  row.said = record.linear;
  if (!relaxing_ || row.said.is_rigid())
    row.above_lower = record.coupling.length_m - (row.lines_m[0] + record.coupling.ratio * row.lines_m[1]);
  row.below_upper = kUnbounded;
  row.max = record.max_force * substep_s_;
}

template <class Real>
void JointSolver<Real>::add_gear(const WorldState<Real>& state, const JointBodies<Real>& at,
                                 PreparedJoint& joint) {
  const JointRecord& record = state.joints[joint.index];
  const JointCoupling& gear = record.coupling;
  LimitRow& row = limited_[joint.first_limit];
  std::array<RowSide, 4>& sides = sides_of(row).sides;
  row.side_count = 0;
  double sum = 0.0;
  auto const tie = [&](JointId id, JointAxis axis, double ratio) {
    const PreparedJoint& other = joints_[prepared_[id.index] - 1];
    JointCoordinate found = pose_of(at, other).coordinate(axis, other.revolutions);
    sum += ratio * found.value;
    JointDirection const direction{found.direction.linear * ratio, found.direction.jacobian_a * ratio,
                                   found.direction.jacobian_b * ratio};
    for (RowSide const& side : {side_a(other.a, direction), side_b(other.b, direction)}) {
      RowSide* const end = sides.data() + row.side_count;
      RowSide* const same =
          std::find_if(sides.data(), end, [&side](const RowSide& s) { return s.body == side.body; });
      if (same == end) {
        sides[row.side_count++] = side;
      } else {
        same->linear += side.linear;
        same->angular += side.angular;
        same->linear_change += side.linear_change;
        same->angular_change += side.angular_change;
      }
    }
  };
  tie(gear.joint_1, gear.axis_1, 1.0);
  tie(gear.joint_2, gear.axis_2, gear.ratio);
  if (!relaxing_) row.error = sum - record.coupled;
  row.said = coupling_softness(record);
  row.max = coupling_max(record) * substep_s_;
}

#define TAKT_INSTANTIATE(Real)                                                                   \
  template void JointSolver<Real>::add_pulley(const WorldState<Real>&, const JointBodies<Real>&, \
                                              PreparedJoint&, const JointPose&);                 \
  template void JointSolver<Real>::add_gear(const WorldState<Real>&, const JointBodies<Real>&,   \
                                            PreparedJoint&);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
