// TaskPool is the interface through which the physics engine runs the parts of a loop on several threads. The
// engine creates no threads; a caller may pass a TaskPool to World::step (StepOptions::pool).
// takt::ThreadPool (takt/threads/thread_pool.h) implements TaskPool; a game may wrap its own job system. The
// result of a Loop must not depend on which worker runs which part.
#pragma once

#include <cstddef>
#include <cstdint>

namespace takt {

class TaskPool {
 public:
  /// The body of a loop: `run` processes the items [first, end) and must not be null. `worker` is below
  /// worker_count(). Parts of one loop that run at the same time have different `worker`, so it may index
  /// scratch memory. `context` goes to `run` unchanged.
  struct Loop {
    void (*run)(void* context, std::size_t first, std::size_t end, std::uint32_t worker) = nullptr;
    void* context = nullptr;
  };

  virtual ~TaskPool() = default;
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  /// Maximum number of parts that run at once, including the caller's; at least 1.
  [[nodiscard]] virtual std::uint32_t worker_count() const noexcept = 0;
  /// Runs the loop over [0, count) in parts of at most `grain` items (`grain` >= 1), each item once, in any
  /// order. Returns when all parts have ended. Writes of the caller before the call are visible to the parts;
  /// writes of the parts are visible to the caller afterwards. Nothing runs for a count of 0. If a part
  /// throws, the call rethrows the exception when no part runs any more; parts not yet begun may be left out.
  virtual void for_each(std::size_t count, std::size_t grain, const Loop& loop) = 0;

 protected:
  TaskPool() = default;
};

}  // namespace takt
