#include "physics/step/gather_bodies.h"

#include <algorithm>
#include <atomic>
#include <span>

#include "physics/base/parallel_filter.h"
#include "physics/base/solver_constants.h"
#include "physics/constraints/motion_locks.h"
#include "physics/constraints/speed_limits.h"
#include "physics/math/is_finite.h"
#include "physics/state/activity.h"
#include "physics/step/islands.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

/// Implicit damping factor 1 / (1 + h c): stable for every rate.
template <class Real>
Real damping_factor(Real damping, Real substep) noexcept {
  return damping > Real(0) ? Real(1) / (Real(1) + substep * damping) : Real(1);
}

/// Fills one solver body from its record. `gravity_change`: of the velocity in a substep of h s.
template <class Real>
void fill_moving(const BodyRecord<Real>& record, Vec3<Real> gravity_change, Real h, std::size_t index,
                 SolverBodies<Real>& bodies) {
  SolverBody<Real>& body = bodies.bodies[index];
  SolverMass<Real>& mass = bodies.masses[index];
  MovingBody<Real>& moving = bodies.moving[index];
  const BodyMotion<Real>& motion = record.motion;
  body = {};
  mass = {};
  set_row(body.linear_velocity, motion.linear_velocity);
  set_row(body.angular_velocity, motion.angular_velocity);
  moving.rotation = motion.rotation;
  moving.linear.factor = Real(1);
  moving.angular.factor = Real(1);
  if (record.type != BodyType::kDynamic) return;
  moving.dynamic = true;
  mass.inverse_mass = record.inverse_mass;
  mass.locked_axes = record.locked_axes;
  mass.inverse_inertia = rotated(record.inverse_inertia, to_matrix(motion.rotation));
  if (has_angular(record.locked_axes))
    mass.inverse_inertia = with_locks(mass.inverse_inertia, record.locked_axes);
  Vec3<Real> const push = motion.force * h;
  moving.linear.change = free_linear(
      record.locked_axes,
      gravity_change * record.gravity_scale +
          Vec3<Real>{mass.inverse_mass * push.x, mass.inverse_mass * push.y, mass.inverse_mass * push.z});
  moving.angular.change = mass.inverse_inertia * (motion.torque * h);
  moving.linear.factor = damping_factor(record.linear_damping, h);
  moving.angular.factor = damping_factor(record.angular_damping, h);
}

bool inside(const Position& p) noexcept {
  auto const within = [](std::int64_t raw) { return raw >= -kWorldLimitRaw && raw <= kWorldLimitRaw; };
  return within(p.x_raw) && within(p.y_raw) && within(p.z_raw);
}

/// Writes one body back. False: it left the finite numbers or the world, keeps its last pose, and is
/// quarantined.
template <class Real>
bool store_body(const SolverBody<Real>& body, const MovingBody<Real>& moving, BodyRecord<Real>& record) {
  Vec3<Real> const velocity = vector_of(body.linear_velocity);
  Vec3<Real> const omega = vector_of(body.angular_velocity);
  Vec3<Real> const translation = vector_of(body.delta_position);
  bool const sound = is_finite(velocity) && is_finite(omega) && is_finite(translation) &&
                     is_finite(moving.rotation.x) && is_finite(moving.rotation.y) &&
                     is_finite(moving.rotation.z) && is_finite(moving.rotation.w);
  Position const center = sound ? moved(record.motion.center, translation) : record.motion.center;
  record.motion.force = {};
  record.motion.torque = {};
  if (!sound || !inside(center)) {
    record.quarantined = true;
    record.motion.linear_velocity = {};
    record.motion.angular_velocity = {};
    return false;
  }
  record.motion.center = center;
  record.motion.rotation = canonical(moving.rotation);
  // The passes of the last substep, impacts and sweeps may have made a body faster than the limits.
  record.motion.linear_velocity = canonical(moving.dynamic ? limit_linear(velocity) : velocity);
  record.motion.angular_velocity = canonical(moving.dynamic ? limit_angular(omega) : omega);
  return true;
}

/// Every stored body is finite and inside the world; the solver's own bodies need not be.
template <class Real>
bool are_finite(const WorldState<Real>& state, const SolverBodies<Real>& bodies) noexcept {
  for (std::size_t i = 1; i < bodies.moving.size(); ++i) {
    const BodyMotion<Real>& motion = state.bodies[bodies.moving[i].index].motion;
    if (!inside(motion.center) || !is_finite(motion.linear_velocity) || !is_finite(motion.angular_velocity))
      return false;
  }
  return true;
}

