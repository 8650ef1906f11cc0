// Processor time of clients and services that wait, over each transport.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "service/client/service_client.h"
#include "service/client/spin_wait.h"
#include "tests/unit/service/host_clients.h"

namespace takt::service::test {
namespace {

using namespace std::chrono_literals;

// The doors of a service with shared memory, a Unix socket and TCP.
std::vector<Door> transports(const ServiceHost& host) {
  std::vector<Door> out = host.doors();
  out.push_back({out[0].path, "", 0, true});
  return out;
}

std::chrono::microseconds processor_time(int who) {
  rusage usage{};
  (void)::getrusage(who, &usage);
  auto const all_us = std::int64_t{1'000'000} * (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                      usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
  return std::chrono::microseconds(all_us);
}

// The last waits of both sides ended within their spins, so the next ones begin with spins.
TEST(ServiceWait, NobodyComputesWhileNobodyAsks) {
  auto const host = open_host({});
  for (const Door& door : transports(*host)) {
    takt_service* const first = connect(door);
    takt_service* const second = connect(door);
    takt_world* const worlds[] = {remote_world(first), remote_world(second)};
    for (takt_world* const world : worlds) {
      for (int i = 0; i < 50; ++i) ASSERT_EQ(takt_world_step(world, 1), TAKT_OK);
    }
    std::this_thread::sleep_for(20ms);
    auto const before = processor_time(RUSAGE_SELF);
    std::this_thread::sleep_for(500ms);
    EXPECT_LT(processor_time(RUSAGE_SELF) - before, 50ms) << text_of(door);
    for (takt_world* const world : worlds) EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
    for (takt_service* const service : {first, second}) EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
  }
}

// A spin for a reply ends after a millisecond, however long the step takes.
TEST(ServiceWait, AClientOfALongStepSleeps) {
  auto const host = open_host({});
  for (const Door& door : transports(*host)) {
    takt_service* const service = connect(door);
    takt_world* const world = remote_world(service);
    for (int i = 0; i < 50; ++i) ASSERT_EQ(takt_world_step(world, 10), TAKT_OK);
    auto end = std::chrono::steady_clock::now() + 500ms;
    auto const is_stopped = [](void* at) -> std::uint32_t {
      return std::chrono::steady_clock::now() > *static_cast<decltype(end)*>(at) ? 1 : 0;
    };
    ASSERT_EQ(takt_service_set_stop(service, is_stopped, &end), TAKT_OK);
    takt_batch* const batch = remote_batch(service, 1000);  // 100,000 ticks take minutes
    auto const before = processor_time(RUSAGE_THREAD);
    end = std::chrono::steady_clock::now() + 500ms;
    ASSERT_EQ(takt_batch_step(batch, kStepTicksMax, nullptr), TAKT_ERROR_STOPPED);
    EXPECT_LT(processor_time(RUSAGE_THREAD) - before, 50ms) << text_of(door);
    end += 1h;
    EXPECT_EQ(takt_batch_destroy(batch), TAKT_OK);
    EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
    EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
  }
}

// Else a client that spins may have the processor that a thread of the service needs.
TEST(ServiceWait, LongSpinsNeedAProcessorMoreThanTheServiceHasThreads) {
  std::uint32_t const processors = processor_count();
  for (std::uint32_t const threads : {1u, std::min(processors, 64u)}) {
    ServiceOptions options;
    options.limits.threads = threads;
    auto const host = open_host(options);
    for (const Door& door : transports(*host)) {
      auto const client = ServiceClient::connect(text_of(door), {});
      ASSERT_TRUE(client.ok()) << client.error().text;
      EXPECT_EQ((*client)->spin_max(), threads < processors ? SpinWait::kLong : SpinWait::kShort)
          << text_of(door) << ", threads: " << threads;
    }
  }
}

}  // namespace
}  // namespace takt::service::test
