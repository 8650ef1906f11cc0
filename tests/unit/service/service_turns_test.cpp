// Turns of connections that share one thread of the service. Waits are counted in slices of long steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/sanitizers.h"
#include "tests/unit/service/host_clients.h"

namespace takt::service::test {
namespace {

// 60 boxes that never sleep: a tick takes tens of microseconds, and 100,000 of 500 worlds take hours. 200
// boxes in towers: 100,000 ticks take minutes.
std::string turns_pile(int boxes = 60) {
  std::string text = R"({ "title": "Pile", "world": { "allow_sleep": false }, "bodies": [
    { "name": "ground", "type": "static", "shapes": [{ "half_space": {} }] })";
  for (int i = 0; i < boxes; ++i)
    text += ", { \"position\": [" + std::to_string(0.3 * (i % 5)) + ", " + std::to_string(0.5 + i / 4) +
            ", " + std::to_string(0.2 * (i % 7)) + "], \"shapes\": [{ \"box\": {} }] }";
  return text + "] }";
}

std::vector<std::uint64_t> new_worlds(std::string_view scene, std::uint32_t worlds) {
  return request(2, {}, 0, [&](auto& b) {
    auto const bytes = b.CreateVector(reinterpret_cast<const std::uint8_t*>(scene.data()), scene.size());
    return wire::CreateNewWorlds(b, bytes, 0, 0, 1, 0, worlds);
  });
}

constexpr auto kTurnsStop = [](auto& b) { return wire::CreateStop(b); };

std::vector<std::uint64_t> step_request(std::uint32_t ticks) {
  return request(3, {1}, 0, [&](auto& b) { return wire::CreateStep(b, ticks); });
}

void make(RawClient& client, std::uint32_t worlds) {
  client.greet();
  ASSERT_TRUE(client.send(new_worlds(turns_pile(), worlds)));
  ASSERT_EQ(client.receive(), TAKT_OK);
}

// A batch of two worlds with two threads.
void make_pair(RawClient& client, const std::string& scene) {
  client.greet();
  ASSERT_TRUE(client.send(request(2, {}, 0, [&](auto& b) {
    auto const bytes = b.CreateVector(reinterpret_cast<const std::uint8_t*>(scene.data()), scene.size());
    return wire::CreateNewWorlds(b, bytes, 0, 0, 2, 0, 2);
  })));
  ASSERT_EQ(client.receive(), TAKT_OK);
}

// Takes all bodies but the ground from a world of the batch 1, whose 100,000 ticks are then done at once.
void empty_world(RawClient& client, const std::string& scene, std::uint32_t world_index) {
  takt_world* const twin = make_world(TAKT_NUMBERS_FLOAT, 1, scene);
  auto ids = sized<takt_view>();
  ASSERT_EQ(takt_world_array(twin, TAKT_BODY_IDS, &ids, nullptr), TAKT_OK);
  for (std::size_t body = 1; body < ids.shape[0]; ++body) {
    std::uint64_t const id = static_cast<const std::uint64_t*>(ids.data)[body];
    ASSERT_TRUE(
        client.send(request(3, {1, world_index}, 0, [&](auto& b) { return wire::CreateDespawn(b, id); })));
    ASSERT_EQ(client.receive(), TAKT_OK);
  }
  ASSERT_EQ(takt_world_destroy(twin), TAKT_OK);
}

// A step whose request has so many bytes, which a single world ignores.
std::vector<std::byte> large_step(std::uint64_t id, std::uint32_t handle, std::size_t bytes) {
  std::vector<std::byte> frame;
  RawClient::append(request(id, {handle}, 0,
                            [&](auto& b) {
                              return wire::CreateStep(b, kStepTicksMax,
                                                      b.CreateVector(std::vector<std::uint8_t>(bytes, 1)));
                            }),
                    frame);
  return frame;
}

// The queue has the step of each other connection once, so nobody waits for more turns than there are others.
TEST(ServiceTurns, NobodyWaitsForMoreTurnsThanThereAreOthers) {
  constexpr std::uint64_t kSteps = 4;
  auto const host = open_host({});  // one thread
  RawClient small(host->doors()[0]);
  make(small, 0);
  std::vector<std::unique_ptr<RawClient>> busy;
  for (std::uint64_t i = 0; i < kSteps; ++i) {
    busy.push_back(std::make_unique<RawClient>(host->doors()[0]));
    make(*busy.back(), 20);
    ASSERT_TRUE(busy.back()->send(step_request(kStepTicksMax)));
    ASSERT_TRUE(small.send(step_request(1)));
    ASSERT_EQ(small.receive(), TAKT_OK);
    EXPECT_LE(host->counts().turns_waited_max, i + 1);
  }
  std::uint64_t const before = host->counts().turns_shared;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(small.send(step_request(1)));
    ASSERT_EQ(small.receive(), TAKT_OK);
  }
  EXPECT_TRUE(wait_for([&] { return host->counts().turns_shared > before + 4 * kSteps; }));
  EXPECT_GE(host->counts().turns_waited_max, 1u);
  EXPECT_LE(host->counts().turns_waited_max, kSteps);
  EXPECT_EQ(host->counts().steps_stopped, 0u);
  EXPECT_LE(host->counts().threads, 1 + kSteps);
}

