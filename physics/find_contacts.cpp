#include "physics/find_contacts.h"

#include <algorithm>
#include <iterator>

#include "physics/bounds.h"
#include "physics/contact_history.h"
#include "physics/sleep.h"

namespace takt {
namespace {

template <class Real>
bool stands_still(const BodyRecord<Real>& body) noexcept {
  return body.type == BodyType::kStatic || body.quarantined;
}

/// Awake or asleep.
template <class Real>
bool is_movable(const BodyRecord<Real>& body) noexcept {
  return body.type == BodyType::kDynamic && !body.quarantined;
}

template <class Real>
void candidate_pairs(const WorldState<Real>& state, DerivedState<Real>& derived) {
  const BroadPhase& broad = derived.broad_phase;
  // Sensors notice kinematic bodies as well.
  auto const counts = [&state](std::uint32_t a, std::uint32_t b) {
    const ShapeRecord<Real>& shape_a = state.shapes[a];
    const ShapeRecord<Real>& shape_b = state.shapes[b];
    return is_movable(state.bodies[shape_a.body]) || is_movable(state.bodies[shape_b.body]) || shape_a.is_sensor || shape_b.is_sensor;
  };
  derived.candidates.clear();
  for (std::uint64_t const key : broad.pairs()) {
    std::uint32_t const a = pair_first(key);
    std::uint32_t const b = pair_second(key);
    if (overlap(broad.exact(a), broad.exact(b)) && counts(a, b)) derived.candidates.push_back(key);
  }
  if (derived.half_spaces.empty()) return;
  derived.half_space_candidates.clear();
  for (std::uint32_t shape = 0; shape < state.shapes.capacity(); ++shape) {
    if (!state.shapes.alive(shape)) continue;
    const ShapeRecord<Real>& record = state.shapes[shape];
    bool const movable = is_movable(state.bodies[record.body]);
    if (!movable && stands_still(state.bodies[record.body])) continue;
    for (std::uint32_t const half_space : derived.half_spaces) {
      if (!movable && !record.is_sensor && !state.shapes[half_space].is_sensor) continue;
      if (meet(record.filter, state.shapes[half_space].filter)) derived.half_space_candidates.push_back(pair_key(shape, half_space));
    }
  }
  std::sort(derived.half_space_candidates.begin(), derived.half_space_candidates.end());
  derived.merged_candidates.clear();
  derived.merged_candidates.reserve(derived.candidates.size() + derived.half_space_candidates.size());
  std::merge(derived.candidates.begin(), derived.candidates.end(), derived.half_space_candidates.begin(), derived.half_space_candidates.end(),
             std::back_inserter(derived.merged_candidates));
  derived.candidates.swap(derived.merged_candidates);
}

template <class Real>
const HullGeometry* hull_of(const WorldState<Real>& state, const ShapeRecord<Real>& shape) noexcept {
  return shape.kind == ShapeKind::kHull ? state.hulls.find(shape.hull) : nullptr;
}

template <class Real>
struct PlacedShape {
  ShapeGeometry<Real> geometry;
  Vec3<Real> offset;  ///< of its centre from its body's centre of mass
};

template <class Real>
PlacedShape<Real> placed(const WorldState<Real>& state, const BodyRecord<Real>& body, const ShapeRecord<Real>& shape) {
  ShapePose<Real> const pose = shape_pose(body, shape);
  return {{shape.kind, shape.extents, to_matrix(pose.rotation), hull_of(state, shape)}, pose.offset};
}

/// Fills contact.manifold (about body a's centre of mass, normal from a to b) and contact.made.
template <class Real>
void make_manifold(const WorldState<Real>& state, std::uint32_t shape_a, std::uint32_t shape_b, PreparedContact<Real>& contact) {
  const ShapeRecord<Real>& record_a = state.shapes[shape_a];
  const ShapeRecord<Real>& record_b = state.shapes[shape_b];
  const BodyRecord<Real>& body_a = state.bodies[record_a.body];
  const BodyRecord<Real>& body_b = state.bodies[record_b.body];
  PlacedShape<Real> const a = placed(state, body_a, record_a);
  PlacedShape<Real> const b = placed(state, body_b, record_b);
  Vec3<Real> const between = relative<Real>(body_b.motion.center, body_a.motion.center);
  Vec3<Real> const from_a_to_b = between + b.offset - a.offset;
  bool const swapped = collide_rank(record_b.kind) < collide_rank(record_a.kind);
  Manifold<Real>& manifold = contact.manifold;
  if (!swapped) {
    collide(a.geometry, b.geometry, from_a_to_b, manifold);
    for (std::uint32_t i = 0; i < manifold.point_count; ++i) manifold.points[i].position += a.offset;
  } else {
    collide(b.geometry, a.geometry, -from_a_to_b, manifold);
    manifold.normal = -manifold.normal;
    for (std::uint32_t i = 0; i < manifold.point_count; ++i) manifold.points[i].position += b.offset + between;
  }
  contact.made = {manifold.normal, {}, {}, between, body_a.motion.rotation, body_b.motion.rotation};
  for (std::uint32_t i = 0; i < manifold.point_count; ++i) {
    contact.made.positions[i] = manifold.points[i].position;
    contact.made.separations[i] = manifold.points[i].separation;
  }
}

// Every rule is symmetric in a and b.
template <class Real>
Real mixed(MixRule rule_a, MixRule rule_b, MixRule of_world, Real a, Real b) {
  MixRule const chosen = rule_a < rule_b ? rule_b : rule_a;
  switch (chosen == MixRule::kWorld ? of_world : chosen) {
    case MixRule::kAverage: return (a + b) * to_real<Real>(0.5);
    case MixRule::kMinimum: return minimum(a, b);
    case MixRule::kMultiply: return a * b;
    case MixRule::kMaximum: return maximum(a, b);
    case MixRule::kWorld:
    case MixRule::kGeometricMean: break;
  }
  return sqrt(a * b);
}

/// Of what can roll on it; 0 = nothing can.
template <class Real>
Real rolling_radius(const ShapeRecord<Real>& shape) noexcept {
  return shape.kind == ShapeKind::kBox || shape.kind == ShapeKind::kHalfSpace ? Real(0) : shape.extents.x;
}

template <class Real>
Vec3<Real> surface_velocity(const BodyRecord<Real>& body, const ShapeRecord<Real>& shape) noexcept {
  if (shape.surface_velocity == Vec3<Real>{}) return {};
  return rotate(body.motion.rotation, rotate(shape.local_rotation, shape.surface_velocity));
}

template <class Real>
void mix_materials(const WorldState<Real>& state, const ShapeRecord<Real>& a, const ShapeRecord<Real>& b, PreparedContact<Real>& contact) {
  contact.friction = mixed(a.friction_rule, b.friction_rule, state.def.friction_rule, a.friction, b.friction);
  contact.restitution = mixed(a.restitution_rule, b.restitution_rule, state.def.restitution_rule, a.restitution, b.restitution);
  Real const resistance = maximum(a.rolling_resistance, b.rolling_resistance);
  if (resistance > Real(0)) {
    Real const radius_a = rolling_radius(a);
    Real const radius_b = rolling_radius(b);
    bool const only_one = !(radius_a > Real(0)) || !(radius_b > Real(0));
    contact.rolling_reach = resistance * (only_one ? maximum(radius_a, radius_b) : minimum(radius_a, radius_b));
  }
  contact.slide = surface_velocity(state.bodies[b.body], b) - surface_velocity(state.bodies[a.body], a);
  bool const rolls = contact.rolling_reach > Real(0);
  if (!rolls) contact.rolling_impulse = {};
  contact.special = rolls || contact.slide != Vec3<Real>{};
}

/// The overlaps of a tick, gathered pair by pair in the order of their keys.
template <class Real>
class SensorPass {
 public:
  SensorPass(const WorldState<Real>& state, std::vector<OverlapRecord>& found) : state_(state), found_(found) { found_.clear(); }

