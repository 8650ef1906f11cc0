#include "physics/joints/point_joint_rows.h"

#include "takt/core/assert.h"

namespace takt {
namespace {

/// -[effect]x I^-1 [cause]x: column i is the velocity at arm `effect` by an impulse of 1 N s along world axis
/// i at arm `cause`.
Mat3<double> angular_mobility(const SymMat64& inverse, const Vec3<double>& cause,
                              const Vec3<double>& effect) noexcept {
  const SymMat64& m = inverse;
  const Vec3<double>& r = cause;
  // I^-1 (r x e_i)
  Vec3<double> const x{m[3] * r.z - m[4] * r.y, m[1] * r.z - m[5] * r.y, m[5] * r.z - m[2] * r.y};
  Vec3<double> const y{m[4] * r.x - m[0] * r.z, m[5] * r.x - m[3] * r.z, m[2] * r.x - m[4] * r.z};
  Vec3<double> const z{m[0] * r.y - m[3] * r.x, m[3] * r.y - m[1] * r.x, m[4] * r.y - m[5] * r.x};
  return {cross(x, effect), cross(y, effect), cross(z, effect)};
}

}  // namespace

PreparedPointJoint make_point_joint(const PreparedJoint& joint, const JointRecord& record) noexcept {
  TAKT_ASSERT(joint.is_point && joint.row_count == 3);
  const JointFramesOf<double>& frames = joint.frames;
  PreparedPointJoint point;
  point.local_a = joint.a.body != 0 ? frames.local_a : rotate(frames.rotation_a, frames.local_a);
  point.local_b = joint.b.body != 0 ? frames.local_b : rotate(frames.rotation_b, frames.local_b);
  point.delta_center = frames.delta_center;
  point.impulse = to_matrix(frames.rotation_a * frames.frame_a) *
                  Vec3<double>{record.impulses[0], record.impulses[1], record.impulses[2]};
  return point;
}

void update_point_joint(PreparedPointJoint& point, bool static_a, const BodyPoseOf<double>& a, bool static_b,
                        const BodyPoseOf<double>& b) noexcept {
  Vec3<double> delta_center = point.delta_center;
  Vec3<double> anchor_a = point.local_a;
  point.r_b = point.local_b;
  if (!static_a) {
    anchor_a = rotate(a.rotation, point.local_a);
    delta_center -= a.delta_position;
  }
  if (!static_b) {
    point.r_b = rotate(b.rotation, point.local_b);
    delta_center += b.delta_position;
  }
  point.error = delta_center + point.r_b - anchor_a;
  point.r_a = anchor_a + point.error;
}

void fill_point_block(PreparedPointJoint& point, const Vec3<double>& inverse_mass,
                      const SymMat64& inverse_inertia_a, const SymMat64& inverse_inertia_b,
                      double loop_compliance, double* block) noexcept {
  Mat3<double> const a = angular_mobility(inverse_inertia_a, point.r_a, point.r_a);
  Mat3<double> const b = angular_mobility(inverse_inertia_b, point.r_b, point.r_b);
  Vec3<double> const diagonal{inverse_mass.x + (a.x.x + b.x.x), inverse_mass.y + (a.y.y + b.y.y),
                              inverse_mass.z + (a.z.z + b.z.z)};
  point.gamma = loop_compliance > 0.0 ? diagonal * loop_compliance : Vec3<double>{};
  block[0] = diagonal.x + point.gamma.x;
  block[4] = diagonal.y + point.gamma.y;
  block[8] = diagonal.z + point.gamma.z;
  block[1] = block[3] = a.x.y + b.x.y;
  block[2] = block[6] = a.x.z + b.x.z;
  block[5] = block[7] = a.y.z + b.y.z;
}

void fill_point_coupling(const Vec3<double>& inverse_mass, const SymMat64& inverse_inertia,
                         const Vec3<double>& cause, const Vec3<double>& effect, bool same_side,
                         double* block) noexcept {
  double const sign = same_side ? 1.0 : -1.0;
  Mat3<double> const angular = angular_mobility(inverse_inertia, cause, effect);
  block[0] = sign * (inverse_mass.x + angular.x.x);
  block[1] = sign * angular.y.x;
  block[2] = sign * angular.z.x;
  block[3] = sign * angular.x.y;
  block[4] = sign * (inverse_mass.y + angular.y.y);
  block[5] = sign * angular.z.y;
  block[6] = sign * angular.x.z;
  block[7] = sign * angular.y.z;
  block[8] = sign * (inverse_mass.z + angular.z.z);
}

}  // namespace takt
