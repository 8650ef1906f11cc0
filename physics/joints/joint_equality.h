// JointEquality owns the equality rows of a tick (locked coordinates, and drives without a maximum force) and
// solves them (docs/CONSTRAINTS.md 2.3 to 2.6). EliminationForest divides the joints into trees and others.
// The rows of a tree are solved directly by block L D L^T (block_ldlt.h). Joints outside trees are solved by
// block Gauss-Seidel: one joint after the other, all rows of a joint at once. EqualityJoint is one joint,
// NodeRange one tree of the elimination order.
//
//   tree            A d = -(J v + gamma lambda),  A = J M^-1 J^T + gamma over all rows of the tree;
//                   lambda += d,  v += M^-1 J^T d
//   tree, bias      A d = -b C in addition, scaled down so that no body gains more than a maximum speed
//   joint, bias     d = -(A^-1 (J v + b C) + g lambda) / (1 + g): rigid rows get a relative compliance g;
//                   locked coordinates with a maximum force or torque: lambda is scaled down to it
//   J, M, C, lambda as in joint_row_types.h;  b: bias rate of drift correction, 1/s
//   gamma: compliance of springs; in groups with loops also of rigid rows, in the biased pass
//
// Limits along a line are rows of a tree while they act (direct_limits.h). A pass solves the tree with the
// limits that acted last, for at most kMaxLimitRounds rounds. Each round releases limits whose impulse would
// have the wrong sign; without one it activates limits that are violated.
//
// The warm start of a guarded group may not raise energy. Such a group has a loop, so that rows may depend on
// one another. Their impulses may then have a part without any effect, a prestress, which no solve removes.
// As the rows turn, that part does work, and the next solve answers with more of it: in random nets it
// doubled within a tick, until bodies flew at 1e11 m/s. The passes without bias search for impulses of rigid
// rows that leave the least kinetic energy, and a warm start is their first guess. A guess that is worse than
// no impulses at all is reduced to the best one along it (warm_start_factor()). The guess includes the last
// impulses of ropes at pins, under the same factor: joints that hold a load against a rope do so together
// with it, and either alone would add energy. Trees without loops are solved exactly from any guess.
//
// Rigid rows correct drift in the biased pass and lose that velocity in the relax pass; springs act in both.
// All numbers are binary64 in float mode and in fixed mode (docs/adr/0012). JointSolver calls the passes;
// JointPass has the data that a pass reads and writes. TreeBatches (tree_batches.h) solves isomorphic trees
// instead of JointEquality. Limit rows are in joint_limits.h.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/joints/direct_limits.h"
#include "physics/joints/elimination_forest.h"
#include "physics/joints/joint_inertias.h"
#include "physics/joints/joint_ordering.h"
#include "physics/joints/joint_rows.h"
#include "physics/joints/point_joint_rows.h"
#include "physics/math/block_ldlt.h"

namespace takt {

/// A joint as the equality passes see it; its index is its node in the elimination order.
struct EqualityJoint {
  std::uint32_t joint = 0;   ///< index of the PreparedJoint
  std::uint32_t body_a = 0;  ///< solver index
  std::uint32_t body_b = 0;
  std::uint32_t moving_a = 0;  ///< solver index when the body moves under impulses, else 0
  std::uint32_t moving_b = 0;
  std::uint32_t first_row = 0;  ///< in JointEquality::rows()
  std::uint32_t row_count = 0;
  std::uint32_t first_limit = 0;  ///< in the list of DirectLimit (direct_limits.h)
  std::uint32_t limit_count = 0;
  bool is_point = false;        ///< its three rows are in `point`; those of rows() are unused
  bool has_maximum = false;     ///< locked coordinates have a maximum force or torque
  bool is_stale = true;         ///< rows or inertias changed since the matrix was filled
  bool in_batch = false;        ///< tree_batches.h solves the joint
  bool is_guarded = false;      ///< guard_warm_start() may reduce its impulses
  std::uint32_t group = 0;      ///< lowest body of its group
  Vec3<double> inverse_mass_a;  ///< 1/kg along the world axes; 0 for a body that does not move under impulses
  Vec3<double> inverse_mass_b;
  PreparedPointJoint point;
};

/// Nodes [first, end) of the elimination order.
struct NodeRange {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
};

/// Data that a solver pass reads and writes. The references must outlive the pass.
template <class Real>
struct JointPass {
  const JointBodies<Real>& bodies;
  const std::vector<SymMat64>& inverse_inertias;  ///< by solver index
  const JointConstants& constants;
  VelocityChanges& changes;  ///< by solver index: changes that are not yet added to the bodies
  bool use_bias = false;     ///< biased pass: corrects drift
};

template <class Real>
class JointEquality {
 public:
  /// Makes rows and matrix patterns of the joints of `ordering`, with the impulses of the last tick. Rows
  /// have no Jacobians yet.
  void prepare(const WorldState<Real>& state, const JointOrdering<Real>& ordering);

