// ThreadPool is the TaskPool of the program takt (option --threads): several threads run the parts of each
// loop of a world's step. Each worker first runs its own fraction of the parts, at the same position in every
// loop. Then it steals parts that other workers have not started. Therefore a thread that the system preempts
// delays only the part that it is running. After a loop the threads spin for 0.1 ms and then sleep until the
// next loop; with more workers than processors they sleep at once. The caller of a loop waits for the last
// part: it spins, yields the processor for 1 ms, and then sleeps. The pool allocates in its constructor only.
// measure() adds up the processor time of the loops that one thread begins, for callers who need to
// know what a tick costs on a machine that is busy with other work. Threads that share a pool measure their
// own.
#pragma once

#include <cstdint>
#include <memory>

#include "takt/core/task_pool.h"

namespace takt {

class ThreadPool final : public TaskPool {
 public:
  static constexpr std::uint32_t kMaxWorkers = 64;

  /// Starts worker_count - 1 threads: the caller of for_each is worker 0. `worker_count` is within
  /// [1, kMaxWorkers] (asserted). More workers than processors are allowed, but slower. The constructor
  /// throws std::system_error when the system refuses a thread, after the started threads have ended.
  explicit ThreadPool(std::uint32_t worker_count);
  /// Ends the threads and waits for them. No loop may be running.
  ~ThreadPool() override;

  [[nodiscard]] std::uint32_t worker_count() const noexcept override;
  /// Any thread may call for_each, also from within a part. The pool distributes one loop at a time; a loop
  /// that begins meanwhile runs on its caller alone, in order, as worker 0. If several parts throw, for_each
  /// rethrows the exception of the part with the lowest items, as a run on one thread would.
  void for_each(std::size_t count, std::size_t grain, const Loop& loop) override;

  /// Processor time of the calling thread, ns; it never falls. Any thread may call it.
  using CpuClock = std::uint64_t (*)() noexcept;
  /// Processor time of measured loops, ns. Loops that run on their caller alone do not count.
  struct Meter {
    CpuClock clock = nullptr;     ///< must not be null; read up to four times a loop and worker
    std::uint64_t caller_ns = 0;  ///< of the caller, from begin to end of its loops, with its waiting
    /// Time of the parts, divided in each loop by the number of threads that can run them at once. Waiting
    /// does not count. Without other work on the machine this is about the duration of the loops.
    std::uint64_t shared_ns = 0;
  };
  /// Adds the following loops of the calling thread, on any pool, to `meter`; null = no longer. Loops of
  /// other threads do not count, so several hosts may share a pool. The meter must outlive the measurement,
  /// and changes only within for_each of this thread. Do not call it within a part of a loop.
  static void measure(Meter* meter) noexcept;

 private:
  class Crew;
  std::unique_ptr<Crew> crew_;
};

}  // namespace takt
