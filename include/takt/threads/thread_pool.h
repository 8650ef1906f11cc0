// ThreadPool: the TaskPool of Takt's own programs. Its threads spin for a moment after a loop, since the next
// one of a tick comes soon, and then sleep until they are called. Each worker has its own share of a loop's
// parts, the same of every loop, and then takes what others have left: a thread that the system holds back
// delays no more than the part it has. It allocates in its constructor only.
#pragma once

#include <cstdint>
#include <memory>

#include "takt/core/task_pool.h"

namespace takt {

class ThreadPool final : public TaskPool {
 public:
  static constexpr std::uint32_t kMaxWorkers = 64;

  /// Starts worker_count - 1 threads: the caller of for_each is the first worker. `worker_count` is within
  /// [1, kMaxWorkers] (asserted). More workers than the machine has processors are allowed, and slower.
  /// Throws std::system_error when the system gives no more threads; none is left behind.
  explicit ThreadPool(std::uint32_t worker_count);
  /// No loop may be running. Waits until the threads have ended.
  ~ThreadPool() override;

  [[nodiscard]] std::uint32_t worker_count() const noexcept override;
  /// Any thread may call it. One loop at a time is shared: another that is begun meanwhile, by another thread
  /// or from within a part, runs on its caller alone, in order. Of several exceptions the one of the lowest
  /// items is thrown, which is what one thread would have thrown.
  void for_each(std::size_t count, std::size_t grain, const Loop& loop) override;

 private:
  class Crew;
  std::unique_ptr<Crew> crew_;
};

}  // namespace takt