// Each batch has a world without moving bodies and a world of minutes, so one of its two threads computes
// alone and the other has no look. Two batches of four have the first world so: they would keep both threads
// of the service.
TEST(ServiceTurns, AnyThreadOfABatchSharesItsTurn) {
  ServiceOptions options;
  options.limits.threads = 2;
  auto const host = open_host(std::move(options));
  constexpr std::uint32_t kBatches = 4;
  std::vector<std::unique_ptr<RawClient>> busy;
  for (std::uint32_t batch = 0; batch < kBatches; ++batch) {
    busy.push_back(std::make_unique<RawClient>(host->doors()[0]));
    RawClient& client = *busy.back();
    std::string const scene = turns_pile(200);
    make_pair(client, scene);
    empty_world(client, scene, batch % 2);
  }
  for (auto const& client : busy) ASSERT_TRUE(client->send(step_request(kStepTicksMax)));
  RawClient small(host->doors()[0]);
  make(small, 0);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(small.send(step_request(1)));
    ASSERT_EQ(small.receive(), TAKT_OK);
  }
  EXPECT_EQ(host->counts().steps_stopped, 0u);
  EXPECT_GE(host->counts().turns_shared, 50u);
  EXPECT_LE(host->counts().turns_waited_max, kBatches);
  for (auto const& client : busy) {
    ASSERT_TRUE(client->send(request(5, {1}, 0, kTurnsStop)));
    EXPECT_EQ(client->receive(), TAKT_ERROR_STOPPED);
    EXPECT_EQ(client->receive(), TAKT_OK);
  }
}

TEST(ServiceTurns, RepliesBeforeALongStepDoNotWaitForIt) {
  auto const host = open_host({});
  for (std::uint32_t const worlds : {0u, 3u}) {
    RawClient client(host->doors()[0]);
    make(client, worlds);
    std::vector<std::byte> frames;
    for (std::uint64_t const id : {10u, 11u})
      RawClient::append(request(id, {1}, 0, [](auto& b) { return wire::CreateHash(b); }), frames);
    RawClient::append(step_request(kStepTicksMax), frames);
    std::uint64_t const stopped = host->counts().steps_stopped;
    ASSERT_TRUE(client.send(std::span<const std::byte>(frames)));
    std::uint64_t id = 0;
    EXPECT_EQ(client.receive(&id), TAKT_OK);
    EXPECT_EQ(id, 10u);
    EXPECT_EQ(client.receive(&id), TAKT_OK);
    EXPECT_EQ(id, 11u);
    EXPECT_EQ(host->counts().steps_stopped, stopped);
    ASSERT_TRUE(client.send(request(12, {1}, 0, kTurnsStop)));
    EXPECT_EQ(client.receive(&id), TAKT_ERROR_STOPPED);
    EXPECT_EQ(id, 3u);
    EXPECT_EQ(client.receive(&id), TAKT_OK);
    EXPECT_EQ(id, 12u);
  }
}

