#include "physics/joints/joint_inertias.h"

#include <algorithm>

#include "physics/constraints/motion_locks.h"
#include "takt/core/assert.h"

namespace takt {

template <class Real>
void JointInertias<Real>::prepare(const WorldState<Real>& state, const JointBodies<Real>& bodies,
                                  std::span<const std::uint32_t> used) {
  std::size_t const count = bodies.bodies.size();
  bodies_.assign(used.begin(), used.end());
  std::sort(bodies_.begin(), bodies_.end());
  bodies_.erase(std::unique(bodies_.begin(), bodies_.end()), bodies_.end());
  TAKT_ASSERT(bodies_.empty() || (bodies_.front() != 0 && bodies_.back() < count));
  inverse_.resize(count);
  inverse_[0] = {};
  local_.resize(count);
  for (std::uint32_t const body : bodies_) {
    local_[body] = has_angular(bodies.masses[body].locked_axes)
                       ? to_sym_mat64(bodies.masses[body].inverse_inertia)
                       : to_sym_mat64(state.bodies[bodies.moving[body].index].inverse_inertia);
  }
  poses_.resize(count);
  stale_.assign(count, 0);
  raised_.assign(count, 0);
}

template <class Real>
void JointInertias<Real>::update(const JointBodies<Real>& bodies, bool all, bool keep_raised) {
  TAKT_ASSERT(bodies.bodies.size() == stale_.size());
  any_moved_ = false;
  for (std::uint32_t const body : bodies_) {
    Pose const pose{vector_of(bodies.bodies[body].delta_position), bodies.moving[body].rotation};
    bool const moved = !(pose == poses_[body]);
    any_moved_ = any_moved_ || moved;
    stale_[body] = all || raised_[body] != 0 || moved ? 1 : 0;
    poses_[body] = pose;
    if (stale_[body] == 0 || (keep_raised && raised_[body] != 0)) continue;
    inverse_[body] = has_angular(bodies.masses[body].locked_axes)
                         ? local_[body]
                         : rotated(local_[body], to_matrix(to_double(pose.rotation)));
  }
}

template <class Real>
void JointInertias<Real>::raise(std::uint32_t body, const SymMat64& inverse_inertia) noexcept {
  TAKT_VALIDATE(std::binary_search(bodies_.begin(), bodies_.end(), body));
  inverse_[body] = inverse_inertia;
  raised_[body] = 1;
  stale_[body] = 1;
}

template class JointInertias<float>;
template class JointInertias<Fixed>;

}  // namespace takt
