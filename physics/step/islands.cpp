#include "physics/step/islands.h"

#include <algorithm>

#include "physics/base/solver_constants.h"
#include "physics/base/union_find.h"
#include "physics/joints/joint_store.h"

namespace takt {
namespace {

template <class Real>
void wake(WorldState<Real>& state, std::uint32_t body, StepEvents& events) {
  state.bodies[body].asleep = false;
  state.bodies[body].still_ticks = 0;
  events.woken.push_back(state.bodies.id(body));
}

/// The bodies of a stored contact whose shapes are still there; false when one is gone.
template <class Real>
bool bodies_of(const WorldState<Real>& state, const ContactRecord<Real>& contact, std::uint32_t& a,
               std::uint32_t& b) noexcept {
  auto const first = static_cast<std::uint32_t>(contact.key >> 32u);
  auto const second = static_cast<std::uint32_t>(contact.key);
  auto const stands = [&state](std::uint32_t shape, std::uint32_t generation) {
    return shape < state.shapes.capacity() && state.shapes.alive(shape) &&
           state.shapes.slots[shape].generation == generation;
  };
  if (!stands(first, contact.generation_a) || !stands(second, contact.generation_b)) return false;
  a = state.shapes[first].body;
  b = state.shapes[second].body;
  return true;
}

template <class Real>
bool is_slow(Vec3<Real> v, double max) noexcept {
  Real const limit = to_real<Real>(max);
  Vec3<Real> const size = absolute(v);
  if (size.x > limit || size.y > limit || size.z > limit)
    return false;  // and fast ones are not squared: Q31.32 might overflow
  Real const half = limit * to_real<Real>(0.5);
  if (size.x <= half && size.y <= half && size.z <= half)
    return true;  // nor what rests: squares of next to nothing are slow numbers
  return dot(v, v) <= limit * limit;
}

/// Bodies on one rope rest together, and not before the rope is still.
template <class Real>
void join_by_ropes(const WorldState<Real>& state, DerivedState<Real>& derived) {
  const std::vector<RopeLink>& links = derived.ropes.links;
  for (std::size_t i = 1; i < links.size(); ++i) {
    bool const linked = links[i].rope == links[i - 1].rope && is_awake_dynamic(state.bodies[links[i].body]) &&
                        is_awake_dynamic(state.bodies[links[i - 1].body]);
    if (linked) unite(derived.islands, links[i].body, links[i - 1].body);
  }
}

/// For each joint that acts on what is awake: pair(first dynamic body, other) for those that are dynamic,
/// held(first dynamic body, other) for those that are not. A gear's bodies are those of the joints that it
/// ties too.
template <class Real, class Pair, class IslandRef>
void for_joints(const WorldState<Real>& state, const Pair& pair, const IslandRef& held) {
  for (std::uint32_t i = 0; i < state.joints.capacity(); ++i) {
    if (!state.joints.alive(i) || !can_act(state, i)) continue;
    BodiesOfJoint const bodies = bodies_of_joint(state, i);
    auto const dynamic = [&state](std::uint32_t body) { return is_simulated_dynamic(state.bodies[body]); };
    auto const first = std::find_if(bodies.all().begin(), bodies.all().end(), dynamic);
    if (first == bodies.all().end()) continue;
    for (std::uint32_t const body : bodies.all()) {
      if (body == *first) continue;
      if (dynamic(body)) {
        pair(*first, body);
      } else {
        held(*first, body);
      }
    }
  }
}

template <class Real>
bool is_ready_to_sleep(const WorldState<Real>& state, const RopeRecord& rope, std::uint32_t delay) noexcept {
  return state.def.allow_sleep && rope.still_ticks >= delay;
}

/// Ropes whose bodies all rest.
template <class Real>
void put_ropes_to_sleep(WorldState<Real>& state, const DerivedState<Real>& derived, std::uint32_t delay) {
  for (std::size_t at = 0; at < derived.ropes.ropes.size(); ++at) {
    const RopeWork& work = derived.ropes.ropes[at];
    RopeRecord& rope = state.ropes[work.rope];
    if (rope.quarantined || !is_ready_to_sleep(state, rope, delay)) continue;
    rope.asleep = true;
    for (const RopeLink& link : derived.ropes.links)
      rope.asleep = rope.asleep && (link.rope != at || !is_awake_dynamic(state.bodies[link.body]));
    for (const RopePinRecord& pin : state.rope_pins) {
      if (pin.rope == work.rope && pin.body != kNoIndex)
        rope.asleep = rope.asleep && !moves_on_its_own(state.bodies[pin.body]);
    }
    for (std::uint32_t i = 0; i < work.count && rope.asleep; ++i)
      state.rope_nodes[work.first + i].velocity = {};
  }
}

}  // namespace

template <class Real>
bool is_all_asleep(const WorldState<Real>& state) noexcept {
  if (state.grabs.alive_count > 0 || !state.targets.empty() || state.movers.alive_count > 0) return false;
  for (std::uint32_t i = 0; i < state.ropes.capacity(); ++i) {
    if (state.ropes.alive(i) && !state.ropes[i].asleep && !state.ropes[i].quarantined) return false;
  }
  for (std::uint32_t i = 0; i < state.bodies.capacity(); ++i) {
    if (state.bodies.alive(i) && is_active(state.bodies[i])) return false;
  }
  return true;
}

template <class Real>
void wake_connected(WorldState<Real>& state, DerivedState<Real>& derived, StepEvents& events) {
  std::uint32_t const count = state.bodies.capacity();
  bool any_asleep = false;
  for (std::uint32_t i = 0; i < count && !any_asleep; ++i)
    any_asleep = state.bodies.alive(i) && state.bodies[i].asleep;
  if (!any_asleep) return;
  // A grab keeps its body awake.
  for (std::uint32_t i = 0; i < state.grabs.capacity(); ++i) {
    if (!state.grabs.alive(i)) continue;
    const BodyRecord<Real>& body = state.bodies[state.grabs[i].body];
    if (body.asleep && body.enabled) wake(state, state.grabs[i].body, events);
  }
  reset_sets(derived.islands, count);
  for (const ContactRecord<Real>& contact : state.contacts) {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    if (!contact.touching || !bodies_of(state, contact, a, b)) continue;
    if (is_simulated_dynamic(state.bodies[a]) && is_simulated_dynamic(state.bodies[b]))
      unite(derived.islands, a, b);
  }
  auto const joined = [&](std::uint32_t a, std::uint32_t b) { unite(derived.islands, a, b); };
  auto const held = [&](std::uint32_t body, std::uint32_t other) {
    if (state.bodies[body].asleep && is_active(state.bodies[other])) wake(state, body, events);
  };
  for_joints(state, joined, held);
  derived.island_awake.assign(count, 0);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (state.bodies.alive(i) && is_awake_dynamic(state.bodies[i]))
      derived.island_awake[find_root(derived.islands, i)] = 1;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    if (state.bodies.alive(i) && state.bodies[i].asleep && state.bodies[i].enabled &&
        derived.island_awake[find_root(derived.islands, i)] != 0)
      wake(state, i, events);
  }
}