// A step whose request has many bytes keeps them until it ends.
TEST(ServiceTurns, BytesOfAStepAreBuffers) {
  constexpr std::size_t kBytes = 4u << 20u;
  constexpr std::size_t kRoomBytes = 16 * kBytes;  // a connection has up to four times the bytes of a frame
  ServiceOptions options;
  options.limits.buffer_bytes_max = kRoomBytes;
  auto const host = open_host(std::move(options));
  std::vector<std::unique_ptr<RawClient>> busy;
  auto const begin = [&] {
    busy.push_back(std::make_unique<RawClient>(host->doors()[0]));
    make(*busy.back(), 0);
    ASSERT_TRUE(busy.back()->send(large_step(3, 1, kBytes)));
  };
  begin();
  EXPECT_TRUE(wait_for([&] { return host->counts().requests == 2; }));
  EXPECT_TRUE(wait_for([&] { return host->counts().buffer_bytes < 2 * kBytes; }));
  EXPECT_GE(host->counts().buffer_bytes, kBytes);
  begin();
  EXPECT_TRUE(wait_for([&] { return host->counts().requests == 4; }));
  EXPECT_TRUE(wait_for([&] { return host->counts().buffer_bytes < 3 * kBytes; }));
  EXPECT_GE(host->counts().buffer_bytes, 2 * kBytes);
  EXPECT_EQ(host->counts().clients, 2u);
  // More of them than there is room for: the first ones have sent nothing for the longest, and end.
  for (std::size_t i = 2; i < 2 + kRoomBytes / kBytes; ++i) begin();
  // The last of them goes on. Its reply shows that all have arrived, so the sums below are those of the end.
  ASSERT_TRUE(busy.back()->send(request(5, {1}, 0, kTurnsStop)));
  EXPECT_EQ(busy.back()->receive(), TAKT_ERROR_STOPPED);
  EXPECT_EQ(busy.back()->receive(), TAKT_OK);
  EXPECT_TRUE(wait_for([&] { return host->counts().buffer_bytes <= kRoomBytes; }));
  EXPECT_LT(host->counts().clients, busy.size());
  EXPECT_TRUE(wait_for([&] { return host->counts().worlds == host->counts().clients; }));
  busy.clear();
  EXPECT_TRUE(wait_for([&] { return host->counts().buffer_bytes < kBytes; }));
}

// A thread of the service kept the memory of the largest requests that it had ever had.
TEST(ServiceTurns, LargeRequestsLeaveNoMemoryBehind) {
  if (TAKT_TEST_HAS_SYSTEM_HEAP == 0) return;
  constexpr std::size_t kBytes = 16u << 20u;
  auto const host = open_host({});
  {
    RawClient client(host->doors()[0]);
    make(client, 0);
    std::uint64_t const before = heap_bytes();
    std::vector<std::byte> frame;
    RawClient::append(request(3, {1}, 0,
                              [&](auto& b) {
                                return wire::CreateStep(b, 1,
                                                        b.CreateVector(std::vector<std::uint8_t>(kBytes, 1)));
                              }),
                      frame);
    ASSERT_TRUE(client.send(std::span<const std::byte>(frame)));
    free_bytes(frame);
    ASSERT_EQ(client.receive(), TAKT_OK);
    ASSERT_TRUE(client.send(step_request(1)));
    ASSERT_EQ(client.receive(), TAKT_OK);
    EXPECT_TRUE(wait_for([&] { return heap_bytes() < before + kBytes / 4; }));
  }
}

// A service whose only thread stays with a long step.
std::unique_ptr<ServiceHost> open_undivided_host(std::uint64_t buffer_bytes_max) {
  ServiceOptions options;
  options.turn = std::chrono::hours(1);
  options.limits.buffer_bytes_max = buffer_bytes_max;
  return open_host(std::move(options));
}

