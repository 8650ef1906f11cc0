#include "physics/find_contacts.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "physics/bounds.h"
#include "physics/collide_surface.h"
#include "physics/contact_history.h"
#include "physics/locked_axes.h"
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
  return body.type == BodyType::kDynamic && !body.quarantined && body.enabled;
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
    if (!movable && (stands_still(state.bodies[record.body]) || !state.bodies[record.body].enabled)) continue;
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
  return shape.kind == ShapeKind::kHull ? state.hulls.find(shape.geometry) : nullptr;
}

template <class Real>
const SurfaceGeometry* surface_of(const WorldState<Real>& state, const ShapeRecord<Real>& shape) noexcept {
  return is_surface(shape.kind) ? state.surfaces.find(shape.geometry) : nullptr;
}

template <class Real>
struct PlacedShape {
  ShapeGeometry<Real> geometry;
  Vec3<Real> offset;  ///< of its centre from its body's centre of mass
};

template <class Real>
PlacedShape<Real> placed(const WorldState<Real>& state, const BodyRecord<Real>& body, const ShapeRecord<Real>& shape) {
  ShapePose<Real> const pose = shape_pose(body, shape);
  return {{shape.kind, shape.extents, to_matrix(pose.rotation), hull_of(state, shape), surface_of(state, shape)}, pose.offset};
}

/// Fills contact.made from contact.manifold, which is new.
template <class Real>
void remember(Vec3<Real> between, const BodyMotion<Real>& a, const BodyMotion<Real>& b, PreparedContact<Real>& contact) noexcept {
  const Manifold<Real>& manifold = contact.manifold;
  contact.made = {manifold.normal, {}, {}, between, a.rotation, b.rotation};
  for (std::uint32_t i = 0; i < manifold.point_count; ++i) {
    contact.made.positions[i] = manifold.points[i].position;
    contact.made.separations[i] = manifold.points[i].separation;
  }
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
  remember(between, body_a.motion, body_b.motion, contact);
}

/// The way from one point of the world to another, m, rounded once: shapes that touch are near enough.
Vec3<double> way(const Position& from, const Position& to) noexcept {
  auto const metres = [](std::int64_t a, std::int64_t b) { return static_cast<double>(b - a) * 0x1p-32; };
  return {metres(from.x, to.x), metres(from.y, to.y), metres(from.z, to.z)};
}

