#include "physics/contacts/contact_detection.h"

#include <algorithm>
#include <functional>
#include <span>

#include "physics/base/parallel_for.h"
#include "physics/contacts/contact_material.h"
#include "physics/contacts/manifold_cache.h"
#include "physics/contacts/pair_manifold.h"
#include "physics/contacts/soft_contact_sweep.h"
#include "physics/state/activity.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

/// A candidate pair with its contacts of the last tick.
template <class Real>
struct CandidatePair {
  std::uint64_t key = 0;
  std::uint32_t shape_a = 0;
  std::uint32_t shape_b = 0;
  std::span<const ContactRecord<Real>> old;  ///< of the same shapes and generations
};

/// Finds the contact that a pair with a soft shape reaches within the tick. touches(shift of b) computes the
/// manifolds, appended from `first` on.
template <class Real, class Touches>
void add_soft_contact(const WorldState<Real>& state, const CandidatePair<Real>& pair, const Touches& touches,
                      std::size_t first, std::vector<PreparedContact<Real>>& contacts) {
  Vec3<double> const displacement = displacement_to_soft(state, pair.shape_a, pair.shape_b);
  if (displacement == Vec3<double>{}) return;
  Vec3<Real> ahead{};
  bool const arrives = find_soft_contact<Real>(displacement, sample_length(state, pair.shape_a, pair.shape_b),
                                               [&](Vec3<Real> translation) {
                                                 ahead = translation;
                                                 return touches(translation);
                                               });
  if (!arrives) return;
  for (PreparedContact<Real>& contact : std::span(contacts).subspan(first)) take_back(ahead, contact);
}

/// Appends the contact of a convex pair, recycled or new. `a` and `b` are the bodies.
template <class Real>
void prepare_pair(const WorldState<Real>& state, const CandidatePair<Real>& pair, const BodyRecord<Real>& a,
                  const BodyRecord<Real>& b, std::vector<PreparedContact<Real>>& contacts) {
  PreparedContact<Real>& contact = contacts.emplace_back();
  contact.dynamic_a = is_awake_dynamic(a);
  contact.dynamic_b = is_awake_dynamic(b);
  if (!pair.old.empty() && recycle_manifold(pair.old[0], a.motion, b.motion, contact)) return;
  auto const touches = [&](Vec3<Real> ahead) {
    make_manifold(state, pair.shape_a, pair.shape_b, contact, ahead);
    return contact.manifold.point_count > 0;
  };
  if (!touches({})) add_soft_contact(state, pair, touches, contacts.size() - 1, contacts);
  if (contact.manifold.point_count == 0) {
    contacts.pop_back();
  } else if (!pair.old.empty()) {
    take_impulses(pair.old[0], contact);
  }
}

/// Appends the contacts of a pair with a mesh or height field.
template <class Real>
void prepare_surface_pair(const WorldState<Real>& state, const CandidatePair<Real>& pair,
                          const BodyRecord<Real>& a, const BodyRecord<Real>& b, PairScratch& scratch,
                          std::vector<PreparedContact<Real>>& contacts) {
  std::size_t const first = contacts.size();
  bool const dynamic_a = is_awake_dynamic(a);
  bool const dynamic_b = is_awake_dynamic(b);
  if (may_recycle_all(pair.old, a.motion, b.motion, dynamic_a, dynamic_b)) {
    for (const ContactRecord<Real>& old : pair.old) {
      PreparedContact<Real>& contact = contacts.emplace_back();
      contact.child = old.child;
      follow_manifold(old, a.motion, b.motion, contact);
    }
  } else {
    auto const touches = [&](Vec3<Real> ahead) {
      contacts.resize(first);
      make_surface_manifolds(state, pair.shape_a, pair.shape_b, pair.old, scratch.surface, contacts, ahead);
      for (PreparedContact<Real>& contact : std::span(contacts).subspan(first)) {
        contact.dynamic_a = dynamic_a;
        contact.dynamic_b = dynamic_b;
      }
      return contacts.size() > first;
    };
    if (!touches({})) add_soft_contact(state, pair, touches, first, contacts);
    std::span const fresh = std::span(contacts).subspan(first);
    if (!pair.old.empty()) take_impulses_of_children(pair.old, fresh, scratch.taken_points);
  }
  for (PreparedContact<Real>& contact : std::span(contacts).subspan(first)) {
    contact.dynamic_a = dynamic_a;
    contact.dynamic_b = dynamic_b;
  }
}