// A connection that waits for its next turn counted the requests of its last one, whose memory its thread had
// given away.
TEST(ServiceTurns, AQueuedConnectionCountsNoBytesOfAnsweredRequests) {
  constexpr std::size_t kBytes = 4u << 20u;
  auto const host = open_undivided_host(16 * kBytes);
  RawClient client(host->doors()[0]);
  RawClient other(host->doors()[0]);
  make(other, 0);
  make(client, 0);
  ASSERT_TRUE(client.send(new_worlds(turns_pile(), 0)));
  ASSERT_EQ(client.receive(), TAKT_OK);
  ASSERT_TRUE(client.send(step_request(kStepTicksMax)));
  ASSERT_TRUE(wait_for([&] { return host->counts().requests == 4; }));
  // The stop of the first step gives the large one, of the other world, the rest of its turn; the stop of the
  // large one gives its reply no further one.
  ASSERT_TRUE(client.send(large_step(5, 2, kBytes)));
  ASSERT_TRUE(client.send(request(6, {1}, 0, kTurnsStop)));
  EXPECT_EQ(client.receive(), TAKT_ERROR_STOPPED);
  ASSERT_TRUE(wait_for([&] { return host->counts().requests == 5; }));
  EXPECT_GE(host->counts().buffer_bytes, kBytes);
  ASSERT_TRUE(other.send(step_request(kStepTicksMax)));
  RawClient(host->doors()[0]).greet();  // the thread of the sockets has read that step
  ASSERT_TRUE(client.send(request(7, {2}, 0, kTurnsStop)));
  EXPECT_EQ(client.receive(), TAKT_ERROR_STOPPED);
  EXPECT_EQ(client.receive(), TAKT_OK);
  ASSERT_TRUE(wait_for([&] { return host->counts().requests == 7; }));  // the step of the other
  EXPECT_TRUE(wait_for([&] { return host->counts().buffer_bytes < kBytes; }));
  EXPECT_EQ(host->counts().requests, 7u) << "the client waits for its turn";
  ASSERT_TRUE(other.send(request(4, {1}, 0, kTurnsStop)));
  EXPECT_EQ(other.receive(), TAKT_ERROR_STOPPED);
  EXPECT_EQ(client.receive(), TAKT_OK);
}

// Requests that no thread had taken yet were no reason to end their connection.
TEST(ServiceTurns, RequestsThatWaitAreBuffersThatMayEndTheirConnection) {
  constexpr std::size_t kBytes = 9u << 19u;
  constexpr std::size_t kArrivalBytes = 8u << 20u;  // a buffer doubles while a frame arrives
  constexpr std::size_t kRoomBytes = 10u << 20u;    // for one that waits or arrives, not for both
  auto const host = open_undivided_host(kRoomBytes);
  RawClient slow(host->doors()[0]);
  RawClient late(host->doors()[0]);
  RawClient busy(host->doors()[0]);
  for (RawClient* const client : {&slow, &late, &busy}) make(*client, 0);
  std::uint64_t const begun = host->counts().requests;
  ASSERT_TRUE(busy.send(step_request(kStepTicksMax)));  // and has the thread
  ASSERT_TRUE(wait_for([&] { return host->counts().requests == begun + 1; }));
  std::vector<std::byte> const frame = large_step(3, 1, kBytes);
  ASSERT_TRUE(slow.send(std::span(frame)));
  ASSERT_TRUE(wait_for([&] {  // it has arrived
    std::uint64_t const bytes = host->counts().buffer_bytes;
    return bytes > kBytes && bytes < kArrivalBytes;
  }));
  std::size_t const part_bytes = frame.size() - 1000;
  ASSERT_TRUE(late.send(std::span(frame).first(part_bytes)));
  EXPECT_EQ(slow.receive(), TAKT_ERROR_LIMIT);
  EXPECT_TRUE(wait_for([&] { return host->counts().clients == 2; }));
  EXPECT_TRUE(wait_for([&] { return host->counts().buffer_bytes <= kRoomBytes; }));
  EXPECT_EQ(host->counts().requests, begun + 1);
  // The other ones go on.
  ASSERT_TRUE(late.send(std::span(frame).subspan(part_bytes)));
  ASSERT_TRUE(late.send(request(4, {1}, 0, kTurnsStop)));
  ASSERT_TRUE(busy.send(request(4, {1}, 0, kTurnsStop)));
  EXPECT_EQ(busy.receive(), TAKT_ERROR_STOPPED);
  EXPECT_EQ(busy.receive(), TAKT_OK);
  EXPECT_EQ(late.receive(), TAKT_ERROR_STOPPED);
  EXPECT_EQ(late.receive(), TAKT_OK);
}

