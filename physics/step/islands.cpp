#include "physics/step/islands.h"

#include <algorithm>

#include "physics/base/solver_constants.h"
#include "physics/base/union_find.h"
#include "physics/joints/joint_store.h"
#include "physics/state/activity.h"
#include "physics/state/pair_key.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

template <class Real>
void wake(WorldState<Real>& state, std::uint32_t body, StepEvents& events) {
  state.bodies[body].asleep = false;
  state.bodies[body].still_ticks = 0;
  events.woken.push_back(state.bodies.id(body));
}

/// Finds the bodies of a stored contact; false when one of its shapes is gone.
template <class Real>
bool bodies_of(const WorldState<Real>& state, const ContactRecord<Real>& contact, std::uint32_t& a,
               std::uint32_t& b) noexcept {
  std::uint32_t const first = pair_first(contact.key);
  std::uint32_t const second = pair_second(contact.key);
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
  if (size.x > limit || size.y > limit || size.z > limit) return false;  // not squared: Q31.32 might overflow
  Real const half = limit * to_real<Real>(0.5);
  if (size.x <= half && size.y <= half && size.z <= half)
    return true;  // not squared: subnormal numbers are slow
  return dot(v, v) <= limit * limit;
}

/// Connects the awake bodies on one rope: they sleep together, and not before the rope is still.
template <class Real>
void unite_by_ropes(const WorldState<Real>& state, std::span<const RopeLink> links,
                    std::span<std::uint32_t> parents) {
  for (std::size_t i = 1; i < links.size(); ++i) {
    bool const linked = links[i].rope == links[i - 1].rope && is_awake_dynamic(state.bodies[links[i].body]) &&
                        is_awake_dynamic(state.bodies[links[i - 1].body]);
    if (linked) unite(parents, links[i].body, links[i - 1].body);
  }
}

/// Calls, for each joint that can act, pair(first dynamic body, other) for its other dynamic bodies and
/// held(first dynamic body, other) for all others. A gear includes the bodies of the joints that it couples.
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