/// The same for a pair with a surface: appends a contact for each part that is touched.
template <class Real>
void make_surface_manifolds(const WorldState<Real>& state, DerivedState<Real>& derived, std::uint32_t shape_a, std::uint32_t shape_b) {
  const ShapeRecord<Real>& record_a = state.shapes[shape_a];
  const ShapeRecord<Real>& record_b = state.shapes[shape_b];
  const BodyRecord<Real>& body_a = state.bodies[record_a.body];
  const BodyRecord<Real>& body_b = state.bodies[record_b.body];
  PlacedShape<Real> const a = placed(state, body_a, record_a);
  PlacedShape<Real> const b = placed(state, body_b, record_b);
  Vec3<double> const between = way(body_a.motion.center, body_b.motion.center);
  Vec3<double> const from_a_to_b = between + to_double(b.offset) - to_double(a.offset);
  bool const swapped = is_surface(record_a.kind);
  collide_surface(swapped ? b.geometry : a.geometry, swapped ? a.geometry : b.geometry, swapped ? -from_a_to_b : from_a_to_b,
                  derived.surface_scratch);
  Vec3<double> const offset = swapped ? between + to_double(b.offset) : to_double(a.offset);
  auto const rounded = [](Vec3<double> v) { return Vec3<Real>{to_real<Real>(v.x), to_real<Real>(v.y), to_real<Real>(v.z)}; };
  for (const SurfaceManifold& found : derived.surface_scratch.manifolds) {
    PreparedContact<Real>& contact = derived.contacts.emplace_back();
    contact.child = found.child;
    contact.manifold.normal = rounded(swapped ? -found.manifold.normal : found.manifold.normal);
    contact.manifold.point_count = found.manifold.point_count;
    for (std::uint32_t i = 0; i < found.manifold.point_count; ++i) {
      const ManifoldPoint<double>& point = found.manifold.points[i];
      contact.manifold.points[i] = {rounded(point.position + offset), to_real<Real>(point.separation), point.feature};
    }
    remember(rounded(between), body_a.motion, body_b.motion, contact);
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

/// What a contact is made of at one of its shapes.
template <class Real>
struct Material {
  Real friction{};
  Real restitution{};
};
template <class Real>
Material<Real> material_of(const WorldState<Real>& state, const ShapeRecord<Real>& shape, std::uint32_t child) noexcept {
  const SurfaceGeometry* const geometry = surface_of(state, shape);
  const SurfaceMaterial* const own = geometry != nullptr ? geometry->material(child_triangle(child)) : nullptr;
  if (own == nullptr) return {shape.friction, shape.restitution};
  return {to_real<Real>(own->friction), to_real<Real>(own->restitution)};
}

template <class Real>
void mix_materials(const WorldState<Real>& state, const ShapeRecord<Real>& a, const ShapeRecord<Real>& b, PreparedContact<Real>& contact) {
  Material<Real> const of_a = material_of(state, a, contact.child);
  Material<Real> const of_b = material_of(state, b, contact.child);
  contact.friction = mixed(a.friction_rule, b.friction_rule, state.def.friction_rule, of_a.friction, of_b.friction);
  contact.restitution = mixed(a.restitution_rule, b.restitution_rule, state.def.restitution_rule, of_a.restitution, of_b.restitution);
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
  contact.locked =
      (contact.dynamic_a && has_linear(state.bodies[a.body].locked_axes)) || (contact.dynamic_b && has_linear(state.bodies[b.body].locked_axes));
  contact.special = rolls || contact.locked || contact.slide != Vec3<Real>{};
}

/// The overlaps of a tick, gathered pair by pair in the order of their keys.
template <class Real>
class SensorPass {
 public:
  SensorPass(const WorldState<Real>& state, DerivedState<Real>& derived) : state_(state), derived_(derived), found_(derived.overlaps) {
    found_.clear();
  }

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
    if (is_surface(a.kind) || is_surface(b.kind)) {
      std::size_t const first = derived_.contacts.size();
      make_surface_manifolds(state_, derived_, shape_a, shape_b);
      auto const fresh = std::span(derived_.contacts).subspan(first);
      bool const touches = std::any_of(fresh.begin(), fresh.end(), [](const PreparedContact<Real>& part) { return overlaps(part.manifold); });
      derived_.contacts.resize(first);
      if (touches) found_.push_back(record);
      return;
    }
    make_manifold(state_, shape_a, shape_b, scratch_);
    if (overlaps(scratch_.manifold)) found_.push_back(record);
  }

 private:
  static bool overlaps(const Manifold<Real>& manifold) noexcept {
    for (std::uint32_t i = 0; i < manifold.point_count; ++i) {
      if (!(manifold.points[i].separation > Real(0))) return true;
    }
    return false;
  }

  const WorldState<Real>& state_;
  DerivedState<Real>& derived_;
  std::vector<OverlapRecord>& found_;
  std::size_t old_ = 0;
  PreparedContact<Real> scratch_;
};

/// A pair that broad phase and exact bounds let through, with its contacts of the last tick.
template <class Real>
struct CandidatePair {
  std::uint64_t key = 0;
  std::uint32_t shape_a = 0;
  std::uint32_t shape_b = 0;
  std::span<const ContactRecord<Real>> old;  ///< of the same shapes, not of earlier ones in their places
};

/// Appends the pair's contacts to derived.contacts, kept or new. `a` and `b` are the bodies.
template <class Real>
void prepare_pair(const WorldState<Real>& state, DerivedState<Real>& derived, const CandidatePair<Real>& pair, const BodyRecord<Real>& a,
                  const BodyRecord<Real>& b) {
  PreparedContact<Real>& contact = derived.contacts.emplace_back();
  contact.dynamic_a = is_awake_dynamic(a);
  contact.dynamic_b = is_awake_dynamic(b);
  if (!pair.old.empty() && keep_manifold(pair.old[0], a.motion, b.motion, contact)) return;
  make_manifold(state, pair.shape_a, pair.shape_b, contact);
  if (contact.manifold.point_count == 0) {
    derived.contacts.pop_back();
  } else if (!pair.old.empty()) {
    take_impulses(pair.old[0], contact);
  }
}

/// The same for a pair with a surface.
template <class Real>
void prepare_surface_pair(const WorldState<Real>& state, DerivedState<Real>& derived, const CandidatePair<Real>& pair, const BodyRecord<Real>& a,
                          const BodyRecord<Real>& b) {
  std::size_t const first = derived.contacts.size();
  bool const dynamic_a = is_awake_dynamic(a);
  bool const dynamic_b = is_awake_dynamic(b);
  if (may_keep_all(pair.old, a.motion, b.motion, dynamic_a, dynamic_b)) {
    for (const ContactRecord<Real>& old : pair.old) {
      PreparedContact<Real>& contact = derived.contacts.emplace_back();
      contact.child = old.child;
      follow_manifold(old, a.motion, b.motion, contact);
    }
  } else {
    make_surface_manifolds(state, derived, pair.shape_a, pair.shape_b);
    std::span const fresh = std::span(derived.contacts).subspan(first);
    for (PreparedContact<Real>& contact : fresh) contact.dynamic_b = dynamic_b;
    if (!pair.old.empty()) take_impulses_of_children(pair.old, fresh, derived.taken_points);
  }
  for (PreparedContact<Real>& contact : std::span(derived.contacts).subspan(first)) {
    contact.dynamic_a = dynamic_a;
    contact.dynamic_b = dynamic_b;
  }
}

/// The contacts of one pair of shapes, which may be several with a surface.
template <class Real>
struct PairRange {
  std::size_t first = 0;
  std::size_t end = 0;
  bool touching = false;
};
template <class Real>
PairRange<Real> pair_at(std::span<const ContactRecord<Real>> list, std::size_t first) noexcept {
  PairRange<Real> range{first, first, false};
  const ContactRecord<Real>& head = list[first];
  while (range.end < list.size() && list[range.end].key == head.key && list[range.end].generation_a == head.generation_a &&
         list[range.end].generation_b == head.generation_b) {
    range.touching = list[range.end].touching || range.touching;
    ++range.end;
  }
  return range;
}

/// A pair of shapes touches when any part of it does; its begin and end are reported once.
template <class Real>
void report_touches(std::span<const ContactRecord<Real>> before, std::span<const ContactRecord<Real>> after, StepEvents& events) {
  auto const event = [](const ContactRecord<Real>& record) {
    return ContactEvent{{pair_first(record.key), record.generation_a}, {pair_second(record.key), record.generation_b}};
  };
  auto const same = [](const ContactRecord<Real>& a, const ContactRecord<Real>& b) {
    return a.key == b.key && a.generation_a == b.generation_a && a.generation_b == b.generation_b;
  };
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < before.size() || j < after.size()) {
    bool const has_old = i < before.size() && (j >= after.size() || before[i].key <= after[j].key);
    bool const has_new = j < after.size() && (i >= before.size() || after[j].key < before[i].key || same(before[i], after[j]));
    PairRange<Real> const old = has_old ? pair_at(before, i) : PairRange<Real>{i, i, false};
    PairRange<Real> const now = has_new ? pair_at(after, j) : PairRange<Real>{j, j, false};
    if (!old.touching && now.touching) events.contact_begin.push_back(event(after[j]));
    if (old.touching && !now.touching) events.contact_end.push_back(event(before[i]));
    i = old.end;
    j = now.end;
  }
}

}  // namespace

