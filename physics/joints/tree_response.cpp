#include "physics/joints/tree_response.h"

#include <algorithm>

namespace takt {

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
  return {columns[0].x, columns[1].y, columns[2].z, columns[1].x, columns[2].x, columns[2].y};
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