template <class Real>
std::uint32_t reached_sleeper(const WorldState<Real>& state, const PreparedContact<Real>& contact,
                              std::uint32_t body_a, std::uint32_t body_b, Real period) noexcept {
  const BodyRecord<Real>& a = state.bodies[body_a];
  const BodyRecord<Real>& b = state.bodies[body_b];
  if (!a.asleep && !b.asleep) return kNoIndex;
  const ContactGeometry<Real>& made = contact.cached;
  for (std::uint32_t i = 0; i < contact.manifold.point_count; ++i) {
    Vec3<Real> const r_a = made.positions[i];
    Vec3<Real> const r_b = r_a - made.delta_center;
    Vec3<Real> const velocity = (b.motion.linear_velocity + cross(b.motion.angular_velocity, r_b)) -
                                (a.motion.linear_velocity + cross(a.motion.angular_velocity, r_a));
    Real const closing_speed = dot(made.normal, velocity) * period;
    if (contact.manifold.points[i].separation + minimum(closing_speed, Real(0)) > Real(0)) continue;
    return a.asleep ? body_a : body_b;
  }
  return kNoIndex;
}

template <class Real>
bool wake_reached(WorldState<Real>& state, std::span<const std::uint32_t> reached, StepEvents& events) {
  bool any = false;
  for (std::uint32_t const body : reached) {
    if (!state.bodies[body].asleep) continue;
    wake(state, body, events);
    any = true;
  }
  return any;
}

template <class Real>
void count_still_tick(BodyRecord<Real>& body) noexcept {
  bool const still = is_slow(body.motion.linear_velocity, kSleepSpeedMS) &&
                     is_slow(body.motion.angular_velocity, kSleepAngularSpeedRadS);
  body.still_ticks =
      still && body.can_sleep ? body.still_ticks + (body.still_ticks < kNoIndex ? 1u : 0u) : 0u;
}

