// Joints within a tick. Trees of joints are solved directly (CONSTRAINTS 2.5: J M^-1 J^T block by block from the leaves, block_factor.h), in every pass of every
// substep, warm started; joints that close a loop, are bounded or do not want it are solved one after the other, each with its own rows at once
// (2.3, 2.4). Limits, motors and friction are sequential impulses (1.10), before the rest of a pass, so that what holds ends a pass exact.
// Sources by noun: joint_solver.cpp (a tick and its passes), joint_rows.cpp (what is asked), joint_holding.cpp (trees and joints alone), joint_bounded.cpp (limits, motors,
// friction), joint_couplings.cpp (gears and pulleys), joint_swings.cpp (light bodies), joint_reactions.cpp (what is left of a tick).
// Binary64 in both number modes (docs/adr/0012); a body's velocity is rounded to Real once per pass of its tree.
//
// Rows that are rigid take drift back in the biased pass and lose that velocity in the relax pass; soft rows keep their spring in both (1.3 to 1.9).
#pragma once

#include <cstdint>
#include <vector>

#include "physics/block_factor.h"
#include "physics/joint_forest.h"
#include "physics/joint_pose.h"
#include "physics/joint_pull.h"
#include "physics/joint_rows.h"
#include "physics/moving_body.h"
#include "physics/world_state.h"

namespace takt {

/// What joints look at in a substep.
template <class Real>
struct JointBodies {
  std::vector<SolverBody<Real>>& bodies;
  const std::vector<SolverMass<Real>>& masses;
  const std::vector<MovingBody<Real>>& moving;
  const std::vector<std::uint32_t>& solver_index;
};

struct PreparedJoint {
  std::uint32_t index = kNoIndex;  ///< in the pool
  RowBody a;
  RowBody b;
  Quat<double> rotation_a;  ///< at the tick's start; stands for the tick when the body is not the solver's
  Quat<double> rotation_b;
  Vec3<double> local_a;  ///< of the anchor from the centre of mass, body frame, m
  Vec3<double> local_b;
  Vec3<double> between;    ///< b's centre - a's at the tick's start, m
  std::uint32_t node = 0;  ///< place in the order of elimination
  std::uint32_t first_row = 0;
  std::uint32_t row_count = 0;
  std::uint32_t first_bounded = 0;
  std::uint32_t bounded_count = 0;
  bool alone = false;
  double max_linear = 0.0;   ///< N s of the locked linear coordinates
  double max_angular = 0.0;  ///< N m s
  JointTurns turns;
  Vec3<double> arm_a;  ///< of the point where b's anchor is, in this substep, m
  Vec3<double> arm_b;
  Vec3<double> force_sum;  ///< N s, on b
  Vec3<double> torque_sum;
};

template <class Real>
class JointSolver {
 public:
  /// The joints that act in this tick, in id order, and their forest.
  void prepare(const WorldState<Real>& state, const JointBodies<Real>& at, double substep_s, std::uint32_t substeps);
  /// Says which contacts are between bodies that joints hold together.
  void mark_joined(std::vector<PreparedContact<Real>>& contacts) const;
  [[nodiscard]] bool empty() const noexcept { return joints_.empty(); }
  /// The least of the solver's bodies that joints hold together with this one; itself when none do. Not of an empty one.
  [[nodiscard]] std::uint32_t group_of(std::uint32_t body) const noexcept { return forest_.group_of(body); }
  /// Rows, matrix and factor from where the bodies are now; then last substep's impulses.
  void begin_substep(const WorldState<Real>& state, const JointBodies<Real>& at);
  void solve(const JointBodies<Real>& at, bool use_bias);
  /// The same rows where the bodies are after they have moved: without it what turns loses speed and angular momentum, since the relax pass would push along lines
  /// of before. Springs keep the error they started with.
  void begin_relax(const WorldState<Real>& state, const JointBodies<Real>& at);
  void end_substep();
  /// Impulses and reactions into the pools; tears what was pulled too hard and says so.
  void store(WorldState<Real>& state, std::vector<JointId>& broken) const;

 private:
  /// A body that has a larger inertia for joints.
  struct TamedSwing {
    std::uint32_t body = 0;
    SymMat64 own;       ///< inverse
    Vec3<double> spin;  ///< when the joints were last solved, rad/s
  };
  struct Change {
    Vec3<double> linear;
    Vec3<double> angular;
  };

