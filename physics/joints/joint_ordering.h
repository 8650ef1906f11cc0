// JointOrdering lists the joints that act in a tick and assigns each joint the indices of its rows. A joint
// acts when it is enabled and not broken, both bodies are enabled, and one of them is dynamic, awake and not
// quarantined. A gear acts when also both joints that it couples act. joints() is in id order with gears
// last, because a gear reads its two joints. nodes() has the order of EliminationForest, for the equality
// solver. Batched point joints (point_joint_batches.h) go to a list of their own. JointSolver calls build()
// once a tick. The rows themselves are computed in joint_equality.h, joint_limits.h and joint_couplings.h.
#pragma once

#include <cstdint>
#include <vector>

#include "physics/joints/elimination_forest.h"
#include "physics/joints/joint_rows.h"
#include "physics/joints/point_joint_batches.h"
#include "physics/state/world_state.h"

namespace takt {

template <class Real>
class JointOrdering {
 public:
  /// Lists the joints of a tick. Joints of colour batches are appended to `batched`. `substep_s` in s
  /// converts maximum forces to impulses.
  void build(const WorldState<Real>& state, const JointBodies<Real>& bodies, double substep_s,
             std::vector<BatchedPointJoint>& batched);
  /// Empties joints(); the other lists are undefined until the next build().
  void clear() noexcept;

  /// True when no joint acts, batched ones included.
  [[nodiscard]] bool empty() const noexcept { return acting_.empty(); }
  [[nodiscard]] const EliminationForest& forest() const noexcept { return forest_; }
  /// Joints outside colour batches, in id order, gears last.
  [[nodiscard]] std::vector<PreparedJoint>& joints() noexcept { return joints_; }
  [[nodiscard]] const std::vector<PreparedJoint>& joints() const noexcept { return joints_; }
  /// Index in joints() by node of the elimination order.
  [[nodiscard]] const std::vector<std::uint32_t>& nodes() const noexcept { return nodes_; }
  /// True when the joint at `index` of the joint pool acts in this tick.
  [[nodiscard]] bool acts(std::uint32_t index) const noexcept { return prepared_[index] != 0; }
  /// The joint at `index` of the joint pool, which must act and be in joints() (asserted).
  [[nodiscard]] PreparedJoint& prepared(std::uint32_t index) noexcept;
  // Sizes of the lists of equality rows, limit rows and coupling rows:
  [[nodiscard]] std::uint32_t row_count() const noexcept { return row_count_; }
  [[nodiscard]] std::uint32_t limit_count() const noexcept { return limit_count_; }
  [[nodiscard]] std::uint32_t coupling_count() const noexcept { return coupling_count_; }

 private:
  void list_acting(const WorldState<Real>& state, const JointBodies<Real>& bodies);
  void prepare_joints(const WorldState<Real>& state, const JointBodies<Real>& bodies, double substep_s,
                      std::vector<BatchedPointJoint>& batched);
  void assign_nodes(const WorldState<Real>& state);
  void assign_limits(const WorldState<Real>& state);
  [[nodiscard]] bool is_steady(const WorldState<Real>& state, const PreparedJoint& joint) const noexcept;

  std::vector<std::uint32_t> acting_;       ///< joint pool indices in id order, gears last
  std::vector<ForestJoint> forest_joints_;  ///< parallel to acting_
  EliminationForest forest_;
  std::vector<PreparedJoint> joints_;
  std::vector<std::uint32_t>
      prepared_;  ///< by joint pool index: index in joints_ + 1, kBatchedJoint, 0 = does not act
  std::vector<std::uint32_t> nodes_;
  std::uint32_t row_count_ = 0;
  std::uint32_t limit_count_ = 0;
  std::uint32_t coupling_count_ = 0;
};

}  // namespace takt
