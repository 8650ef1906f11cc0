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

// Serial stretches within a tick (sorting, colours) are often shorter than this, and waking a sleeper takes
// about half of it.
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

// How a loop is shared. The parts are dealt out in as many slices as there are workers, in order, so that
// from loop to loop a worker meets the same share of a list: what it wrote is in its cache. The caller writes
// what the loop is and the number of parts into unfinished_, then the slices, then the number of the call, at
// which workers look. Whoever takes a part out of a slice owns it; only an owner of a part reads what the
// loop is, and the caller changes it only when no part is unfinished: so a thread that comes late finds
// either nothing to take or a part of the loop that is open now, and never reads what is being written. The
// exchange that takes a part acquires what the store of the slice released.
class ThreadPool::Crew {
 public:
  explicit Crew(std::uint32_t worker_count)
      : worker_count_(worker_count),
        may_spin_(worker_count <= std::thread::hardware_concurrency()),
        slices_(worker_count) {
    threads_.reserve(worker_count - 1);
    try {
      for (std::uint32_t worker = 1; worker < worker_count; ++worker)
        threads_.emplace_back([this, worker] { work(worker); });
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
    unfinished_.store(static_cast<std::uint32_t>(parts), std::memory_order_relaxed);
    auto const begin_of = [&](std::uint64_t worker) {
      return (parts * worker + worker_count_ - 1) / worker_count_;
    };
    for (std::uint32_t worker = worker_count_; worker-- > 0;) {
      slices_[worker].parts.store(begin_of(worker) | begin_of(worker + 1) << 32u, std::memory_order_release);
    }
    call_.fetch_add(1);
    // Sleepers count themselves before they look at call_ for the last time: either we see them here, or they
    // see the call.
    if (sleepers_.exchange(0) != 0) ring();
    run_parts(0);
    wait_for_the_last();
    std::exception_ptr const failure = std::exchange(failure_, nullptr);
    is_open_.store(0, std::memory_order_release);
    if (failure) std::rethrow_exception(failure);
    return true;
  }

 private:
  /// What is left of a worker's parts, in a cache line of its own: the next in the lower half, the end in the
  /// upper. The worker takes from the front, others from the end.
  struct alignas(64) Slice {
    std::atomic<std::uint64_t> parts{0};
  };

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
    std::uint32_t seen = 0;
    do {
      seen = call_.load(std::memory_order_acquire);
      run_parts(worker);
    } while (spin(seen) || sleep(seen));
  }

  /// Runs the worker's own parts, then what others have left.
  void run_parts(std::uint32_t worker) {
    std::uint32_t done = 0;
    for (std::uint32_t i = 0; i < worker_count_; ++i) {
      Slice& slice = slices_[(worker + i) % worker_count_];
      for (std::uint32_t part = 0; take(slice, i == 0, part); ++done) run_part(part, worker);
    }
    if (done > 0) unfinished_.fetch_sub(done, std::memory_order_release);
  }

  /// False when the slice is empty.
  static bool take(Slice& slice, bool first, std::uint32_t& part) noexcept {
    constexpr std::uint64_t kOneAtEnd = std::uint64_t{1} << 32u;
    std::uint64_t left = slice.parts.load(std::memory_order_relaxed);
    do {
      auto const next = static_cast<std::uint32_t>(left);
      auto const end = static_cast<std::uint32_t>(left >> 32u);
      if (next == end) return false;
      part = first ? next : end - 1;
    } while (!slice.parts.compare_exchange_weak(left, first ? left + 1 : left - kOneAtEnd,
                                                std::memory_order_acquire, std::memory_order_relaxed));
    return true;
  }

  void run_part(std::uint32_t part, std::uint32_t worker) {
    std::size_t const first = part * grain_;
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

  /// True: there is a call after `seen`.
  bool spin(std::uint32_t seen) const noexcept {
    if (!may_spin_) return false;
    auto const until = std::chrono::steady_clock::now() + kSpinTime;
    do {
      for (int i = 0; i < kSpinsPerLook; ++i) {
        if (call_.load(std::memory_order_relaxed) != seen) return true;
        relax();
      }
    } while (std::chrono::steady_clock::now() < until);
    return false;
  }

  /// Until there is a call after `seen`; false: the pool ends.
  bool sleep(std::uint32_t seen) noexcept {
    for (;;) {
      std::uint32_t const heard = bell_.load();
      sleepers_.fetch_add(1);
      if (call_.load() != seen) return true;
      if (is_stopping_.load()) return false;
      bell_.wait(heard);
      if (call_.load() != seen) return true;
    }
  }

  std::uint32_t const worker_count_;
  bool const may_spin_;
  // What the open loop is.
  Loop loop_;
  std::size_t count_ = 0;
  std::size_t grain_ = 1;
  std::vector<Slice> slices_;  ///< by worker
  // Each in a cache line of its own.
  alignas(64) std::atomic<std::uint32_t> call_{0};  ///< how many loops were shared so far, round and round
  alignas(64) std::atomic<std::uint32_t> unfinished_{0};
  alignas(64) std::atomic<std::uint32_t> sleepers_{
      0};  ///< at least as many as will sleep without being rung for
  std::atomic<std::uint32_t> bell_{0};
  std::atomic<bool> is_stopping_{false};
  std::atomic<std::uint32_t> is_open_{0};  ///< a word: some processors exchange no byte
  std::mutex failure_mutex_;
  std::exception_ptr failure_;  ///< of the part with the lowest items so far
  std::size_t failed_first_ = 0;
  std::vector<std::thread> threads_;
};

ThreadPool::ThreadPool(std::uint32_t worker_count) {
  TAKT_ASSERT(worker_count >= 1 && worker_count <= kMaxWorkers);
  crew_ = std::make_unique<Crew>(worker_count);
}
ThreadPool::~ThreadPool() = default;

std::uint32_t ThreadPool::worker_count() const noexcept { return crew_->worker_count(); }

void ThreadPool::for_each(std::size_t count, std::size_t grain, const Loop& loop) {
  if (count == 0) return;
  if (grain == 0) grain = 1;
  constexpr std::size_t kMaxParts = std::numeric_limits<std::uint32_t>::max();
  if (count / grain >= kMaxParts) grain = count / kMaxParts + 1;
  std::size_t const parts = (count - 1) / grain + 1;
  if (parts > 1 && worker_count() > 1 && crew_->try_share(count, grain, parts, loop)) return;
  for (std::size_t first = 0; first < count; first += grain)
    loop.run(loop.context, first, count - first < grain ? count : first + grain, 0);
}

}  // namespace takt