template <class Real>
bool overlaps(const Manifold<Real>& manifold) noexcept {
  for (std::uint32_t i = 0; i < manifold.point_count; ++i) {
    if (!(manifold.points[i].separation > Real(0))) return true;
  }
  return false;
}

/// The sleeping body that the other, active body reaches through this contact within the tick; kNoIndex when
/// there is none. `period` is the tick's length, s.
template <class Real>
std::uint32_t reached_sleeper(const WorldState<Real>& state, const PreparedContact<Real>& contact,
                              std::uint32_t body_a, std::uint32_t body_b, Real period) noexcept {
  const BodyRecord<Real>& a = state.bodies[body_a];
  const BodyRecord<Real>& b = state.bodies[body_b];
  if (!a.asleep && !b.asleep) return kNoIndex;
  const ContactGeometry<Real>& result = contact.cached;
  for (std::uint32_t i = 0; i < contact.manifold.point_count; ++i) {
    Vec3<Real> const r_a = result.positions[i];
    Vec3<Real> const r_b = r_a - result.delta_center;
    Vec3<Real> const velocity = (b.motion.linear_velocity + cross(b.motion.angular_velocity, r_b)) -
                                (a.motion.linear_velocity + cross(a.motion.angular_velocity, r_a));
    Real const closing_speed = dot(result.normal, velocity) * period;
    if (contact.manifold.points[i].separation + minimum(closing_speed, Real(0)) > Real(0)) continue;
    return a.asleep ? body_a : body_b;
  }
  return kNoIndex;
}

/// Runs the narrow phase on consecutive candidates of the sorted list. The result depends on the state and
/// these pairs only.
template <class Real>
class PairRun {
 public:
  PairRun(const WorldState<Real>& state, std::span<const std::uint32_t> solver_index,
          NarrowPhaseResults<Real>& found, PairScratch& scratch)
      : state_(state),
        solver_index_(solver_index),
        found_(found),
        scratch_(scratch),
        period_(to_real<Real>(1.0 / static_cast<double>(state.def.tick_rate_hz))) {
    found_.clear();
  }

