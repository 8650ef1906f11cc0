#include "physics/ropes/rope_collision.h"

#include <algorithm>

#include "physics/broad_phase/swept_box.h"
#include "physics/contacts/contact_material.h"
#include "physics/ropes/rope_contacts.h"
#include "physics/state/activity.h"
#include "physics/state/mass_properties.h"
#include "physics/state/shape_bounds.h"
#include "physics/state/shape_geometry_of.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

/// Margin beyond a node's own displacement, m, for the motion that tension adds within a tick. Shapes beyond
/// it are detected one tick later.
constexpr double kLookAheadM = 0.05;
/// A moving node closer than this, m, wakes a sleeping body.
constexpr double kTouchM = 0.001;
/// Maximum number of triangles of a node at a surface, in a world with WorldDef::max_contacts. A node keeps
/// three planes; the triangles are the nearest one and the nearest of each part of its box.
constexpr std::uint32_t kMaxNodeTriangles = 64;

std::int64_t raw(double metres) noexcept {
  return static_cast<std::int64_t>(metres * kUnitsPerMetre);
}  // callers keep it below 10^6 m

Bounds around(const Position& p, double reach) noexcept {
  std::int64_t const r = raw(minimum(reach, 1e6));
  return {Position::from_raw(p.x_raw - r, p.y_raw - r, p.z_raw - r),
          Position::from_raw(p.x_raw + r, p.y_raw + r, p.z_raw + r)};
}
Bounds widened(const Bounds& b, double reach) noexcept {
  return {around(b.lower, reach).lower, around(b.upper, reach).upper};
}
void include(Bounds& all, const Bounds& more) noexcept {
  all.lower = Position::from_raw(std::min(all.lower.x_raw, more.lower.x_raw),
                                 std::min(all.lower.y_raw, more.lower.y_raw),
                                 std::min(all.lower.z_raw, more.lower.z_raw));
  all.upper = Position::from_raw(std::max(all.upper.x_raw, more.upper.x_raw),
                                 std::max(all.upper.y_raw, more.upper.y_raw),
                                 std::max(all.upper.z_raw, more.upper.z_raw));
}

/// Bounds of a node's positions in the next tick.
template <class Real>
Bounds bounds_of(const WorldState<Real>& state, const RopeRecord& rope, const RopeNode& node) noexcept {
  double const period = 1.0 / static_cast<double>(state.def.tick_rate_hz);
  double const fall = length(state.def.gravity_m_s2) * absolute(rope.gravity_scale) * period * period;
  return around(node.position, rope.radius_m + kLookAheadM + length(node.velocity) * period + fall);
}

template <class Real>
Bounds bounds_of(const WorldState<Real>& state, std::uint32_t rope, std::uint32_t first) noexcept {
  const RopeRecord& record = state.ropes[rope];
  TAKT_ASSERT(record.node_count > 0 && first + record.node_count <= state.rope_nodes.size());
  Bounds all = bounds_of(state, record, state.rope_nodes[first]);
  for (std::uint32_t i = 1; i < record.node_count; ++i)
    include(all, bounds_of(state, record, state.rope_nodes[first + i]));
  return all;
}

/// Maximum displacement of a body's shapes in the tick, m.
template <class Real>
double reach_of(const WorldState<Real>& state, const BroadPhase& broad_phase, std::uint32_t body) {
  const BodyRecord<Real>& record = state.bodies[body];
  if (!is_awake_dynamic(record) && !moves_on_its_own(record)) return 0.0;
  double const period = 1.0 / static_cast<double>(state.def.tick_rate_hz);
  return kinematic_reach(state, broad_phase, body) +
         length(state.def.gravity_m_s2) * absolute(to_double(record.gravity_scale)) * period * period;
}

