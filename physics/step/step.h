// StepPipeline advances the state of a world by one tick; World::step calls it. PersistentState is what a
// world keeps between ticks beside its saved state: the broad phase's proxies, and a flag that everything
// sleeps. The contacts of a tick are listed in the order of their keys (pairs of shape indices). The solvers
// derive their own orders, such as graph colours, from this list. No result depends on addresses, order of
// discovery, lane width (contacts per SIMD block) or the number of workers.
#pragma once

#include <cstdint>
#include <vector>

#include "physics/contacts/contact_detection.h"
#include "physics/contacts/contact_persistence.h"
#include "physics/movers/mover_step.h"
#include "physics/step/collision_reach.h"
#include "physics/step/continuous_collision.h"
#include "physics/step/gather_bodies.h"
#include "physics/step/islands.h"
#include "physics/step/step_events.h"
#include "physics/step/substeps.h"
#include "takt/physics/step.h"

namespace takt {

/// Derived state that a world keeps between ticks.
struct PersistentState {
  Proxies proxies;
  bool all_asleep =
      false;  ///< a step changes only the tick; every call of World that changes state resets it

  /// Must be called when pools or static bodies have changed: the proxies are made anew in the next step.
  void mark_stale() noexcept {
    proxies.mark_stale();
    all_asleep = false;
  }
};

/// The stages of a tick, each with its own scratch. The scratch has no meaning between steps, so several
/// worlds may share one pipeline, one step at a time.
template <class Real>
class StepPipeline {
 public:
  /// Advances `state` by one tick and replaces `events`. `persistent` belongs to `state`.
  StepStatus step(WorldState<Real>& state, PersistentState& persistent, StepEvents& events,
                  const StepOptions& options);

 private:
  void detect(WorldState<Real>& state, Proxies& proxies, const StepConstants<Real>& constants,
              StepEvents& events, const StepOptions& options);
  std::uint32_t sleep_and_store(WorldState<Real>& state, StepEvents& events, TaskPool* pool);

  PairSearch pair_search_;
  JoinedBodies joined_;
  ContactDetection<Real> detection_;
  ContactPersistence<Real> persistence_;
  CollisionReach<Real> collision_reach_;
  BodyGatherer<Real> gatherer_;
  SolverBodies<Real> bodies_;
  SubstepSolvers<Real> solvers_;
  MoverStep<Real> movers_;
  Islands islands_;
  HitReporter hits_;
  ContinuousCollision<Real> continuous_;
};

}  // namespace takt
