#include "physics/joints/tree_response.h"

#include <algorithm>

#include "physics/math/psd_projection.h"

namespace takt {
namespace {

/// `m` where L D L^T finds it positive definite, else its positive part.
SymMat64 positive_part(const SymMat64& m) noexcept {
  double const l1 = m[3] / m[0];
  double const d1 = m[1] - l1 * m[3];
  double const rest = m[5] - m[4] / m[0] * m[3];
  double const d2 = m[2] - m[4] / m[0] * m[4] - rest / d1 * rest;
  if (m[0] > 0.0 && d1 > 0.0 && d2 > 0.0) return m;
  double const from[6] = {m[0], m[1], m[2], m[3], m[4], m[5]};
  double part[6] = {};
  add_positive_part(part, from);
  return {part[0], part[1], part[2], part[3], part[4], part[5]};
}

}  // namespace

template <class Real>
const PinnedBody* TreeResponse<Real>::find(std::uint32_t body) const noexcept {
  auto const found = std::find_if(pinned_.begin(), pinned_.end(),
                                  [body](const PinnedBody& pinned) { return pinned.body == body; });
  return found == pinned_.end() ? nullptr : &*found;
}

/// Velocity change of the body alone.
template <class Real>
VelocityOf<double> TreeResponse<Real>::change_of(const PinnedBody& pinned, const Vec3<double>& lever_arm,
                                                 const Vec3<double>& impulse) const noexcept {
  return {along_axes(impulse, pinned.inverse_mass),
          multiply(pass_.inverse_inertias[pinned.body], cross(lever_arm, impulse))};
}

template <class Real>
SymMat64 TreeResponse<Real>::mobility_of(const PinnedBody& pinned, const Vec3<double>& lever_arm) {
  Vec3<double> columns[3];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Vec3<double> const unit{axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0};
    pass_.changes[pinned.body] = change_of(pinned, lever_arm, unit);
    equality_.respond(pinned.tree, pinned.body, pass_);
    const VelocityOf<double>& change = pass_.changes[pinned.body];
    columns[axis] = change.linear + cross(change.angular, lever_arm);
    equality_.clear_changes(pinned.tree, pass_);
  }
  // A tree that holds the point leaves the difference of large numbers, of any sign.
  return positive_part({columns[0].x, columns[1].y, columns[2].z, columns[1].x, columns[2].x, columns[2].y});
}

template <class Real>
void TreeResponse<Real>::apply(const PinnedBody& pinned, const Vec3<double>& lever_arm,
                               const Vec3<double>& impulse) {
  pass_.changes[pinned.body] = change_of(pinned, lever_arm, impulse);
  equality_.respond(pinned.tree, pinned.body, pass_);
  equality_.add_response(pinned.tree);
  conditioning_.add_angular_velocities(pass_.changes);
  equality_.apply_changes(pinned.tree, pass_);
}

template class TreeResponse<float>;
template class TreeResponse<Fixed>;

}  // namespace takt
