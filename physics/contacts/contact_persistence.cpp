#include "physics/contacts/contact_persistence.h"

#include <algorithm>
#include <span>

#include "physics/base/parallel_for.h"
#include "physics/contacts/manifold_cache.h"
#include "physics/state/pair_key.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

/// The range of contacts of one pair of shapes; a mesh may have several.
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
  while (range.end < list.size() && list[range.end].key == head.key &&
         list[range.end].generation_a == head.generation_a &&
         list[range.end].generation_b == head.generation_b) {
    range.touching = list[range.end].touching || range.touching;
    ++range.end;
  }
  return range;
}

/// Only the first cache line of a record is compared, and records are four or more lines long.
constexpr std::size_t kRecordsAhead = 8;

/// Appends the touches that began and ended. A pair of shapes touches when any part of it does, so its events
/// are reported once. All contacts of a pair are in the same lists.
template <class Real>
void compare_touches(std::span<const ContactRecord<Real>> before, std::span<const ContactRecord<Real>> after,
                     TouchChanges& changes) {
  auto const event = [](const ContactRecord<Real>& record) {
    return ContactEvent{{pair_first(record.key), record.generation_a},
                        {pair_second(record.key), record.generation_b}};
  };
  auto const same = [](const ContactRecord<Real>& a, const ContactRecord<Real>& b) {
    return a.key == b.key && a.generation_a == b.generation_a && a.generation_b == b.generation_b;
  };
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < before.size() || j < after.size()) {
    if (i + kRecordsAhead < before.size()) __builtin_prefetch(&before[i + kRecordsAhead]);
    if (j + kRecordsAhead < after.size()) __builtin_prefetch(&after[j + kRecordsAhead]);
    bool const has_old = i < before.size() && (j >= after.size() || before[i].key <= after[j].key);
    bool const has_new =
        j < after.size() && (i >= before.size() || after[j].key < before[i].key || same(before[i], after[j]));
    PairRange<Real> const old = has_old ? pair_at(before, i) : PairRange<Real>{i, i, false};
    PairRange<Real> const now = has_new ? pair_at(after, j) : PairRange<Real>{j, j, false};
    if (!old.touching && now.touching) changes.begin.push_back(event(after[j]));
    if (old.touching && !now.touching) changes.end.push_back(event(before[i]));
    i = old.end;
    j = now.end;
  }
}

/// The records whose keys belong to a part of `all`: from the part's first key up to the next part's.
template <class Real>
std::span<const ContactRecord<Real>> with_keys_of(std::span<const ContactRecord<Real>> records,
                                                  std::span<const ContactRecord<Real>> all, std::size_t part,
                                                  std::size_t parts) noexcept {
  auto const before = [](const ContactRecord<Real>& record, std::uint64_t key) { return record.key < key; };
  auto const begin_of = [&](std::size_t at) {
    if (at == 0) return records.begin();
    if (at == parts) return records.end();
    return std::lower_bound(records.begin(), records.end(), all[at * kTouchGrain].key, before);
  };
  return {begin_of(part), begin_of(part + 1)};
}

template <class Real>
void report_touches(std::span<const ContactRecord<Real>> before, std::span<const ContactRecord<Real>> after,
                    std::vector<TouchChanges>& changes, StepEvents& events, TaskPool* pool) {
  std::size_t const parts = std::max<std::size_t>(1, after.size() / kTouchGrain);
  if (changes.size() < parts) changes.resize(parts);
  parallel_for(pool, parts, 1, [&](std::size_t first, std::size_t end, std::uint32_t) {
    for (std::size_t part = first; part < end; ++part) {
      changes[part].begin.clear();
      changes[part].end.clear();
      compare_touches(with_keys_of(before, after, part, parts), with_keys_of(after, after, part, parts),
                      changes[part]);
    }
  });
  for (std::size_t part = 0; part < parts; ++part) {
    events.contact_begin.insert(events.contact_begin.end(), changes[part].begin.begin(),
                                changes[part].begin.end());
    events.contact_end.insert(events.contact_end.end(), changes[part].end.begin(), changes[part].end.end());
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
  record.anchor_offset = canonical(contact.anchor_offset);
  record.twist_offset = canonical(contact.twist_offset);
  record.geometry = canonical(contact.cached);
  return record;
}

/// Ascending by key, then child; no pair of shapes of the same generations twice.
template <class Real>
bool is_ascending_unique(std::span<const ContactRecord<Real>> records) noexcept {
  for (std::size_t i = 1; i < records.size(); ++i) {
    const ContactRecord<Real>& a = records[i - 1];
    const ContactRecord<Real>& b = records[i];
    if (a.key > b.key || (a.key == b.key && a.child >= b.child)) return false;
  }
  return true;
}

}  // namespace

template <class Real>
std::size_t ContactPersistence<Real>::begin(const NarrowPhaseResults<Real>& results) {
  std::size_t const count = results.contacts.size();
  records_.resize(count + results.surviving_records.size());
  return std::max<std::size_t>(1, (count + kContactGrain - 1) / kContactGrain);
}

template <class Real>
void ContactPersistence<Real>::write(const WorldState<Real>& state, const NarrowPhaseResults<Real>& results,
                                     std::size_t part) {
  const std::vector<PreparedContact<Real>>& contacts = results.contacts;
  const std::vector<std::uint32_t>& surviving = results.surviving_records;
  // The number of surviving records before a key. A pair survives whole or not at all, so no key is in both
  // lists.
  auto const surviving_below = [&](std::uint64_t key) {
    auto const below = [&state](std::uint32_t index, std::uint64_t wanted) {
      return state.contacts[index].key < wanted;
    };
    return static_cast<std::size_t>(std::lower_bound(surviving.begin(), surviving.end(), key, below) -
                                    surviving.begin());
  };
  // A contact's index is its own plus the number of surviving records before it. A part also writes the
  // surviving records between its contacts; the last part writes all that remain.
  std::size_t const first = part * kContactGrain;
  std::size_t const end = std::min(first + kContactGrain, contacts.size());
  TAKT_ASSERT(first <= end);
  TAKT_ASSERT(surviving.empty() || surviving.back() < state.contacts.size());
  std::size_t k = first == 0 ? 0 : surviving_below(contacts[first - 1].key);
  for (std::size_t i = first; i < end; ++i) {
    for (; k < surviving.size() && state.contacts[surviving[k]].key < contacts[i].key; ++k)
      records_[i + k] = state.contacts[surviving[k]];
    records_[i + k] = record_of(state, contacts[i]);
  }
  TAKT_ASSERT(end + k <= records_.size());
  if (end < contacts.size()) return;
  for (; k < surviving.size(); ++k) records_[end + k] = state.contacts[surviving[k]];
}

template <class Real>
void ContactPersistence<Real>::finish(WorldState<Real>& state, StepEvents& events, TaskPool* pool) {
  TAKT_VALIDATE(is_ascending_unique<Real>(records_));
  report_touches<Real>(state.contacts, records_, changes_, events, pool);
  state.contacts.swap(records_);
}

template class ContactPersistence<float>;
template class ContactPersistence<Fixed>;

}  // namespace takt
