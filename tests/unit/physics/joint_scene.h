// A small set of bodies and joints for the unit tests of the joint solver's parts: canonical records and the
// solver's bodies, without a world.
#pragma once

#include <vector>

#include "physics/constraints/moving_body.h"
#include "physics/constraints/solver_body.h"
#include "physics/joints/joint_bodies.h"
#include "physics/joints/joint_couplings.h"
#include "physics/joints/joint_equality.h"
#include "physics/joints/joint_inertias.h"
#include "physics/joints/joint_limits.h"
#include "physics/joints/joint_ordering.h"
#include "physics/joints/joint_rows.h"
#include "physics/joints/joint_store.h"
#include "physics/state/world_state.h"

namespace takt {

template <class Real>
struct JointSceneOf {
  WorldState<Real> state;
  std::vector<SolverBody<Real>> solver{1};
  std::vector<SolverMass<Real>> masses{1};
  std::vector<MovingBody<Real>> moving{1};
  std::vector<std::uint32_t> solver_index;
  JointTick tick{1.0 / 240.0, 4, 1};

  /// A dynamic body of `mass_kg` and moment of inertia `inertia` about every axis; mass 0: a static body.
  BodyId add_body(Vec3<double> center_m, double mass_kg, double inertia = 1.0) {
    BodyRecord<Real> record;
    record.motion.center = Position::from_metres(center_m.x, center_m.y, center_m.z);
    record.type = mass_kg > 0.0 ? BodyType::kDynamic : BodyType::kStatic;
    if (mass_kg > 0.0) {
      record.inverse_mass = to_mass<Real>(1.0 / mass_kg);
      record.inverse_inertia = to_sym_mat<Real>({1.0 / inertia, 1.0 / inertia, 1.0 / inertia, 0.0, 0.0, 0.0});
    }
    BodyId const id = state.bodies.insert(record);
    solver_index.resize(state.bodies.capacity(), 0);
    if (!(mass_kg > 0.0)) return id;
    solver_index[id.index] = static_cast<std::uint32_t>(solver.size());
    solver.emplace_back();
    masses.push_back({record.inverse_mass, record.inverse_inertia, 0});
    MovingBody<Real> body;
    body.index = id.index;
    body.dynamic = true;
    moving.push_back(body);
    return id;
  }
  JointId add_joint(const JointDef& def) { return insert_joint(state, def); }
  [[nodiscard]] JointBodies<Real> bodies() { return {solver, masses, moving, solver_index, nullptr}; }
  [[nodiscard]] std::uint32_t index_of(BodyId id) const { return solver_index[id.index]; }
  void set_velocity(BodyId id, Vec3<double> linear, Vec3<double> angular) {
    bodies().add_velocity(index_of(id), {linear, angular});
  }
};
using JointScene = JointSceneOf<float>;

/// The scalar parts of the joint solver over a scene, with all rows of the first substep computed.
struct ScalarJoints {
  JointScene scene;
  JointOrdering<float> ordering;
  JointInertias<float> inertias;
  JointEquality<float> equality;
  JointLimits<float> limits;
  JointCouplings<float> couplings;
  VelocityChanges changes;
  JointConstants constants = JointConstants::of(scene.tick);
  std::vector<BatchedPointJoint> batched;
  std::vector<NodeRange> trees;

  /// Prepares all parts and computes the rows of every joint.
  void build() {
    JointBodies<float> const bodies = scene.bodies();
    ordering.build(scene.state, bodies, scene.tick.substep_s, batched);
    std::vector<std::uint32_t> used;
    for (std::uint32_t i = 1; i < scene.solver.size(); ++i) used.push_back(i);
    inertias.prepare(scene.state, bodies, used);
    inertias.update(bodies, true, false);
    changes.reset(bodies.bodies.size(), used);
    equality.prepare(scene.state, ordering);
    limits.prepare(scene.state, ordering, constants);
    couplings.prepare(scene.state, ordering);
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t i = 0; i < equality.joints().size(); ++i) nodes.push_back(i);
    equality.update_point_joints(bodies, inertias, nodes);
    trees.clear();
    std::uint32_t first = 0;
    for (std::uint32_t const end : ordering.forest().tree_ends()) {
      trees.push_back({first, end});
      first = end;
    }
    for (PreparedJoint& joint : ordering.joints()) compute_rows(joint);
    equality.fill(ordering, inertias, trees, 0.0);
    for (const PreparedJoint& joint : ordering.joints()) limits.project(joint, equality, constants, false);
  }
  /// One pass over the equality rows.
  void solve_equality(bool use_bias) {
    JointBodies<float> const bodies = scene.bodies();
    JointPass<float> const pass{bodies, inertias.inverse(), constants, changes, use_bias};
    equality.solve_loop_closing(ordering, pass);
    for (const NodeRange& tree : trees) equality.solve_tree(tree, ordering, inertias, pass);
    for (std::uint32_t const body : inertias.bodies()) changes.apply(bodies, body);
  }
  /// One pass over the limit rows and couplings.
  void solve_limits(bool use_bias) {
    JointBodies<float> const bodies = scene.bodies();
    JointPass<float> const pass{bodies, inertias.inverse(), constants, changes, use_bias};
    for (const PreparedJoint& joint : ordering.joints()) {
      limits.solve(joint, equality, pass);
      if (joint.coupling != kNoIndex) couplings.solve(joint, pass);
    }
  }
  [[nodiscard]] VelocityOf<double> velocity_of(BodyId id) {
    return scene.bodies().velocity_of(scene.index_of(id));
  }

 private:
  void compute_rows(PreparedJoint& joint) {
    JointBodies<float> const bodies = scene.bodies();
    const JointRecord& record = scene.state.joints[joint.index];
    if (joint.a.moves) joint.a.inverse_inertia = inertias.inverse()[joint.a.body];
    if (joint.b.moves) joint.b.inverse_inertia = inertias.inverse()[joint.b.body];
    JointPose const pose = pose_of(bodies, joint);
    joint.r_a = joint.kind == JointKind::kPulley ? pose.r_a() : pose.r_a() + pose.apart();
    joint.r_b = pose.r_b();
    joint.revolutions = pose.revolutions(joint.revolutions);
    std::uint32_t row = 0;
    std::uint32_t limit = 0;
    for (std::uint32_t slot = 0; slot < kLockedSlots && !joint.is_point; ++slot) {
      if (!has_locked_row(record, slot)) continue;
      JointCoordinate const found = pose.error(slot);
      equality.compute_row(joint, row++, found, slot < 3 ? record.linear : record.angular, found.value,
                           constants, false);
    }
    for (std::uint32_t axis = record.first_axis; axis != kNoIndex; axis = scene.state.joint_axes[axis].next) {
      const JointAxisDef& def = scene.state.joint_axes[axis].def;
      JointCoordinate const coordinate = pose.coordinate_at(def.axis, joint.revolutions);
      if (!joint.loop_closing && is_direct_limit(def))
        equality.compute_limit(joint, row++, coordinate, def, scene.tick.substep_s);
      limits.compute_axis(joint, axis, def, coordinate, false, limit);
    }
    if (joint.coupling == kNoIndex) return;
    if (joint.kind == JointKind::kPulley) {
      couplings.compute_pulley(scene.state, bodies, joint, constants, false);
    } else {
      couplings.compute_gear(scene.state, bodies, joint, ordering, constants, false);
    }
  }
};

/// A joint frame at `position_m`, with the axes of the body.
[[nodiscard]] inline JointFrame frame_at(Vec3<double> position_m) { return {position_m, {}}; }

}  // namespace takt