/// The longest displacement of any body in the tick, m.
template <class Real>
double longest_reach(const WorldState<Real>& state, const BroadPhase& broad_phase) {
  double upper = 0.0;
  for (std::uint32_t i = 0; i < state.bodies.capacity(); ++i) {
    if (state.bodies.alive(i) && state.bodies[i].enabled)
      upper = maximum(upper, reach_of(state, broad_phase, i));
  }
  return upper;
}

template <class Real>
bool is_pinned_to(const WorldState<Real>& state, std::uint32_t rope, std::uint32_t body) noexcept {
  return std::any_of(state.rope_pins.begin(), state.rope_pins.end(),
                     [&](const RopePinRecord& pin) { return pin.rope == rope && pin.body == body; });
}

/// Replaces `found` by the shapes that a rope may touch, ascending.
template <class Real>
void find_shapes(const WorldState<Real>& state, Proxies& proxies, std::uint32_t rope, const Bounds& bounds,
                 double longest, std::vector<std::uint32_t>& found) {
  const RopeRecord& record = state.ropes[rope];
  const BroadPhase& broad_phase = proxies.broad_phase();
  found.clear();
  if (!record.collides) return;
  auto const test = [&](std::uint32_t shape) {
    const ShapeRecord<Real>& other = state.shapes[shape];
    if (other.is_sensor || !meet(record.filter, other.filter)) return;
    if (!record.collides_with_pinned && is_pinned_to(state, rope, other.body)) return;
    if (other.kind != ShapeKind::kHalfSpace &&
        !overlap(bounds, widened(broad_phase.exact(shape), reach_of(state, broad_phase, other.body))))
      return;
    found.push_back(shape);
  };
  Vec3<double> const low = relative<double>(bounds.lower, broad_phase.origin());
  Vec3<double> const high = relative<double>(bounds.upper, broad_phase.origin());
  Vec3<double> const all{longest, longest, longest};
  SweptBox const box({}, low - all, high + all, {});
  proxies.walk([&](const FatBounds& fat) { return box.meets(fat, 1.0); }, test);
  std::sort(found.begin(), found.end());
}

template <class Real>
RopeShape make_shape(const WorldState<Real>& state, std::uint32_t index, double friction) {
  const ShapeRecord<Real>& shape = state.shapes[index];
  const BodyRecord<Real>& body = state.bodies[shape.body];
  RopeShape out;
  out.shape = index;
  out.record = shape.body;
  out.local_rotation = unit(to_double(shape.local_rotation));
  out.local_offset = to_double(shape.local_position) - to_double(body.local_center);
  out.local_belt = to_double(shape.surface_velocity);
  out.geometry = {shape.kind, to_double(shape.extents), {}, hull_of(state, shape), surface_of(state, shape)};
  TAKT_ASSERT(shape.kind != ShapeKind::kHull || out.geometry.hull != nullptr);
  if (state.def.max_contacts != 0) out.max_triangles = kMaxNodeTriangles;
  out.friction = mixed(MixRule::kWorld, shape.friction_rule, state.def.friction_rule, friction,
                       to_double(shape.friction));
  return out;
}

/// True when a node of the rope touches a shape.
template <class Real>
bool touches(const WorldState<Real>& state, const BroadPhase& broad_phase, std::uint32_t rope,
             std::uint32_t first, std::uint32_t index, RopeTriangles& triangles) {
  const RopeRecord& record = state.ropes[rope];
  const Position& center = state.bodies[state.shapes[index].body].motion.center;
  RopeShape shape = make_shape(state, index, 0.0);
  update_rope_shape(shape, to_double(state.bodies[shape.record].motion.rotation));
  RopePlanes planes;
  for (std::uint32_t i = 0; i < record.node_count; ++i) {
    const Position& node = state.rope_nodes[first + i].position;
    if (!overlap(around(node, record.radius_m + kTouchM), broad_phase.exact(index))) continue;
    Vec3<double> const at = relative<double>(node, center) - shape.offset;
    find_rope_planes(shape, at, at, record.radius_m, kTouchM, triangles, planes);
    if (planes.count > 0) return true;
  }
  return false;
}