  /// `first_pair`: index of keys.front() among all candidates, as `budget` counts them.
  void look_at(std::span<const std::uint64_t> keys, std::size_t first_pair,
               const TriangleBudget<Real>& budget) {
    auto const before = [](const auto& record, std::uint64_t key) { return record.key < key; };
    auto const& contacts = state_.contacts;
    old_contact_ = static_cast<std::size_t>(
        std::lower_bound(contacts.begin(), contacts.end(), keys.front(), before) - contacts.begin());
    auto const& overlapping = state_.overlaps;
    old_overlap_ = static_cast<std::size_t>(
        std::lower_bound(overlapping.begin(), overlapping.end(), keys.front(), before) - overlapping.begin());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      std::uint64_t const key = keys[i];
      scratch_.surface.max_triangles = budget.max_triangles(first_pair + i);
      if (state_.shapes[pair_first(key)].is_sensor || state_.shapes[pair_second(key)].is_sensor) {
        look_at_sensor(key);
      } else {
        look_at_pair(key);
      }
    }
  }

 private:
  void look_at_pair(std::uint64_t key) {
    CandidatePair<Real> pair{key, pair_first(key), pair_second(key), {}};
    const ShapeRecord<Real>& record_a = state_.shapes[pair.shape_a];
    const ShapeRecord<Real>& record_b = state_.shapes[pair.shape_b];
    const BodyRecord<Real>& body_a = state_.bodies[record_a.body];
    const BodyRecord<Real>& body_b = state_.bodies[record_b.body];
    const auto& before = state_.contacts;
    while (old_contact_ < before.size() && before[old_contact_].key < key) ++old_contact_;
    std::size_t end = old_contact_;
    while (end < before.size() && before[end].key == key &&
           before[end].generation_a == state_.shapes.slots[pair.shape_a].generation &&
           before[end].generation_b == state_.shapes.slots[pair.shape_b].generation) {
      ++end;
    }
    pair.old = std::span(before).subspan(old_contact_, end - old_contact_);
    if (!is_active(body_a) && !is_active(body_b)) {
      for (std::size_t i = old_contact_; i < end; ++i)
        found_.surviving_records.push_back(static_cast<std::uint32_t>(i));
      return;
    }
    std::size_t const first = found_.contacts.size();
    if (is_surface(record_a.kind) || is_surface(record_b.kind)) {
      prepare_surface_pair(state_, pair, body_a, body_b, scratch_, found_.contacts);
    } else {
      prepare_pair(state_, pair, body_a, body_b, found_.contacts);
    }
    for (PreparedContact<Real>& contact : std::span(found_.contacts).subspan(first)) {
      std::uint32_t const reached = reached_sleeper(state_, contact, record_a.body, record_b.body, period_);
      if (reached != kNoIndex) found_.reached.push_back(reached);
      found_.beside_sleeper =
          found_.beside_sleeper || (contact.manifold.point_count > 0 && (body_a.asleep || body_b.asleep));
      contact.key = key;
      contact.body_a = solver_index_[record_a.body];
      contact.body_b = solver_index_[record_b.body];
      mix_materials(state_, record_a, record_b, contact);
      for (std::uint32_t i = 0; i < contact.manifold.point_count; ++i) {
        if (contact.manifold.points[i].separation <= Real(0)) contact.touching = true;
      }
      found_.contact_bodies.push_back(contact_bodies_of(contact));
    }
  }

  void look_at_sensor(std::uint64_t key) {
    std::uint32_t const shape_a = pair_first(key);
    std::uint32_t const shape_b = pair_second(key);
    const ShapeRecord<Real>& a = state_.shapes[shape_a];
    const ShapeRecord<Real>& b = state_.shapes[shape_b];
    if ((a.is_sensor && b.is_sensor) || !have_manifolds(a.kind, b.kind)) return;
    OverlapRecord const record{key, state_.shapes.slots[shape_a].generation,
                               state_.shapes.slots[shape_b].generation, b.is_sensor};
    const auto& before = state_.overlaps;
    while (old_overlap_ < before.size() && before[old_overlap_].key < key) ++old_overlap_;
    if (!is_active(state_.bodies[a.body]) && !is_active(state_.bodies[b.body])) {
      bool const known = old_overlap_ < before.size() && before[old_overlap_].key == key &&
                         before[old_overlap_].generation_a == record.generation_a &&
                         before[old_overlap_].generation_b == record.generation_b;
      if (known) found_.overlaps.push_back(record);
      return;
    }
    // A sensor needs no contact: its manifolds are tested and removed again.
    std::vector<PreparedContact<Real>>& contacts = found_.contacts;
    std::size_t const first = contacts.size();
    if (is_surface(a.kind) || is_surface(b.kind)) {
      make_surface_manifolds(state_, shape_a, shape_b, {}, scratch_.surface, contacts);
    } else {
      make_manifold(state_, shape_a, shape_b, contacts.emplace_back());
    }
    auto const fresh = std::span(contacts).subspan(first);
    bool const touches = std::any_of(fresh.begin(), fresh.end(), [](const PreparedContact<Real>& part) {
      return overlaps(part.manifold);
    });
    contacts.resize(first);
    if (touches) found_.overlaps.push_back(record);
  }

  const WorldState<Real>& state_;
  std::span<const std::uint32_t> solver_index_;
  NarrowPhaseResults<Real>& found_;
  PairScratch& scratch_;
  Real period_;
  std::size_t old_contact_ = 0;  ///< in state.contacts: no later pair has an earlier one
  std::size_t old_overlap_ = 0;  ///< in state.overlaps
};

