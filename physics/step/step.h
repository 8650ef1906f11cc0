// One tick: from canonical state to the next canonical state, and the derived state (broad phase, scratch)
// that may be thrown away between ticks. The order of all work on contacts is the order of their keys;
// nothing here depends on addresses, discovery, lane width or the number of workers.
#pragma once

#include <cstddef>
#include <vector>

#include "physics/base/aligned_buffer.h"
#include "physics/base/parallel_filter.h"
#include "physics/broad_phase/broad_phase.h"
#include "physics/constraints/graph_colouring.h"
#include "physics/constraints/gyroscope.h"
#include "physics/constraints/moving_body.h"
#include "physics/contact_solver/contact_constraint.h"
#include "physics/contact_solver/direct_contact_solver.h"
#include "physics/contact_solver/restitution_solver.h"
#include "physics/contacts/contact_graph.h"
#include "physics/contacts/narrow_phase_results.h"
#include "physics/joints/joint_solver.h"
#include "physics/movers/mover_collision.h"
#include "physics/ropes/rope_scratch.h"
#include "physics/state/world_state.h"

namespace takt {

/// What continuous collision leaves of a body's way in a tick, as seen by what stops it.
struct TimeOfImpact {
  double share = 1.0;
  Vec3<double> carried;  ///< m, of what stops it: its own way in the tick, which it carries the body along
};

/// A grab ready to solve.
template <class Real>
struct PreparedGrab {
  std::uint32_t index = kNoIndex;  ///< in the pool
  std::uint32_t body = 0;          ///< solver's place
  Vec3<Real> local_anchor;         ///< from the centre of mass, body frame, m
  Vec3<Real> lever_arm;            ///< the same in world axes, in this substep
  Vec3<Real> from_target;          ///< centre of mass - target at the tick's start, m
  Mass<Real> mass[6]{};            ///< inverse of K: xx, yy, zz, xy, xz, yz
  Real max_impulse{};              ///< N s a substep
  Vec3<Real> impulse;
};

/// Touches that began and ended, in the order of their keys. Two workers' lists share no cache line.
struct alignas(64) TouchChanges {
  std::vector<ContactEvent> begin;
  std::vector<ContactEvent> end;
};

/// What a world keeps between ticks beside its state.
struct PersistentState {
  BroadPhase broad_phase;
  bool stale = true;        ///< leaves may not match the pools: check all of them
  bool all_asleep = false;  ///< known that nothing is active: a step changes only the tick. Any call that
                            ///< changes state takes it back
  bool proxies_current = false;  ///< leaves stand where shapes do now (queries look there); a step and every
                                 ///< call that moves a body take it back
  std::vector<std::uint32_t> half_spaces;       ///< shape places, ascending
  std::vector<std::uint32_t> kinematic_shapes;  ///< the same of those in the broad phase
  bool any_soft = false;                        ///< a shape's material is soft
  std::vector<std::int32_t> query_stack;        ///< scratch of a query
  FilteredItems<std::uint32_t> moved_shapes;    ///< scratch of placing leaves
};

/// Whether a step changes only the tick.
[[nodiscard]] inline bool is_idle(const PersistentState& persistent) noexcept {
  return persistent.all_asleep && !persistent.stale;
}

/// Scratch of a step: its contents between steps mean nothing, so worlds may share it.
template <class Real>
struct ScratchState {
  PairSearch pair_search;  ///< of the broad phase
  FilteredItems<std::uint64_t> candidates;
  std::vector<std::uint64_t> half_space_candidates;
  std::vector<std::uint64_t> merged_candidates;
  NarrowPhaseResults<Real> found;                     ///< of the tick
  std::vector<NarrowPhaseResults<Real>> run_results;  ///< of each run of pairs, when workers share them
  std::vector<ResultsOffset> results_offsets;         ///< the same
  std::vector<PairScratch> workers{PairScratch{}};    ///< one at least
  std::vector<ContactRecord<Real>> records;
  std::vector<TouchChanges> touch_changes;   ///< of parts of the contacts
  FilteredItems<std::uint32_t> fast_bodies;  ///< solver's places of those to be swept
  std::vector<TimeOfImpact> toi_fractions;   ///< by solver's place, in worlds with joints
  std::vector<TimeOfImpact>
      group_toi_fractions;  ///< the least of the group that joints hold together, at its least place
  std::vector<std::uint8_t> on_soft;        ///< by solver's place: has a contact of a soft material
  std::vector<std::uint32_t> solver_index;  ///< by body place; 0 = does not move
  std::vector<std::uint32_t> islands;       ///< by body place: a place nearer to the island's lowest
  std::vector<std::uint8_t> island_awake;   ///< by body place, at the island's lowest
  std::vector<SolverBody<Real>> bodies;
  std::vector<SolverMass<Real>> masses;
  std::vector<MovingBody<Real>> moving;
  FilteredItems<std::uint32_t> moving_bodies;  ///< body places of what moves
  std::vector<Gyroscope> gyroscopes;           ///< parallel to bodies
  FilteredItems<std::uint32_t> gyroscopic;     ///< solver's places of bodies with a gyroscope
  FilteredItems<std::uint32_t> hits;           ///< places of contacts that hit hard
  std::vector<PreparedGrab<Real>> grabs;
  std::vector<std::uint64_t> colour_masks;
  std::vector<std::uint8_t> colours;
  std::vector<std::uint32_t> order;
  std::vector<BlockRange> ranges;
  AlignedBuffer blocks;
  AlignedBuffer extras;
  DirectContactSolver<Real> direct_contacts;
  RestitutionSolver<Real> restitution_contacts;
  AlignedBuffer direct_blocks;  ///< one contact each
  AlignedBuffer direct_extras;
  MoverSurroundings<Real> mover_surroundings;
  std::vector<std::uint8_t> mover_bodies;  ///< by body place: whether a mover owns it
  RopeScratch ropes;
  JointSolver<Real> joints;
  std::vector<std::uint64_t> joined;  ///< pairs of body places that a joint keeps from touching, ascending
};

/// What a step works with beside the state.
template <class Real>
struct DerivedState : PersistentState, ScratchState<Real> {};

template <class Real>
[[nodiscard]] JointBodies<Real> joint_bodies(DerivedState<Real>& derived, TaskPool* pool) {
  return {derived.bodies, derived.masses, derived.moving, derived.solver_index, pool};
}

/// Takes `state` one tick on.
template <class Real>
StepStatus step_world(WorldState<Real>& state, DerivedState<Real>& derived, StepEvents& events,
                      const StepOptions& options);

}  // namespace takt