/// Puts ropes to sleep whose bodies all sleep.
template <class Real>
void put_ropes_to_sleep(WorldState<Real>& state, const RopeSolver<Real>& solver, std::uint32_t delay) {
  for (std::size_t at = 0; at < solver.ropes().size(); ++at) {
    const RopeWork& work = solver.ropes()[at];
    RopeRecord& rope = state.ropes[work.rope];
    if (rope.quarantined || !is_ready_to_sleep(state, rope, delay)) continue;
    rope.asleep = true;
    for (const RopeLink& link : solver.links())
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
void Islands::wake_connected(WorldState<Real>& state, StepEvents& events) {
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
  reset_sets(parents_, count);
  for (const ContactRecord<Real>& contact : state.contacts) {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    if (!contact.touching || !bodies_of(state, contact, a, b)) continue;
    if (is_simulated_dynamic(state.bodies[a]) && is_simulated_dynamic(state.bodies[b])) unite(parents_, a, b);
  }
  auto const joined = [&](std::uint32_t a, std::uint32_t b) { unite(parents_, a, b); };
  auto const held = [&](std::uint32_t body, std::uint32_t other) {
    if (state.bodies[body].asleep && is_active(state.bodies[other])) wake(state, body, events);
  };
  for_joints(state, joined, held);
  TAKT_VALIDATE(are_rooted_lowest());
  awake_.assign(count, 0);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (state.bodies.alive(i) && is_awake_dynamic(state.bodies[i])) awake_[find_root(parents_, i)] = 1;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    if (state.bodies.alive(i) && state.bodies[i].asleep && state.bodies[i].enabled &&
        awake_[find_root(parents_, i)] != 0)
      wake(state, i, events);
  }
}

template <class Real>
bool wake_bodies(WorldState<Real>& state, std::span<const std::uint32_t> bodies, StepEvents& events) {
  bool any = false;
  for (std::uint32_t const body : bodies) {
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

/// The root of every island is its lowest body, so islands do not depend on the order of contacts.
bool Islands::are_rooted_lowest() const noexcept {
  for (std::size_t i = 0; i < parents_.size(); ++i) {
    if (parents_[i] > i) return false;
  }
  return true;
}

template <class Real>
void Islands::build(WorldState<Real>& state, const Solved<Real>& solved) {
  reset_sets(parents_, state.bodies.capacity());
  for (const PreparedContact<Real>& contact : solved.contacts) {
    if (!contact.touching) continue;
    std::uint32_t const a = state.shapes[pair_first(contact.key)].body;
    std::uint32_t const b = state.shapes[pair_second(contact.key)].body;
    if (contact.slide != Vec3<Real>{}) {  // a running surface carries the bodies
      if (contact.dynamic_a) state.bodies[a].still_ticks = 0;
      if (contact.dynamic_b) state.bodies[b].still_ticks = 0;
    }
    if (contact.dynamic_a && contact.dynamic_b) {
      unite(parents_, a, b);
    } else if (moves_on_its_own(state.bodies[a]) || moves_on_its_own(state.bodies[b])) {
      state.bodies[contact.dynamic_a ? a : b].still_ticks = 0;  // a kinematic body carries it
    }
  }
  unite_by_ropes(state, solved.ropes.links(), parents_);
  auto const joined = [&](std::uint32_t a, std::uint32_t b) { unite(parents_, a, b); };
  auto const held = [&](std::uint32_t body, std::uint32_t other) {
    if (moves_on_its_own(state.bodies[other])) state.bodies[body].still_ticks = 0;
  };
  for_joints(state, joined, held);
  TAKT_VALIDATE(are_rooted_lowest());
}

template <class Real>
void Islands::mark_awake(const WorldState<Real>& state, const Solved<Real>& solved, std::uint32_t delay) {
  awake_.assign(state.bodies.capacity(), 0);
  for (std::size_t i = 1; i < solved.moving.size(); ++i) {
    std::uint32_t const index = solved.moving[i].index;
    const BodyRecord<Real>& body = state.bodies[index];
    if (is_awake_dynamic(body) && (body.still_ticks < delay || !state.def.allow_sleep))
      awake_[find_root(parents_, index)] = 1;
  }
  for (const RopeLink& link : solved.ropes.links()) {
    if (!is_ready_to_sleep(state, state.ropes[solved.ropes.ropes()[link.rope].rope], delay) &&
        is_awake_dynamic(state.bodies[link.body]))
      awake_[find_root(parents_, link.body)] = 1;
  }
}

template <class Real>
std::uint32_t Islands::fall_asleep(WorldState<Real>& state, const Solved<Real>& solved, StepEvents& events) {
  for (const PreparedGrab<Real>& grab : solved.grabs) {
    TAKT_ASSERT(grab.body < solved.moving.size());
    state.bodies[solved.moving[grab.body].index].still_ticks = 0;
  }
  build(state, solved);
  auto const delay =
      // NOLINTNEXTLINE(bugprone-incorrect-roundings): positive, and part of every golden table.
      static_cast<std::uint32_t>(kSleepDelayS * static_cast<double>(state.def.tick_rate_hz) + 0.5);
  mark_awake(state, solved, delay);
  std::uint32_t islands = 0;
  for (std::size_t i = 1; i < solved.moving.size(); ++i) {
    std::uint32_t const index = solved.moving[i].index;
    BodyRecord<Real>& body = state.bodies[index];
    if (!is_awake_dynamic(body)) continue;
    std::uint32_t const root = find_root(parents_, index);
    TAKT_ASSERT(root <= index);
    if (awake_[root] != 0) {
      islands += root == index ? 1u : 0u;
      continue;
    }
    body.asleep = true;
    body.motion.linear_velocity = {};
    body.motion.angular_velocity = {};
    events.slept.push_back(state.bodies.id(index));
  }
  put_ropes_to_sleep(state, solved.ropes, delay);
  return islands;
}

#define TAKT_INSTANTIATE(Real)                                                               \
  template bool is_all_asleep(const WorldState<Real>&) noexcept;                             \
  template bool wake_bodies(WorldState<Real>&, std::span<const std::uint32_t>, StepEvents&); \
  template void count_still_tick(BodyRecord<Real>&) noexcept;                                \
  template void Islands::wake_connected(WorldState<Real>&, StepEvents&);                     \
  template std::uint32_t Islands::fall_asleep(WorldState<Real>&, const Islands::Solved<Real>&, StepEvents&);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
