// Memory that comes full of garbage, differently each time: a value that is read before it is written, a
// padding byte that is hashed or an order by address changes a bit sooner or later. This program replaces the
// global operator new.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "tests/determinism/stage.h"
#include "tests/scene_file.h"

namespace {

// Off until the reference run is done; then each block is filled with another byte, and blocks are shifted
// against each other by dummy ones.
bool g_garbage = false;
unsigned g_count = 0;
unsigned g_filled = 0;

void* allocate(std::size_t size, std::size_t alignment) {
  std::size_t const slack =
      g_garbage ? (++g_count % 7) * alignment : 0;  // other addresses than the reference run's
  std::size_t const total = (size + slack + alignment - 1) / alignment * alignment;
  void* const block = std::aligned_alloc(alignment, total == 0 ? alignment : total);
  if (block == nullptr) std::abort();
  if (g_garbage) {
    std::memset(block, static_cast<int>(0x5bu + 37u * g_count), total);
    ++g_filled;
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
namespace {

class GarbageMemory : public testing::TestWithParam<Stage> {};

TEST_P(GarbageMemory, DoesNotCount) {
  std::uint64_t const ticks = run_ticks(0.3);
  sim::Scene const scene = scene_files::load(GetParam().scene);
  Play const reference = play(scene, GetParam().mode, ticks);
  g_garbage = true;
  g_filled = 0;
  std::string const difference =
      first_difference(reference.chronicle,
                       run(scene_files::load(GetParam().scene), GetParam().mode, reference.script, ticks));
  g_garbage = false;
  EXPECT_GT(g_filled, 100u) << "operator new was not replaced";
  EXPECT_EQ(difference, "");
}

INSTANTIATE_TEST_SUITE_P(Scenes, GarbageMemory, testing::ValuesIn(stages_once_near()),
                         [](const auto& at) { return name_of(at.param); });

}  // namespace
}  // namespace takt::determinism
