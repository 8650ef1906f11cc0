#include "physics/broad_phase/proxies.h"

#include <algorithm>

#include "physics/base/solver_constants.h"
#include "physics/state/activity.h"
#include "physics/state/free_motion.h"
#include "physics/state/shape_bounds.h"
#include "physics/state/shape_geometry_of.h"

namespace takt {

namespace {

/// Leaves of what moves reach so many ticks ahead. Costs time only, never a bit.
constexpr double kTicksAhead = 4.0;

/// Whether the leaf of a place wants more than to hear where the shape is now, which it is told here.
template <class Real>
bool wants_care(const WorldState<Real>& state, PersistentState& derived, std::uint32_t shape) {
  BroadPhase& broad = derived.broad_phase;
  if (shape >= state.shapes.capacity() || !state.shapes.alive(shape)) return broad.has_leaf(shape);
  const ShapeRecord<Real>& record = state.shapes[shape];
  const BodyRecord<Real>& body = state.bodies[record.body];
  bool const soft = is_soft(record);
  if (!body.enabled || meets_nothing(record.filter)) return soft || broad.has_leaf(shape);
  if (record.kind == ShapeKind::kHalfSpace) return true;
  bool const still = is_still(body);
  bool const is_listed = soft || (body.type == BodyType::kKinematic && !still);
  std::uint32_t const generation = state.shapes.slots[shape].generation;
  if ((still || body.asleep) && !derived.stale && broad.is_placed(shape, generation, still)) return is_listed;
  Bounds const bounds = shape_bounds(body, record, hull_of(state, record), surface_of(state, record));
  return !broad.keeps(shape, generation, record.body, still, record.filter, bounds) || is_listed;
}

}  // namespace

template <class Real>
void update_proxies(const WorldState<Real>& state, PersistentState& derived, TaskPool* pool) {
  BroadPhase& broad = derived.broad_phase;
  broad.reserve_shapes(state.shapes.capacity());
  derived.half_spaces.clear();
  derived.kinematic_shapes.clear();
  derived.any_soft = false;
  double const ahead_s = kTicksAhead / static_cast<double>(state.def.tick_rate_hz);
  parallel_filter(pool, broad.capacity_count(), derived.moved_shapes,
                  [&](std::size_t i, std::uint32_t& shape) {
                    shape = static_cast<std::uint32_t>(i);
                    return wants_care(state, derived, shape);
                  });
  for (std::uint32_t const shape : derived.moved_shapes.chosen()) {
    if (shape >= state.shapes.capacity() || !state.shapes.alive(shape)) {
      broad.remove(shape);
      continue;
    }
    const ShapeRecord<Real>& record = state.shapes[shape];
    derived.any_soft = derived.any_soft || is_soft(record);
    if (!state.bodies[record.body].enabled || meets_nothing(record.filter)) {
      broad.remove(shape);
      continue;
    }
    if (record.kind == ShapeKind::kHalfSpace) {
      broad.remove(shape);
      derived.half_spaces.push_back(shape);
      continue;
    }
    const BodyRecord<Real>& body = state.bodies[record.body];
    bool const still = is_still(body);
    if (body.type == BodyType::kKinematic && !still) derived.kinematic_shapes.push_back(shape);
    std::uint32_t const generation = state.shapes.slots[shape].generation;
    if ((still || body.asleep) && !derived.stale && broad.is_placed(shape, generation, still)) continue;
    broad.update_proxy(shape, generation, record.body, still, record.filter, broad.exact(shape),
                       to_double(body.motion.linear_velocity) * ahead_s);
  }
  derived.stale = false;
}

namespace {

/// Leaves of what goes farther within the tick than contacts are made at, over the whole way: springs ask for
/// whom they will meet (soft_contact_sweep.h).
template <class Real>
void widen_leaves(const WorldState<Real>& state, PersistentState& derived) {
  for (std::uint32_t i = 0; i < state.bodies.capacity(); ++i) {
    const BodyRecord<Real>& body = state.bodies[i];
    if (!state.bodies.alive(i) || !is_active(body)) continue;
    Vec3<double> const displacement = displacement_in_tick(state, body);
    if (!(dot(displacement, displacement) > 0.25 * kSpeculativeDistanceM * kSpeculativeDistanceM)) continue;
    for (std::uint32_t at = body.first_shape; at != kNoIndex; at = state.shapes[at].next_shape) {
      const ShapeRecord<Real>& shape = state.shapes[at];
      if (shape.kind == ShapeKind::kHalfSpace || meets_nothing(shape.filter)) continue;
      Bounds bounds = shape_bounds(body, shape, hull_of(state, shape), surface_of(state, shape));
      Position const low = moved(bounds.lower, displacement);
      Position const high = moved(bounds.upper, displacement);
      bounds.lower = {std::min(bounds.lower.x, low.x), std::min(bounds.lower.y, low.y),
                      std::min(bounds.lower.z, low.z)};
      bounds.upper = {std::max(bounds.upper.x, high.x), std::max(bounds.upper.y, high.y),
                      std::max(bounds.upper.z, high.z)};
      derived.broad_phase.update_proxy(at, state.shapes.slots[at].generation, i, is_still(body), shape.filter,
                                       bounds);
    }
  }
}

}  // namespace

template <class Real>
void place_shapes(const WorldState<Real>& state, PersistentState& derived, PairSearch& search,
                  TaskPool* pool) {
  update_proxies(state, derived, pool);
  if (derived.any_soft) widen_leaves(state, derived);
  derived.broad_phase.update_pairs(search, pool);
}

template <class Real>
void place_sleeper(const WorldState<Real>& state, PersistentState& derived, std::uint32_t body) {
  const BodyRecord<Real>& record = state.bodies[body];
  for (std::uint32_t at = record.first_shape; at != kNoIndex; at = state.shapes[at].next_shape) {
    const ShapeRecord<Real>& shape = state.shapes[at];
    if (meets_nothing(shape.filter)) continue;
    Bounds const bounds = shape_bounds(record, shape, hull_of(state, shape), surface_of(state, shape));
    derived.broad_phase.update_proxy(at, state.shapes.slots[at].generation, body, false, shape.filter,
                                     bounds);
  }
}

#define TAKT_INSTANTIATE(Real)                                                                   \
  template void update_proxies(const WorldState<Real>&, PersistentState&, TaskPool*);            \
  template void place_shapes(const WorldState<Real>&, PersistentState&, PairSearch&, TaskPool*); \
  template void place_sleeper(const WorldState<Real>&, PersistentState&, std::uint32_t);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
