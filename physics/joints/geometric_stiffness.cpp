#include "physics/joints/geometric_stiffness.h"

#include <algorithm>
#include <iterator>

#include "physics/joints/geometric_stiffness_steps.h"
#include "physics/math/psd_projection.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

/// The inverse of a positive definite matrix; false for any other.
bool inverted(const SymMat64& m, SymMat64& out) noexcept {
  double const xx = m[1] * m[2] - m[5] * m[5];
  double const xy = m[4] * m[5] - m[3] * m[2];
  double const xz = m[3] * m[5] - m[4] * m[1];
  double const determinant = m[0] * xx + m[3] * xy + m[4] * xz;
  if (!(determinant > 0.0)) return false;
  out = {xx / determinant,
         (m[0] * m[2] - m[4] * m[4]) / determinant,
         (m[0] * m[1] - m[3] * m[3]) / determinant,
         xy / determinant,
         xz / determinant,
         (m[3] * m[4] - m[0] * m[5]) / determinant};
  return true;
}

/// weight x v v^T
void add_outer(double (&to)[6], Vec3<double> v, double weight) noexcept {
  to[0] += weight * v.x * v.x;
  to[1] += weight * v.y * v.y;
  to[2] += weight * v.z * v.z;
  to[3] += weight * v.x * v.y;
  to[4] += weight * v.x * v.z;
  to[5] += weight * v.y * v.z;
}

}  // namespace

void GeometricStiffness::add(Vec3<double> lever_arm, Vec3<double> impulse) noexcept {
  add_stiffness(sums.stiffness, lever_arm, impulse);
}

void GeometricStiffness::add_line(Vec3<double> lever_arm, Vec3<double> direction, double tension) noexcept {
  if (!(tension > 0.0)) return;
  add_diagonal(sums.stiffness, tension * dot(lever_arm, lever_arm));
  add_outer(sums.stiffness, lever_arm, -tension);
  add_outer(sums.stiffness, cross(lever_arm, direction), -tension);
}

bool GeometricStiffness::exceeds(const SymMat64& inverse, double scale, PositivePart& part) const noexcept {
  TAKT_ASSERT(scale > 0.0);
  auto const& g = sums.stiffness;
  double const square =
      g[0] * g[0] + g[1] * g[1] + g[2] * g[2] + 2.0 * (g[3] * g[3] + g[4] * g[4] + g[5] * g[5]);
  // The largest eigenvalue of G is at most its norm; the smallest of the inertia is at least 1 /
  // trace(inverse).
  if (!(scale * sqrt(square) * (inverse[0] + inverse[1] + inverse[2]) > 1.0)) return false;
  SymMat64 inertia;
  if (!inverted(inverse, inertia)) return false;  // locked axes
  for (std::size_t i = 0; i < inertia.size(); ++i) {
    part.to[i] = inertia[i];
    part.of[i] = scale * g[i] - inertia[i];
  }
  return true;
}

void GeometricStiffness::raise(std::span<PositivePart> parts) noexcept {
  for (PositivePart& part : parts) {
    [[maybe_unused]] double const trace = part.to[0] + part.to[1] + part.to[2];
    part.found = add_positive_part(part.to, part.of);
    TAKT_VALIDATE(!(part.to[0] + part.to[1] + part.to[2] < trace));
  }
}

SymMat64 GeometricStiffness::conditioned(const SymMat64& inverse, const PositivePart& raised) noexcept {
  SymMat64 inertia;
  std::copy(std::begin(raised.to), std::end(raised.to), inertia.begin());
  SymMat64 result;
  return raised.found && inverted(inertia, result) ? result : inverse;
}

Vec3<double> GeometricStiffness::slowed(const SymMat64& inverse, const SymMat64& raised,
                                        Vec3<double> omega) noexcept {
  SymMat64 inertia;
  return inverted(inverse, inertia) ? multiply(raised, multiply(inertia, omega)) : omega;
}

}  // namespace takt