template <class Real>
void place_leaves(const WorldState<Real>& state, DerivedState<Real>& derived) {
  BroadPhase& broad = derived.broad_phase;
  broad.reserve_shapes(state.shapes.capacity());
  derived.half_spaces.clear();
  for (std::uint32_t shape = 0; shape < broad.place_count(); ++shape) {
    if (shape >= state.shapes.capacity() || !state.shapes.alive(shape)) {
      broad.remove(shape);
      continue;
    }
    const ShapeRecord<Real>& record = state.shapes[shape];
    if (!state.bodies[record.body].enabled) {
      broad.remove(shape);
      continue;
    }
    if (record.kind == ShapeKind::kHalfSpace) {
      broad.remove(shape);
      derived.half_spaces.push_back(shape);
      continue;
    }
    const BodyRecord<Real>& body = state.bodies[record.body];
    bool const still = stands_still(body);
    std::uint32_t const generation = state.shapes.slots[shape].generation;
    if ((still || body.asleep) && !derived.stale && broad.is_placed(shape, generation, still)) continue;
    broad.place(shape, generation, record.body, still, record.filter, shape_bounds(body, record, hull_of(state, record), surface_of(state, record)));
  }
  derived.stale = false;
}

template <class Real>
void place_shapes(const WorldState<Real>& state, DerivedState<Real>& derived) {
  place_leaves(state, derived);
  derived.broad_phase.update_pairs();
}