template <class Real>
std::uint32_t fall_asleep(WorldState<Real>& state, DerivedState<Real>& derived, StepEvents& events) {
  std::uint32_t const count = state.bodies.capacity();
  for (const PreparedGrab<Real>& grab : derived.grabs)
    state.bodies[derived.moving[grab.body].index].still_ticks = 0;

  reset_sets(derived.islands, count);
  for (const PreparedContact<Real>& contact : derived.found.contacts) {
    if (!contact.touching) continue;
    std::uint32_t const a = state.shapes[static_cast<std::uint32_t>(contact.key >> 32u)].body;
    std::uint32_t const b = state.shapes[static_cast<std::uint32_t>(contact.key)].body;
    if (contact.slide != Vec3<Real>{}) {  // a running surface carries it
      if (contact.dynamic_a) state.bodies[a].still_ticks = 0;
      if (contact.dynamic_b) state.bodies[b].still_ticks = 0;
    }
    if (contact.dynamic_a && contact.dynamic_b) {
      unite(derived.islands, a, b);
    } else if (moves_on_its_own(state.bodies[a]) || moves_on_its_own(state.bodies[b])) {
      state.bodies[contact.dynamic_a ? a : b].still_ticks = 0;  // it rides
    }
  }
  join_by_ropes(state, derived);
  auto const joined = [&](std::uint32_t a, std::uint32_t b) { unite(derived.islands, a, b); };
  auto const held = [&](std::uint32_t body, std::uint32_t other) {
    if (moves_on_its_own(state.bodies[other])) state.bodies[body].still_ticks = 0;
  };
  for_joints(state, joined, held);
  auto const delay =
      static_cast<std::uint32_t>(kSleepDelayS * static_cast<double>(state.def.tick_rate_hz) + 0.5);
  derived.island_awake.assign(count, 0);
  for (std::size_t i = 1; i < derived.bodies.size(); ++i) {
    std::uint32_t const index = derived.moving[i].index;
    const BodyRecord<Real>& body = state.bodies[index];
    if (is_awake_dynamic(body) && (body.still_ticks < delay || !state.def.allow_sleep))
      derived.island_awake[find_root(derived.islands, index)] = 1;
  }
  for (const RopeLink& link : derived.ropes.links) {
    if (!is_ready_to_sleep(state, state.ropes[derived.ropes.ropes[link.rope].rope], delay) &&
        is_awake_dynamic(state.bodies[link.body]))
      derived.island_awake[find_root(derived.islands, link.body)] = 1;
  }
  std::uint32_t islands = 0;
  for (std::size_t i = 1; i < derived.bodies.size(); ++i) {
    std::uint32_t const index = derived.moving[i].index;
    BodyRecord<Real>& body = state.bodies[index];
    if (!is_awake_dynamic(body)) continue;
    std::uint32_t const root = find_root(derived.islands, index);
    if (derived.island_awake[root] != 0) {
      islands += root == index ? 1u : 0u;
      continue;
    }
    body.asleep = true;
    body.motion.linear_velocity = {};
    body.motion.angular_velocity = {};
    events.slept.push_back(state.bodies.id(index));
  }
  put_ropes_to_sleep(state, derived, delay);
  return islands;
}

template bool is_all_asleep(const WorldState<float>&) noexcept;
template bool is_all_asleep(const WorldState<Fixed>&) noexcept;
template void wake_connected(WorldState<float>&, DerivedState<float>&, StepEvents&);
template void wake_connected(WorldState<Fixed>&, DerivedState<Fixed>&, StepEvents&);
template std::uint32_t reached_sleeper(const WorldState<float>&, const PreparedContact<float>&, std::uint32_t,
                                       std::uint32_t, float) noexcept;
template std::uint32_t reached_sleeper(const WorldState<Fixed>&, const PreparedContact<Fixed>&, std::uint32_t,
                                       std::uint32_t, Fixed) noexcept;
template bool wake_reached(WorldState<float>&, std::span<const std::uint32_t>, StepEvents&);
template bool wake_reached(WorldState<Fixed>&, std::span<const std::uint32_t>, StepEvents&);
template void count_still_tick(BodyRecord<float>&) noexcept;
template void count_still_tick(BodyRecord<Fixed>&) noexcept;
template std::uint32_t fall_asleep(WorldState<float>&, DerivedState<float>&, StepEvents&);
template std::uint32_t fall_asleep(WorldState<Fixed>&, DerivedState<Fixed>&, StepEvents&);

}  // namespace takt