template <class Real>
bool wake_body(WorldState<Real>& state, std::uint32_t index, StepEvents& events) {
  BodyRecord<Real>& body = state.bodies[index];
  if (!body.asleep || !body.enabled) return false;
  body.asleep = false;
  body.still_ticks = 0;
  events.woken.push_back(state.bodies.id(index));
  return true;
}

}  // namespace

void update_rope_shape(RopeShape& shape, Quat<double> body_rotation) {
  Quat<double> const rotation = unit(body_rotation);
  Quat<double> const turn = unit(rotation * shape.local_rotation);
  shape.geometry.rotation = to_matrix(turn);
  shape.offset = rotate(rotation, shape.local_offset);
  shape.belt = rotate(turn, shape.local_belt);
  if (shape.geometry.kind == ShapeKind::kCone || shape.geometry.kind == ShapeKind::kHull)
    shape.convex.emplace(shape.geometry, Vec3<double>{});
}

template <class Real>
std::uint32_t first_node(const WorldState<Real>& state, std::uint32_t rope) noexcept {
  TAKT_ASSERT(rope < state.ropes.capacity());
  std::uint32_t first = 0;
  for (std::uint32_t i = 0; i < rope; ++i) first += state.ropes[i].node_count;  // 0 for free slots
  return first;
}

template <class Real>
bool wake_by_ropes(WorldState<Real>& state, Proxies& proxies, RopeScratch& scratch, StepEvents& events) {
  if (state.ropes.alive_count == 0) return false;
  double const longest = longest_reach(state, proxies.broad_phase());
  bool any = false;
  std::uint32_t first = 0;
  for (std::uint32_t i = 0; i < state.ropes.capacity(); first += state.ropes[i++].node_count) {
    RopeRecord& rope = state.ropes[i];
    if (!state.ropes.alive(i) || rope.quarantined) continue;
    bool const moves = !rope.asleep && rope.still_ticks == 0;
    auto const wake_rope = [&rope] {
      if (!rope.asleep) return;
      rope.asleep = false;
      rope.still_ticks = 0;
    };
    if (rope.asleep || moves) {
      find_shapes(state, proxies, i, bounds_of(state, i, first), longest, scratch.found);
      for (std::uint32_t const shape : scratch.found) {
        std::uint32_t const body = state.shapes[shape].body;
        if (is_active(state.bodies[body])) wake_rope();
        if (moves && state.bodies[body].asleep &&
            touches(state, proxies.broad_phase(), i, first, shape, scratch.triangles))
          any = wake_body(state, body, events) || any;
      }
    }
    for (const RopePinRecord& pin : state.rope_pins) {
      if (pin.rope == i && pin.body != kNoIndex && is_active(state.bodies[pin.body])) wake_rope();
    }
    if (rope.asleep) continue;
    for (const RopePinRecord& pin : state.rope_pins) {
      if (pin.rope == i && pin.body != kNoIndex) any = wake_body(state, pin.body, events) || any;
    }
  }
  return any;
}

