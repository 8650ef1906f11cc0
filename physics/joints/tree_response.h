// TreeResponse lets ropes act on the bodies of joint trees. An impulse on a body of a tree moves the whole
// tree, while the rows of its joints keep their velocities. A rope that is tied to a light body thus moves
// the mass behind the joints. JointSolver::response() makes a TreeResponse for the pinned bodies of the tick,
// after the first pass of a substep and before the biased pass. Only equality rows and acting direct limits
// take part: limit rows (joint_limits.h), gears, pulleys, loop-closing joints and batched point joints do
// not. Source: the articulated inverse inertia of R. Featherstone, Rigid Body Dynamics Algorithms (2008), 7,
// here from the factor of the constraint matrix.
//
//   v += M^-1 (w + J^T d),  A d = -J M^-1 w        w  impulse on the body: P, and r x P
//   K' = K - B^T A^-1 B,    B = J M^-1 w           K' mobility of the point: its velocity by a unit P
//   A, J, M as in joint_equality.h                 K  mobility of the body alone
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/joints/inertia_conditioning.h"
#include "physics/joints/joint_equality.h"

namespace takt {

/// A body of a scalar tree that a rope is pinned to.
struct PinnedBody {
  std::uint32_t body = 0;   ///< solver index
  std::uint32_t group = 0;  ///< lowest body of its group of joints
  NodeRange tree;
  Vec3<double> inverse_mass;  ///< 1/kg along the world axes
  bool is_looped = false;     ///< joints of its group close loops
};

/// Refers to the parts of one JointSolver and must not outlive the substep. Only one thread may use it.
template <class Real>
class TreeResponse {
 public:
  TreeResponse(std::span<const PinnedBody> pinned, JointEquality<Real>& equality,
               InertiaConditioning<Real>& conditioning, const JointPass<Real>& pass) noexcept
      : pinned_(pinned), equality_(equality), conditioning_(conditioning), pass_(pass) {}

  /// The pinned body of this solver index; null for every other body, and for bodies outside trees.
  [[nodiscard]] const PinnedBody* find(std::uint32_t body) const noexcept;
  /// Lowest body of the joint group of a pinned body; the body itself for every other.
  [[nodiscard]] std::uint32_t group_of(std::uint32_t body) const noexcept {
    const PinnedBody* const pinned = find(body);
    return pinned == nullptr ? body : pinned->group;
  }
  /// Mobility K' of the point at `lever_arm` (m, world axes) of a pinned body, 1/kg. K' is positive
  /// semidefinite: what rounding leaves below 0 is cut off.
  [[nodiscard]] SymMat64 mobility_of(const PinnedBody& pinned, const Vec3<double>& lever_arm);
  /// Applies an impulse, N s, world, at `lever_arm` of a pinned body, with the response of its tree. The
  /// velocities of all bodies of the tree and the accumulated impulses of its rows change at once.
  void apply(const PinnedBody& pinned, const Vec3<double>& lever_arm, const Vec3<double>& impulse);

 private:
  [[nodiscard]] VelocityOf<double> change_of(const PinnedBody& pinned, const Vec3<double>& lever_arm,
                                             const Vec3<double>& impulse) const noexcept;

  std::span<const PinnedBody> pinned_;
  JointEquality<Real>& equality_;
  InertiaConditioning<Real>& conditioning_;
  JointPass<Real> pass_;
};

}  // namespace takt