template <class Real>
void place_sleeper(const WorldState<Real>& state, DerivedState<Real>& derived, std::uint32_t body) {
  const BodyRecord<Real>& record = state.bodies[body];
  for (std::uint32_t at = record.first_shape; at != kNoIndex; at = state.shapes[at].next_shape) {
    const ShapeRecord<Real>& shape = state.shapes[at];
    Bounds const bounds = shape_bounds(record, shape, hull_of(state, shape), surface_of(state, shape));
    derived.broad_phase.place(at, state.shapes.slots[at].generation, body, false, shape.filter, bounds);
  }
}

template <class Real>
bool find_contacts(WorldState<Real>& state, DerivedState<Real>& derived, StepEvents& events) {
  candidate_pairs(state, derived);
  derived.contacts.clear();
  derived.kept_records.clear();
  Real const period = to_real<Real>(1.0 / static_cast<double>(state.def.tick_rate_hz));
  bool woke = false;
  SensorPass<Real> sensors(state, derived);
  std::size_t old = 0;
  for (std::uint64_t const key : derived.candidates) {
    CandidatePair<Real> pair{key, pair_first(key), pair_second(key), {}};
    const ShapeRecord<Real>& record_a = state.shapes[pair.shape_a];
    const ShapeRecord<Real>& record_b = state.shapes[pair.shape_b];
    if (record_a.is_sensor || record_b.is_sensor) {
      sensors.look_at(key);
      continue;
    }
    const BodyRecord<Real>& body_a = state.bodies[record_a.body];
    const BodyRecord<Real>& body_b = state.bodies[record_b.body];
    while (old < state.contacts.size() && state.contacts[old].key < key) ++old;
    std::size_t end = old;
    while (end < state.contacts.size() && state.contacts[end].key == key &&
           state.contacts[end].generation_a == state.shapes.slots[pair.shape_a].generation &&
           state.contacts[end].generation_b == state.shapes.slots[pair.shape_b].generation) {
      ++end;
    }
    pair.old = std::span(state.contacts).subspan(old, end - old);
    if (!is_active(body_a) && !is_active(body_b)) {
      for (std::size_t i = old; i < end; ++i) derived.kept_records.push_back(static_cast<std::uint32_t>(i));
      continue;
    }
    std::size_t const first = derived.contacts.size();
    if (is_surface(record_a.kind) || is_surface(record_b.kind)) {
      prepare_surface_pair(state, derived, pair, body_a, body_b);
    } else {
      prepare_pair(state, derived, pair, body_a, body_b);
    }
    for (PreparedContact<Real>& contact : std::span(derived.contacts).subspan(first)) {
      if (wake_on_hit(state, contact, record_a.body, record_b.body, period, events)) woke = true;
      contact.key = key;
      contact.body_a = derived.solver_index[record_a.body];
      contact.body_b = derived.solver_index[record_b.body];
      mix_materials(state, record_a, record_b, contact);
      for (std::uint32_t i = 0; i < contact.manifold.point_count; ++i) {
        if (contact.manifold.points[i].separation <= Real(0)) contact.touching = true;
      }
    }
  }
  return woke;
}

template <class Real>
void store_contacts(WorldState<Real>& state, DerivedState<Real>& derived, StepEvents& events) {
  derived.records.clear();
  auto kept = derived.kept_records.begin();
  auto const keep_below = [&](std::uint64_t key) {  // a pair is kept whole or not at all
    for (; kept != derived.kept_records.end() && state.contacts[*kept].key < key; ++kept) derived.records.push_back(state.contacts[*kept]);
  };
  for (const PreparedContact<Real>& contact : derived.contacts) {
    keep_below(contact.key);
    ContactRecord<Real>& record = derived.records.emplace_back();
    record.key = contact.key;
    record.child = contact.child;
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
    record.shear = canonical(contact.shear);
    record.twist_shear = canonical(contact.twist_shear);
    record.geometry = canonical(contact.made);
  }
  keep_below(~std::uint64_t{0});
  report_touches<Real>(state.contacts, derived.records, events);
  state.contacts.assign(derived.records.begin(), derived.records.end());
}

#define TAKT_INSTANTIATE(Real)                                                              \
  template void place_leaves(const WorldState<Real>&, DerivedState<Real>&);                 \
  template void place_shapes(const WorldState<Real>&, DerivedState<Real>&);                 \
  template void place_sleeper(const WorldState<Real>&, DerivedState<Real>&, std::uint32_t); \
  template bool find_contacts(WorldState<Real>&, DerivedState<Real>&, StepEvents&);         \
  template void store_contacts(WorldState<Real>&, DerivedState<Real>&, StepEvents&);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
