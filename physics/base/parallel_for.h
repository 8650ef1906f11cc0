// A loop of a step that several workers may share. What a part does depends on its items alone, so neither
// the number of workers nor who does what can change a bit. Each part runs under a FloatControlGuard of its
// own, whatever thread it is on, and what it saturates in Fixed is counted as if the caller had done it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "takt/core/task_pool.h"

namespace takt {

// Parts of loops. A part takes a few microseconds, more than it costs to hand it over; a loop of one part
// stays with its caller. They never change a bit.
inline constexpr std::size_t kPairsARun = 128;
inline constexpr std::size_t kRunsGathered = 2;
inline constexpr std::size_t kBodyGrain = 256;
inline constexpr std::size_t kContactGrain = 128;
inline constexpr std::size_t kSolveGrain = 64;
inline constexpr std::size_t kSweepGrain = 2;
inline constexpr std::size_t kTouchesAPart = 256;
inline constexpr std::size_t kFilterGrain = 128;
inline constexpr std::size_t kFilterParts = 2;
inline constexpr std::size_t kProxyGrain = 32;

/// Runs the loop on the pool, or without one on the caller, as one part of worker 0.
void run_loop(TaskPool* pool, std::size_t count, std::size_t grain, const TaskPool::Loop& loop);

/// body(first, end, worker) for parts of at most `grain` items that together are [0, count); one part without
/// a pool.
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
