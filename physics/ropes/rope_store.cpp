#include "physics/ropes/rope_store.h"

#include <algorithm>

#include "physics/ropes/rope_collision.h"
#include "physics/state/rope_check.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

RopeRecord to_record(const RopeDef& def) noexcept {
  RopeRecord rope;
  rope.node_count = rope_node_count(def);
  rope.mode = def.mode;
  rope.passes = def.passes;
  rope.radius_m = def.radius_m;
  rope.node_mass_kg = rope_node_mass_kg(def);
  rope.segment_m = rope_segment_m(def);
  rope.stiffness = canonical(def.stiffness);
  rope.compliance_m_n = canonical(def.compliance_m_n);
  rope.damping_n_s_m = canonical(def.damping_n_s_m);
  rope.drag_1_s = canonical(def.drag_1_s);
  rope.gravity_scale = canonical(def.gravity_scale);
  rope.friction = canonical(def.friction);
  rope.collides = def.collides;
  rope.collides_with_pinned = def.collides_with_pinned;
  rope.can_sleep = def.can_sleep;
  rope.filter = def.filter;
  rope.user_tag = def.user_tag;
  return rope;
}

/// Position of a node of the definition.
Position node_position(const RopeDef& def, std::uint32_t node) noexcept {
  if (!def.points.empty()) return def.points[node];
  if (node + 1 == def.node_count) return def.end;
  return moved(def.start, relative<double>(def.end, def.start) *
                              (static_cast<double>(node) / static_cast<double>(def.node_count - 1)));
}

template <class Real>
auto find_pin(WorldState<Real>& state, std::uint32_t rope, std::uint32_t node) {
  RopePinRecord key;
  key.rope = rope;
  key.node = node;
  return std::lower_bound(state.rope_pins.begin(), state.rope_pins.end(), key,
                          [](const RopePinRecord& a, const RopePinRecord& b) { return comes_before(a, b); });
}

}  // namespace

template <class Real>
RopeId insert_rope(WorldState<Real>& state, const RopeDef& def) {
  RopeRecord const record = to_record(def);
  TAKT_ASSERT(record.node_count >= 2 && record.node_mass_kg > 0.0);
  RopeId const id = state.ropes.insert(record);
  auto const at = state.rope_nodes.begin() + first_node(state, id.index);
  auto const made = state.rope_nodes.insert(at, record.node_count, RopeNode{});
  for (std::uint32_t i = 0; i < record.node_count; ++i) made[i].position = node_position(def, i);
  return id;
}

template <class Real>
void erase_rope(WorldState<Real>& state, std::uint32_t rope) {
  auto const first = state.rope_nodes.begin() + first_node(state, rope);
  state.rope_nodes.erase(first, first + state.ropes[rope].node_count);
  std::erase_if(state.rope_pins, [rope](const RopePinRecord& pin) { return pin.rope == rope; });
  state.ropes.erase(rope);
}

template <class Real>
RopeId part_rope(WorldState<Real>& state, std::uint32_t rope, std::uint32_t segment) {
  std::uint32_t const kept = segment + 1;
  TAKT_ASSERT(kept < state.ropes[rope].node_count);
  RopeRecord rest = state.ropes[rope];
  rest.node_count -= kept;
  auto const from = state.rope_nodes.begin() + first_node(state, rope) + kept;
  std::vector<RopeNode> const nodes(from, from + rest.node_count);
  state.rope_nodes.erase(from, from + rest.node_count);
  state.ropes[rope].node_count = kept;
  state.rope_nodes[first_node(state, rope) + segment].tension_n = 0.0;
  RopeId const id = state.ropes.insert(rest);
  state.rope_nodes.insert(state.rope_nodes.begin() + first_node(state, id.index), nodes.begin(), nodes.end());
  for (RopePinRecord& pin : state.rope_pins) {
    if (pin.rope != rope || pin.node < kept) continue;
    pin.rope = id.index;
    pin.node -= kept;
  }
  std::sort(state.rope_pins.begin(), state.rope_pins.end(),
            [](const RopePinRecord& a, const RopePinRecord& b) { return comes_before(a, b); });
  return id;
}

template <class Real>
void put_pin(WorldState<Real>& state, std::uint32_t rope, const RopePin& pin) {
  TAKT_ASSERT(pin.node < state.ropes[rope].node_count);
  RopePinRecord record;
  record.rope = rope;
  record.node = pin.node;
  if (pin.body.is_null()) {
    record.target =
        pin.target.has_value() ? *pin.target : state.rope_nodes[first_node(state, rope) + pin.node].position;
  } else {
    record.body = pin.body.index;
    record.local_anchor =
        canonical(pin.local_anchor_m - to_double(state.bodies[pin.body.index].local_center));
  }
  auto const at = find_pin(state, rope, pin.node);
  if (at != state.rope_pins.end() && at->rope == rope && at->node == pin.node) {
    *at = record;
  } else {
    state.rope_pins.insert(at, record);
  }
  TAKT_VALIDATE(std::ranges::is_sorted(
      state.rope_pins, [](const RopePinRecord& a, const RopePinRecord& b) { return comes_before(a, b); }));
}

template <class Real>
void drop_pin(WorldState<Real>& state, std::uint32_t rope, std::uint32_t node) {
  auto const at = find_pin(state, rope, node);
  if (at != state.rope_pins.end() && at->rope == rope && at->node == node) state.rope_pins.erase(at);
}

template <class Real>
void unpin_body(WorldState<Real>& state, std::uint32_t body) {
  for (const RopePinRecord& pin : state.rope_pins) {
    if (pin.body != body) continue;
    state.ropes[pin.rope].asleep = false;
    state.ropes[pin.rope].still_ticks = 0;
  }
  std::erase_if(state.rope_pins, [body](const RopePinRecord& pin) { return pin.body == body; });
}

#define TAKT_INSTANTIATE(Real)                                                \
  template RopeId insert_rope(WorldState<Real>&, const RopeDef&);             \
  template void erase_rope(WorldState<Real>&, std::uint32_t);                 \
  template RopeId part_rope(WorldState<Real>&, std::uint32_t, std::uint32_t); \
  template void put_pin(WorldState<Real>&, std::uint32_t, const RopePin&);    \
  template void drop_pin(WorldState<Real>&, std::uint32_t, std::uint32_t);    \
  template void unpin_body(WorldState<Real>&, std::uint32_t);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