  void gather(const WorldState<Real>& state, const JointBodies<Real>& at);
  void arrange(const WorldState<Real>& state, std::uint32_t body_count);
  [[nodiscard]] JointPose pose_of(const WorldState<Real>& state, const JointBodies<Real>& at, const PreparedJoint& joint) const;
  void build_rows(const WorldState<Real>& state, const JointBodies<Real>& at, PreparedJoint& joint);
  BoundedRow& next_bounded(PreparedJoint& joint, std::uint32_t& count, BoundedKind kind, double impulse);
  void add_axis(const JointAxisRecord& axis, std::uint32_t index, const JointCoordinate& found, PreparedJoint& joint, std::uint32_t& rows,
                std::uint32_t& bounded);
  void add_pulley(const WorldState<Real>& state, const JointBodies<Real>& at, PreparedJoint& joint, const JointPose& pose);
  void add_gear(const WorldState<Real>& state, const JointBodies<Real>& at, PreparedJoint& joint);
  void soften(EqualityRow& row, const Softness& said, double error) const;
  void tame_swings(const WorldState<Real>& state, const JointBodies<Real>& at);
  [[nodiscard]] Vec3<double> turning(const JointBodies<Real>& at, const PreparedJoint& joint, bool of_a) const noexcept;
  void add_pulls(const JointBodies<Real>& at, const PreparedJoint& joint);
  [[nodiscard]] bool is_tamed(const PreparedJoint& joint) const noexcept;
  void share_spins(const JointBodies<Real>& at);
  void remember_spins(const JointBodies<Real>& at);
  void build_all(const WorldState<Real>& state, const JointBodies<Real>& at);
  void fill_matrix();
  void project(BoundedRow& row);
  [[nodiscard]] double residual(const EqualityRow& row, const JointBodies<Real>& at) const noexcept;
  [[nodiscard]] double drift_push(const EqualityRow& row, double share) const noexcept;
  void push_back_drift();
  void hold_within(const PreparedJoint& joint, std::span<double> changes) const noexcept;
  void collect(const RowSide& side, double impulse) {
    if (!side.moves) return;
    changes_[side.body].linear += side.linear_change * impulse;
    changes_[side.body].angular += side.angular_change * impulse;
  }
  void apply(const JointBodies<Real>& at, std::uint32_t body) {
    if (body == 0) return;
    Change& change = changes_[body];
    add_to(at.bodies[body].linear_velocity, change.linear);
    add_to(at.bodies[body].angular_velocity, change.angular);
    change = {};
  }
  static void add_to(Real (&to)[4], Vec3<double> change) noexcept {
    to[0] = to_real<Real>(to_double(to[0]) + change.x);
    to[1] = to_real<Real>(to_double(to[1]) + change.y);
    to[2] = to_real<Real>(to_double(to[2]) + change.z);
  }
  void solve_bounded(const JointBodies<Real>& at, BoundedRow& row, bool use_bias);
  void solve_alone(const JointBodies<Real>& at, const PreparedJoint& joint, bool use_bias);
  void solve_trees(const JointBodies<Real>& at, bool use_bias);

  double substep_s_ = 0.0;
  std::uint32_t substeps_ = 0;
  std::vector<PreparedJoint> joints_;
  std::vector<std::uint32_t> prepared_;  ///< by place in the pool of joints: place in joints_ + 1, 0 = does not act
  std::vector<ForestJoint> forest_joints_;
  JointForest forest_;
  std::vector<EqualityRow> rows_;  ///< of all joints, joint by joint in the order of elimination
  std::vector<BoundedRow> bounded_;
  BlockPattern pattern_;
  BlockPattern own_pattern_;  ///< each joint's rows by themselves
  std::vector<double> matrix_;
  std::vector<double> own_matrix_;
  BlockFactor factor_;
  BlockFactor own_factor_;
  std::vector<double> values_;
  std::vector<double> pushes_;  ///< by row of the trees: changes of impulse that take drift back
  std::vector<std::uint32_t> upper_;
  Softness alone_softness_;         ///< of rigid rows alone, in the biased pass
  std::vector<JointPull> pulls_;    ///< by body of the solver
  std::vector<SymMat64> inertias_;  ///< inverse, by body of the solver, 1/(kg m^2)
  std::vector<TamedSwing> swings_;
  std::vector<std::uint8_t> tamed_;     ///< by body of the solver
  std::vector<Change> changes_;         ///< by body of the solver
  std::vector<std::uint32_t> touched_;  ///< bodies of the trees that move, ascending
  bool relaxing_ = false;
  bool fresh_ = false;  ///< the first substep of a tick: impulses come from the pools
};

}  // namespace takt
