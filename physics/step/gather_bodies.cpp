#include "physics/step/gather_bodies.h"

#include <atomic>
#include <span>

#include "physics/base/parallel_filter.h"
#include "physics/base/solver_constants.h"
#include "physics/constraints/motion_locks.h"
#include "physics/joints/tree_batch.h"
#include "physics/math/is_finite.h"
#include "physics/state/activity.h"
#include "physics/step/islands.h"

namespace takt {
namespace {

/// 1 / (1 + h c): implicit damping, stable for every rate.
template <class Real>
Real damping_factor(Real damping, Real substep) noexcept {
  return damping > Real(0) ? Real(1) / (Real(1) + substep * damping) : Real(1);
}

/// One by one or in lanes, a part of those that spin.
template <class Real, class Body>
void for_spinning(DerivedState<Real>& derived, std::uint32_t lanes, TaskPool* pool, const Body& body) {
  std::span const indices = derived.gyroscopic.chosen();
  parallel_for(pool, indices.size(), kBodyGrain, [&](std::size_t first, std::size_t end, std::uint32_t) {
    SpinningBodies<Real> const at{indices.data() + first, end - first, derived.gyroscopes.data(),
                                  derived.bodies.data(), derived.moving.data()};
    body(at, tree_kernels<Real>(at.count > 1 ? lanes : 1, at.count));
  });
}

/// What the substeps need of a body that moves.
template <class Real>
void fill_moving(const BodyRecord<Real>& record, Vec3<Real> gravity_change, Real h, std::size_t slot,
                 DerivedState<Real>& derived) {
  SolverBody<Real>& body = derived.bodies[slot];
  SolverMass<Real>& mass = derived.masses[slot];
  MovingBody<Real>& moving = derived.moving[slot];
  Gyroscope& gyroscope = derived.gyroscopes[slot];
  const BodyMotion<Real>& motion = record.motion;
  body = {};
  mass = {};
  gyroscope.body = 0;
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
  if (!has_angular(record.locked_axes) && make_gyroscope(record.inverse_inertia, gyroscope))
    gyroscope.body = static_cast<std::uint32_t>(slot);
}

bool inside(const Position& p) noexcept {
  auto const within = [](std::int64_t raw) { return raw >= -kWorldLimitRaw && raw <= kWorldLimitRaw; };
  return within(p.x) && within(p.y) && within(p.z);
}

/// False: the body left the finite numbers or the world; it stays where it was, frozen.
template <class Real>
bool store_body(const SolverBody<Real>& body, const MovingBody<Real>& moving, BodyRecord<Real>& record) {
  Vec3<Real> const velocity = vector_of(body.linear_velocity);
  Vec3<Real> const omega = vector_of(body.angular_velocity);
  Vec3<Real> const shift = vector_of(body.delta_position);
  bool const sound = is_finite(velocity) && is_finite(omega) && is_finite(shift) &&
                     is_finite(moving.rotation.x) && is_finite(moving.rotation.y) &&
                     is_finite(moving.rotation.z) && is_finite(moving.rotation.w);
  Position const center = sound ? moved(record.motion.center, shift) : record.motion.center;
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
  record.motion.linear_velocity = canonical(velocity);
  record.motion.angular_velocity = canonical(omega);
  return true;
}

}  // namespace

template <class Real>
void gather_moving(const WorldState<Real>& state, const StepConstants<Real>& constants,
                   DerivedState<Real>& derived, TaskPool* pool) {
  const Vec3<double>& g = state.def.gravity_m_s2;
  Vec3<Real> const gravity_change{to_real<Real>(g.x * constants.substep_s),
                                  to_real<Real>(g.y * constants.substep_s),
                                  to_real<Real>(g.z * constants.substep_s)};
  parallel_filter(pool, state.bodies.capacity(), derived.moving_bodies,
                  [&state](std::size_t i, std::uint32_t& slot) {
                    slot = static_cast<std::uint32_t>(i);
                    const BodyRecord<Real>& record = state.bodies[slot];
                    return state.bodies.alive(slot) && (is_awake_dynamic(record) || moves_on_its_own(record));
                  });
  std::span const indices = derived.moving_bodies.chosen();
  std::size_t const count = indices.size() + 1;
  derived.solver_index.assign(state.bodies.capacity(), 0);
  derived.moving.resize(count);
  derived.bodies.resize(count);
  derived.masses.resize(count);
  derived.gyroscopes.resize(count);
  derived.moving[0] = {};
  derived.bodies[0] = {};
  derived.masses[0] = {};
  parallel_for(pool, count - 1, kBodyGrain, [&](std::size_t first, std::size_t end, std::uint32_t) {
    for (std::size_t i = first + 1; i <= end; ++i) {
      std::uint32_t const slot = indices[i - 1];
      derived.solver_index[slot] = static_cast<std::uint32_t>(i);
      derived.moving[i] = {};
      derived.moving[i].index = slot;
      fill_moving(state.bodies[slot], gravity_change, constants.substep, i, derived);
    }
  });
  parallel_filter(pool, count - 1, derived.gyroscopic, [&derived](std::size_t i, std::uint32_t& slot) {
    slot = static_cast<std::uint32_t>(i + 1);
    return derived.gyroscopes[slot].body != 0;
  });
}

template <class Real>
void begin_gyroscopic(DerivedState<Real>& derived, double substep_s, std::uint32_t lanes, TaskPool* pool) {
  for_spinning(derived, lanes, pool,
               [substep_s](const SpinningBodies<Real>& at, const TreeKernels<Real>& kernels) {
                 kernels.begin_gyroscopic != nullptr ? kernels.begin_gyroscopic(at, substep_s)
                                                     : begin_gyroscopic(at, substep_s);
               });
}

template <class Real>
void end_gyroscopic(DerivedState<Real>& derived, std::uint32_t lanes, TaskPool* pool) {
  for_spinning(derived, lanes, pool, [](const SpinningBodies<Real>& at, const TreeKernels<Real>& kernels) {
    kernels.end_gyroscopic != nullptr ? kernels.end_gyroscopic(at) : end_gyroscopic(at);
  });
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
void store_bodies(WorldState<Real>& state, const DerivedState<Real>& derived, StepEvents& events,
                  TaskPool* pool) {
  std::atomic<bool> lost_any{false};
  parallel_for(pool, derived.bodies.size() - 1, kBodyGrain,
               [&](std::size_t first, std::size_t end, std::uint32_t) {
                 for (std::size_t i = first + 1; i <= end; ++i) {
                   BodyRecord<Real>& record = state.bodies[derived.moving[i].index];
                   if (!store_body(derived.bodies[i], derived.moving[i], record))
                     lost_any.store(true, std::memory_order_relaxed);
                   if (derived.moving[i].dynamic) count_still_tick(record);
                 }
               });
  if (lost_any.load(std::memory_order_relaxed)) {  // none of those that moved was quarantined before
    for (std::size_t i = 1; i < derived.bodies.size(); ++i) {
      if (state.bodies[derived.moving[i].index].quarantined)
        events.quarantined.push_back(state.bodies.id(derived.moving[i].index));
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

#define TAKT_INSTANTIATE(Real)                                                                          \
  template void end_targets(WorldState<Real>&);                                                         \
  template void gather_moving(const WorldState<Real>&, const StepConstants<Real>&, DerivedState<Real>&, \
                              TaskPool*);                                                               \
  template void begin_gyroscopic(DerivedState<Real>&, double, std::uint32_t, TaskPool*);                \
  template void end_gyroscopic(DerivedState<Real>&, std::uint32_t, TaskPool*);                          \
  template void store_bodies(WorldState<Real>&, const DerivedState<Real>&, StepEvents&, TaskPool*);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