TEST(ServiceTurns, SpareThreadsEnd) {
  ServiceOptions options;
  options.spare_idle = std::chrono::milliseconds(50);
  options.clients_max = 5;
  auto const host = open_host(std::move(options));
  for (int round = 0; round < 3; ++round) {
    std::vector<std::unique_ptr<RawClient>> busy;
    for (int i = 0; i < 5; ++i) {
      busy.push_back(std::make_unique<RawClient>(host->doors()[0]));
      make(*busy.back(), 20);
      ASSERT_TRUE(busy.back()->send(step_request(kStepTicksMax)));
    }
    // All but the step in work wait, each with its thread.
    EXPECT_TRUE(wait_for([&] { return host->counts().threads >= 5; }));
    std::uint32_t most = 0;
    std::uint64_t const before = host->counts().turns_shared;
    EXPECT_TRUE(wait_for([&] {
      most = std::max(most, host->counts().threads);
      return host->counts().turns_shared > before + 20;
    }));
    EXPECT_LE(most, 6u);
    busy.clear();
    EXPECT_TRUE(wait_for([&] { return host->counts().worlds == 0 && host->counts().clients == 0; }));
    EXPECT_TRUE(wait_for([&] { return host->counts().threads == 1; }));
  }
}

TEST(ServiceTurns, SmallRequestsWaitForOneSliceOfEachLongStep) {
  auto const host = open_host({});  // one thread
  for (std::uint64_t const long_steps : {1u, 3u}) {
    std::vector<std::unique_ptr<RawClient>> busy;
    RawClient small(host->doors()[0]);
    make(small, 0);
    for (std::uint64_t i = 0; i < long_steps; ++i) {
      busy.push_back(std::make_unique<RawClient>(host->doors()[0]));
      make(*busy.back(), 500 / static_cast<std::uint32_t>(long_steps));
      std::uint64_t const before = host->counts().requests;
      ASSERT_TRUE(busy.back()->send(step_request(kStepTicksMax)));
      ASSERT_TRUE(wait_for([&] { return host->counts().requests > before; }));
    }
    constexpr std::uint64_t kRequests = 20;
    std::uint64_t const before = host->counts().turns_shared;
    for (std::uint64_t i = 0; i < kRequests; ++i) {
      ASSERT_TRUE(small.send(step_request(1)));
      ASSERT_EQ(small.receive(), TAKT_OK);
    }
    std::uint64_t const slices = host->counts().turns_shared - before;
    EXPECT_GE(slices, 1u);
    // Several long steps also share turns among themselves, as long as the client has sent nothing.
    if (long_steps == 1) {
      EXPECT_LE(slices, kRequests + 1);
    }
    EXPECT_EQ(host->counts().worlds, 1 + 500 / long_steps * long_steps);  // none has ended
    EXPECT_EQ(host->counts().steps_stopped, long_steps == 1 ? 0u : 1u);
    // Each client that leaves ends its step in its next turn, and so its worlds go.
    busy.clear();
    EXPECT_TRUE(wait_for([&] { return host->counts().worlds == 1; }));
    EXPECT_EQ(host->counts().steps_stopped, long_steps == 1 ? 1u : 4u);
    ASSERT_TRUE(small.send(step_request(1)));
    EXPECT_EQ(small.receive(), TAKT_OK);
  }
}

