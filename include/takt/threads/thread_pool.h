// ThreadPool is the TaskPool of the program takt (option --threads): several threads run the parts of each
// loop of a world's step. Each worker first runs its own fraction of the parts, at the same position in every
// loop. Then it steals parts that other workers have not started. Therefore a thread that the system preempts
// delays only the part that it is running. After a loop the threads spin for 0.1 ms, if each has a processor,
// and then sleep until the next loop. The pool allocates in its constructor only.
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
