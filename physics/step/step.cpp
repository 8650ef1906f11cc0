#include "physics/step/step.h"

#include <algorithm>

#include "physics/base/parallel_for.h"
#include "physics/broad_phase/proxies.h"
#include "physics/contacts/contact_persistence.h"
#include "physics/contacts/find_contacts.h"
#include "physics/joints/grab_solver.h"
#include "physics/joints/joint_store.h"
#include "physics/movers/mover_step.h"
#include "physics/ropes/rope_collision.h"
#include "physics/ropes/rope_solver.h"
#include "physics/step/continuous_collision.h"
#include "physics/step/gather_bodies.h"
#include "physics/step/islands.h"
#include "physics/step/step_constants.h"
#include "physics/step/step_events.h"
#include "physics/step/substeps.h"

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

/// Puts islands to sleep while contacts are stored: neither looks at what the other writes, so one worker
/// does the first and all the second. Returns the number of islands that are awake.
template <class Real>
std::uint32_t sleep_and_store(WorldState<Real>& state, DerivedState<Real>& derived, StepEvents& events,
                              TaskPool* pool) {
  std::uint32_t islands = 0;
  parallel_for(pool, 1 + begin_records(derived), 1, [&](std::size_t first, std::size_t end, std::uint32_t) {
    for (std::size_t i = first; i < end; ++i) {
      if (i == 0) {
        islands = fall_asleep(state, derived, events);
      } else {
        write_records(state, derived, i - 1);
      }
    }
  });
  replace_contacts(state, derived, events, pool);
  return islands;
}

}  // namespace

template <class Real>
StepStatus step_world(WorldState<Real>& state, DerivedState<Real>& derived, StepEvents& events,
                      const StepOptions& options) {
  StepStatus status;
  clear_events(events);
  if (is_idle(derived)) {
    ++state.tick;
    return status;
  }
  // Worker 0 is there without a pool too.
  if (options.pool != nullptr && derived.workers.size() < options.pool->worker_count())
    derived.workers.resize(options.pool->worker_count());
  StepConstants<Real> const constants = make_step_constants<Real>(state.def);

  end_targets(state);
  wake_connected(state, derived, events);
  place_shapes(state, derived, derived.pair_search, options.pool);
  derived.proxies_current = false;
  if (move_movers(state, derived, events)) wake_connected(state, derived, events);
  // The broad phase looks at more than canonical state asks for, and so do movers: its saturations do not
  // count.
  (void)take_fixed_overflow_count();

  list_joined(state, derived.joined);
  // What moves may reach what sleeps: its island wakes, and the contacts are found again. Each round wakes at
  // least one body.
  for (;;) {
    gather_moving(state, constants, derived, options.pool);
    if (!find_contacts(state, derived, events, options.pool) && !wake_by_ropes(state, derived, events)) break;
    wake_connected(state, derived, events);
  }
  std::sort(events.woken.begin(), events.woken.end());
  prepare_grabs(state, derived, constants.substep);
  prepare_ropes(state, derived, constants);
  derived.joints.prepare(state, joint_bodies(derived, options.pool),
                         {constants.substep_s, constants.substeps, options.lanes});

  run_substeps(state, derived, constants, options, status);

  report_hits(state, derived, events, options.pool);
  store_overlaps(state, derived, events);
  std::uint64_t const solve_overflow_count = take_fixed_overflow_count();
  sweep_fast_bodies(state, derived, options.pool);
  (void)take_fixed_overflow_count();  // it looks at what the broad phase offers, which is history's
  store_bodies(state, derived, events, options.pool);
  store_grabs(state, derived);
  store_ropes(state, derived);
  derived.joints.store(state, events.broken_joints);
  status.island_count = sleep_and_store(state, derived, events, options.pool);
  for (std::uint32_t i = 0; i < state.bodies.capacity(); ++i) {
    if (state.bodies[i].modified)
      state.bodies[i].modified = false;  // only then: a write takes the body out of the cache of who moves it
  }
  // What has just come to rest did so after its contacts were found: one more step brings them in line with
  // where it lies.
  derived.all_asleep = events.slept.empty() && events.quarantined.empty() && is_all_asleep(state);
  ++state.tick;

  status.fixed_overflow_count = solve_overflow_count + take_fixed_overflow_count();
  state.fixed_overflow_total += status.fixed_overflow_count;
  for (BodyId const body : events.slept) place_sleeper(state, derived, body.index);
  (void)take_fixed_overflow_count();
  even_out(derived.workers);
  status.awake_body_count = static_cast<std::uint32_t>(derived.bodies.size()) - 1;
  status.contact_count = static_cast<std::uint32_t>(derived.found.contacts.size());
  return status;
}

template StepStatus step_world(WorldState<float>&, DerivedState<float>&, StepEvents&, const StepOptions&);
template StepStatus step_world(WorldState<Fixed>&, DerivedState<Fixed>&, StepEvents&, const StepOptions&);

}  // namespace takt