  /// By node of the elimination order.
  [[nodiscard]] std::vector<EqualityJoint>& joints() noexcept { return joints_; }
  [[nodiscard]] const std::vector<EqualityJoint>& joints() const noexcept { return joints_; }
  [[nodiscard]] std::vector<EqualityRow>& rows() noexcept { return rows_; }
  /// Pattern of the trees; joints outside trees are not in it.
  [[nodiscard]] const BlockPattern& pattern() const noexcept { return pattern_; }
  /// Rows of a joint: locked coordinates, then per axis its drive or its direct limit. The rows of a point
  /// joint have no meaning.
  [[nodiscard]] std::span<EqualityRow> rows_of(const PreparedJoint& joint) noexcept {
    return std::span(rows_).subspan(joint.first_row, joint.row_count);
  }
  [[nodiscard]] std::span<const EqualityRow> rows_of(const PreparedJoint& joint) const noexcept {
    return std::span(rows_).subspan(joint.first_row, joint.row_count);
  }

  /// Computes row `row` < row_count of a joint along a coordinate with this error (m or rad). In the relax
  /// pass soft rows keep error and softness of the substep's start. The inverse inertias in `joint` must be
  /// up to date.
  void compute_row(const PreparedJoint& joint, std::uint32_t row, const JointCoordinate& coordinate,
                   const Softness& softness, double error, const JointConstants& constants, bool relaxing);
  /// Computes row `row` of a joint in a tree, which must be the row of a direct limit (asserted) of
  /// definition `def`.
  void compute_limit(const PreparedJoint& joint, std::uint32_t row, const JointCoordinate& coordinate,
                     const JointAxisDef& def, double substep_s);
  /// Computes lever arms of the point joints among `nodes` that have a stale body, and marks the joints
  /// stale.
  void update_point_joints(const JointBodies<Real>& bodies, const JointInertias<Real>& inertias,
                           std::span<const std::uint32_t> nodes);
  /// Computes matrix and factor of each of `trees` that has a stale joint or a loop in its group, and of
  /// stale joints outside trees. `loop_compliance`: compliance of rigid rows in trees of groups with loops,
  /// relative to the rows' mobility; 0 in the relax pass. The caller resets is_stale.
  void fill(const JointOrdering<Real>& ordering, const JointInertias<Real>& inertias,
            std::span<const NodeRange> trees, double loop_compliance);
  /// Replaces `values`, one per row of the node, by (E M^-1 E^T + gamma)^-1 values. E has the rows of the
  /// node by itself; direct limits get 0. The node is outside trees or has limit rows (joint_limits.h), and
  /// fill() has factored it.
  void solve_node(std::uint32_t node, std::span<double> values) const;

  /// Warm start of `nodes` with the impulses of the last substep: begin, then add_projected() of each limit
  /// row, then end. The velocity changes are added to pass.changes. add_projected() adds `projection` x
  /// `impulse` to the impulses that end applies, not to those of the rows.
  void begin_warm_start(std::span<const std::uint32_t> nodes, const JointPass<Real>& pass);
  void add_projected(const PreparedJoint& joint, std::span<const double> projection, double impulse) noexcept;
  void end_warm_start(std::span<const std::uint32_t> nodes, const JointPass<Real>& pass);
  /// True when a group is guarded.
  [[nodiscard]] bool any_guarded() const noexcept { return any_guarded_; }
  /// Applies the impulses of `pins` to bodies of guarded groups. Then multiplies them and the impulses of the
  /// groups' rigid rows by warm_start_factor(), and changes the bodies' velocities at once. Call it after all
  /// other warm starts, because joints and contacts may hold one another. pass.changes must be 0 for the
  /// bodies of `nodes`.
  void guard_warm_start(std::span<const std::uint32_t> nodes, const JointPass<Real>& pass,
                        std::span<PinImpulse> pins);
  /// Solves each joint outside trees once, and changes the bodies' velocities at once.
  void solve_loop_closing(const JointOrdering<Real>& ordering, const JointPass<Real>& pass);
  /// Solves a tree. The velocity changes are added to pass.changes, and the caller applies them to the
  /// bodies. Limits that are released change the bodies at once. Trees of `nodes` must be filled.
  void solve_tree(const NodeRange& nodes, const JointOrdering<Real>& ordering,
                  const JointInertias<Real>& inertias, const JointPass<Real>& pass);

