// half_gyroscopic_change() computes the gyroscopic change of an angular velocity over half a substep, by
// Newton's method (gyroscope.h has the equation). The change is 0 in a lane in which the method does not
// converge. One template serves one body in binary64 (gyroscope.cpp) and several in lanes of doubles
// (gyroscope_kernels.h), so the bits are equal. to_world_axes() and to_body_axes() rotate vectors. All
// functions are in an unnamed namespace, because the code is compiled once per instruction set
// (vector_lanes.h).
#pragma once

#include "physics/math/psd_projection.h"
#include "takt/physics/vector.h"

namespace takt {
namespace {  // NOLINT: internal linkage on purpose

/// The symmetric matrix m (xx, yy, zz, xy, xz, yz) times v.
template <class Inertia, class N>
Vec3<N> momentum_of(const Inertia& m, Vec3<N> v) noexcept {
  return {m[0] * v.x + m[3] * v.y + m[4] * v.z, m[3] * v.x + m[1] * v.y + m[5] * v.z,
          m[4] * v.x + m[5] * v.y + m[2] * v.z};
}

/// The solution of the linear system with these columns, by Cramer's rule; 0 when the determinant is 0.
template <class N>
Vec3<N> solved(Vec3<N> x, Vec3<N> y, Vec3<N> z, Vec3<N> right) noexcept {
  Vec3<N> const yz = cross(y, z);
  N const zero = N(0.0);
  N const determinant = dot(x, yz);
  auto const has_one = determinant != zero;
  return {select(has_one, dot(right, yz) / determinant, zero),
          select(has_one, dot(x, cross(right, z)) / determinant, zero),
          select(has_one, dot(x, cross(y, right)) / determinant, zero)};
}

/// Returns wm - w0 for a step of `step_s` seconds from the angular velocity w0 = `omega` (rad/s, body frame).
/// The result is 0, so that w0 stays, when Newton's method does not converge in eight iterations. Only
/// rotations of about a radian a step do that. `inertia` is xx, yy, zz, xy, xz, yz in the body frame, in any
/// unit.
template <class Inertia, class N>
Vec3<N> half_gyroscopic_change(const Inertia& inertia, Vec3<N> omega, double step_s) noexcept {
  N const zero = N(0.0);
  N const one = N(1.0);
  N const k = N(0.5 * step_s);
  N const square = dot(omega, omega);
  Vec3<N> w = omega;
  auto found = one < zero;
  for (int round = 0; round < 8 && any(!found); ++round) {
    // f(w) = I (w - w0) + k w x I w; its derivative along u is I u + k (u x I w + w x I u).
    Vec3<N> const momentum = momentum_of(inertia, w);
    Vec3<N> const f = momentum_of(inertia, w - omega) + cross(w, momentum) * k;
    auto const column = [&](Vec3<N> u) {
      Vec3<N> const iu = momentum_of(inertia, u);
      return iu + (cross(u, momentum) + cross(w, iu)) * k;
    };
    Vec3<N> const step =
        solved(column({one, zero, zero}), column({zero, one, zero}), column({zero, zero, one}), f);
    w = {select(found, w.x, w.x - step.x), select(found, w.y, w.y - step.y),
         select(found, w.z, w.z - step.z)};
    // Newton's method squares the error: a step of 1e-5 leaves an error of 1e-10.
    found = found | (dot(step, step) <= N(1e-10) * square);
  }
  return {select(found, w.x - omega.x, zero), select(found, w.y - omega.y, zero),
          select(found, w.z - omega.z, zero)};
}

/// q v q* / |q|^2. to_body_axes() is the inverse. q must not be 0; its length is about 1.
template <class N>
Vec3<N> to_world_axes(Quat<N> q, Vec3<N> v) noexcept {
  N const size = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  Vec3<N> const axis{q.x, q.y, q.z};
  Vec3<N> const t = cross(axis, v) * (N(2.0) / size);
  return v + t * q.w + cross(axis, t);
}
template <class N>
Vec3<N> to_body_axes(Quat<N> q, Vec3<N> v) noexcept {
  return to_world_axes(conjugate(q), v);
}

}  // namespace
}  // namespace takt
