// PointJointBatches solves rigid point joints (ball and socket) of groups with many loops, such as cloth and
// nets. JointGroups::has_many_loops() is the rule, and EliminationForest selects these joints by it. Graph
// colouring (point_joint_layout.h) gives joints of one colour no moving body in common. Gauss-Seidel solves
// colour after colour on several threads, in float mode also in SIMD lanes (docs/CONSTRAINTS.md 2.3, 2.4;
// docs/adr/0013). point_joint_block.h has the equations. In each substep JointSolver runs the biased pass and
// the relax pass of these joints after its other joints. JointSolver calls the functions when not empty();
// set_tensors() may be called always. BatchTension and BatchReaction are the impulses of one joint, for
// inertia_conditioning.h and joint_reactions.h.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/base/aligned_buffer.h"
#include "physics/constraints/constraint_row.h"
#include "physics/joints/joint_bodies.h"
#include "physics/joints/point_joint_block.h"
#include "physics/joints/point_joint_layout.h"
#include "physics/state/world_state.h"

namespace takt {

/// Lever arms and impulse of a joint in this substep, world axes.
struct BatchTension {
  Vec3<double> r_a;      ///< from a's centre of mass to b's anchor, m
  Vec3<double> r_b;      ///< from b's centre of mass to b's anchor, m
  Vec3<double> impulse;  ///< on b, N s
};

/// Impulses of a joint in a tick, on b, world axes.
struct BatchReaction {
  Vec3<double> impulse;    ///< of the last substep, N s
  Vec3<double> force_sum;  ///< of all substeps, N s
};

template <class Real>
class PointJointBatches {
 public:
  /// Removes the joints of the last tick; empty() is then true.
  void clear() noexcept {
    joints_.clear();
    special_.clear();
  }
  /// The joints of a tick in id order. JointOrdering appends them between clear() and prepare().
  [[nodiscard]] std::vector<BatchedPointJoint>& joints() noexcept { return joints_; }
  [[nodiscard]] const std::vector<BatchedPointJoint>& joints() const noexcept { return joints_; }
  /// Assigns colours and blocks, and packs the impulses of the last tick. `other_bodies`: solver indices of
  /// bodies that other joints move too. joints() is not empty; `bodies` keeps its arrays until the tick's
  /// end.
  void prepare(const WorldState<Real>& state, const JointBodies<Real>& bodies, const JointTick& tick,
               std::span<const std::uint32_t> other_bodies);
  [[nodiscard]] bool empty() const noexcept { return joints_.empty(); }
  /// Indices in joints(), ascending, of joints that need full inertia tensors. A moving body of such a joint
  /// has a non-spherical tensor, locked axes, a joint outside the batches, or too much tension
  /// (kMaxSwingRate). These joints need set_tensors() before compute_rows() and relax().
  [[nodiscard]] const std::vector<std::uint32_t>& special() const noexcept { return special_; }

  /// Sets the inverse inertias of the special joints: in world axes, by solver index, 0 at index 0.
  void set_tensors(const std::vector<SymMat64>& inverse_inertias);
  /// Computes lever arms, drift and matrices of all joints, or of the special joints only.
  void compute_rows(const JointBodies<Real>& bodies, bool only_special);
  /// Applies the impulses of the last substep to the bodies.
  void warm_start(const JointBodies<Real>& bodies);
  /// Biased pass: kBatchBiasedIterations soft iterations that correct drift.
  void solve(const JointBodies<Real>& bodies);
  /// Relax pass: computes lever arms and matrices after the bodies have moved, then runs
  /// kBatchRelaxIterations rigid iterations without bias. The impulses after the last iteration are the
  /// substep's reaction.
  void relax(const JointBodies<Real>& bodies);
  // `joint` is an index in joints():
  [[nodiscard]] BatchTension tension_of(std::uint32_t joint) const;
  [[nodiscard]] BatchReaction reaction_of(std::uint32_t joint) const;

 private:
  using N = PointJointNumber<Real>;
  using Pass = typename PointJointKernels<Real>::Pass;
  void find_special(const WorldState<Real>& state, const JointBodies<Real>& bodies, double substep_s,
                    std::span<const std::uint32_t> other_bodies);
  template <int W>
  void pack_block(const WorldState<Real>& state, const JointBodies<Real>& bodies, std::size_t index);
  template <class Body>
  auto with_width(const Body& body) const;
  void run(const JointBodies<Real>& bodies, Pass pass);

  std::vector<BatchedPointJoint> joints_;
  std::vector<double> moments_;          ///< by solver index: sum of |r| |impulse|, N m s
  std::vector<std::uint8_t> spherical_;  ///< by solver index: spherical tensor, no locks, little tension
  std::vector<std::uint32_t> special_;
  PointJointLayout layout_;
  const PointJointKernels<Real>* kernels_ = nullptr;
  std::uint32_t lanes_ = 1;
  PointJointParameters<N> parameters_;
  AlignedBuffer blocks_;
  AlignedBuffer frames_;
  AlignedBuffer tensors_;
  PointJointMemory memory_;
};

}  // namespace takt