  /// Computes the impulses with which the rows of a tree keep their velocities when the velocity of `body`
  /// changes by pass.changes[body], and no other. Adds the velocity changes by these impulses to
  /// pass.changes. add_response() adds the impulses to the accumulated ones; call it before the next
  /// respond().
  void respond(const NodeRange& tree, std::uint32_t body, const JointPass<Real>& pass);
  void add_response(const NodeRange& tree) noexcept;
  /// clear_changes() clears the velocity changes of a tree's bodies; apply_changes() adds them to the bodies
  /// and clears them.
  void clear_changes(const NodeRange& nodes, const JointPass<Real>& pass) const noexcept;
  void apply_changes(const NodeRange& nodes, const JointPass<Real>& pass) const noexcept;

 private:
  /// Arguments of warm_start_factor(), sums over the rigid rows of a group, J.
  struct Carried {
    double work = 0.0;
    double self = 0.0;
  };
  void mark_guarded_groups(const EliminationForest& forest);
  void store_carried(const EqualityJoint& joint, double factor) noexcept;
  [[nodiscard]] double work_of(const EqualityJoint& joint, const VelocityOf<double>& a,
                               const VelocityOf<double>& b) const noexcept;
  [[nodiscard]] double compliance_of(const EqualityJoint& joint) const noexcept;
  void begin_rows(const WorldState<Real>& state, const PreparedJoint& joint);
  void fill_diagonal(EqualityJoint& joint, const JointInertias<Real>& inertias, double loop_compliance,
                     double* block);
  void fill_couplings(std::uint32_t node, std::uint32_t body, const JointInertias<Real>& inertias,
                      std::span<double> blocks) const;
  void fill_tree(const NodeRange& nodes, const JointOrdering<Real>& ordering,
                 const JointInertias<Real>& inertias, double loop_compliance);
  void factor_tree(const NodeRange& nodes, const JointOrdering<Real>& ordering,
                   const JointInertias<Real>& inertias, double loop_compliance);
  [[nodiscard]] std::span<DirectLimit> limits_of(const NodeRange& nodes) noexcept;
  void solve_residual(const NodeRange& nodes, const JointPass<Real>& pass);
  void solve_active_set(const NodeRange& nodes, const JointOrdering<Real>& ordering,
                        const JointInertias<Real>& inertias, const JointPass<Real>& pass);
  [[nodiscard]] bool release_limits(const NodeRange& nodes, bool unreached, const JointPass<Real>& pass);
  [[nodiscard]] bool activate_limits(const NodeRange& nodes, const JointPass<Real>& pass);
  void store_residual(const EqualityJoint& joint, const JointPass<Real>& pass);
  void subtract_drift(const EqualityJoint& joint, double fraction, double substep_s,
                      std::span<double> values) const noexcept;
  void solve_joint(const PreparedJoint& prepared, EqualityJoint& joint, const JointPass<Real>& pass);
  void add_drift_correction(const NodeRange& nodes, const JointPass<Real>& pass);
  void add_impulses(EqualityJoint& joint) noexcept;
  void apply(const EqualityJoint& joint, std::span<const double> impulses, const JointPass<Real>& pass) const;

  std::vector<EqualityJoint> joints_;
  std::vector<EqualityRow> rows_;    ///< joint by joint in the elimination order
  std::vector<DirectLimit> limits_;  ///< in the order of their rows
  BlockPattern pattern_;             ///< trees
  BlockPattern node_pattern_;        ///< each joint by itself
  BlockFactor factor_;
  BlockFactor node_factor_;
  std::vector<double> impulses_;      ///< by row: impulses of a warm start, or impulse changes of a pass
  std::vector<double> drift_;         ///< by row: impulse changes that correct drift
  std::vector<std::uint32_t> upper_;  ///< scratch
  std::vector<Carried> carried_;      ///< by EqualityJoint::group
  bool any_guarded_ = false;
  double loop_compliance_ = 0.0;  ///< of the last fill()
};

}  // namespace takt
