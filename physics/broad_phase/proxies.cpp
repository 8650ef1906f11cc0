#include "physics/broad_phase/proxies.h"

#include <algorithm>

#include "physics/base/solver_constants.h"
#include "physics/state/activity.h"
#include "physics/state/free_motion.h"
#include "physics/state/shape_bounds.h"
#include "physics/state/shape_geometry_of.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

/// Proxies of moving shapes reach this many ticks ahead. It changes time only, never a bit.
constexpr double kTicksAhead = 4.0;

template <class Real>
Bounds bounds_of(const WorldState<Real>& state, const BodyRecord<Real>& body,
                 const ShapeRecord<Real>& shape) {
  return shape_bounds(body, shape, hull_of(state, shape), surface_of(state, shape));
}

}  // namespace

/// Stores the exact bounds of the shape, and returns whether update() has more to do with it: its proxy must
/// change, or it belongs on a list.
template <class Real>
bool Proxies::needs_update(const WorldState<Real>& state, std::uint32_t shape) {
  if (shape >= state.shapes.capacity() || !state.shapes.alive(shape)) return broad_phase_.has_leaf(shape);
  const ShapeRecord<Real>& record = state.shapes[shape];
  const BodyRecord<Real>& body = state.bodies[record.body];
  bool const soft = is_soft(record);
  if (!body.enabled || meets_nothing(record.filter)) return soft || broad_phase_.has_leaf(shape);
  if (record.kind == ShapeKind::kHalfSpace) return true;
  bool const still = is_still(body);
  bool const is_listed = soft || (body.type == BodyType::kKinematic && !still);
  std::uint32_t const generation = state.shapes.slots[shape].generation;
  if ((still || body.asleep) && !stale_ && broad_phase_.has_proxy(shape, generation, still)) return is_listed;
  return !broad_phase_.keeps(shape, generation, record.body, still, record.filter,
                             bounds_of(state, body, record)) ||
         is_listed;
}

template <class Real>
void Proxies::update(const WorldState<Real>& state, TaskPool* pool) {
  broad_phase_.reserve_shapes(state.shapes.capacity());
  half_spaces_.clear();
  kinematic_shapes_.clear();
  any_soft_ = false;
  double const ahead_s = kTicksAhead / static_cast<double>(state.def.tick_rate_hz);
  parallel_filter(pool, broad_phase_.capacity_count(), changed_, [&](std::size_t i, std::uint32_t& shape) {
    shape = static_cast<std::uint32_t>(i);
    return needs_update(state, shape);
  });
  for (std::uint32_t const shape : changed_.chosen()) {
    if (shape >= state.shapes.capacity() || !state.shapes.alive(shape)) {
      broad_phase_.remove(shape);
      continue;
    }
    const ShapeRecord<Real>& record = state.shapes[shape];
    any_soft_ = any_soft_ || is_soft(record);
    if (!state.bodies[record.body].enabled || meets_nothing(record.filter)) {
      broad_phase_.remove(shape);
      continue;
    }
    if (record.kind == ShapeKind::kHalfSpace) {
      broad_phase_.remove(shape);
      half_spaces_.push_back(shape);
      continue;
    }
    const BodyRecord<Real>& body = state.bodies[record.body];
    bool const still = is_still(body);
    if (body.type == BodyType::kKinematic && !still) kinematic_shapes_.push_back(shape);
    std::uint32_t const generation = state.shapes.slots[shape].generation;
    if ((still || body.asleep) && !stale_ && broad_phase_.has_proxy(shape, generation, still)) continue;
    broad_phase_.update_proxy(shape, generation, record.body, still, record.filter, broad_phase_.exact(shape),
                              to_double(body.motion.linear_velocity) * ahead_s);
  }
  stale_ = false;
  TAKT_VALIDATE(are_consistent(state));
}

/// Widens the proxies of bodies that move farther in the tick than contacts are made at, over the whole
/// displacement: springs need the shapes they will meet (soft_contact_sweep.h).
template <class Real>
void Proxies::widen_to_displacement(const WorldState<Real>& state) {
  for (std::uint32_t i = 0; i < state.bodies.capacity(); ++i) {
    const BodyRecord<Real>& body = state.bodies[i];
    if (!state.bodies.alive(i) || !is_active(body)) continue;
    Vec3<double> const displacement = displacement_in_tick(state, body);
    if (!(dot(displacement, displacement) > 0.25 * kSpeculativeDistanceM * kSpeculativeDistanceM)) continue;
    for (std::uint32_t at = body.first_shape; at != kNoIndex; at = state.shapes[at].next_shape) {
      const ShapeRecord<Real>& shape = state.shapes[at];
      if (shape.kind == ShapeKind::kHalfSpace || meets_nothing(shape.filter)) continue;
      Bounds bounds = bounds_of(state, body, shape);
      Position const low = moved(bounds.lower, displacement);
      Position const high = moved(bounds.upper, displacement);
      bounds.lower =
          Position::from_raw(std::min(bounds.lower.x_raw, low.x_raw), std::min(bounds.lower.y_raw, low.y_raw),
                             std::min(bounds.lower.z_raw, low.z_raw));
      bounds.upper = Position::from_raw(std::max(bounds.upper.x_raw, high.x_raw),
                                        std::max(bounds.upper.y_raw, high.y_raw),
                                        std::max(bounds.upper.z_raw, high.z_raw));
      broad_phase_.update_proxy(at, state.shapes.slots[at].generation, i, is_still(body), shape.filter,
                                bounds);
    }
  }
}