  void look_at(std::uint64_t key) {
    std::uint32_t const shape_a = pair_first(key);
    std::uint32_t const shape_b = pair_second(key);
    const ShapeRecord<Real>& a = state_.shapes[shape_a];
    const ShapeRecord<Real>& b = state_.shapes[shape_b];
    if (a.is_sensor && b.is_sensor) return;
    OverlapRecord const record{key, state_.shapes.slots[shape_a].generation, state_.shapes.slots[shape_b].generation, b.is_sensor};
    const auto& before = state_.overlaps;
    while (old_ < before.size() && before[old_].key < key) ++old_;
    if (!is_active(state_.bodies[a.body]) && !is_active(state_.bodies[b.body])) {
      bool const known = old_ < before.size() && before[old_].key == key && before[old_].generation_a == record.generation_a &&
                         before[old_].generation_b == record.generation_b;
      if (known) found_.push_back(record);
      return;
    }
    make_manifold(state_, shape_a, shape_b, scratch_);
    for (std::uint32_t i = 0; i < scratch_.manifold.point_count; ++i) {
      if (scratch_.manifold.points[i].separation > Real(0)) continue;
      found_.push_back(record);
      return;
    }
  }

 private:
  const WorldState<Real>& state_;
  std::vector<OverlapRecord>& found_;
  std::size_t old_ = 0;
  PreparedContact<Real> scratch_;
};

}  // namespace

template <class Real>
void place_shapes(const WorldState<Real>& state, DerivedState<Real>& derived) {
  BroadPhase& broad = derived.broad_phase;
  broad.reserve_shapes(state.shapes.capacity());
  derived.half_spaces.clear();
  for (std::uint32_t shape = 0; shape < broad.place_count(); ++shape) {
    if (shape >= state.shapes.capacity() || !state.shapes.alive(shape)) {
      broad.remove(shape);
      continue;
    }
    const ShapeRecord<Real>& record = state.shapes[shape];
    if (record.kind == ShapeKind::kHalfSpace) {
      broad.remove(shape);
      derived.half_spaces.push_back(shape);
      continue;
    }
    const BodyRecord<Real>& body = state.bodies[record.body];
    bool const still = stands_still(body);
    std::uint32_t const generation = state.shapes.slots[shape].generation;
    if ((still || body.asleep) && !derived.stale && broad.is_placed(shape, generation, still)) continue;
    broad.place(shape, generation, record.body, still, record.filter, shape_bounds(body, record, hull_of(state, record)));
  }
  derived.stale = false;
  broad.update_pairs();
}

template <class Real>
void place_sleeper(const WorldState<Real>& state, DerivedState<Real>& derived, std::uint32_t body) {
  const BodyRecord<Real>& record = state.bodies[body];
  for (std::uint32_t at = record.first_shape; at != kNoIndex; at = state.shapes[at].next_shape) {
    const ShapeRecord<Real>& shape = state.shapes[at];
    derived.broad_phase.place(at, state.shapes.slots[at].generation, body, false, shape.filter, shape_bounds(record, shape, hull_of(state, shape)));
  }
}

template <class Real>
bool find_contacts(WorldState<Real>& state, DerivedState<Real>& derived, StepEvents& events) {
  candidate_pairs(state, derived);
  derived.contacts.clear();
  derived.kept_records.clear();
  Real const period = to_real<Real>(1.0 / static_cast<double>(state.def.tick_rate_hz));
  bool woke = false;
  SensorPass<Real> sensors(state, derived.overlaps);
  std::size_t old = 0;
  for (std::uint64_t const key : derived.candidates) {
    std::uint32_t const shape_a = pair_first(key);
    std::uint32_t const shape_b = pair_second(key);
    const ShapeRecord<Real>& record_a = state.shapes[shape_a];
    const ShapeRecord<Real>& record_b = state.shapes[shape_b];
    if (record_a.is_sensor || record_b.is_sensor) {
      sensors.look_at(key);
      continue;
    }
    const BodyRecord<Real>& body_a = state.bodies[record_a.body];
    const BodyRecord<Real>& body_b = state.bodies[record_b.body];
    while (old < state.contacts.size() && state.contacts[old].key < key) ++old;
    bool const known = old < state.contacts.size() && state.contacts[old].key == key &&
                       state.contacts[old].generation_a == state.shapes.slots[shape_a].generation &&
                       state.contacts[old].generation_b == state.shapes.slots[shape_b].generation;
    if (!is_active(body_a) && !is_active(body_b)) {
      if (known) derived.kept_records.push_back(static_cast<std::uint32_t>(old));
      continue;
    }
    PreparedContact<Real>& contact = derived.contacts.emplace_back();
    contact.dynamic_a = is_awake_dynamic(body_a);
    contact.dynamic_b = is_awake_dynamic(body_b);
    if (!known || !keep_manifold(state.contacts[old], body_a.motion, body_b.motion, contact)) {
      make_manifold(state, shape_a, shape_b, contact);
      if (contact.manifold.point_count == 0) {
        derived.contacts.pop_back();
        continue;
      }
      if (known) take_impulses(state.contacts[old], contact);
    }
    if (wake_on_hit(state, contact, record_a.body, record_b.body, period, events)) woke = true;
    contact.key = key;
    contact.body_a = derived.solver_index[record_a.body];
    contact.body_b = derived.solver_index[record_b.body];
    mix_materials(state, record_a, record_b, contact);
    for (std::uint32_t i = 0; i < contact.manifold.point_count; ++i) {
      if (contact.manifold.points[i].separation <= Real(0)) contact.touching = true;
    }
  }
  return woke;
}

template <class Real>
void store_contacts(WorldState<Real>& state, DerivedState<Real>& derived, StepEvents& events) {
  derived.records.clear();
  auto kept = derived.kept_records.begin();
  auto const keep_below = [&](std::uint64_t key) {
    for (; kept != derived.kept_records.end() && state.contacts[*kept].key < key; ++kept) derived.records.push_back(state.contacts[*kept]);
  };
  for (const PreparedContact<Real>& contact : derived.contacts) {
    keep_below(contact.key);
    ContactRecord<Real>& record = derived.records.emplace_back();
    record.key = contact.key;
    record.generation_a = state.shapes.slots[pair_first(contact.key)].generation;
    record.generation_b = state.shapes.slots[pair_second(contact.key)].generation;
    record.point_count = contact.manifold.point_count;
    record.touching = contact.touching;
    for (std::uint32_t i = 0; i < record.point_count; ++i) {
      record.features[i] = contact.manifold.points[i].feature;
      record.normal_impulses[i] = canonical(contact.impulses[i]);
    }
    record.friction_impulse = canonical(contact.friction_impulse);
    record.twist_impulse = canonical(contact.twist_impulse);
    record.rolling_impulse = canonical(contact.rolling_impulse);
    record.geometry = canonical(contact.made);
  }
  keep_below(~std::uint64_t{0});
  auto const event = [](const ContactRecord<Real>& record) {
    return ContactEvent{{pair_first(record.key), record.generation_a}, {pair_second(record.key), record.generation_b}};
  };
  auto const same = [](const ContactRecord<Real>& a, const ContactRecord<Real>& b) {
    return a.key == b.key && a.generation_a == b.generation_a && a.generation_b == b.generation_b;
  };
  std::size_t i = 0;
  std::size_t j = 0;
  const auto& before = state.contacts;
  const auto& after = derived.records;
  while (i < before.size() || j < after.size()) {
    if (i < before.size() && j < after.size() && same(before[i], after[j])) {
      if (!before[i].touching && after[j].touching) events.contact_begin.push_back(event(after[j]));
      if (before[i].touching && !after[j].touching) events.contact_end.push_back(event(before[i]));
      ++i;
      ++j;
    } else if (i < before.size() && (j >= after.size() || before[i].key <= after[j].key)) {
      if (before[i].touching) events.contact_end.push_back(event(before[i]));
      ++i;
    } else {
      if (after[j].touching) events.contact_begin.push_back(event(after[j]));
      ++j;
    }
  }
  state.contacts.assign(after.begin(), after.end());
}

#define TAKT_INSTANTIATE(Real)                                                              \
  template void place_shapes(const WorldState<Real>&, DerivedState<Real>&);                 \
  template void place_sleeper(const WorldState<Real>&, DerivedState<Real>&, std::uint32_t); \
  template bool find_contacts(WorldState<Real>&, DerivedState<Real>&, StepEvents&);         \
  template void store_contacts(WorldState<Real>&, DerivedState<Real>&, StepEvents&);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
