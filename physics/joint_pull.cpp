#include "physics/joint_pull.h"

namespace takt {
namespace {

/// Of a positive definite matrix; false when it is not.
bool inverted(const SymMat64& m, SymMat64& out) noexcept {
  double const xx = m[1] * m[2] - m[5] * m[5];
  double const xy = m[4] * m[5] - m[3] * m[2];
  double const xz = m[3] * m[5] - m[4] * m[1];
  double const determinant = m[0] * xx + m[3] * xy + m[4] * xz;
  if (!(determinant > 0.0)) return false;
  out = {xx / determinant, (m[0] * m[2] - m[4] * m[4]) / determinant, (m[0] * m[1] - m[3] * m[3]) / determinant, xy / determinant,
         xz / determinant, (m[3] * m[4] - m[0] * m[5]) / determinant};
  return true;
}

}  // namespace

SymMat64 JointPull::tamed(const SymMat64& inverse, double scale) const noexcept {
  double const wanted = scale * arm_impulse_;
  double const size = length(arm_);
  if (!(wanted > 0.0) || !(size > 1e-6)) return inverse;
  Vec3<double> const axis{arm_.x / size, arm_.y / size, arm_.z / size};
  // The largest mobility across the arm: of the 2 x 2 matrix in two axes across it.
  Vec3<double> const beside = absolute(axis.x) < 0.6 ? Vec3<double>{1.0, 0.0, 0.0} : Vec3<double>{0.0, 1.0, 0.0};
  Vec3<double> const u = normalise_or(cross(axis, beside), beside, 1e-9);
  Vec3<double> const v = cross(axis, u);
  double const uu = dot(u, multiply(inverse, u));
  double const uv = dot(u, multiply(inverse, v));
  double const vv = dot(v, multiply(inverse, v));
  double const half = 0.5 * (uu - vv);
  double const most = 0.5 * (uu + vv) + sqrt(half * half + uv * uv);
  if (!(wanted * most > 1.0)) return inverse;
  double const more = wanted - 1.0 / most;
  SymMat64 inertia;
  if (!inverted(inverse, inertia)) return inverse;  // locked axes
  inertia[0] += more * (1.0 - axis.x * axis.x);
  inertia[1] += more * (1.0 - axis.y * axis.y);
  inertia[2] += more * (1.0 - axis.z * axis.z);
  inertia[3] -= more * axis.x * axis.y;
  inertia[4] -= more * axis.x * axis.z;
  inertia[5] -= more * axis.y * axis.z;
  SymMat64 raised;
  return inverted(inertia, raised) ? raised : inverse;
}

Vec3<double> JointPull::slowed(const SymMat64& inverse, const SymMat64& raised, Vec3<double> spin) noexcept {
  SymMat64 inertia;
  return inverted(inverse, inertia) ? multiply(raised, multiply(inertia, spin)) : spin;
}

}  // namespace takt
