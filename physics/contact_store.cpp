#include "physics/contact_store.h"

#include <algorithm>
#include <span>

#include "physics/contact_history.h"
#include "physics/parallel_loop.h"

namespace takt {
namespace {

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

template <class Real>
ContactRecord<Real> record_of(const WorldState<Real>& state, const PreparedContact<Real>& contact) noexcept {
  ContactRecord<Real> record;
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
  return record;
}

}  // namespace

template <class Real>
void store_contacts(WorldState<Real>& state, DerivedState<Real>& derived, StepEvents& events, TaskPool* pool) {
  const std::vector<PreparedContact<Real>>& contacts = derived.found.contacts;
  const std::vector<std::uint32_t>& kept = derived.found.kept_records;
  std::vector<ContactRecord<Real>>& records = derived.records;
  records.resize(contacts.size() + kept.size());
  // How many kept records come before a key: a pair is kept whole or not at all, so no key is in both lists.
  auto const kept_below = [&](std::uint64_t key) {
    auto const below = [&state](std::uint32_t place, std::uint64_t wanted) { return state.contacts[place].key < wanted; };
    return static_cast<std::size_t>(std::lower_bound(kept.begin(), kept.end(), key, below) - kept.begin());
  };
  // Each contact's place is its own plus that of the kept ones before it; a part writes those too that come after the contact before its first.
  for_parts(pool, contacts.size(), kContactsAPart, [&](std::size_t first, std::size_t end, std::uint32_t) {
    std::size_t k = first == 0 ? 0 : kept_below(contacts[first - 1].key);
    for (std::size_t i = first; i < end; ++i) {
      for (; k < kept.size() && state.contacts[kept[k]].key < contacts[i].key; ++k) records[i + k] = state.contacts[kept[k]];
      records[i + k] = record_of(state, contacts[i]);
    }
  });
  for (std::size_t k = contacts.empty() ? 0 : kept_below(contacts.back().key); k < kept.size(); ++k) {
    records[contacts.size() + k] = state.contacts[kept[k]];
  }
  report_touches<Real>(state.contacts, records, events);
  state.contacts.swap(records);
}

template void store_contacts(WorldState<float>&, DerivedState<float>&, StepEvents&, TaskPool*);
template void store_contacts(WorldState<Fixed>&, DerivedState<Fixed>&, StepEvents&, TaskPool*);

}  // namespace takt
