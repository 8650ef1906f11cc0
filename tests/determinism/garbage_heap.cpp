#include "tests/determinism/garbage_heap.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

bool g_garbage = false;
std::uint64_t g_blocks = 0;  // filled so far

void* allocate(std::size_t size, std::size_t alignment) {
  // Other addresses than the reference run's.
  std::size_t const slack = g_garbage ? (++g_blocks % 7) * alignment : 0;
  std::size_t const total = (size + slack + alignment - 1) / alignment * alignment;
  void* const block = std::aligned_alloc(alignment, total == 0 ? alignment : total);
  if (block == nullptr) std::abort();
  if (g_garbage) {
    std::memset(block, static_cast<int>(0x5bu + 37u * g_blocks), total);
  }
  return block;
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size, 16); }
void* operator new[](std::size_t size) { return allocate(size, 16); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t) noexcept { std::free(block); }
void operator delete(void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept { std::free(block); }

namespace takt::determinism {

void set_garbage(bool on) noexcept { g_garbage = on; }
std::uint64_t garbage_block_count() noexcept { return g_blocks; }

}  // namespace takt::determinism
