// JointSolver solves the joints of a tick. JointSolver owns one object of each class below and calls their
// functions.
//
//   joint_ordering.h        joints that act, elimination order
//   joint_partition.h       joints of tree batches, joints of the scalar solvers
//   joint_inertias.h        inertias in world axes, stale bodies
//   joint_equality.h        equality rows: trees directly, other joints by block Gauss-Seidel
//   joint_limits.h          limits, motors, friction and drives with a maximum
//   joint_couplings.h       gears and pulleys
//   tree_batches.h          isomorphic trees in SIMD lanes
//   point_joint_batches.h   point joints of groups with many loops, in SIMD lanes (docs/adr/0013)
//   inertia_conditioning.h  larger inertias of light bodies between strong tensions
//   joint_reactions.h       forces, torques, broken joints
//   tree_response.h         impulses of ropes on bodies of trees
//
// Each substep begins with the warm start, which guard_warm_start() may reduce, and has three passes: without
// bias before the contacts, biased after them, and relax (without bias) after the bodies have moved. The
// biased pass corrects drift. Batched point joints have no first pass and come last in the other two. A pass
// solves batched trees first, then limits and couplings, then the equality rows of loop-closing joints and of
// trees. A tree's equality rows thus hold once the tree is solved. All arithmetic is binary64 in float mode
// and in fixed mode (docs/adr/0012), except that of point_joint_batches.h in float mode. The equality rows of
// a tree round a body's velocity to Real once per pass, and once more for each limit that they release.
// run_substeps() (substeps.h) calls the passes, and step.cpp calls prepare() and store().
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/constraints/external_load.h"
#include "physics/contacts/prepared_contact.h"
#include "physics/joints/inertia_conditioning.h"
#include "physics/joints/joint_couplings.h"
#include "physics/joints/joint_equality.h"
#include "physics/joints/joint_inertias.h"
#include "physics/joints/joint_limits.h"
#include "physics/joints/joint_ordering.h"
#include "physics/joints/joint_partition.h"
#include "physics/joints/joint_reactions.h"
#include "physics/joints/point_joint_batches.h"
#include "physics/joints/tree_batches.h"
#include "physics/joints/tree_response.h"
#include "physics/state/world_state.h"

namespace takt {

template <class Real>
class JointSolver {
 public:
  /// Lists the joints that act in this tick and prepares all parts. `bodies` must stay the same arrays until
  /// store(). `pinned`: dynamic bodies (solver indices) that ropes act on through response().
  void prepare(const WorldState<Real>& state, const JointBodies<Real>& bodies, const JointTick& tick,
               std::span<const std::uint32_t> pinned);
  /// Sets PreparedContact::joined: true for contacts between two dynamic bodies of one joint group. When
  /// empty(), nothing changes.
  void mark_joined(std::vector<PreparedContact<Real>>& contacts) const;
  /// Adds to external[i] of each solver body i the mean impulses of its joints in a substep of the last tick,
  /// and marks the source. `substep_s` is in s.
  void add_external_loads(const WorldState<Real>& state, double substep_s,
                          std::span<ExternalLoad> external) const;
  /// True when no joint acts.
  [[nodiscard]] bool empty() const noexcept { return ordering_.empty(); }
  /// The lowest body (solver index) of the group that joints connect with this body; not when empty().
  [[nodiscard]] std::uint32_t group_of(std::uint32_t body) const noexcept {
    return ordering_.forest().group_of(body);
  }
  /// Computes rows and factors from the bodies' poses, then applies the impulses of the last substep. Rows of
  /// the last relax pass are kept where no body moved since. `moved`: restitution moved a body since; batched
  /// point joints compute all rows again only then.
  void begin_substep(const WorldState<Real>& state, const JointBodies<Real>& bodies, bool moved);
  /// True when guard_warm_start() may reduce impulses.
  [[nodiscard]] bool any_guarded() const noexcept { return equality_.any_guarded(); }
  /// Adds the impulses of ropes to the warm start of guarded groups and reduces it (joint_equality.h). Call
  /// it when any_guarded(), after contacts and grabs have been warm started. Sets the group of pins whose
  /// impulses were applied, and their impulses to those applied.
  void guard_warm_start(const JointBodies<Real>& bodies, std::span<PinImpulse> of_ropes);
  /// One pass. Each substep calls begin_substep(), guard_warm_start(), solve() without bias, solve() with
  /// bias, begin_relax(), solve() without bias, and end_substep(). The seven calls need a JointSolver that is
  /// not empty().
  void solve(const JointBodies<Real>& bodies, bool use_bias);
  /// Computes rows and factors after the bodies have moved. A relax pass along the old rows would take speed
  /// and angular momentum from rotating bodies. Soft rows keep the error of the substep's start.
  void begin_relax(const WorldState<Real>& state, const JointBodies<Real>& bodies);
  /// The response of trees to impulses on pinned bodies, between the passes of a substep before the relax
  /// pass.
  [[nodiscard]] TreeResponse<Real> response(const JointBodies<Real>& bodies) noexcept {
    return {pinned_, equality_, conditioning_, pass(bodies, false)};
  }
  /// Adds the substep's impulses to the reactions.
  void end_substep(const JointBodies<Real>& bodies);
  /// Stores impulses and reactions in the joint pool and adds the joints that break to `broken`, sorted by
  /// pool index. Call it once a tick after prepare() and all substeps, also when empty().
  void store(WorldState<Real>& state, std::vector<JointId>& broken) const;

 private:
  void list_moving_bodies();
  void list_pinned_bodies(std::span<const std::uint32_t> pinned);
  void compute_rows(const WorldState<Real>& state, const JointBodies<Real>& bodies);
  void compute_joint(const WorldState<Real>& state, const JointBodies<Real>& bodies, PreparedJoint& joint);
  void condition_inertias(const WorldState<Real>& state, const JointBodies<Real>& bodies);
  [[nodiscard]] bool has_raised_body(const PreparedJoint& joint) const noexcept;
  void fill_matrices(const JointBodies<Real>& bodies, bool recompute_batches);
  void warm_start(const JointBodies<Real>& bodies);
  [[nodiscard]] JointPass<Real> pass(const JointBodies<Real>& bodies, bool use_bias) noexcept {
    return {bodies, inertias_.inverse(), constants_, changes_, use_bias};
  }
  [[nodiscard]] TreeSource tree_source() noexcept {
    return {ordering_.forest(), equality_.pattern(), ordering_.joints(), equality_.joints(),
            equality_.rows(),   limits_.rows(),      reactions_.sums()};
  }

  JointConstants constants_;
  JointOrdering<Real> ordering_;
  JointPartition<Real> partition_;
  JointInertias<Real> inertias_;
  JointEquality<Real> equality_;
  JointLimits<Real> limits_;
  JointCouplings<Real> couplings_;
  TreeBatches<Real> tree_batches_;
  PointJointBatches<Real> point_batches_;
  InertiaConditioning<Real> conditioning_;
  JointReactions<Real> reactions_;
  VelocityChanges changes_;
  std::vector<PinnedBody> pinned_;            ///< of trees, ascending
  std::vector<std::uint32_t> moving_bodies_;  ///< scratch: of joints outside colour batches
  bool relaxing_ = false;
  bool first_substep_ = false;  ///< impulses come from the joint pool
};

}  // namespace takt
