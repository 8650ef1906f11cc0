// parallel_for() runs a loop of a step on the workers of a task pool, or on the calling thread if the pool is
// null. A pool cuts the loop into parts of at most `grain` items (constants below). Each item's result must
// depend on that item alone. Neither the number of workers nor the cut into parts then changes a bit. Each
// part on a pool runs under its own FloatControlGuard (fixed rounding mode). Saturations of Fixed numbers in
// all parts are added to the calling thread's count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "takt/core/task_pool.h"

namespace takt {

// Grain sizes: items per part of each loop. A part runs for a few microseconds, longer than its hand-over to
// a worker costs. A loop of one part stays with its caller. They never change a bit of the result.
inline constexpr std::size_t kPairsARun = 128;
inline constexpr std::size_t kRunsGathered = 2;
inline constexpr std::size_t kBodyGrain = 256;
inline constexpr std::size_t kContactGrain = 128;
inline constexpr std::size_t kSolveGrain = 64;
inline constexpr std::size_t kSweepGrain = 2;
inline constexpr std::size_t kTouchGrain = 256;
inline constexpr std::size_t kFilterGrain = 128;
inline constexpr std::size_t kFilterParts = 2;
inline constexpr std::size_t kProxyGrain = 32;

/// Runs the loop on the pool.
void run_loop(TaskPool* pool, std::size_t count, std::size_t grain, const TaskPool::Loop& loop);

/// Calls body(first, end, worker) for parts of at most `grain` items that together cover [0, count). Without
/// a pool the caller runs one part as worker 0.
template <class Body>
void parallel_for(TaskPool* pool, std::size_t count, std::size_t grain, Body&& body) {
  if (pool == nullptr) {
    if (count > 0) body(std::size_t{0}, count, std::uint32_t{0});
    return;
  }
  using Called = std::remove_reference_t<Body>;
  auto const call = [](void* context, std::size_t first, std::size_t end, std::uint32_t worker) {
    (*static_cast<Called*>(context))(first, end, worker);
  };
  run_loop(pool, count, grain, {call, const_cast<void*>(static_cast<const void*>(&body))});
}

}  // namespace takt