/// Sizes agree, and solver_index is the inverse of moving[].index.
template <class Real>
bool are_consistent(const SolverBodies<Real>& bodies) noexcept {
  std::size_t const count = bodies.bodies.size();
  if (bodies.masses.size() != count || bodies.moving.size() != count) return false;
  std::size_t indexed = 0;
  for (std::uint32_t const index : bodies.solver_index) indexed += index != 0 ? 1 : 0;
  if (indexed + 1 != count) return false;
  for (std::size_t i = 1; i < count; ++i) {
    std::uint32_t const body = bodies.moving[i].index;
    if (body >= bodies.solver_index.size() || bodies.solver_index[body] != i) return false;
  }
  return true;
}

}  // namespace

template <class Real>
void BodyGatherer<Real>::gather(const WorldState<Real>& state, const StepConstants<Real>& constants,
                                SolverBodies<Real>& bodies, GyroscopicTerm<Real>& gyroscopic,
                                TaskPool* pool) {
  const Vec3<double>& g = state.def.gravity_m_s2;
  Vec3<Real> const gravity_change{to_real<Real>(g.x * constants.substep_s),
                                  to_real<Real>(g.y * constants.substep_s),
                                  to_real<Real>(g.z * constants.substep_s)};
  parallel_filter(pool, state.bodies.capacity(), moving_, [&state](std::size_t i, std::uint32_t& index) {
    index = static_cast<std::uint32_t>(i);
    const BodyRecord<Real>& record = state.bodies[index];
    return state.bodies.alive(index) && (is_awake_dynamic(record) || moves_on_its_own(record));
  });
  std::span const indices = moving_.chosen();
  std::size_t const count = indices.size() + 1;
  bodies.solver_index.assign(state.bodies.capacity(), 0);
  bodies.moving.resize(count);
  bodies.bodies.resize(count);
  bodies.masses.resize(count);
  gyroscopic.resize(count);
  bodies.moving[0] = {};
  bodies.bodies[0] = {};
  bodies.masses[0] = {};
  std::atomic<bool> any_unloaded{false};
  parallel_for(pool, count - 1, kBodyGrain, [&](std::size_t first, std::size_t end, std::uint32_t) {
    for (std::size_t i = first + 1; i <= end; ++i) {
      std::uint32_t const index = indices[i - 1];
      bodies.solver_index[index] = static_cast<std::uint32_t>(i);
      bodies.moving[i] = {};
      bodies.moving[i].index = index;
      fill_moving(state.bodies[index], gravity_change, constants.substep, i, bodies);
      if (bodies.moving[i].dynamic && state.bodies[index].modified)
        any_unloaded.store(true, std::memory_order_relaxed);
      gyroscopic.prepare(i, state.bodies[index]);
    }
  });
  bodies.any_unloaded = any_unloaded.load(std::memory_order_relaxed);
  gyroscopic.finish(pool);
  TAKT_VALIDATE(are_consistent(bodies));
}

template <class Real>
void end_targets(WorldState<Real>& state) {
  auto const reached = [](const TargetRecord<Real>& target) { return target.reached; };
  for (const TargetRecord<Real>& target : state.targets) {
    if (!target.reached) continue;
    state.bodies[target.body].motion.linear_velocity = {};
    state.bodies[target.body].motion.angular_velocity = {};
  }
  state.targets.erase(std::remove_if(state.targets.begin(), state.targets.end(), reached),
                      state.targets.end());
}

template <class Real>
void store_bodies(WorldState<Real>& state, const SolverBodies<Real>& bodies, StepEvents& events,
                  TaskPool* pool) {
  std::atomic<bool> lost_any{false};
  parallel_for(pool, bodies.bodies.size() - 1, kBodyGrain,
               [&](std::size_t first, std::size_t end, std::uint32_t) {
                 for (std::size_t i = first + 1; i <= end; ++i) {
                   BodyRecord<Real>& record = state.bodies[bodies.moving[i].index];
                   if (!store_body(bodies.bodies[i], bodies.moving[i], record))
                     lost_any.store(true, std::memory_order_relaxed);
                   if (bodies.moving[i].dynamic) count_still_tick(record);
                 }
               });
  TAKT_VALIDATE(are_finite(state, bodies));
  if (lost_any.load(std::memory_order_relaxed)) {  // a quarantined body does not move: these are new
    for (std::size_t i = 1; i < bodies.bodies.size(); ++i) {
      if (state.bodies[bodies.moving[i].index].quarantined)
        events.quarantined.push_back(state.bodies.id(bodies.moving[i].index));
    }
  }
  for (TargetRecord<Real>& target : state.targets) {
    BodyRecord<Real>& record = state.bodies[target.body];
    if (record.quarantined || !record.enabled) continue;
    record.motion.center = target.center;
    record.motion.rotation = target.rotation;
    target.reached = true;
  }
}

#define TAKT_INSTANTIATE(Real)                  \
  template void end_targets(WorldState<Real>&); \
  template class BodyGatherer<Real>;            \
  template void store_bodies(WorldState<Real>&, const SolverBodies<Real>&, StepEvents&, TaskPool*);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
