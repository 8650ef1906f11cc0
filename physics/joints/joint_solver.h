// Joints within a tick. Trees of joints are solved directly (CONSTRAINTS 2.5: J M^-1 J^T block by block from
// the leaves, block_ldlt.h), in every pass of every substep, warm started; joints that close a loop, are
// bounded or do not want it are solved one after the other, each with its own rows at once (2.3, 2.4). Rigid
// balls and sockets of sheets are woven: solved by coloured sweeps in lanes, after all others
// (point_joint_batches.h, docs/adr/0013). Limits, motors and friction are sequential impulses (1.10), before
// the rest of a pass, so that what holds ends a pass exact. Sources by noun: joint_ordering.cpp (which joints
// act, in what order), joint_solver.cpp (passes), joint_rows.cpp (what is asked), joint_equality.cpp (trees
// and joints alone), joint_limits.cpp (limits, motors, friction), gear_pulley.cpp (gears and pulleys),
// inertia_conditioning.cpp (light bodies), joint_reactions.cpp (what is left of a tick). All but what is
// woven in binary64 in both number modes (docs/adr/0012); a body's velocity is rounded to Real once per pass
// of its tree.
//
// Rows that are rigid take drift back in the biased pass and lose that velocity in the relax pass; soft rows
// keep their spring in both (1.3 to 1.9).
#pragma once

#include <cstdint>
#include <vector>

#include "physics/joints/elimination_forest.h"
#include "physics/joints/geometric_stiffness.h"
#include "physics/joints/joint_bodies.h"
#include "physics/joints/joint_pose.h"
#include "physics/joints/joint_rows.h"
#include "physics/joints/point_joint_batches.h"
#include "physics/joints/tree_batches.h"
#include "physics/math/block_ldlt.h"
#include "physics/state/world_state.h"

namespace takt {

/// In place of a place among the prepared ones.
inline constexpr std::uint32_t kBatchedJoint = 0xffffffffu;

template <class Real>
class JointSolver {
 public:
  /// The joints that act in this tick, in id order, and their forest.
  void prepare(const WorldState<Real>& state, const JointBodies<Real>& at, const JointTick& tick);
  /// Says which contacts are between bodies that joints hold together.
  void mark_joined(std::vector<PreparedContact<Real>>& contacts) const;
  [[nodiscard]] bool empty() const noexcept { return acting_.empty(); }
  /// The least of the solver's bodies that joints hold together with this one; itself when none do. Not of an
  /// empty one.
  [[nodiscard]] std::uint32_t group_of(std::uint32_t body) const noexcept { return forest_.group_of(body); }
  /// Rows, matrix and factor from where the bodies are now; then last substep's impulses. What begin_relax()
  /// has built stands where no body has moved since; `moved` says that one has.
  void begin_substep(const WorldState<Real>& state, const JointBodies<Real>& at, bool moved);
  void solve(const JointBodies<Real>& at, bool use_bias);
  /// The same rows where the bodies are after they have moved: without it what turns loses speed and angular
  /// momentum, since the relax pass would push along lines of before. Springs keep the error they started
  /// with.
  void begin_relax(const WorldState<Real>& state, const JointBodies<Real>& at);
  void end_substep(const JointBodies<Real>& at);
  /// Impulses and reactions into the pools; tears what was pulled too hard and says so.
  void store(WorldState<Real>& state, std::vector<JointId>& broken) const;

 private:
  /// A body that has a larger inertia for joints.
  struct ConditionedInertia {
    std::uint32_t body = 0;
    SymMat64 own;        ///< inverse
    Vec3<double> omega;  ///< when the joints were last solved, rad/s
  };
  struct Change {
    Vec3<double> linear;
    Vec3<double> angular;
  };
  /// Where a body was when its rows were built.
  struct Placed {
    Vec3<Real> shift;
    Quat<Real> rotation;
    friend bool operator==(const Placed&, const Placed&) = default;
  };
  struct Motion {
    Vec3<double> velocity;
    Vec3<double> omega;
  };

