#include "takt/threads/thread_pool.h"

#include <gtest/gtest.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace takt {
namespace {

/// A loop whose body is a callable.
template <class Body>
void for_each(TaskPool& pool, std::size_t count, std::size_t grain, Body body) {
  auto const run = [](void* context, std::size_t first, std::size_t end, std::uint32_t worker) {
    (*static_cast<Body*>(context))(first, end, worker);
  };
  pool.for_each(count, grain, {run, &body});
}

class ThreadPoolTest : public testing::TestWithParam<std::uint32_t> {
 protected:
  ThreadPool pool{GetParam()};
};

TEST_P(ThreadPoolTest, EveryItemIsDoneOnce) {
  for (std::size_t const count :
       {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{64}, std::size_t{1000}}) {
    for (std::size_t const grain : {std::size_t{1}, std::size_t{3}, std::size_t{64}, std::size_t{5000}}) {
      std::vector<int> done(count, 0);
      std::atomic<std::size_t> longest{0};
      for_each(pool, count, grain, [&](std::size_t first, std::size_t end, std::uint32_t worker) {
        ASSERT_LT(first, end);
        ASSERT_LT(worker, GetParam());
        std::size_t max = longest.load();
        while (end - first > max && !longest.compare_exchange_weak(max, end - first)) {
        }
        for (std::size_t i = first; i < end; ++i) ++done[i];
      });
      EXPECT_EQ(done, std::vector<int>(count, 1)) << count << " items, grain " << grain;
      EXPECT_EQ(longest.load(), std::min(count, grain));
    }
  }
}

thread_local std::uint64_t cpu_ns = 0;  ///< processor time of the thread: a part adds to it, waiting does not

TEST_P(ThreadPoolTest, MeasuresTheWorkOfALoopDividedByTheThreadsThatShareIt) {
  constexpr std::uint64_t kPartNs = 1'000'000;
  auto const loop = [&](std::size_t parts) {
    for_each(pool, parts, 1, [](std::size_t, std::size_t, std::uint32_t) { cpu_ns += kPartNs; });
  };
  loop(100);
  ThreadPool::Meter meter{[]() noexcept { return cpu_ns; }};
  ThreadPool::measure(&meter);
  loop(1);  // not shared
  EXPECT_EQ(meter.shared_ns, 0u);
  for (std::size_t const parts : {std::size_t{2}, std::size_t{3}, std::size_t{500}}) {
    ThreadPool::Meter const before = meter;
    std::uint64_t const begin_ns = cpu_ns;
    loop(parts);
    ThreadPool::Meter const after = meter;
    if (GetParam() == 1) {
      EXPECT_EQ(after.shared_ns, before.shared_ns);
      continue;
    }
    std::size_t const width =
        std::min({parts, std::size_t{GetParam()}, std::size_t{std::thread::hardware_concurrency()}});
    EXPECT_EQ(after.caller_ns - before.caller_ns, cpu_ns - begin_ns);
    // Each worker rounds its sum down.
    EXPECT_LE(after.shared_ns - before.shared_ns, parts * kPartNs / width);
    EXPECT_GE(after.shared_ns - before.shared_ns + GetParam(), parts * kPartNs / width);
  }
  ThreadPool::Meter const before = meter;
  ThreadPool::measure(nullptr);
  loop(100);
  EXPECT_EQ(meter.shared_ns, before.shared_ns);
  EXPECT_EQ(meter.caller_ns, before.caller_ns);
}

// Both hosts of a pool switched the measurement of the pool on and off, and each counted the other's loops.
TEST_P(ThreadPoolTest, TwoHostsOfOnePoolMeasureTheirOwnLoopsAlone) {
  static thread_local std::uint64_t host_ns;
  constexpr std::uint64_t kLoops = 300;
  // All parts of a loop run before the next begins, so each host's sum is known but for rounding.
  auto const host = [&](std::uint64_t part_ns, bool is_measured) {
    ThreadPool::Meter meter{[]() noexcept { return host_ns; }};
    std::uint64_t alone = 0;  // loops that the caller ran by itself, because the pool was busy
    for (std::uint64_t i = 0; i < kLoops; ++i) {
      ThreadPool::measure(is_measured ? &meter : nullptr);
      std::uint64_t const before_ns = meter.shared_ns;
      for_each(pool, 16, 1, [&](std::size_t, std::size_t, std::uint32_t) { host_ns += part_ns; });
      alone += meter.shared_ns == before_ns ? 1 : 0;
      ThreadPool::measure(nullptr);
    }
    std::uint64_t const width =
        std::min<std::uint64_t>({16, GetParam(), std::max(1u, std::thread::hardware_concurrency())});
    std::uint64_t const expected_ns = (kLoops - alone) * 16 * part_ns / width;
    EXPECT_LE(meter.shared_ns, expected_ns);
    EXPECT_GE(meter.shared_ns + kLoops * GetParam(), expected_ns);
    if (!is_measured) {
      EXPECT_EQ(alone, kLoops);
    }
  };
  std::thread other(host, 1'000'000, true);
  std::thread unmeasured(host, 1000, false);
  host(64, true);
  other.join();
  unmeasured.join();
}

// A loop on another pool within a part counted for itself and in the loop around it.
TEST_P(ThreadPoolTest, ALoopOnAnotherPoolWithinAPartCountsOnce) {
  constexpr std::uint64_t kPartNs = 1'000;
  ThreadPool inner(2);
  ThreadPool::Meter meter{[]() noexcept { return cpu_ns; }};
  ThreadPool::measure(&meter);
  std::uint64_t const begin_ns = cpu_ns;
  for_each(pool, 200, 1, [&](std::size_t, std::size_t, std::uint32_t) {
    for_each(inner, 2, 1, [](std::size_t, std::size_t, std::uint32_t) { cpu_ns += kPartNs; });
  });
  // A pool of one runs the parts on their caller alone, and its inner loops are measured.
  EXPECT_EQ(meter.caller_ns, cpu_ns - begin_ns);
  for_each(inner, 2, 1, [](std::size_t, std::size_t, std::uint32_t) { cpu_ns += kPartNs; });
  EXPECT_EQ(meter.caller_ns, cpu_ns - begin_ns) << "the measurement goes on after the loop";
  ThreadPool::measure(nullptr);
}

TEST_P(ThreadPoolTest, NothingRunsForNoItems) {
  bool ran = false;
  for_each(pool, 0, 4, [&](std::size_t, std::size_t, std::uint32_t) { ran = true; });
  EXPECT_FALSE(ran);
}

TEST_P(ThreadPoolTest, AGrainOfZeroIsOne) {
  std::atomic<int> parts{0};
  for_each(pool, 5, 0, [&](std::size_t, std::size_t, std::uint32_t) { ++parts; });
  EXPECT_EQ(parts.load(), 5);
}

TEST_P(ThreadPoolTest, WhatOneLoopWroteTheNextReads) {
  std::vector<std::uint64_t> values(300, 1);
  for (int round = 0; round < 40; ++round) {  // doubles: a stale value would show at the end
    for_each(pool, values.size(), 8, [&](std::size_t first, std::size_t end, std::uint32_t) {
      for (std::size_t i = first; i < end; ++i) values[i] += values[i];
    });
    std::rotate(values.begin(), values.begin() + 7, values.end());
  }
  for (std::uint64_t const value : values) ASSERT_EQ(value, std::uint64_t{1} << 40u);
}

TEST_P(ThreadPoolTest, PartsThatRunAtOnceHaveDifferentWorkers) {
  std::vector<std::atomic<int>> busy(GetParam());
  std::atomic<bool> clash{false};
  for_each(pool, 2000, 1, [&](std::size_t, std::size_t, std::uint32_t worker) {
    if (busy[worker].fetch_add(1) != 0) clash = true;
    std::this_thread::yield();
    busy[worker].fetch_sub(1);
  });
  EXPECT_FALSE(clash);
}

// A loop's data is in the worker's cache for the next loop. Mostly: a worker that still looks for work of the
// last loop may take another's first part.
TEST_P(ThreadPoolTest, AWorkerMostlyBeginsWithTheSameShareOfEveryLoop) {
  constexpr std::uint32_t kRounds = 100;
  std::uint32_t own = 0;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    std::atomic<std::uint32_t> begun{0};
    std::vector<std::uint32_t> worker_of(GetParam());
    for_each(pool, GetParam(), 1, [&](std::size_t first, std::size_t, std::uint32_t worker) {
      worker_of[first] = worker;
      ++begun;
      while (begun.load() < GetParam()) std::this_thread::yield();  // so that nobody does two
    });
    for (std::uint32_t i = 0; i < GetParam(); ++i) own += worker_of[i] == i ? 1 : 0;
  }
  EXPECT_GT(own, kRounds * GetParam() * 3 / 4);
}

