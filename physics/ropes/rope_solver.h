// RopeSolver moves the awake ropes of a world in one tick. The step calls begin_step() first, wake() while it
// detects contacts, prepare() before the substeps, solve() in each substep, and store() after them. solve()
// first displaces nodes by Verlet's rule, then runs passes, as many as each rope's definition sets
// (docs/ROPES.md). A pass solves all segments of a rope at once, together with the bodies at the rope's pins
// and under its nodes. Ropes alternate pass by pass, in pool order, so that ropes on one body converge
// together.
//
// A pass is one Newton step on the equations of the substep's end, with the geometric stiffness of segments
// under tension. That stiffness keeps a taut chain of light nodes stable. Sources: T. Jakobsen, Advanced
// Character Physics (2001), Verlet's rule; M. Macklin and others, XPBD (2016), compliance; M. Tournier and
// others, Stable Constrained Dynamics (2015), geometric stiffness.
#pragma once

#include <cstdint>
#include <span>

#include "physics/broad_phase/proxies.h"
#include "physics/constraints/external_load.h"
#include "physics/constraints/solver_bodies.h"
#include "physics/joints/tree_response.h"
#include "physics/ropes/rope_scratch.h"
#include "physics/state/world_state.h"
#include "takt/physics/step.h"

namespace takt {

template <class Real>
class RopeSolver {
 public:
  /// Sets is_cut() to false.
  void begin_step() noexcept { scratch_.triangles.is_cut = false; }
  /// Calls wake_by_ropes() (rope_collision.h).
  [[nodiscard]] bool wake(WorldState<Real>& state, Proxies& proxies, StepEvents& events);
  /// Prepares the awake ropes. Needs gathered solver bodies and current proxies. `substep_s`, s, is above 0;
  /// solve() is called `substeps` times.
  void prepare(const WorldState<Real>& state, const SolverBodies<Real>& bodies, Proxies& proxies,
               double substep_s, std::uint32_t substeps);
  /// Runs one substep: moves nodes and changes velocities of bodies. Call it between the integration of
  /// velocities and that of positions. A pin on a body in `trees` acts on the whole joint tree.
  void solve(SolverBodies<Real>& bodies, TreeResponse<Real> trees);
  /// Replaces `out` by the impulses with which the tensions of the last substep pull at dynamic bodies, for
  /// JointSolver::guard_warm_start(). Call it between solve() of two substeps, or before the first one.
  void list_pin_impulses(const SolverBodies<Real>& bodies, std::vector<PinImpulse>& out) const;
  /// Takes the pins that guard_warm_start() gave a group: the next solve() changes these impulses instead of
  /// starting from none.
  void take_warm_start(std::span<const PinImpulse> pins);
  /// Marks external[i] of the solver bodies i that ropes are pinned to or may touch in this tick.
  void add_external_loads(std::span<ExternalLoad> external) const;
  /// Writes nodes back and counts still ticks. A rope that left the finite numbers or the world is
  /// quarantined: it keeps its last positions, with velocities and tensions of 0.
  void store(WorldState<Real>& state) const;

  /// True when WorldDef::max_contacts left out triangles of a node since begin_step().
  [[nodiscard]] bool is_cut() const noexcept { return scratch_.triangles.is_cut; }
  /// The awake ropes of the tick, ascending, and the awake dynamic bodies at their pins, one entry a pin.
  [[nodiscard]] std::span<const RopeWork> ropes() const noexcept { return scratch_.ropes; }
  [[nodiscard]] std::span<const RopeLink> links() const noexcept { return scratch_.links; }
  /// Solver indices of the dynamic bodies at these pins, one entry a pin.
  [[nodiscard]] std::span<const std::uint32_t> pinned_bodies() const noexcept {
    return scratch_.pinned_bodies;
  }

 private:
  RopeScratch scratch_;
};

}  // namespace takt
