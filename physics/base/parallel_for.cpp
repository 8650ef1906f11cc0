#include "physics/base/parallel_for.h"

#include <atomic>

#include "takt/core/assert.h"
#include "takt/physics/fixed.h"
#include "takt/physics/float_control.h"

namespace takt {
namespace {

struct GuardedLoop {
  TaskPool::Loop inner;
  std::atomic<std::uint64_t> overflow_count{0};
};

/// Keeps overflow counts that the thread had before separate from those of the loop.
class OverflowScope {
 public:
  explicit OverflowScope(std::atomic<std::uint64_t>& sum) noexcept
      : sum_(sum), before_(take_fixed_overflow_count()) {}
  ~OverflowScope() {
    if (std::uint64_t const count = take_fixed_overflow_count(); count != 0)
      sum_.fetch_add(count, std::memory_order_relaxed);
    add_fixed_overflow_count(before_);
  }
  OverflowScope(const OverflowScope&) = delete;
  OverflowScope& operator=(const OverflowScope&) = delete;

 private:
  std::atomic<std::uint64_t>& sum_;
  std::uint64_t before_;
};

void run_guarded(void* context, std::size_t first, std::size_t end, std::uint32_t worker) {
  auto& loop = *static_cast<GuardedLoop*>(context);
  TAKT_VALIDATE(first < end);
  FloatControlGuard const guard;
  OverflowScope const scope(loop.overflow_count);
  loop.inner.run(loop.inner.context, first, end, worker);
}

}  // namespace

void run_loop(TaskPool* pool, std::size_t count, std::size_t grain, const TaskPool::Loop& loop) {
  TAKT_ASSERT(pool != nullptr && grain > 0 && loop.run != nullptr);
  GuardedLoop guarded{loop, {}};
  pool->for_each(count, grain, {run_guarded, &guarded});
  add_fixed_overflow_count(guarded.overflow_count.load(std::memory_order_relaxed));
}

}  // namespace takt