TEST_P(ThreadPoolTest, TheExceptionOfTheLowestItemsComesOut) {
  for (int round = 0; round < 20; ++round) {
    try {
      for_each(pool, 200, 5, [](std::size_t first, std::size_t, std::uint32_t) {
        if (first >= 35) throw std::runtime_error(std::to_string(first));
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "35");
    }
  }
  std::atomic<int> done{0};
  for_each(pool, 100, 1, [&](std::size_t, std::size_t, std::uint32_t) { ++done; });
  EXPECT_EQ(done.load(), 100) << "the pool goes on after an exception";
}

TEST_P(ThreadPoolTest, ALoopWithinALoopRunsOnItsCallerInOrder) {
  std::atomic<int> out_of_order{0};
  std::atomic<int> done{0};
  for_each(pool, 16, 1, [&](std::size_t, std::size_t, std::uint32_t) {
    auto const self = std::this_thread::get_id();
    std::size_t next = 0;
    for_each(pool, 10, 3, [&](std::size_t first, std::size_t end, std::uint32_t worker) {
      if (first != next || worker != 0 || std::this_thread::get_id() != self) ++out_of_order;
      next = end;
      done += static_cast<int>(end - first);
    });
  });
  // A pool of one has no open loop to be within: it runs both on its caller anyway.
  EXPECT_EQ(out_of_order.load(), 0);
  EXPECT_EQ(done.load(), 160);
}

TEST_P(ThreadPoolTest, TwoCallersAtOnceBothGetTheirLoopsDone) {
  auto const add_up = [this] {
    std::uint64_t sum = 0;
    for (int round = 0; round < 200; ++round) {
      std::atomic<std::uint64_t> total{0};
      for_each(pool, 100, 3, [&](std::size_t first, std::size_t end, std::uint32_t) {
        for (std::size_t i = first; i < end; ++i) total += i;
      });
      sum += total.load();
    }
    return sum;
  };
  std::uint64_t other = 0;
  std::thread thread([&] { other = add_up(); });
  std::uint64_t const own = add_up();
  thread.join();
  EXPECT_EQ(own, 200u * 4950u);
  EXPECT_EQ(other, 200u * 4950u);
}

TEST_P(ThreadPoolTest, WorkersThatSleepAreWoken) {
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // far longer than workers spin
    std::atomic<int> done{0};
    for_each(pool, 50, 1, [&](std::size_t, std::size_t, std::uint32_t) { ++done; });
    EXPECT_EQ(done.load(), 50);
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, ThreadPoolTest, testing::Values(1u, 2u, 3u, 8u));

// Each part waits until all are running at once: with fewer threads than it says this would not end.
TEST(ThreadPool, AsManyPartsRunAtOnceAsThereAreWorkers) {
  constexpr std::uint32_t kWorkers = 4;
  ThreadPool pool(kWorkers);
  EXPECT_EQ(pool.worker_count(), kWorkers);
  std::atomic<std::uint32_t> running{0};
  std::vector<std::uint32_t> workers(kWorkers);
  for_each(pool, kWorkers, 1, [&](std::size_t first, std::size_t, std::uint32_t worker) {
    workers[first] = worker;
    ++running;
    while (running.load() < kWorkers) std::this_thread::yield();
  });
  EXPECT_EQ(std::set<std::uint32_t>(workers.begin(), workers.end()).size(), kWorkers);
}

std::chrono::nanoseconds processor_time() {
  timespec time{};
  EXPECT_EQ(::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time), 0);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

// True while the system has the thread asleep.
bool is_asleep(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string text;
  std::getline(file, text);
  std::size_t const name_end = text.rfind(')');
  return name_end != std::string::npos && text.compare(name_end, 4, ") S ") == 0;
}

// The caller yielded the processor in a loop until the last part was done, however long that took. A busy
// machine gives such a loop little time, but it never sleeps.
TEST(ThreadPool, ACallerThatWaitsForALongPartSleeps) {
  constexpr std::chrono::milliseconds kLong{200};
  for (std::uint32_t const workers : {2u, 64u}) {  // 64: more than processors, so that nobody spins
    ThreadPool pool(workers);
    std::atomic<int> others{0};         // parts that other threads have begun
    std::atomic<bool> has_left{false};  // the caller has no part any more
    std::atomic<bool> has_slept{false};
    auto const caller = std::this_thread::get_id();
    pid_t const caller_id = ::gettid();
    std::chrono::nanoseconds waited_from = processor_time();
    for_each(pool, 2, 1, [&](std::size_t, std::size_t, std::uint32_t) {
      if (std::this_thread::get_id() == caller) {
        while (others == 0) std::this_thread::yield();  // so the other part is not the caller's, too
        waited_from = processor_time();
        has_left = true;
        return;
      }
      if (++others == 2) {
        has_left = true;
        return;
      }
      auto const until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (!(has_left && is_asleep(caller_id)) && std::chrono::steady_clock::now() < until)
        std::this_thread::yield();
      has_slept = is_asleep(caller_id);
      std::this_thread::sleep_for(kLong);
    });
    EXPECT_TRUE(has_slept) << workers << " workers";
    EXPECT_LT(processor_time() - waited_from, kLong / 10) << workers << " workers";
  }
}

// Parts that end about when the caller falls asleep: a wake-up that is lost would never end.
TEST(ThreadPool, TheLastPartWakesItsCaller) {
  ThreadPool pool(2);
  std::atomic<int> done{0};
  for (int round = 0; round < 200; ++round) {
    std::atomic<bool> has_begun{false};
    auto const caller = std::this_thread::get_id();
    for_each(pool, 2, 1, [&](std::size_t, std::size_t, std::uint32_t) {
      if (std::this_thread::get_id() == caller) {
        while (!has_begun.load()) std::this_thread::yield();
        ++done;
        return;
      }
      has_begun = true;
      auto const until = std::chrono::steady_clock::now() + std::chrono::microseconds(900 + 4 * round);
      while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
      ++done;
    });
  }
  EXPECT_EQ(done.load(), 400);
}

TEST(ThreadPool, MoreItemsThanPartsCanBeNumbered) {
  ThreadPool pool(2);
  std::atomic<std::uint64_t> total{0};
  std::size_t const count = std::size_t{1} << 40u;
  for_each(pool, count, std::size_t{1} << 36u,
           [&](std::size_t first, std::size_t end, std::uint32_t) { total += end - first; });
  EXPECT_EQ(total.load(), count);
}

TEST(ThreadPool, EndsWhileItsThreadsSpinAndWhileTheySleep) {
  for (int round = 0; round < 20; ++round) ThreadPool const pool(3);
  ThreadPool const asleep(3);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

}  // namespace
}  // namespace takt
