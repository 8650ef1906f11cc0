// JointInertias stores the inverse inertia in world axes (I^-1 = R I_local^-1 R^T) of each jointed body that
// moves under impulses, and marks stale bodies. A body is left out if it has only batched point joints that
// need no full tensor (point_joint_batches.h). A body is stale when its pose or inertia may differ from that
// of its rows; JointSolver then computes the rows again. Rows with another inertia than the body's would add
// energy to a spinning body. JointSolver calls update() twice in each substep: before the warm start, and
// after the bodies have moved. inertia_conditioning.h computes larger (raised) inertias and stores them here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/constraints/constraint_row.h"
#include "physics/joints/joint_bodies.h"
#include "physics/state/world_state.h"

namespace takt {

template <class Real>
class JointInertias {
 public:
  /// Starts a tick with the jointed bodies `used` (solver indices above 0, any order, repeats allowed). The
  /// first update() of the tick must have `all`.
  void prepare(const WorldState<Real>& state, const JointBodies<Real>& bodies,
               std::span<const std::uint32_t> used);
  /// Compares poses with those of the last call and computes the inertias of stale bodies. Moved and raised
  /// bodies are stale; `all`: every body is. `keep_raised`: raised inertias stay as they are (relax pass),
  /// else raised bodies get their own inertia again.
  void update(const JointBodies<Real>& bodies, bool all, bool keep_raised);
  /// Marks no body as raised. Call it after an update() without `keep_raised`, which restored the inertias.
  void forget_raised() noexcept { raised_.assign(raised_.size(), 0); }
  /// Sets the inverse inertia, world axes, of a body of bodies(), and marks the body raised and stale.
  void raise(std::uint32_t body, const SymMat64& inverse_inertia) noexcept;

  /// The bodies of prepare(): solver indices, ascending, unique.
  [[nodiscard]] const std::vector<std::uint32_t>& bodies() const noexcept { return bodies_; }
  /// By solver index, 1/(kg m^2); zero at index 0. Undefined for bodies outside bodies(), which are neither
  /// stale nor raised.
  [[nodiscard]] const std::vector<SymMat64>& inverse() const noexcept { return inverse_; }
  /// By solver index: not 0 when stale.
  [[nodiscard]] const std::vector<std::uint8_t>& stale() const noexcept { return stale_; }
  [[nodiscard]] bool is_stale(std::uint32_t body) const noexcept { return stale_[body] != 0; }
  [[nodiscard]] bool is_raised(std::uint32_t body) const noexcept { return raised_[body] != 0; }
  /// True when the last update() found a body in another pose than the update() before.
  [[nodiscard]] bool any_moved() const noexcept { return any_moved_; }

 private:
  struct Pose {
    Vec3<Real> delta_position;
    Quat<Real> rotation;
    friend bool operator==(const Pose&, const Pose&) = default;
  };

  std::vector<std::uint32_t> bodies_;
  std::vector<SymMat64> local_;    ///< inverse, body frame; bodies with locked rotations: world axes
  std::vector<SymMat64> inverse_;  ///< world axes
  std::vector<Pose> poses_;        ///< by body: when its rows were built
  std::vector<std::uint8_t> stale_;
  std::vector<std::uint8_t> raised_;  ///< inertia larger than the body's own
  bool any_moved_ = false;
};

}  // namespace takt
