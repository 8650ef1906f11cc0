#include "physics/constraints/gyroscope.h"

#include "physics/constraints/constraint_row.h"
#include "physics/constraints/gyroscope_steps.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

/// Computes the inertia from its inverse by cofactors. They are the inertia times the determinant; the factor
/// does not matter.
bool from_inverse(const std::array<double, 6>& a, Gyroscope& out) noexcept {
  if (a[0] == a[1] && a[1] == a[2] && a[3] == 0.0 && a[4] == 0.0 && a[5] == 0.0) return false;
  double const size = a[0] + a[1] + a[2];
  if (!(size > 0.0)) return false;
  std::array<double, 6> m = a;
  for (double& entry : m) entry /= size;
  std::array<double, 6> const c = {m[1] * m[2] - m[5] * m[5], m[0] * m[2] - m[4] * m[4],
                                   m[0] * m[1] - m[3] * m[3], m[4] * m[5] - m[3] * m[2],
                                   m[3] * m[5] - m[4] * m[1], m[3] * m[4] - m[0] * m[5]};
  double const trace = c[0] + c[1] + c[2];
  if (!(c[0] > 0.0) || !(c[1] > 0.0) || !(c[2] > 0.0)) return false;
  for (std::size_t i = 0; i < 6; ++i) out.inertia[i] = c[i] / trace;
  TAKT_VALIDATE(out.inertia[0] <= 1.0 && out.inertia[1] <= 1.0 && out.inertia[2] <= 1.0);
  return true;
}

template <class Real>
void rotate_velocity(SolverBody<Real>& body, Quat<Real> rotation, Vec3<double> change) noexcept {
  Vec3<double> const rotated = to_world_axes(to_double(rotation), change);
  set_row(body.angular_velocity,
          vector_of(body.angular_velocity) +
              Vec3<Real>{to_real<Real>(rotated.x), to_real<Real>(rotated.y), to_real<Real>(rotated.z)});
}

template <class Tensor>
Vec3<double> turned_with(const Tensor& inverse_inertia, Quat<double> before, Quat<double> now,
                         Vec3<double> w) noexcept {
  Gyroscope body;
  if (!make_gyroscope(inverse_inertia, body)) return w;
  Vec3<double> const local = to_body_axes(before, w);
  Vec3<double> const momentum = multiply(body.inertia, local);
  Vec3<double> const turned =
      multiply(to_sym_mat64(inverse_inertia), to_body_axes(now, to_world_axes(before, momentum)));
  double const energy = dot(local, momentum);
  double const turned_energy = dot(turned, multiply(body.inertia, turned));
  if (!(energy > 0.0) || !(turned_energy > 0.0)) return w;
  return to_world_axes(now, turned * sqrt(energy / turned_energy));
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

Vec3<double> turned_velocity(const FloatSymMat& inverse_inertia, Quat<double> before, Quat<double> now,
                             Vec3<double> w) noexcept {
  return turned_with(inverse_inertia, before, now, w);
}

Vec3<double> turned_velocity(const FixedSymMat& inverse_inertia, Quat<double> before, Quat<double> now,
                             Vec3<double> w) noexcept {
  return turned_with(inverse_inertia, before, now, w);
}

template <class Real>
void begin_gyroscopic(const SpinningBodies<Real>& at, double step_s) noexcept {
  for (std::uint32_t const index : std::span(at.indices, at.count)) {
    Gyroscope& gyroscope = at.gyroscopes[index];
    TAKT_VALIDATE(gyroscope.body == index);
    SolverBody<Real>& body = at.bodies[index];
    Quat<Real> const rotation = at.moving[index].rotation;
    Vec3<double> const local = to_body_axes(to_double(rotation), to_double(vector_of(body.angular_velocity)));
    gyroscope.half_change = half_gyroscopic_change(gyroscope.inertia, local, step_s);
    rotate_velocity(body, rotation, gyroscope.half_change);
  }
}

template <class Real>
void end_gyroscopic(const SpinningBodies<Real>& at) noexcept {
  for (std::uint32_t const index : std::span(at.indices, at.count))
    rotate_velocity(at.bodies[index], at.moving[index].rotation, at.gyroscopes[index].half_change);
}

#define TAKT_INSTANTIATE(Real)                                                  \
  template void begin_gyroscopic(const SpinningBodies<Real>&, double) noexcept; \
  template void end_gyroscopic(const SpinningBodies<Real>&) noexcept;
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
