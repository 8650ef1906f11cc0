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
// a worker costs. A ThreadPool runs a loop of one part on the calling thread. Grain sizes never change a bit
// of the result.
inline constexpr std::size_t kPairsARun = 128;     ///< candidate pairs per run of the narrow phase
inline constexpr std::size_t kRunsGathered = 2;    ///< runs of the narrow phase
inline constexpr std::size_t kBodyGrain = 256;     ///< bodies
inline constexpr std::size_t kContactGrain = 128;  ///< contacts; joints of point joint batches
inline constexpr std::size_t kSolveGrain = 64;     ///< constraints of one graph colour
inline constexpr std::size_t kSweepGrain = 2;      ///< fast bodies of continuous collision
inline constexpr std::size_t kTouchGrain = 256;    ///< contact records compared for touch events
inline constexpr std::size_t kCountGrain = 64;     ///< pairs or bodies whose triangles are counted
inline constexpr std::size_t kFilterGrain = 128;   ///< indices per run of parallel_filter()
inline constexpr std::size_t kFilterParts = 2;     ///< runs of parallel_filter()
inline constexpr std::size_t kProxyGrain = 32;     ///< moved shapes of the pair search

/// Runs the loop on the pool, with the guards that the first paragraph names. `pool` is not null and `grain`
/// is above 0. An exception of a part is thrown again after all parts have ended.
void run_loop(TaskPool* pool, std::size_t count, std::size_t grain, const TaskPool::Loop& loop);

/// Calls body(first, end, worker) for parts of at most `grain` items that together cover [0, count). With a
/// pool, several threads call `body` at once, each with another `worker` below worker_count(). Without a pool
/// the caller runs one part, of any size, as worker 0. A `count` of 0 calls nothing.
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
