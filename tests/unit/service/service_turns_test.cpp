// Turns of connections that share one thread of the service. Waits are counted in slices of long steps.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/unit/service/host_clients.h"

namespace takt::service::test {
namespace {

// 60 boxes that never sleep: a tick takes tens of microseconds, and 100,000 of 500 worlds take hours.
std::string pile() {
  std::string text = R"({ "title": "Pile", "world": { "allow_sleep": false }, "bodies": [
    { "name": "ground", "type": "static", "shapes": [{ "half_space": {} }] })";
  for (int i = 0; i < 60; ++i)
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

std::vector<std::uint64_t> step(std::uint32_t ticks) {
  return request(3, {1}, 0, [&](auto& b) { return wire::CreateStep(b, ticks); });
}

void make(RawClient& client, std::uint32_t worlds) {
  client.greet();
  ASSERT_TRUE(client.send(new_worlds(pile(), worlds)));
  ASSERT_EQ(client.receive(), TAKT_OK);
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
      ASSERT_TRUE(busy.back()->send(step(kStepTicksMax)));
      ASSERT_TRUE(wait_for([&] { return host->counts().requests > before; }));
    }
    constexpr std::uint64_t kRequests = 20;
    std::uint64_t const before = host->counts().turns_shared;
    for (std::uint64_t i = 0; i < kRequests; ++i) {
      ASSERT_TRUE(small.send(step(1)));
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
    ASSERT_TRUE(small.send(step(1)));
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
      ASSERT_TRUE(busy.back()->send(step(kStepTicksMax)));
    }
    std::uint64_t const begun = host->counts().turns_shared;
    ASSERT_TRUE(wait_for([&] { return host->counts().turns_shared > begun + 2 * kSteps; }));
    std::uint64_t turns = 0;
    for (std::uint64_t left = kSteps; left > 1; --left) {
      std::uint64_t const before = host->counts().turns_shared;
      if (!leaves) {
        ASSERT_TRUE(busy.back()->send(request(4, {1}, 0, [](auto& b) { return wire::CreateStop(b); })));
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

TEST(ServiceTurns, SlicesChangeNoBit) {
  auto const host = open_host({});
  constexpr std::uint32_t kWorlds = 5;
  constexpr std::uint32_t kTicks = 300;
  takt_world* const here = make_world(TAKT_NUMBERS_FLOAT, 1, pile());
  ASSERT_EQ(takt_world_step(here, kTicks), TAKT_OK);
  takt_service* const service = connect(host->doors()[0]);
  takt_scene* const scene = load(pile());
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
    EXPECT_TRUE(small.send(step(1)));
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
    ASSERT_TRUE(busy.back()->send(step(kStepTicksMax)));
  }
  EXPECT_TRUE(wait_for([&] { return host->counts().turns_shared > 6; }));
  host.reset();  // joins all threads
  for (auto const& client : busy) (void)client->receive();
}

}  // namespace
}  // namespace takt::service::test
