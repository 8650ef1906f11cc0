// World calls about ropes.
#include "physics/ropes/rope_store.h"
#include "physics/state/definition_check.h"
#include "physics/state/rope_check.h"
#include "physics/world/world_impl.h"
#include "takt/physics/float_control.h"

namespace takt {
namespace {

/// Wakes the rope, the bodies at its pins and those near it.
template <class Real>
void wake_rope(WorldState<Real>& state, PersistentState& persistent, std::uint32_t rope) {
  persistent.all_asleep = false;
  state.ropes[rope].asleep = false;
  state.ropes[rope].still_ticks = 0;
  wake_bodies_near(state, rope);
}

}  // namespace

template <class Real>
Result<RopeId, PhysicsError> World<Real>::create_rope(const RopeDef& def) {
  FloatControlGuard const guard;
  WorldState<Real>& state = impl_->state;
  if (auto const error = check(def)) return *error;
  std::uint32_t const count = rope_node_count(def);
  for (std::size_t i = 0; i < def.pins.size(); ++i) {
    const RopePin& pin = def.pins[i];
    if (auto const error = check(pin, count)) return *error;
    for (std::size_t other = 0; other < i; ++other) {
      if (def.pins[other].node == pin.node) return PhysicsError::kRopePinIndex;
    }
    if (!pin.body.is_null() && !contains(pin.body)) return PhysicsError::kUnknownBody;
  }
  if (state.ropes.alive_count >= state.def.max_bodies) return PhysicsError::kWorldFull;
  if (state.rope_nodes.size() + count > kMaxWorldRopeNodes) return PhysicsError::kRopeNodeCount;
  RopeId const id = insert_rope(state, def);
  for (const RopePin& pin : def.pins) put_pin(state, id.index, pin);
  impl_->persistent.all_asleep = false;
  return id;
}

template <class Real>
EditResult World<Real>::destroy_rope(RopeId rope) {
  FloatControlGuard const guard;
  if (!contains(rope)) return PhysicsError::kUnknownRope;
  wake_rope(impl_->state, impl_->persistent, rope.index);
  erase_rope(impl_->state, rope.index);
  return Unit{};
}

template <class Real>
bool World<Real>::contains(RopeId rope) const noexcept {
  return impl_->state.ropes.contains(rope);
}

template <class Real>
void World<Real>::list_ropes(std::vector<RopeId>& out) const {
  const auto& ropes = impl_->state.ropes;
  out.clear();
  for (std::uint32_t i = 0; i < ropes.capacity(); ++i) {
    if (ropes.alive(i)) out.push_back(ropes.id(i));
  }
}

template <class Real>
IgnorableResult<RopeId, PhysicsError> World<Real>::cut_rope(RopeId rope, std::uint32_t segment) {
  FloatControlGuard const guard;
  WorldState<Real>& state = impl_->state;
  if (!contains(rope)) return PhysicsError::kUnknownRope;
  if (segment >= state.ropes[rope.index].node_count - 1) return PhysicsError::kRopeSegment;
  if (state.ropes.alive_count >= state.def.max_bodies) return PhysicsError::kWorldFull;
  wake_rope(state, impl_->persistent, rope.index);
  return part_rope(state, rope.index, segment);
}

template <class Real>
EditResult World<Real>::set_rope_pin(RopeId rope, const RopePin& pin) {
  FloatControlGuard const guard;
  if (!contains(rope)) return PhysicsError::kUnknownRope;
  if (auto const error = check(pin, impl_->state.ropes[rope.index].node_count)) return *error;
  if (!pin.body.is_null() && !contains(pin.body)) return PhysicsError::kUnknownBody;
  wake_rope(impl_->state, impl_->persistent, rope.index);
  put_pin(impl_->state, rope.index, pin);
  return Unit{};
}

template <class Real>
EditResult World<Real>::clear_rope_pin(RopeId rope, std::uint32_t node) {
  FloatControlGuard const guard;
  if (!contains(rope)) return PhysicsError::kUnknownRope;
  if (node >= impl_->state.ropes[rope.index].node_count) return PhysicsError::kRopePinIndex;
  wake_rope(impl_->state, impl_->persistent, rope.index);
  drop_pin(impl_->state, rope.index, node);
  return Unit{};
}

template <class Real>
EditResult World<Real>::set_rope_segment_length(RopeId rope, double segment_length_m) {
  FloatControlGuard const guard;
  if (!contains(rope)) return PhysicsError::kUnknownRope;
  if (auto const error = check_segment_length(segment_length_m)) return *error;
  wake_rope(impl_->state, impl_->persistent, rope.index);
  impl_->state.ropes[rope.index].segment_m = segment_length_m;
  return Unit{};
}

template <class Real>
EditResult World<Real>::apply_rope_impulse(RopeId rope, std::uint32_t node, Vec3<double> impulse_n_s) {
  FloatControlGuard const guard;
  WorldState<Real>& state = impl_->state;
  if (!contains(rope)) return PhysicsError::kUnknownRope;
  RopeRecord& record = state.ropes[rope.index];
  if (node >= record.node_count) return PhysicsError::kRopePinIndex;
  if (auto const error = check_vector(impulse_n_s, kMaxImpulse)) return *error;
  for (const RopePinRecord& pin : state.rope_pins) {
    if (pin.rope == rope.index && pin.node == node) return Unit{};
  }
  if (record.quarantined) return Unit{};
  wake_rope(state, impl_->persistent, rope.index);
  Vec3<double>& velocity = state.rope_nodes[first_node(state, rope.index) + node].velocity;
  Vec3<double> const wanted = velocity + impulse_n_s * (1.0 / record.node_mass_kg);
  double const speed = length(wanted);
  velocity = canonical(speed > kMaxLinearSpeedMS ? wanted * (kMaxLinearSpeedMS / speed) : wanted);
  return Unit{};
}

template <class Real>
void World<Real>::read_rope(RopeId rope, RopeView& out) const {
  FloatControlGuard const guard;
  TAKT_ASSERT(contains(rope));
  const WorldState<Real>& state = impl_->state;
  const RopeRecord& record = state.ropes[rope.index];
  std::uint32_t const first = first_node(state, rope.index);
  out.nodes.clear();
  out.velocities_m_s.clear();
  out.tensions_n.clear();
  out.pins.clear();
  for (std::uint32_t i = 0; i < record.node_count; ++i) {
    const RopeNode& node = state.rope_nodes[first + i];
    out.nodes.push_back(node.position);
    out.velocities_m_s.push_back(node.velocity);
    if (i + 1 < record.node_count) out.tensions_n.push_back(node.tension_n);
  }
  for (const RopePinRecord& pin : state.rope_pins) {
    if (pin.rope != rope.index) continue;
    RopePin& view = out.pins.emplace_back();
    view.node = pin.node;
    if (pin.body == kNoIndex) {
      view.target = pin.target;
    } else {
      const BodyRecord<Real>& body = state.bodies[pin.body];
      view.body = state.bodies.id(pin.body);
      view.local_anchor_m = pin.local_anchor + to_double(body.local_center);
      view.target = moved(body.motion.center, rotate(to_double(body.motion.rotation), pin.local_anchor));
    }
  }
  out.radius_m = record.radius_m;
  out.segment_length_m = record.segment_m;
  out.node_mass_kg = record.node_mass_kg;
  out.asleep = record.asleep;
  out.quarantined = record.quarantined;
  out.user_tag = record.user_tag;
}

#define TAKT_INSTANTIATE(Real)                                                                 \
  template Result<RopeId, PhysicsError> World<Real>::create_rope(const RopeDef&);              \
  template EditResult World<Real>::destroy_rope(RopeId);                                       \
  template bool World<Real>::contains(RopeId) const noexcept;                                  \
  template void World<Real>::list_ropes(std::vector<RopeId>&) const;                           \
  template IgnorableResult<RopeId, PhysicsError> World<Real>::cut_rope(RopeId, std::uint32_t); \
  template EditResult World<Real>::set_rope_pin(RopeId, const RopePin&);                       \
  template EditResult World<Real>::clear_rope_pin(RopeId, std::uint32_t);                      \
  template EditResult World<Real>::set_rope_segment_length(RopeId, double);                    \
  template EditResult World<Real>::apply_rope_impulse(RopeId, std::uint32_t, Vec3<double>);    \
  template void World<Real>::read_rope(RopeId, RopeView&) const;
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
