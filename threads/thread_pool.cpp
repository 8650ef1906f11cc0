#include "takt/threads/thread_pool.h"

#include <atomic>
#include <chrono>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "takt/core/assert.h"

namespace takt {
namespace {

// Serial stretches within a tick (sorting, colours) are often shorter than this, and waking a sleeper takes about half of it.
constexpr std::chrono::microseconds kSpinTime{100};
constexpr int kSpinsPerLook = 32;  // at the clock
constexpr int kSpinsForLast = 4096;

void relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

}  // namespace

// How a loop is shared. The caller writes what the loop is, then the number of parts into unfinished_ and unclaimed_. Whoever takes unclaimed_ one down owns a part;
// only an owner of a part reads what the loop is, and the caller changes it only when no part is unfinished: so a thread that comes late finds either nothing to claim
// or a part of the loop that is open now, and never reads what is being written. The exchange that claims acquires what the store of unclaimed_ released.
class ThreadPool::Crew {
 public:
  explicit Crew(std::uint32_t worker_count) : worker_count_(worker_count), may_spin_(worker_count <= std::thread::hardware_concurrency()) {
    threads_.reserve(worker_count - 1);
    try {
      for (std::uint32_t worker = 1; worker < worker_count; ++worker) threads_.emplace_back([this, worker] { work(worker); });
    } catch (...) {
      stop();
      throw;
    }
  }
  ~Crew() { stop(); }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  [[nodiscard]] std::uint32_t worker_count() const noexcept { return worker_count_; }

  /// False: another loop is open, nothing was done.
  bool try_share(std::size_t count, std::size_t grain, std::size_t parts, const Loop& loop) {
    if (is_open_.exchange(1, std::memory_order_acquire) != 0) return false;
    loop_ = loop;
    count_ = count;
    grain_ = grain;
    parts_ = static_cast<std::uint32_t>(parts);
    unfinished_.store(parts_, std::memory_order_relaxed);
    unclaimed_.store(parts_);
    // Sleepers count themselves before they look at unclaimed_ for the last time: either we see them here, or they see the parts.
    if (sleepers_.exchange(0) != 0) ring();
    while (run_part(0)) {
    }
    wait_for_the_last();
    std::exception_ptr const failure = std::exchange(failure_, nullptr);
    is_open_.store(0, std::memory_order_release);
    if (failure) std::rethrow_exception(failure);
    return true;
  }

 private:
  void ring() noexcept {
    bell_.fetch_add(1);
    bell_.notify_all();
  }

  void stop() noexcept {
    is_stopping_.store(true);
    ring();
    for (std::thread& thread : threads_) thread.join();
  }

  void work(std::uint32_t worker) {
    for (;;) {
      while (run_part(worker)) {
      }
      if (!spin() && !sleep()) return;
    }
  }

  /// Claims a part and runs it; false when none is left.
  bool run_part(std::uint32_t worker) {
    std::uint32_t left = unclaimed_.load(std::memory_order_relaxed);
    do {
      if (left == 0) return false;
    } while (!unclaimed_.compare_exchange_weak(left, left - 1, std::memory_order_acquire, std::memory_order_relaxed));
    std::size_t const first = std::size_t{parts_ - left} * grain_;
    std::size_t const end = count_ - first < grain_ ? count_ : first + grain_;
    try {
      loop_.run(loop_.context, first, end, worker);
    } catch (...) {
      std::lock_guard const lock(failure_mutex_);
      if (!failure_ || first < failed_first_) {
        failure_ = std::current_exception();
        failed_first_ = first;
      }
    }
    unfinished_.fetch_sub(1, std::memory_order_release);
    return true;
  }

  void wait_for_the_last() const noexcept {
    for (int spins = 0; unfinished_.load(std::memory_order_acquire) != 0; ++spins) {
      if (may_spin_ && spins < kSpinsForLast) {
        relax();
      } else {
        std::this_thread::yield();
      }
    }
  }

  /// True: there is something to claim.
  bool spin() const noexcept {
    if (!may_spin_) return false;
    auto const until = std::chrono::steady_clock::now() + kSpinTime;
    do {
      for (int i = 0; i < kSpinsPerLook; ++i) {
        if (unclaimed_.load(std::memory_order_relaxed) != 0) return true;
        relax();
      }
    } while (std::chrono::steady_clock::now() < until);
    return false;
  }

  /// Until there is something to claim; false: the pool ends.
  bool sleep() noexcept {
    for (;;) {
      std::uint32_t const heard = bell_.load();
      sleepers_.fetch_add(1);
      if (unclaimed_.load() != 0) return true;
      if (is_stopping_.load()) return false;
      bell_.wait(heard);
      if (unclaimed_.load() != 0) return true;
    }
  }

  std::uint32_t const worker_count_;
  bool const may_spin_;
  // What the open loop is.
  Loop loop_;
  std::size_t count_ = 0;
  std::size_t grain_ = 1;
  std::uint32_t parts_ = 0;
  // Each in a cache line of its own: the first two are written by everybody.
  alignas(64) std::atomic<std::uint32_t> unclaimed_{0};
  alignas(64) std::atomic<std::uint32_t> unfinished_{0};
  alignas(64) std::atomic<std::uint32_t> sleepers_{0};  ///< at least as many as will sleep without being rung for
  std::atomic<std::uint32_t> bell_{0};
  std::atomic<bool> is_stopping_{false};
  std::atomic<std::uint32_t> is_open_{0};  ///< a word: some processors exchange no byte
  std::mutex failure_mutex_;
  std::exception_ptr failure_;  ///< of the part with the lowest items so far
  std::size_t failed_first_ = 0;
  std::vector<std::thread> threads_;
};

ThreadPool::ThreadPool(std::uint32_t worker_count) {
  TAKT_ASSERT(worker_count >= 1 && worker_count <= kMostWorkers);
  crew_ = std::make_unique<Crew>(worker_count);
}
ThreadPool::~ThreadPool() = default;

std::uint32_t ThreadPool::worker_count() const noexcept { return crew_->worker_count(); }

void ThreadPool::for_each(std::size_t count, std::size_t grain, const Loop& loop) {
  if (count == 0) return;
  if (grain == 0) grain = 1;
  constexpr std::size_t kMostParts = std::numeric_limits<std::uint32_t>::max();
  if (count / grain >= kMostParts) grain = count / kMostParts + 1;
  std::size_t const parts = (count - 1) / grain + 1;
  if (parts > 1 && worker_count() > 1 && crew_->try_share(count, grain, parts, loop)) return;
  for (std::size_t first = 0; first < count; first += grain) loop.run(loop.context, first, count - first < grain ? count : first + grain, 0);
}

}  // namespace takt