// Eight long steps take turns. Their ends come in reverse order of the turns, so each would wait for all that
// are left: 28 turns. An end that hurries waits for the slice in work, and for what passes before it arrives.
TEST(ServiceTurns, AnEndOfAStepDoesNotWaitForItsTurn) {
  for (bool const leaves : {false, true}) {
    ServiceOptions options;
    options.turn = std::chrono::milliseconds(50);
    auto const host = open_host(std::move(options));
    constexpr std::uint64_t kSteps = 8;
    std::vector<std::unique_ptr<RawClient>> busy;
    for (std::uint64_t i = 0; i < kSteps; ++i) {
      busy.push_back(std::make_unique<RawClient>(host->doors()[0]));
      make(*busy.back(), 3);
      ASSERT_TRUE(busy.back()->send(step_request(kStepTicksMax)));
    }
    std::uint64_t const begun = host->counts().turns_shared;
    ASSERT_TRUE(wait_for([&] { return host->counts().turns_shared > begun + 2 * kSteps; }));
    std::uint64_t turns = 0;
    for (std::uint64_t left = kSteps; left > 1; --left) {
      std::uint64_t const before = host->counts().turns_shared;
      if (!leaves) {
        ASSERT_TRUE(busy.back()->send(request(4, {1}, 0, kTurnsStop)));
        EXPECT_EQ(busy.back()->receive(), TAKT_ERROR_STOPPED);
        EXPECT_EQ(busy.back()->receive(), TAKT_OK);  // of Stop, in the same turn
        turns += host->counts().turns_shared - before;
      }
      std::uint32_t const worlds = host->counts().worlds;
      busy.pop_back();
      ASSERT_TRUE(wait_for([&] { return host->counts().worlds < worlds; }));
      if (leaves) turns += host->counts().turns_shared - before;
    }
    EXPECT_LE(turns, 2 * (kSteps - 1)) << (leaves ? "leaves" : "stops");
    EXPECT_EQ(host->counts().steps_stopped, kSteps - 1);
  }
}

// So many other steps wait that a stop at their end would take more turns than expected below.
constexpr std::uint64_t kOthers = 8;

std::vector<std::unique_ptr<RawClient>> make_others(const ServiceHost& host) {
  std::vector<std::unique_ptr<RawClient>> others;
  for (std::uint64_t i = 0; i < kOthers; ++i) {
    others.push_back(std::make_unique<RawClient>(host.doors()[0]));
    make(*others.back(), 3);
  }
  return others;
}

// Ends the step of a client that waits for its turn, and returns how many turns that took.
std::uint64_t turns_of_stop(RawClient& client, const ServiceHost& host, std::uint64_t id) {
  std::uint64_t const before = host.counts().turns_shared;
  EXPECT_TRUE(client.send(request(id, {1}, 0, kTurnsStop)));
  EXPECT_EQ(client.receive(), TAKT_ERROR_STOPPED);
  EXPECT_EQ(client.receive(), TAKT_OK);
  return host.counts().turns_shared - before;
}

// The stop of a step in its turn, which has no place in the queue, used up the place of the next one.
TEST(ServiceTurns, AStopWithinATurnLeavesTheNextOneItsPlace) {
  ServiceOptions options;
  options.turn = std::chrono::milliseconds(100);
  auto const host = open_host(std::move(options));
  RawClient client(host->doors()[0]);
  make(client, 3);
  auto const others = make_others(*host);
  std::uint64_t const begun = host->counts().requests;
  ASSERT_TRUE(client.send(step_request(kStepTicksMax)));
  ASSERT_TRUE(wait_for([&] { return host->counts().requests == begun + 1; }));
  std::vector<std::byte> frames;  // the second step has the rest of the turn
  RawClient::append(request(4, {1}, 0, kTurnsStop), frames);
  RawClient::append(request(5, {1}, 0, [](auto& b) { return wire::CreateStep(b, kStepTicksMax); }), frames);
  ASSERT_TRUE(client.send(std::span<const std::byte>(frames)));
  EXPECT_EQ(client.receive(), TAKT_ERROR_STOPPED);
  EXPECT_EQ(client.receive(), TAKT_OK);
  ASSERT_EQ(host->counts().turns_shared, 0u);
  for (auto const& other : others) ASSERT_TRUE(other->send(step_request(kStepTicksMax)));
  ASSERT_TRUE(wait_for([&] { return host->counts().turns_shared >= 1; }));  // the client waits
  EXPECT_LE(turns_of_stop(client, *host, 6), kOthers / 2);
}

