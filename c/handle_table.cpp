#include "c/handle_table.h"

#include <new>

namespace takt::c {
namespace {

// Handle: kind in bits 60 to 63, generation in 24 to 59, slot in 0 to 23.
// State of a slot: the handle's upper 40 bits in bits 24 to 63, the number of users in 0 to 23.
static_assert(sizeof(void*) == sizeof(std::uint64_t));
constexpr std::uint64_t kSlotMask = (std::uint64_t{1} << 24u) - 1;
constexpr std::uint64_t kExclusive = kSlotMask;  // users: one that excludes others
constexpr std::uint64_t kGenerationOne = std::uint64_t{1} << 24u;
constexpr std::uint64_t kGenerations = (std::uint64_t{1} << 36u) - 1;

constexpr std::uint64_t kind_bits(HandleKind kind) noexcept {
  return static_cast<std::uint64_t>(kind) << 60u;
}
constexpr std::uint64_t generation_of(std::uint64_t bits) noexcept { return (bits >> 24u) & kGenerations; }

}  // namespace

HandleTable& HandleTable::instance() {
  static HandleTable* const kTable = new HandleTable;
  return *kTable;
}

HandleTable::Slot* HandleTable::find(std::uint64_t handle) const noexcept {
  auto const index = static_cast<std::uint32_t>(handle & kSlotMask);
  Slot* const chunk = chunks_[index / kChunkSlots].load(std::memory_order_acquire);
  return chunk == nullptr ? nullptr : chunk + index % kChunkSlots;
}

std::uint64_t HandleTable::insert(HandleKind kind, void* object) {
  std::lock_guard const lock(mutex_);
  if (free_.empty()) {
    std::uint32_t const chunk = slot_count_ / kChunkSlots;
    if (chunk == kChunks) throw std::bad_alloc();
    free_.reserve(std::size_t{slot_count_} + kChunkSlots);
    chunks_[chunk].store(new Slot[kChunkSlots], std::memory_order_release);
    slot_count_ += kChunkSlots;
    for (std::uint32_t index = slot_count_; index-- > chunk * kChunkSlots;) free_.push_back(index);
  }
  std::uint32_t const index = free_.back();
  free_.pop_back();
  Slot& slot = *find(index);
  std::uint64_t const generation = generation_of(slot.state.load(std::memory_order_relaxed)) + 1;
  std::uint64_t const upper = kind_bits(kind) | (generation & kGenerations) * kGenerationOne;
  slot.object.store(object, std::memory_order_relaxed);
  slot.state.store(upper, std::memory_order_release);
  return upper | index;
}

AcquireFault HandleTable::acquire(std::uint64_t handle, HandleKind kind, Access access, void*& object) {
  if (handle == 0) return AcquireFault::kNull;
  Slot* const slot = find(handle);
  if (slot == nullptr || handle >> 60u != static_cast<std::uint64_t>(kind)) return AcquireFault::kUnknown;
  std::uint64_t state = slot->state.load(std::memory_order_relaxed);
  std::uint64_t wanted = 0;
  do {
    if ((state & ~kSlotMask) != (handle & ~kSlotMask)) return AcquireFault::kUnknown;
    std::uint64_t const users = state & kSlotMask;
    bool const is_free = access == Access::kExclusive ? users == 0 : users < kExclusive - 1;
    if (!is_free) return AcquireFault::kBusy;
    wanted = access == Access::kExclusive ? state | kExclusive : state + 1;
  } while (!slot->state.compare_exchange_weak(state, wanted, std::memory_order_acquire,
                                              std::memory_order_relaxed));
  object = slot->object.load(std::memory_order_relaxed);
  return AcquireFault::kNone;
}

void HandleTable::release(std::uint64_t handle, Access access) noexcept {
  find(handle)->state.fetch_sub(access == Access::kExclusive ? kExclusive : 1, std::memory_order_release);
}

void HandleTable::retire(std::uint64_t handle) noexcept {
  std::lock_guard const lock(mutex_);
  Slot& slot = *find(handle);
  // Kind 0 is no handle's; the generation stays for the next handle of the slot.
  slot.state.store(generation_of(handle) * kGenerationOne, std::memory_order_release);
  free_.push_back(static_cast<std::uint32_t>(handle & kSlotMask));
}

}  // namespace takt::c
