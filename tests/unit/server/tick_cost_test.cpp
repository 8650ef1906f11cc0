// TickCost with a clock that the test moves: the serial part of a tick counts whole, its shared loops by the
// threads that share them, and waiting for the pool not at all.
#include "server/tick_cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace takt::server {
namespace {

thread_local std::uint64_t cpu_ns = 0;
std::uint64_t read_cpu_ns() noexcept { return cpu_ns; }

void run_loop(ThreadPool& pool, std::size_t parts, std::uint64_t part_us) {
  auto const run = [](void* context, std::size_t first, std::size_t end, std::uint32_t) {
    cpu_ns += 1000 * (end - first) * *static_cast<std::uint64_t*>(context);
  };
  pool.for_each(parts, 1, {run, &part_us});
}

TEST(TickCostTest, WithoutAPoolItIsTheTimeOfTheThread) {
  TickCost cost(read_cpu_ns);
  for (bool const with_pool : {false, true}) {
    cost.begin(with_pool);
    cpu_ns += 3'000'999;
    EXPECT_EQ(cost.end_us(), 3000u);
  }
}

TEST(TickCostTest, LoopsCountByTheThreadsThatShareThem) {
  ThreadPool pool(2);
  std::uint32_t const width = std::min(2u, std::thread::hardware_concurrency());
  TickCost cost(read_cpu_ns);
  for (int i = 0; i < 50; ++i) {  // however the parts were distributed
    cost.begin(true);
    cpu_ns += 2'000'000;
    run_loop(pool, 8, 1000);
    run_loop(pool, 1, 500);  // runs on its caller
    EXPECT_NEAR(cost.end_us(), 2000 + 8000 / width + 500, 1);
  }
  cost.begin(false);
  cpu_ns += 2'000'000;
  EXPECT_EQ(cost.end_us(), 2000u);
}

TEST(TickCostTest, SaturatesInsteadOfWrapping) {
  TickCost cost(read_cpu_ns);
  cost.begin(false);
  cpu_ns += std::uint64_t{1} << 60u;
  EXPECT_EQ(cost.end_us(), UINT32_MAX);
}

}  // namespace
}  // namespace takt::server
