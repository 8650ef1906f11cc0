// TaskPool: who shares the work of a loop. An engine below net makes no threads; whoever calls it may hand
// one of these in. takt::ThreadPool (takt/threads/thread_pool.h) is one; a game may wrap its own job system
// in another. It says nothing of what the loop does, and the loop's result may not depend on who does which
// part.
#pragma once

#include <cstddef>
#include <cstdint>

namespace takt {

class TaskPool {
 public:
  /// The body of a loop over items: does those in [first, end). `worker` is below worker_count(), and no two
  /// parts of one loop that run at the same time have the same: a place for scratch memory.
  struct Loop {
    void (*run)(void* context, std::size_t first, std::size_t end, std::uint32_t worker) = nullptr;
    void* context = nullptr;
  };

  virtual ~TaskPool() = default;
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  /// How many parts may run at once, the caller's among them; at least 1.
  [[nodiscard]] virtual std::uint32_t worker_count() const noexcept = 0;
  /// Runs the loop over [0, count) in parts of at most `grain` items (at least 1), each item once, in any
  /// order, and returns when all are done; what the parts wrote is then visible to the caller, and what the
  /// caller wrote before was visible to them. Nothing runs for a count of 0. Throws what a part threw, after
  /// all parts have ended.
  virtual void for_each(std::size_t count, std::size_t grain, const Loop& loop) = 0;

 protected:
  TaskPool() = default;
};

}  // namespace takt