template <class Real>
void gather_rope_pairs(const WorldState<Real>& state, const SolverBodies<Real>& bodies, Proxies& proxies,
                       RopeScratch& scratch) {
  scratch.shapes.clear();
  scratch.pairs.clear();
  if (scratch.ropes.empty()) return;
  double const longest = longest_reach(state, proxies.broad_phase());
  for (RopeWork& work : scratch.ropes) {
    const RopeRecord& record = state.ropes[work.rope];
    work.first_pair = static_cast<std::uint32_t>(scratch.pairs.size());
    auto const first_shape = static_cast<std::uint32_t>(scratch.shapes.size());
    find_shapes(state, proxies, work.rope, bounds_of(state, work.rope, work.first), longest, scratch.found);
    for (std::uint32_t const shape : scratch.found) {
      RopeShape& made = scratch.shapes.emplace_back(make_shape(state, shape, record.friction));
      made.body = bodies.solver_index[made.record];
      TAKT_ASSERT(made.body < bodies.bodies.size());
      made.yields = made.body != 0 && bodies.moving[made.body].dynamic;
      made.reach = reach_of(state, proxies.broad_phase(), made.record);
      update_rope_shape(made, to_double(state.bodies[made.record].motion.rotation));
    }
    auto const end_shape = static_cast<std::uint32_t>(scratch.shapes.size());
    for (std::uint32_t i = 0; i < work.count && end_shape > first_shape; ++i) {
      const RopeNode& node = state.rope_nodes[work.first + i];
      Bounds const bounds = bounds_of(state, record, node);
      for (std::uint32_t at = first_shape; at < end_shape; ++at) {
        const RopeShape& shape = scratch.shapes[at];
        if (shape.geometry.kind != ShapeKind::kHalfSpace &&
            !overlap(bounds, widened(proxies.broad_phase().exact(shape.shape), shape.reach)))
          continue;
        scratch.pairs.push_back(
            {work.at + i, at, relative<double>(state.bodies[shape.record].motion.center, node.position)});
      }
    }
    work.end_pair = static_cast<std::uint32_t>(scratch.pairs.size());
  }
}

template <class Real>
void wake_ropes_near(WorldState<Real>& state, std::uint32_t body) {
  std::uint32_t first = 0;
  for (std::uint32_t i = 0; i < state.ropes.capacity(); first += state.ropes[i++].node_count) {
    if (!state.ropes.alive(i) || !state.ropes[i].asleep) continue;
    Bounds const bounds = bounds_of(state, i, first);
    for (std::uint32_t at = state.bodies[body].first_shape; at != kNoIndex;
         at = state.shapes[at].next_shape) {
      const ShapeRecord<Real>& shape = state.shapes[at];
      if (shape.kind != ShapeKind::kHalfSpace &&
          !overlap(bounds,
                   shape_bounds(state.bodies[body], shape, hull_of(state, shape), surface_of(state, shape))))
        continue;
      state.ropes[i].asleep = false;
      state.ropes[i].still_ticks = 0;
    }
  }
}

template <class Real>
void wake_bodies_near(WorldState<Real>& state, std::uint32_t rope) {
  Bounds const bounds = bounds_of(state, rope, first_node(state, rope));
  auto const wake = [&state](std::uint32_t body) {
    if (!state.bodies[body].asleep) return;
    state.bodies[body].asleep = false;
    state.bodies[body].still_ticks = 0;
  };
  for (const RopePinRecord& pin : state.rope_pins) {
    if (pin.rope == rope && pin.body != kNoIndex) wake(pin.body);
  }
  for (std::uint32_t i = 0; i < state.shapes.capacity(); ++i) {
    if (!state.shapes.alive(i) || state.shapes[i].kind == ShapeKind::kHalfSpace) continue;
    const BodyRecord<Real>& body = state.bodies[state.shapes[i].body];
    if (body.asleep && overlap(bounds, shape_bounds(body, state.shapes[i], hull_of(state, state.shapes[i]),
                                                    surface_of(state, state.shapes[i]))))
      wake(state.shapes[i].body);
  }
}

#define TAKT_INSTANTIATE(Real)                                                                  \
  template std::uint32_t first_node(const WorldState<Real>&, std::uint32_t) noexcept;           \
  template bool wake_by_ropes(WorldState<Real>&, Proxies&, RopeScratch&, StepEvents&);          \
  template void gather_rope_pairs(const WorldState<Real>&, const SolverBodies<Real>&, Proxies&, \
                                  RopeScratch&);                                                \
  template void wake_ropes_near(WorldState<Real>&, std::uint32_t);                              \
  template void wake_bodies_near(WorldState<Real>&, std::uint32_t);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