/// Keys, and children of equal keys, ascend without a repeat.
template <class Real>
bool is_ascending_unique(std::span<const PreparedContact<Real>> contacts) noexcept {
  for (std::size_t i = 1; i < contacts.size(); ++i) {
    const PreparedContact<Real>& before = contacts[i - 1];
    const PreparedContact<Real>& contact = contacts[i];
    if (before.key > contact.key || (before.key == contact.key && before.child >= contact.child))
      return false;
  }
  return true;
}

template <class Real>
bool are_in_range(const NarrowPhaseResults<Real>& results, std::size_t solver_body_count) noexcept {
  for (const PreparedContact<Real>& contact : results.contacts) {
    std::uint32_t const points = contact.manifold.point_count;
    if (points < 1 || points > 4) return false;
    if (contact.body_a >= solver_body_count || contact.body_b >= solver_body_count) return false;
    if ((contact.dynamic_a && contact.body_a == 0) || (contact.dynamic_b && contact.body_b == 0))
      return false;
  }
  return results.contact_bodies.size() == results.contacts.size();
}

template <class Real>
bool are_sorted(const NarrowPhaseResults<Real>& results) noexcept {
  auto const by_key = [](const OverlapRecord& a, const OverlapRecord& b) { return a.key >= b.key; };
  return is_ascending_unique<Real>(results.contacts) &&
         std::adjacent_find(results.surviving_records.begin(), results.surviving_records.end(),
                            std::greater_equal<>()) == results.surviving_records.end() &&
         std::adjacent_find(results.overlaps.begin(), results.overlaps.end(), by_key) ==
             results.overlaps.end();
}

}  // namespace

/// Appends the results of the runs in their order.
template <class Real>
void ContactDetection<Real>::gather(std::span<const NarrowPhaseResults<Real>> runs, TaskPool* pool) {
  results_.overlaps.clear();
  results_.reached.clear();
  results_.beside_sleeper = false;
  offsets_.clear();
  ResultsOffset at;
  for (const NarrowPhaseResults<Real>& part : runs) {
    offsets_.push_back(at);
    at.contact += part.contacts.size();
    at.surviving_record += part.surviving_records.size();
    results_.overlaps.insert(results_.overlaps.end(), part.overlaps.begin(), part.overlaps.end());
    results_.reached.insert(results_.reached.end(), part.reached.begin(), part.reached.end());
    results_.beside_sleeper = results_.beside_sleeper || part.beside_sleeper;
  }
  // The workers overwrite every element: clearing first would cost one thread time.
  results_.contacts.resize(at.contact);
  results_.contact_bodies.resize(at.contact);
  results_.surviving_records.resize(at.surviving_record);
  parallel_for(pool, runs.size(), kRunsGathered, [&](std::size_t first, std::size_t end, std::uint32_t) {
    for (std::size_t i = first; i < end; ++i) {
      const NarrowPhaseResults<Real>& part = runs[i];
      ResultsOffset const index = offsets_[i];
      TAKT_ASSERT(index.contact + part.contacts.size() <= results_.contacts.size());
      std::copy(part.contacts.begin(), part.contacts.end(),
                results_.contacts.begin() + static_cast<std::ptrdiff_t>(index.contact));
      std::copy(part.contact_bodies.begin(), part.contact_bodies.end(),
                results_.contact_bodies.begin() + static_cast<std::ptrdiff_t>(index.contact));
      std::copy(part.surviving_records.begin(), part.surviving_records.end(),
                results_.surviving_records.begin() + static_cast<std::ptrdiff_t>(index.surviving_record));
    }
  });
}

