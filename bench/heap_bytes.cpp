#include "bench/heap_bytes.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> live_bytes{0};

void* counted(std::size_t bytes, std::size_t alignment) {
  std::size_t const rounded = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (memory == nullptr) throw std::bad_alloc();
  live_bytes.fetch_add(malloc_usable_size(memory), std::memory_order_relaxed);
  return memory;
}

void uncounted(void* memory) noexcept {
  live_bytes.fetch_sub(malloc_usable_size(memory), std::memory_order_relaxed);
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t bytes) { return counted(bytes, alignof(std::max_align_t)); }
void* operator new[](std::size_t bytes) { return counted(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { uncounted(memory); }
void operator delete[](void* memory) noexcept { uncounted(memory); }
void operator delete(void* memory, std::size_t) noexcept { uncounted(memory); }
void operator delete[](void* memory, std::size_t) noexcept { uncounted(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { uncounted(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { uncounted(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { uncounted(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { uncounted(memory); }

std::size_t takt::bench::live_heap_bytes() noexcept { return live_bytes.load(std::memory_order_relaxed); }
void* takt::bench::counted_alloc(std::size_t bytes) { return counted(bytes, 16); }
void takt::bench::counted_free(void* memory) noexcept { uncounted(memory); }
