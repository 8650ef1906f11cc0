#include "physics/gyroscope.h"

namespace takt {
namespace {

/// From the inverse by cofactors, which are the inertia times the determinant: the factor does not matter.
bool from_inverse(const std::array<double, 6>& a, Gyroscope& out) noexcept {
  if (a[0] == a[1] && a[1] == a[2] && a[3] == 0.0 && a[4] == 0.0 && a[5] == 0.0) return false;
  double const size = a[0] + a[1] + a[2];
  if (!(size > 0.0)) return false;
  std::array<double, 6> m = a;
  for (double& entry : m) entry /= size;
  std::array<double, 6> const c = {m[1] * m[2] - m[5] * m[5], m[0] * m[2] - m[4] * m[4], m[0] * m[1] - m[3] * m[3],
                                   m[4] * m[5] - m[3] * m[2], m[3] * m[5] - m[4] * m[1], m[3] * m[4] - m[0] * m[5]};
  double const trace = c[0] + c[1] + c[2];
  if (!(c[0] > 0.0) || !(c[1] > 0.0) || !(c[2] > 0.0)) return false;
  for (std::size_t i = 0; i < 6; ++i) out.inertia[i] = c[i] / trace;
  return true;
}

Vec3<double> times(const std::array<double, 6>& m, Vec3<double> v) noexcept {
  return {m[0] * v.x + m[3] * v.y + m[4] * v.z, m[3] * v.x + m[1] * v.y + m[5] * v.z, m[4] * v.x + m[5] * v.y + m[2] * v.z};
}

/// The solution of the system with these columns, by Cramer's rule; 0 when there is none.
Vec3<double> solve(Vec3<double> x, Vec3<double> y, Vec3<double> z, Vec3<double> right) noexcept {
  Vec3<double> const yz = cross(y, z);
  double const determinant = dot(x, yz);
  if (determinant == 0.0) return {};
  return {dot(right, yz) / determinant, dot(x, cross(right, z)) / determinant, dot(x, cross(y, right)) / determinant};
}

}  // namespace

bool make_gyroscope(const FloatSymMat& inverse_inertia, Gyroscope& out) noexcept {
  std::array<double, 6> entries{};
  for (std::size_t i = 0; i < 6; ++i) entries[i] = static_cast<double>(inverse_inertia.m[i]);
  return from_inverse(entries, out);
}

bool make_gyroscope(const FixedSymMat& inverse_inertia, Gyroscope& out) noexcept {
  std::array<double, 6> entries{};
  for (std::size_t i = 0; i < 6; ++i) entries[i] = static_cast<double>(inverse_inertia.mantissa[i]);
  return from_inverse(entries, out);
}

Vec3<double> half_gyroscopic_change(const std::array<double, 6>& inertia, Vec3<double> spin, double step_s) noexcept {
  double const k = 0.5 * step_s;
  double const square = dot(spin, spin);
  Vec3<double> w = spin;
  for (int round = 0; round < 8; ++round) {
    // f(w) = I (w - w0) + k w x I w; its derivative along u is I u + k (u x I w + w x I u).
    Vec3<double> const momentum = times(inertia, w);
    Vec3<double> const f = times(inertia, w - spin) + cross(w, momentum) * k;
    auto const column = [&](Vec3<double> u) {
      Vec3<double> const iu = times(inertia, u);
      return iu + (cross(u, momentum) + cross(w, iu)) * k;
    };
    Vec3<double> const step = solve(column({1, 0, 0}), column({0, 1, 0}), column({0, 0, 1}), f);
    w = w - step;
    // Newton's method squares the error: a step of 1e-5 leaves 1e-10.
    if (dot(step, step) <= 1e-10 * square) return w - spin;
  }
  return {};
}

Vec3<double> to_world(Quat<double> q, Vec3<double> v) noexcept {
  double const size = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  Vec3<double> const axis{q.x, q.y, q.z};
  Vec3<double> const t = cross(axis, v) * (2.0 / size);
  return v + t * q.w + cross(axis, t);
}

Vec3<double> to_body(Quat<double> q, Vec3<double> v) noexcept { return to_world(conjugate(q), v); }

}  // namespace takt