/// Leaves out contacts beyond WorldDef::max_contacts. Contacts with a body that no contact pushes (static or
/// kinematic) are kept first, by the other shape, and then those of the lower indices. Contacts of
/// sleepers count against the latter alone: a floor carries who is awake, however many sleep on it.
template <class Real>
void ContactDetection<Real>::cut(const WorldState<Real>& state) {
  std::size_t const max_count = max_pairs(state.def);
  std::vector<PreparedContact<Real>>& contacts = results_.contacts;
  std::size_t room = max_count - std::min(max_count, results_.surviving_records.size());
  if (contacts.size() <= room) return;
  auto const is_still_shape = [&state](std::uint32_t shape) {
    return !is_simulated_dynamic(state.bodies[state.shapes[shape].body]);
  };
  std::size_t still_count = 0;
  ranks_.clear();
  for (std::uint32_t i = 0; i < contacts.size(); ++i) {
    std::uint32_t const low = pair_first(contacts[i].key);
    std::uint32_t const high = pair_second(contacts[i].key);
    bool const is_still_low = is_still_shape(low);
    bool const is_still_high = is_still_shape(high);
    std::uint32_t const first = is_still_high && !is_still_low ? low : high;
    std::uint64_t const moves = is_still_low || is_still_high ? 0 : 1;
    still_count += 1 - moves;
    ranks_.push_back(
        {moves << 32u | first, std::uint64_t{first == high ? low : high} << 32u | contacts[i].child, i});
  }
  room = std::max(room, std::min(max_count, still_count));
  if (contacts.size() <= room) return;
  is_cut_ = true;
  std::sort(ranks_.begin(), ranks_.end());
  is_kept_.assign(contacts.size(), 0);
  for (std::size_t i = 0; i < room; ++i) is_kept_[ranks_[i].index] = 1;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (is_kept_[i] == 0) continue;
    contacts[kept] = contacts[i];
    results_.contact_bodies[kept] = results_.contact_bodies[i];
    ++kept;
  }
  TAKT_ASSERT(kept == room);
  contacts.resize(kept);
  results_.contact_bodies.resize(kept);
}

template <class Real>
void ContactDetection<Real>::find(const WorldState<Real>& state, const Proxies& proxies,
                                  const JoinedBodies& joined, std::span<const std::uint32_t> solver_index,
                                  TaskPool* pool) {
  TAKT_ASSERT(solver_index.size() == state.bodies.capacity());
  TAKT_VALIDATE(std::is_sorted(state.contacts.begin(), state.contacts.end(),
                               [](const auto& a, const auto& b) { return a.key < b.key; }));
  if (pool != nullptr && workers_.size() < pool->worker_count()) workers_.resize(pool->worker_count());
  std::span const keys = pairs_.find(state, proxies, joined, pool);
  triangles_.divide(state, keys, pool);
  std::size_t const runs = (keys.size() + kPairsARun - 1) / kPairsARun;
  if (pool == nullptr || runs <= 1) {
    PairRun<Real> run(state, solver_index, results_, workers_.front());
    if (!keys.empty()) run.look_at(keys, 0, triangles_);
  } else {
    if (run_results_.size() < runs) run_results_.resize(runs);
    parallel_for(pool, runs, 1, [&](std::size_t first, std::size_t end, std::uint32_t worker) {
      for (std::size_t i = first; i < end; ++i) {
        PairRun<Real> run(state, solver_index, run_results_[i], workers_[worker]);
        std::size_t const first_pair = i * kPairsARun;
        run.look_at(keys.subspan(first_pair, std::min(kPairsARun, keys.size() - first_pair)), first_pair,
                    triangles_);
      }
    });
    gather(std::span<const NarrowPhaseResults<Real>>(run_results_).first(runs), pool);
  }
  is_cut_ = pairs_.is_cut() || triangles_.is_cut();
  cut(state);
  reserve_equally(workers_);
  TAKT_VALIDATE(are_sorted(results_));
  TAKT_VALIDATE(are_in_range(results_, state.bodies.capacity() + 1));
}

template class ContactDetection<float>;
template class ContactDetection<Fixed>;

}  // namespace takt