// All threads of the step wait: those with a world for the turn, and one without for the end of the others.
TEST(ServiceTurns, StopEndsABatchWhoseThreadsWaitForTheirTurn) {
  for (bool const has_empty_world : {false, true}) {
    ServiceOptions options;
    options.limits.threads = 2;
    options.turn = std::chrono::milliseconds(300);
    auto const host = open_host(std::move(options));
    RawClient batch(host->doors()[0]);
    std::string const scene = turns_pile(200);
    make_pair(batch, scene);
    if (has_empty_world) empty_world(batch, scene, 0);
    RawClient second(host->doors()[0]);
    make(second, 3);
    auto const others = make_others(*host);
    for (RawClient* const client : {&batch, &second}) {
      std::uint64_t const begun = host->counts().requests;
      ASSERT_TRUE(client->send(step_request(kStepTicksMax)));
      ASSERT_TRUE(wait_for([&] { return host->counts().requests == begun + 1; }));
    }
    for (auto const& other : others) ASSERT_TRUE(other->send(step_request(kStepTicksMax)));
    ASSERT_TRUE(wait_for([&] { return host->counts().turns_shared >= 2; }));  // both wait
    EXPECT_LE(turns_of_stop(batch, *host, 4), kOthers / 2);
    EXPECT_EQ(host->counts().steps_stopped, 1u);
    // The batch is as usable as before. Its next step is of ticks, not of minutes.
    ASSERT_TRUE(batch.send(step_request(1)));
    EXPECT_EQ(batch.receive(), TAKT_OK);
    ASSERT_TRUE(batch.send(request(6, {1}, 0, [](auto& b) { return wire::CreateDestroy(b); })));
    EXPECT_EQ(batch.receive(), TAKT_OK);
    EXPECT_EQ(host->counts().worlds, 3 * (1 + kOthers));
  }
}

TEST(ServiceTurns, SlicesChangeNoBit) {
  auto const host = open_host({});
  constexpr std::uint32_t kWorlds = 5;
  constexpr std::uint32_t kTicks = 300;
  takt_world* const here = make_world(TAKT_NUMBERS_FLOAT, 1, turns_pile());
  ASSERT_EQ(takt_world_step(here, kTicks), TAKT_OK);
  takt_service* const service = connect(host->doors()[0]);
  takt_scene* const scene = load(turns_pile());
  auto options = sized<takt_batch_options>();
  options.world_count = kWorlds;
  takt_batch* batch = nullptr;
  ASSERT_EQ(takt_service_batch(service, scene, &options, &batch), TAKT_OK) << takt_last_error();
  RawClient small(host->doors()[0]);
  make(small, 0);
  std::atomic<bool> is_done{false};
  std::thread stepping([&] {
    EXPECT_EQ(takt_batch_step(batch, kTicks, nullptr), TAKT_OK) << takt_last_error();
    is_done = true;
  });
  while (!is_done) {
    EXPECT_TRUE(small.send(step_request(1)));
    EXPECT_EQ(small.receive(), TAKT_OK);
  }
  stepping.join();
  EXPECT_GE(host->counts().turns_shared, 1u);
  std::vector<std::uint64_t> hashes(kWorlds);
  ASSERT_EQ(takt_batch_hashes(batch, hashes.data()), TAKT_OK);
  EXPECT_EQ(hashes, std::vector<std::uint64_t>(kWorlds, hash_of(here)));
  std::size_t expected = 0;
  ASSERT_EQ(takt_world_events(here, nullptr, 0, &expected), TAKT_OK);
  for (std::size_t i = 0; i < kWorlds; ++i) {  // of all ticks, not of the last slice
    takt_world* world = nullptr;
    std::size_t count = 0;
    ASSERT_EQ(takt_batch_world(batch, i, &world), TAKT_OK);
    ASSERT_EQ(takt_world_events(world, nullptr, 0, &count), TAKT_OK);
    EXPECT_EQ(count, expected);
  }
  EXPECT_EQ(takt_batch_destroy(batch), TAKT_OK);
  EXPECT_EQ(takt_scene_destroy(scene), TAKT_OK);
  EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
  EXPECT_EQ(takt_world_destroy(here), TAKT_OK);
}

TEST(ServiceTurns, TheServiceEndsWithStepsThatWaitForTheirTurn) {
  auto host = open_host({});
  std::vector<std::unique_ptr<RawClient>> busy;
  for (int i = 0; i < 3; ++i) {
    busy.push_back(std::make_unique<RawClient>(host->doors()[0]));
    make(*busy.back(), 20);
    ASSERT_TRUE(busy.back()->send(step_request(kStepTicksMax)));
  }
  EXPECT_TRUE(wait_for([&] { return host->counts().turns_shared > 6; }));
  host.reset();  // joins all threads
  for (auto const& client : busy) (void)client->receive();
}

}  // namespace
}  // namespace takt::service::test
