#include "takt/threads/thread_pool.h"

#include <algorithm>
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

// Serial phases within a tick (sorting, graph colouring) are often shorter than this. Waking a sleeping
// thread takes about half of it.
constexpr std::chrono::microseconds kSpinTime{100};
constexpr int kSpinsPerLook = 32;  // spins between two reads of the clock
constexpr int kSpinsForLast = 4096;
// The caller of a loop yields the processor for so long before it sleeps until the last part is done. The
// loops of a tick end within it, so they never pay for waking a thread.
constexpr std::chrono::milliseconds kYieldTime{1};

/// The meter of the loops that this thread begins; null = they are not measured.
thread_local ThreadPool::Meter* thread_meter = nullptr;

void relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

}  // namespace

// Work distribution. The parts are dealt in order into one slice per worker, so that a worker meets the same
// fraction of a list in every loop and finds its data in cache. The caller writes the loop and the number of
// parts (unfinished_), then the slices, then the call number, which idle workers watch.
//
// Removing a part from a slice transfers its ownership. Only the owner of a part reads the loop, and the
// caller changes the loop only when no part is unfinished. A late thread therefore finds either an empty
// slice or a part of the loop that is open now; it never reads a loop that is being written. The exchange
// that removes a part acquires the store that released the slice.
class ThreadPool::Crew {
 public:
  explicit Crew(std::uint32_t worker_count)
      : worker_count_(worker_count),
        processor_count_(std::max(1u, std::thread::hardware_concurrency())),
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

  /// Returns false without effect when another loop is open.
  bool try_share(std::size_t count, std::size_t grain, std::size_t parts, const Loop& loop) {
    if (is_open_.exchange(1, std::memory_order_acquire) != 0) return false;
    // The loops that parts begin on other pools are within the time of this loop.
    Meter* const meter = std::exchange(thread_meter, nullptr);
    clock_ = meter != nullptr ? meter->clock : nullptr;
    std::uint64_t const begin_ns = meter != nullptr ? meter->clock() : 0;
    shared_ns_.store(0, std::memory_order_relaxed);
    loop_ = loop;
    count_ = count;
    grain_ = grain;
    width_ = std::min({parts, std::size_t{worker_count_}, std::size_t{processor_count_}});
    unfinished_.store(static_cast<std::uint32_t>(parts), std::memory_order_relaxed);
    auto const begin_of = [&](std::uint64_t worker) {
      return (parts * worker + worker_count_ - 1) / worker_count_;
    };
    for (std::uint32_t worker = worker_count_; worker-- > 0;) {
      slices_[worker].parts.store(begin_of(worker) | begin_of(worker + 1) << 32u, std::memory_order_release);
    }
    call_.fetch_add(1);
    // Sleepers increment sleepers_ before their last read of call_. Either this exchange sees them, or they
    // see the new call.
    if (sleepers_.exchange(0) != 0) ring();
    run_parts(0);
    thread_meter = meter;
    wait_for_the_last();
    std::exception_ptr const failure = std::exchange(failure_, nullptr);
    if (meter != nullptr) {
      meter->caller_ns += meter->clock() - begin_ns;
      meter->shared_ns += shared_ns_.load(std::memory_order_relaxed);
    }
    is_open_.store(0, std::memory_order_release);
    if (failure) std::rethrow_exception(failure);
    return true;
  }

 private:
  /// A worker's remaining parts, in a cache line of its own: lower half = next part, upper half = end. The
  /// worker removes from the front, other workers from the end.
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

  /// Runs the worker's own parts, then steals from the other slices.
  void run_parts(std::uint32_t worker) {
    std::uint32_t done = 0;
    std::uint64_t begin_ns = 0;
    for (std::uint32_t i = 0; i < worker_count_; ++i) {
      Slice& slice = slices_[(worker + i) % worker_count_];
      for (std::uint32_t part = 0; take(slice, i == 0, part); ++done) {
        if (done == 0 && clock_ != nullptr) begin_ns = clock_();
        run_part(part, worker);
      }
    }
    if (done == 0) return;
    if (clock_ != nullptr) shared_ns_.fetch_add((clock_() - begin_ns) / width_, std::memory_order_relaxed);
    // The caller sets is_caller_asleep_ before its last read of unfinished_. Either this thread sees the
    // flag, or the caller sees the new number.
    if (unfinished_.fetch_sub(done) == done && is_caller_asleep_.load()) unfinished_.notify_one();
  }

  /// Removes one part; false when the slice is empty.
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

  void wait_for_the_last() noexcept {
    for (int spins = 0; may_spin_ && spins < kSpinsForLast; ++spins) {
      if (unfinished_.load(std::memory_order_acquire) == 0) return;
      relax();
    }
    if (unfinished_.load(std::memory_order_acquire) == 0) return;
    auto const until = std::chrono::steady_clock::now() + kYieldTime;
    do {
      std::this_thread::yield();
      if (unfinished_.load(std::memory_order_acquire) == 0) return;
    } while (std::chrono::steady_clock::now() < until);
    is_caller_asleep_.store(true);
    while (std::uint32_t const left = unfinished_.load()) unfinished_.wait(left);
    is_caller_asleep_.store(false, std::memory_order_relaxed);
  }

  /// Returns true when a call after `seen` has begun.
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

  /// Sleeps until a call after `seen` begins (true) or the pool ends (false).
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
  std::uint32_t const processor_count_;
  bool const may_spin_;
  // The open loop; only an owner of a part reads them.
  Loop loop_;
  std::size_t count_ = 0;
  std::size_t grain_ = 1;
  std::uint64_t width_ = 1;   ///< threads that can run its parts at once
  CpuClock clock_ = nullptr;  ///< null = the loop is not measured
  std::atomic<std::uint64_t> shared_ns_{0};
  std::vector<Slice> slices_;  ///< one per worker
  // One cache line each.
  alignas(64) std::atomic<std::uint32_t> call_{0};  ///< number of loops distributed so far, wrapping
  alignas(64) std::atomic<std::uint32_t> unfinished_{0};
  alignas(64) std::atomic<std::uint32_t> sleepers_{
      0};  ///< at least the number of threads that sleep and need a wake-up
  std::atomic<bool> is_caller_asleep_{false};  ///< or about to sleep: the last part wakes it
  std::atomic<std::uint32_t> bell_{0};
  std::atomic<bool> is_stopping_{false};
  std::atomic<std::uint32_t> is_open_{0};  ///< 32 bits: some processors have no byte exchange
  std::mutex failure_mutex_;
  std::exception_ptr failure_;  ///< from the part with the lowest items so far
  std::size_t failed_first_ = 0;
  std::vector<std::thread> threads_;
};

ThreadPool::ThreadPool(std::uint32_t worker_count) {
  TAKT_ASSERT(worker_count >= 1 && worker_count <= kMaxWorkers);
  crew_ = std::make_unique<Crew>(worker_count);
}
ThreadPool::~ThreadPool() = default;

std::uint32_t ThreadPool::worker_count() const noexcept { return crew_->worker_count(); }
void ThreadPool::measure(Meter* meter) noexcept {
  TAKT_ASSERT(meter == nullptr || meter->clock != nullptr);
  thread_meter = meter;
}

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
