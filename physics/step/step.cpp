#include "physics/step/step.h"

#include <algorithm>

#include "physics/base/parallel_for.h"
#include "physics/joints/joint_store.h"
#include "takt/core/assert.h"
#include "takt/physics/energy_ledger.h"

namespace takt {
namespace {

void clear_events(StepEvents& events) noexcept {
  events.contact_begin.clear();
  events.contact_end.clear();
  events.hits.clear();
  events.sensor_begin.clear();
  events.sensor_end.clear();
  events.quarantined.clear();
  events.slept.clear();
  events.woken.clear();
  events.broken_joints.clear();
}

template <class Real>
void clear_modified(WorldState<Real>& state) noexcept {
  for (std::uint32_t i = 0; i < state.bodies.capacity(); ++i) {
    // A write without the test would take the record out of the cache of the worker that moves the body.
    if (state.bodies[i].modified) state.bodies[i].modified = false;
  }
}

}  // namespace

/// Gathers bodies and finds contacts. A moving body may reach a sleeping one: then the island wakes and the
/// search starts again. Each round wakes at least one body.
template <class Real>
void StepPipeline<Real>::detect(WorldState<Real>& state, Proxies& proxies,
                                const StepConstants<Real>& constants, StepEvents& events,
                                const StepOptions& options) {
  for (std::uint32_t rounds = 0;; ++rounds) {
    TAKT_ASSERT(rounds <= state.bodies.capacity() + state.ropes.capacity());
    gatherer_.gather(state, constants, bodies_, solvers_.gyroscopic, options.pool);
    detection_.find(state, proxies, joined_, bodies_.solver_index, options.pool);
    collision_reach_.add_reached(state, detection_.results());
    if (!wake_bodies(state, detection_.results().reached, events) &&
        !solvers_.ropes.wake(state, proxies, events))
      return;
    islands_.wake_connected(state, events);
  }
}

/// Puts islands to sleep while contacts are stored. Neither reads what the other writes, so one worker does
/// the first and all share the second. Returns the number of awake islands.
template <class Real>
std::uint32_t StepPipeline<Real>::sleep_and_store(WorldState<Real>& state, StepEvents& events,
                                                  TaskPool* pool) {
  const NarrowPhaseResults<Real>& results = detection_.results();
  std::uint32_t islands = 0;
  std::size_t const parts = persistence_.begin(results);
  parallel_for(pool, 1 + parts, 1, [&](std::size_t first, std::size_t end, std::uint32_t) {
    for (std::size_t i = first; i < end; ++i) {
      if (i == 0) {
        islands = islands_.fall_asleep<Real>(
            state, {results.contacts, bodies_.moving, solvers_.grabs.grabs(), solvers_.ropes}, events);
      } else {
        persistence_.write(state, results, i - 1);
      }
    }
  });
  persistence_.finish(state, events, pool);
  return islands;
}

template <class Real>
StepStatus StepPipeline<Real>::step(WorldState<Real>& state, PersistentState& persistent, StepEvents& events,
                                    const StepOptions& options) {
  StepStatus status;
  clear_events(events);
  if (options.energy != nullptr) options.energy->clear();
  if (persistent.all_asleep) {
    ++state.tick;
    return status;
  }
  Proxies& proxies = persistent.proxies;
  StepConstants<Real> const constants = make_step_constants<Real>(state.def);

  end_targets(state);
  islands_.wake_connected(state, events);
  proxies.begin_step(state, pair_search_, options.pool);
  proxies.mark_moved();
  if (movers_.move(state, proxies, events)) islands_.wake_connected(state, events);
  // The broad phase and movers also compute on shapes that canonical state does not need: their saturations
  // do not count.
  (void)take_fixed_overflow_count();

  list_joined(state, joined_);
  solvers_.ropes.begin_step();
  detect(state, proxies, constants, events, options);
  std::sort(events.woken.begin(), events.woken.end());
  solvers_.grabs.prepare(state, bodies_, constants.substep);
  solvers_.ropes.prepare(state, bodies_, proxies, constants.substep_s, constants.substeps);
  solvers_.joints.prepare(state, joint_bodies(bodies_, options.pool),
                          {constants.substep_s, constants.substeps, options.lanes},
                          solvers_.ropes.pinned_bodies());

  NarrowPhaseResults<Real>& contacts = detection_.results();
  run_substeps(state, constants, options, contacts, bodies_, solvers_, status);

  hits_.report<Real>(state, contacts.contacts, events, options.pool);
  store_overlaps<Real>(state, contacts.overlaps, events);
  std::uint64_t const solve_overflow_count = take_fixed_overflow_count();
  continuous_.run({state, bodies_, proxies, contacts.contacts, solvers_.joints, joined_, options.pool});
  (void)take_fixed_overflow_count();  // sweeps depend on the broad phase, whose history is not canonical
  store_bodies(state, bodies_, events, options.pool);
  solvers_.grabs.store(state);
  solvers_.ropes.store(state);
  solvers_.joints.store(state, events.broken_joints);
  status.island_count = sleep_and_store(state, events, options.pool);
  clear_modified(state);
  // The contacts of a body that just fell asleep were found before its last move. One more step updates them.
  persistent.all_asleep = events.slept.empty() && events.quarantined.empty() && is_all_asleep(state);
  ++state.tick;

  status.fixed_overflow_count = solve_overflow_count + take_fixed_overflow_count();
  state.fixed_overflow_total += status.fixed_overflow_count;
  for (BodyId const body : events.slept) proxies.update_body(state, body.index, state.bodies[body.index]);
  (void)take_fixed_overflow_count();
  status.awake_body_count = static_cast<std::uint32_t>(bodies_.bodies.size()) - 1;
  status.contacts_cut =
      detection_.is_cut() || continuous_.is_cut() || movers_.is_cut() || solvers_.ropes.is_cut();
  status.contact_count = static_cast<std::uint32_t>(contacts.contacts.size());
  return status;
}

template class StepPipeline<float>;
template class StepPipeline<Fixed>;

}  // namespace takt