  void list_acting(const WorldState<Real>& state, const JointBodies<Real>& at);
  void gather(const WorldState<Real>& state, const JointBodies<Real>& at);
  void arrange(const WorldState<Real>& state, const JointBodies<Real>& at);
  [[nodiscard]] bool is_steady(const WorldState<Real>& state, const PreparedJoint& joint) const noexcept;
  [[nodiscard]] JointPose pose_of(const JointBodies<Real>& at, const PreparedJoint& joint) const;
  void build_rows(const WorldState<Real>& state, const JointBodies<Real>& at, PreparedJoint& joint);
  void begin_rows(const WorldState<Real>& state, PreparedJoint& joint);
  [[nodiscard]] LimitSides& sides_of(const LimitRow& row) noexcept {
    return sides_[static_cast<std::size_t>(&row - limited_.data())];
  }
  [[nodiscard]] const LimitSides& sides_of(const LimitRow& row) const noexcept {
    return sides_[static_cast<std::size_t>(&row - limited_.data())];
  }
  void add_axis(const JointAxisDef& def, std::uint32_t index, const JointCoordinate& found,
                const PreparedJoint& joint, std::uint32_t& rows, std::uint32_t& limited);
  void add_pulley(const WorldState<Real>& state, const JointBodies<Real>& at, PreparedJoint& joint,
                  const JointPose& pose);
  void add_gear(const WorldState<Real>& state, const JointBodies<Real>& at, PreparedJoint& joint);
  void set_row(const PreparedJoint& joint, EqualityRow& row, const JointCoordinate& found,
               const Softness& said, double error) const;
  void condition_inertias(const WorldState<Real>& state, const JointBodies<Real>& at);
  /// A body at one end of a joint.
  struct End {
    std::uint32_t body = 0;
    bool moves = false;
    Vec3<double> lever_arm;
  };
  [[nodiscard]] static Vec3<double> turning(const JointBodies<Real>& at, const End& own,
                                            const End& other) noexcept;
  void add_tensions(const JointBodies<Real>& at, const PreparedJoint& joint);
  void total_tension(const JointBodies<Real>& at, const End& a, const End& b, Vec3<double> impulse);
  [[nodiscard]] bool is_tamed(const PreparedJoint& joint) const noexcept;
  void average_angular_velocities(const JointBodies<Real>& at);
  void store_angular_velocities(const JointBodies<Real>& at);
  void make_ball(const WorldState<Real>& state, const PreparedJoint& joint, EqualityJoint& held) const;
  void place_ball(const JointBodies<Real>& at, EqualityJoint& held) const;
  void fill_ball(EqualityJoint& held, double* own, double loop_compliance) const;
  void fill_between_balls(const EqualityJoint& held, const EqualityJoint& other, std::uint32_t body,
                          double* block) const;
  /// A row's part by one of its two bodies.
  struct RowPart {
    Vec3<double> linear;
    Vec3<double> delta_rotation;
    Vec3<double> omega;
  };
  [[nodiscard]] RowPart part_of(const EqualityJoint& held, std::uint32_t row, bool of_a) const noexcept;
  void place_bodies(const JointBodies<Real>& at);
  void prepare_batches(const JointBodies<Real>& at, bool all);
  void build_all(const WorldState<Real>& state, const JointBodies<Real>& at);
  void rebuild(const WorldState<Real>& state, const JointBodies<Real>& at, PreparedJoint& joint);
  void fill_own(EqualityJoint& held, double* own, double loop_compliance);
  void fill_below(std::uint32_t node, std::span<double> blocks) const;
  void fill_tree(std::uint32_t first, std::uint32_t end, double loop_compliance);
  void fill_matrix(const JointBodies<Real>& at, bool anew);
  void list_loop(const WorldState<Real>& state);
  [[nodiscard]] TreeSource tree_source() noexcept {
    return {forest_, pattern_, joints_, equality_, rows_, limited_};
  }
  void project_all();
  void project(LimitRow& row);
  [[nodiscard]] static Motion motion_of(const JointBodies<Real>& at, std::uint32_t body) noexcept {
    const SolverBody<Real>& moving = at.bodies[body];
    return {doubles_of(moving.linear_velocity), doubles_of(moving.angular_velocity)};
  }
  /// What the row asks for, drift apart: minus this, by the matrix, is the change of its impulse.
  [[nodiscard]] static double residual(const EqualityRow& row, const Motion& a, const Motion& b) noexcept {
    double const velocity = (dot(row.linear, b.velocity) + dot(row.jacobian_b, b.omega)) -
                            (dot(row.linear, a.velocity) + dot(row.jacobian_a, a.omega));
    return (row.soft ? velocity + row.softness.bias_rate * row.error : velocity) +
           row.softness.gamma * row.impulse;
  }
  /// The velocity of b's anchor over a's, and what a ball's rows ask for.
  [[nodiscard]] static Vec3<double> residual(const PreparedPointJoint& ball, const Motion& a,
                                             const Motion& b) noexcept {
    Vec3<double> const velocity =
        (b.velocity + cross(b.omega, ball.r_b)) - (a.velocity + cross(a.omega, ball.r_a));
    return velocity + along_axes(ball.gamma, ball.impulse);
  }
  [[nodiscard]] double drift_push(double error, double share) const noexcept;
  void push_drift(const EqualityJoint& held, double share, std::span<double> pushes) const noexcept;
  void push_back_drift(const NodeRange& nodes);
  void clamp_within(const PreparedJoint& joint, std::span<double> changes) const noexcept;
  void collect(const RowSide& side, double impulse) {
    if (!side.moves) return;
    changes_[side.body].linear += side.linear_change * impulse;
    changes_[side.body].angular += side.angular_change * impulse;
  }
  void collect(const EqualityJoint& held, const EqualityRow& row, double impulse) {
    if (held.pushed_a != 0) {
      Change& change = changes_[held.pushed_a];
      change.linear -= along_axes(row.linear, held.inverse_mass_a) * impulse;
      change.angular -= row.inv_i_jacobian_a * impulse;
    }
    if (held.pushed_b != 0) {
      Change& change = changes_[held.pushed_b];
      change.linear += along_axes(row.linear, held.inverse_mass_b) * impulse;
      change.angular += row.inv_i_jacobian_b * impulse;
    }
  }
  void collect(const EqualityJoint& held, Vec3<double> impulse) {
    if (held.pushed_a != 0) {
      Change& change = changes_[held.pushed_a];
      change.linear -= along_axes(impulse, held.inverse_mass_a);
      change.angular -= multiply(inertias_[held.pushed_a], cross(held.ball.r_a, impulse));
    }
    if (held.pushed_b != 0) {
      Change& change = changes_[held.pushed_b];
      change.linear += along_axes(impulse, held.inverse_mass_b);
      change.angular += multiply(inertias_[held.pushed_b], cross(held.ball.r_b, impulse));
    }
  }
  /// Of all rows of a joint, by their place in `values`.
  void collect_all(const EqualityJoint& held, std::span<const double> values) {
    if (held.is_ball)
      return collect(held, {values[held.first_row], values[held.first_row + 1], values[held.first_row + 2]});
    for (std::uint32_t i = held.first_row; i < held.first_row + held.row_count; ++i)
      collect(held, rows_[i], values[i]);
  }
  static void push(const JointBodies<Real>& at, const RowSide& side, double impulse) {
    if (!side.moves) return;
    add_to(at.bodies[side.body].linear_velocity, side.linear_change * impulse);
    add_to(at.bodies[side.body].angular_velocity, side.angular_change * impulse);
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
  void solve_limits(const JointBodies<Real>& at, LimitRow& row, bool use_bias);
  void solve_scalar(const JointBodies<Real>& at, EqualityJoint& held, bool use_bias);
  void solve_tree(const JointBodies<Real>& at, const NodeRange& nodes, bool use_bias);

  double substep_s_ = 0.0;
  std::uint32_t substeps_ = 0;
  std::uint32_t substeps_left_ = 0;
  std::uint32_t lanes_ = 0;            ///< as asked for
  std::vector<std::uint32_t> acting_;  ///< places in the pool of the joints that act, in id order, gears last
  std::vector<ForestJoint> forest_joints_;  ///< parallel
  EliminationForest forest_;
  PointJointBatches<Real> batches_;
  std::vector<PreparedJoint> joints_;    ///< all others
  std::vector<std::uint32_t> prepared_;  ///< by place in the pool of joints: place in joints_ + 1,
                                         ///< kBatchedJoint, or 0 = does not act
  std::vector<EqualityJoint> equality_;  ///< in the order of elimination
  std::vector<EqualityRow> rows_;        ///< of all joints, joint by joint in the order of elimination
  std::vector<LimitRow> limited_;
  std::vector<LimitSides> sides_;  ///< parallel
  TreeBatches<Real> tree_batches_;
  std::vector<NodeRange> loop_trees_;       ///< those not in lanes, as all that is called lone
  std::vector<std::uint32_t> loop_joints_;  ///< places in joints_, ascending, without balls by their arms:
                                            ///< what is not in lanes, as the next three
  std::vector<std::uint32_t> loop_nodes_;   ///< places in equality_, ascending
  std::vector<std::uint32_t> loop_rows_;    ///< places in limited_, ascending
  std::vector<std::uint32_t> loop_bodies_;  ///< of touched_, ascending
  std::vector<std::uint8_t> marked_;        ///< scratch, by body of the solver
  BlockPattern pattern_;
  BlockPattern own_pattern_;  ///< each joint's rows by themselves
  BlockFactor factor_;
  BlockFactor own_factor_;
  std::vector<double> values_;
  std::vector<double> pushes_;  ///< by row of the trees: changes of impulse that take drift back
  std::vector<std::uint32_t> upper_;
  Softness scalar_softness_;  ///< of rigid rows alone, in the biased pass
  SoftRow scalar_row_;        ///< the same of a mass of 1: gamma is the share of a row's own mass
  std::vector<GeometricStiffness> tensions_;  ///< by body of the solver
  std::vector<SymMat64> inertias_;            ///< inverse, by body of the solver, 1/(kg m^2)
  std::vector<SymMat64>
      given_inertias_;          ///< the same in the body's frame; of bodies with locked turns in the world's
  std::vector<Placed> placed_;  ///< by body of the solver
  std::vector<std::uint8_t> stale_;       ///< by body of the solver: its rows are not those of where it is
  std::vector<std::uint32_t> tensioned_;  ///< bodies whose inertia may have to be raised
  std::vector<PositivePart> raised_;      ///< parallel
  std::vector<ConditionedInertia> conditioned_;
  std::vector<std::uint8_t> tamed_;     ///< by body of the solver
  std::vector<Change> changes_;         ///< by body of the solver
  std::vector<std::uint32_t> touched_;  ///< bodies that move of joints_ and of special woven balls, ascending
  std::vector<std::uint32_t> joint_bodies_;  ///< scratch: those of joints_
  bool relaxing_ = false;
  bool shifted_ = false;  ///< a body is not where its rows were built
  bool fresh_ = false;    ///< the first substep of a tick: impulses come from the pools
};

}  // namespace takt
