// ThreadPool is the TaskPool of Takt's own programs: it runs the loops of a tick on several threads. After a
// loop its threads spin briefly, because a tick's next loop follows soon, and then sleep until the next call.
// Each worker first runs its own fraction of a loop's parts, at the same positions for every loop. Then it
// steals parts that others have not started. A thread that the system preempts therefore delays only the part
// it is running. The pool allocates in its constructor only.
#pragma once

#include <cstdint>
#include <memory>

#include "takt/core/task_pool.h"

namespace takt {

class ThreadPool final : public TaskPool {
 public:
  static constexpr std::uint32_t kMaxWorkers = 64;

  /// Starts worker_count - 1 threads: the caller of for_each is the first worker. `worker_count` is within
  /// [1, kMaxWorkers] (asserted). More workers than processors are allowed, but slower. Throws
  /// std::system_error when the system refuses a thread; threads already started are joined.
  explicit ThreadPool(std::uint32_t worker_count);
  /// Waits until the threads have ended. No loop may be running.
  ~ThreadPool() override;

  [[nodiscard]] std::uint32_t worker_count() const noexcept override;
  /// Callable from any thread. One loop at a time is distributed. A second loop, begun by another thread or
  /// from within a part, runs on its caller alone, in order. If several parts throw, the exception of the
  /// lowest items is rethrown: one thread would have thrown that one.
  void for_each(std::size_t count, std::size_t grain, const Loop& loop) override;

 private:
  class Crew;
  std::unique_ptr<Crew> crew_;
};

}  // namespace takt
