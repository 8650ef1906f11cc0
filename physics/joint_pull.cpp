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

/// weight x v v^T
void add_outer(SymMat64& to, Vec3<double> v, double weight) noexcept {
  to[0] += weight * v.x * v.x;
  to[1] += weight * v.y * v.y;
  to[2] += weight * v.z * v.z;
  to[3] += weight * v.x * v.y;
  to[4] += weight * v.x * v.z;
  to[5] += weight * v.y * v.z;
}

void add_diagonal(SymMat64& to, double value) noexcept {
  for (std::size_t i = 0; i < 3; ++i) to[i] += value;
}

/// Adds to `to` the part of `m` with positive eigenvalues; false when there is none. Jacobi's rotations, always as many: three digits double each sweep.
bool add_positive_part(SymMat64& to, const SymMat64& m) noexcept {
  constexpr int kSweeps = 6;
  double a[3][3] = {{m[0], m[3], m[4]}, {m[3], m[1], m[5]}, {m[4], m[5], m[2]}};
  double axes[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};  // columns
  constexpr int kPairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (const int(&pair)[2] : kPairs) {
      int const p = pair[0];
      int const q = pair[1];
      if (a[p][q] == 0.0) continue;
      double const half = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
      double const size = (half < 0.0 ? -half : half) + sqrt(half * half + 1.0);
      double const tangent = (half < 0.0 ? -1.0 : 1.0) / size;
      double const cosine = 1.0 / sqrt(tangent * tangent + 1.0);
      double const sine = tangent * cosine;
      for (int k = 0; k < 3; ++k) {
        double const kp = a[k][p];
        double const kq = a[k][q];
        a[k][p] = cosine * kp - sine * kq;
        a[k][q] = sine * kp + cosine * kq;
      }
      for (int k = 0; k < 3; ++k) {
        double const pk = a[p][k];
        double const qk = a[q][k];
        a[p][k] = cosine * pk - sine * qk;
        a[q][k] = sine * pk + cosine * qk;
      }
      for (auto& row : axes) {
        double const kp = row[p];
        double const kq = row[q];
        row[p] = cosine * kp - sine * kq;
        row[q] = sine * kp + cosine * kq;
      }
    }
  }
  bool any = false;
  for (int i = 0; i < 3; ++i) {
    if (!(a[i][i] > 0.0)) continue;
    add_outer(to, {axes[0][i], axes[1][i], axes[2][i]}, a[i][i]);
    any = true;
  }
  return any;
}

}  // namespace

void JointPull::add(Vec3<double> arm, Vec3<double> impulse) noexcept {
  add_diagonal(stiffness_, dot(arm, impulse));
  stiffness_[0] -= arm.x * impulse.x;
  stiffness_[1] -= arm.y * impulse.y;
  stiffness_[2] -= arm.z * impulse.z;
  stiffness_[3] -= 0.5 * (arm.x * impulse.y + arm.y * impulse.x);
  stiffness_[4] -= 0.5 * (arm.x * impulse.z + arm.z * impulse.x);
  stiffness_[5] -= 0.5 * (arm.y * impulse.z + arm.z * impulse.y);
}

void JointPull::add_line(Vec3<double> arm, Vec3<double> direction, double pull) noexcept {
  if (!(pull > 0.0)) return;
  add_diagonal(stiffness_, pull * dot(arm, arm));
  add_outer(stiffness_, arm, -pull);
  add_outer(stiffness_, cross(arm, direction), -pull);
}

SymMat64 JointPull::tamed(const SymMat64& inverse, double scale) const noexcept {
  const SymMat64& g = stiffness_;
  double const square = g[0] * g[0] + g[1] * g[1] + g[2] * g[2] + 2.0 * (g[3] * g[3] + g[4] * g[4] + g[5] * g[5]);
  // No axis of it is above its norm, and no axis of the inertia below 1 / trace.
  if (!(scale * sqrt(square) * (inverse[0] + inverse[1] + inverse[2]) > 1.0)) return inverse;
  SymMat64 inertia;
  if (!inverted(inverse, inertia)) return inverse;  // locked axes
  SymMat64 over;
  for (std::size_t i = 0; i < over.size(); ++i) over[i] = scale * g[i] - inertia[i];
  if (!add_positive_part(inertia, over)) return inverse;
  SymMat64 raised;
  return inverted(inertia, raised) ? raised : inverse;
}

Vec3<double> JointPull::slowed(const SymMat64& inverse, const SymMat64& raised, Vec3<double> spin) noexcept {
  SymMat64 inertia;
  return inverted(inverse, inertia) ? multiply(raised, multiply(inertia, spin)) : spin;
}

}  // namespace takt
