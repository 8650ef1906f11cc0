// GrabSolver solves the grabs of a tick. A grab (for example a player's hold on a body) pulls one point of a
// dynamic body to a target position. Its soft point constraint has three rows and a maximum force
// (docs/CONSTRAINTS.md 1.9, 1.10, 2.4). In each substep, run_substeps() (substeps.h) warm-starts and solves
// all grabs once, before the passes of joints and contacts. Grabs have no relax pass, because that pass would
// remove the velocity that the spring adds on purpose. prepare() reads the grabs from WorldState, and store()
// writes their impulses back for the next warm start.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/constraints/softness.h"
#include "physics/constraints/solver_bodies.h"
#include "physics/state/world_state.h"

namespace takt {

/// A grab ready to solve.
template <class Real>
struct PreparedGrab {
  std::uint32_t index = kNoIndex;  ///< in the pool of grabs
  std::uint32_t body = 0;          ///< solver index
  Vec3<Real> local_anchor;         ///< from the centre of mass, body frame, m
  Vec3<Real> lever_arm;            ///< the anchor in world axes, in this substep, m
  Vec3<Real> from_target;          ///< centre of mass - target at the tick's start, m
  Mass<Real> mass[6]{};            ///< inverse of K at the tick's start, kg: xx, yy, zz, xy, xz, yz
  Real max_impulse{};              ///< N s a substep
  Vec3<Real> impulse;              ///< on the body, N s, of the present or last substep
};

template <class Real>
class GrabSolver {
 public:
  /// Prepares the grabs of enabled dynamic bodies that are not quarantined, in order of pool index. Each such
  /// body must be awake and in `bodies` (asserted). `substep` is in s.
  void prepare(const WorldState<Real>& state, const SolverBodies<Real>& bodies, Real substep);
  /// Updates the lever arms and applies the impulses of the last substep. Call it before solve().
  void warm_start(SolverBodies<Real>& bodies);
  /// Solves each grab once. `soft` is StepConstants::grab.
  void solve(SolverBodies<Real>& bodies, const ContactSoftness<Real>& soft);
  /// Writes the impulses into the pool; 0 for a body that store_bodies() has quarantined in this tick.
  void store(WorldState<Real>& state) const;

  [[nodiscard]] std::span<const PreparedGrab<Real>> grabs() const noexcept { return grabs_; }

 private:
  std::vector<PreparedGrab<Real>> grabs_;
};

}  // namespace takt