template <class Real>
void Proxies::begin_step(const WorldState<Real>& state, PairSearch& search, TaskPool* pool) {
  update(state, pool);
  if (any_soft_) widen_to_displacement(state);
  // Fat bounds overlap more often than exact ones. A larger factor changes time only, never a bit.
  constexpr std::size_t kListedPerCandidate = 4;
  std::size_t const max_count = max_pairs(state.def);
  broad_phase_.update_pairs(
      search, max_count > SIZE_MAX / kListedPerCandidate ? SIZE_MAX : kListedPerCandidate * max_count, pool);
}

template <class Real>
void Proxies::begin_query(const WorldState<Real>& state) {
  if (stale_ || !current_) update(state, nullptr);
  current_ = true;
}

template <class Real>
void Proxies::update_body(const WorldState<Real>& state, std::uint32_t body, const BodyRecord<Real>& record) {
  for (std::uint32_t at = record.first_shape; at != kNoIndex; at = state.shapes[at].next_shape) {
    const ShapeRecord<Real>& shape = state.shapes[at];
    TAKT_ASSERT(shape.body == body);
    if (meets_nothing(shape.filter)) continue;
    broad_phase_.update_proxy(at, state.shapes.slots[at].generation, body, false, shape.filter,
                              bounds_of(state, record, shape));
  }
}

/// Every enabled shape that can meet another has a proxy of its own generation and tree, whose fat bounds
/// contain its exact bounds; no other slot has one.
template <class Real>
bool Proxies::are_consistent(const WorldState<Real>& state) const {
  for (std::uint32_t i = 0; i < broad_phase_.capacity_count(); ++i) {
    bool wants_proxy = i < state.shapes.capacity() && state.shapes.alive(i);
    if (wants_proxy) {
      const ShapeRecord<Real>& shape = state.shapes[i];
      wants_proxy = state.bodies[shape.body].enabled && !meets_nothing(shape.filter) &&
                    shape.kind != ShapeKind::kHalfSpace;
    }
    if (broad_phase_.has_leaf(i) != wants_proxy) return false;
    if (!wants_proxy) continue;
    bool const still = is_still(state.bodies[state.shapes[i].body]);
    if (!broad_phase_.has_proxy(i, state.shapes.slots[i].generation, still)) return false;
    if (!broad_phase_.is_contained(i)) return false;
  }
  return true;
}

template <class Real>
double kinematic_reach(const WorldState<Real>& state, const BroadPhase& broad_phase, std::uint32_t index) {
  const BodyRecord<Real>& body = state.bodies[index];
  double const rate = static_cast<double>(state.def.tick_rate_hz);
  double const spin = length(to_double(body.motion.angular_velocity));
  double arm = 0.0;
  for (std::uint32_t at = body.first_shape; spin > 0.0 && at != kNoIndex; at = state.shapes[at].next_shape) {
    if (meets_nothing(state.shapes[at].filter)) continue;  // it has no bounds
    const Bounds& bounds = broad_phase.exact(at);
    Vec3<double> const low = absolute(relative<double>(bounds.lower, body.motion.center));
    Vec3<double> const high = absolute(relative<double>(bounds.upper, body.motion.center));
    arm = maximum(arm, length(low) + length(high));
  }
  return (length(to_double(body.motion.linear_velocity)) + spin * arm) / rate;
}

#define TAKT_INSTANTIATE(Real)                                                                         \
  template void Proxies::update(const WorldState<Real>&, TaskPool*);                                   \
  template void Proxies::begin_step(const WorldState<Real>&, PairSearch&, TaskPool*);                  \
  template void Proxies::begin_query(const WorldState<Real>&);                                         \
  template void Proxies::update_body(const WorldState<Real>&, std::uint32_t, const BodyRecord<Real>&); \
  template double kinematic_reach(const WorldState<Real>&, const BroadPhase&, std::uint32_t);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
