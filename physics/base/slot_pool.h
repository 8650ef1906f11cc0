// SlotPool stores records addressed by Id, with stable indices, generations and a last-in first-out free
// list. Pools hold the bodies, shapes, joints, joint axes, ropes, grabs and movers of a world (WorldState).
// Records, slots and the head of the free list belong to the hashed state: worlds with equal histories assign
// equal ids. Records and slots are two arrays of plain data, so a copy of a pool copies two blocks of memory.
// A pool never shrinks and never runs destructors.
//
// make_room() serves any std::vector that lives as long as its world. A full vector grows its capacity by an
// eighth and 4, where std::vector would double it, so that many small worlds fit into memory.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "takt/core/assert.h"
#include "takt/core/id.h"

namespace takt {

/// Makes room for one more element; call it before push_back(). References into `list` become invalid.
template <class T>
void make_room(std::vector<T>& list) {
  if (list.size() == list.capacity()) list.reserve(list.size() + list.size() / 8 + 4);
}

/// Null value of an index into a pool or an array.
inline constexpr std::uint32_t kNoIndex = 0xffffffffu;

/// State of one index of a pool.
struct Slot {
  /// Number of the record that lives or last lived here: 1 for the first; 1 follows 2^32 - 1.
  std::uint32_t generation = 0;
  std::uint32_t next_free = kNoIndex;  ///< next slot of the free list; kNoIndex at its end and in a live slot
  bool alive = false;
};

template <class Record, class Tag>
struct SlotPool {
  static_assert(std::is_trivially_copyable_v<Record>);

  std::vector<Record> records;         ///< by index; a dead slot has Record{}
  std::vector<Slot> slots;             ///< as many as records
  std::uint32_t free_head = kNoIndex;  ///< the slot erased last; kNoIndex without a free slot
  std::uint32_t alive_count = 0;

  /// Number of slots, live and dead. Indices of records are below it.
  [[nodiscard]] std::uint32_t capacity() const noexcept { return static_cast<std::uint32_t>(slots.size()); }
  /// True when the slot has a record. `index` is below capacity().
  [[nodiscard]] bool alive(std::uint32_t index) const noexcept {
    TAKT_VALIDATE(index < slots.size());
    return slots[index].alive;
  }
  /// Id of the record that lives or last lived in the slot. `index` is below capacity().
  [[nodiscard]] Id<Tag> id(std::uint32_t index) const noexcept { return {index, slots[index].generation}; }
  /// True when the record with this id lives. Any id is allowed.
  [[nodiscard]] bool contains(Id<Tag> id) const noexcept {
    return id.index < slots.size() && slots[id.index].alive && slots[id.index].generation == id.generation;
  }
  [[nodiscard]] Record& operator[](std::uint32_t index) noexcept {
    TAKT_VALIDATE(index < records.size());
    return records[index];
  }
  [[nodiscard]] const Record& operator[](std::uint32_t index) const noexcept {
    TAKT_VALIDATE(index < records.size());
    return records[index];
  }

  /// Copies the record into the slot that was erased last, or into a new one. References into the pool become
  /// invalid.
  Id<Tag> insert(const Record& record) {
    std::uint32_t index = free_head;
    if (index == kNoIndex) {
      index = capacity();
      make_room(records);
      make_room(slots);
      records.push_back(record);
      slots.push_back({});
    } else {
      TAKT_ASSERT(index < slots.size() && !slots[index].alive);
      free_head = slots[index].next_free;
      records[index] = record;
    }
    Slot& slot = slots[index];
    slot.generation = slot.generation == 0xffffffffu ? 1u : slot.generation + 1u;
    slot.next_free = kNoIndex;
    slot.alive = true;
    ++alive_count;
    TAKT_ASSERT(records.size() == slots.size() && alive_count <= slots.size());
    return {index, slot.generation};
  }

  /// Erases a live record. Its id becomes unknown.
  void erase(std::uint32_t index) {
    TAKT_ASSERT(index < slots.size() && slots[index].alive);
    records[index] = Record{};  // a dead slot always encodes to equal bytes
    slots[index].alive = false;
    slots[index].next_free = free_head;
    free_head = index;
    TAKT_ASSERT(alive_count > 0);
    --alive_count;
    TAKT_VALIDATE(free_head == kNoIndex || !slots[free_head].alive);
  }

  /// True when slots, free list and count agree. A pool from a world image, which is untrusted, must pass
  /// this check before use. Records are not checked.
  [[nodiscard]] bool consistent() const {
    if (records.size() != slots.size()) return false;
    std::uint32_t dead = 0;
    for (const Slot& slot : slots) {
      if (slot.generation == 0 || (slot.alive && slot.next_free != kNoIndex)) return false;
      dead += slot.alive ? 0u : 1u;
    }
    if (alive_count + dead != slots.size()) return false;
    std::uint32_t walked = 0;
    for (std::uint32_t at = free_head; at != kNoIndex; at = slots[at].next_free) {
      if (at >= slots.size() || slots[at].alive || ++walked > dead) return false;
    }
    return walked == dead;
  }
};

}  // namespace takt
