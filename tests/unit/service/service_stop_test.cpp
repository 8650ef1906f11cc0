// Ends of long steps: by requests, by clients that leave, by the service, and by a function of the client.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/service/host_clients.h"

namespace takt::service::test {
namespace {

// A batch of 4,000 worlds steps 100,000 ticks: minutes.
void begin_long_step(RawClient& client) {
  client.greet();
  EXPECT_TRUE(client.send(request(2, {}, 0, [](auto& b) {
    auto const scene =
        b.CreateVector(reinterpret_cast<const std::uint8_t*>(kTwoBoxes.data()), kTwoBoxes.size());
    return wire::CreateNewWorlds(b, scene, 0, 0, 1, 0, 4000);
  })));
  EXPECT_EQ(client.receive(), TAKT_OK);
  EXPECT_TRUE(client.send(request(3, {1}, 0, [](auto& b) { return wire::CreateStep(b, kStepTicksMax); })));
}

TEST(ServiceStop, ALongStepEndsWithItsClientAndWithTheService) {
  auto host = open_host({});
  {
    RawClient leaves(host->doors()[0]);
    begin_long_step(leaves);
    EXPECT_TRUE(wait_for([&] { return host->counts().requests == 2; }));
  }
  EXPECT_TRUE(wait_for([&] { return host->counts().worlds == 0; }));
  RawClient stays(host->doors()[0]);
  begin_long_step(stays);
  EXPECT_TRUE(wait_for([&] { return host->counts().requests == 4; }));
  auto const before = std::chrono::steady_clock::now();
  host.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(20));
}

// A pile of 200 boxes that never sleep: 100,000 ticks take minutes.
std::string pile() {
  std::string text = R"({ "title": "Pile", "world": { "allow_sleep": false }, "bodies": [
    { "name": "ground", "type": "static", "shapes": [{ "half_space": {} }] })";
  for (int i = 0; i < 200; ++i)
    text += ", { \"position\": [" + std::to_string(0.3 * (i % 5)) + ", " + std::to_string(0.5 + i / 4) +
            ", " + std::to_string(0.2 * (i % 7)) + "], \"shapes\": [{ \"box\": {} }] }";
  return text + "] }";
}

std::vector<std::uint64_t> new_worlds(std::uint64_t id, std::string_view scene, std::uint32_t worlds = 0) {
  return request(id, {}, 0, [&](auto& b) {
    auto const bytes = b.CreateVector(reinterpret_cast<const std::uint8_t*>(scene.data()), scene.size());
    return wire::CreateNewWorlds(b, bytes, 0, 0, 1, 0, worlds);
  });
}

constexpr auto kLongStep = [](auto& b) { return wire::CreateStep(b, kStepTicksMax); };
constexpr auto kStop = [](auto& b) { return wire::CreateStop(b); };
constexpr auto kDestroy = [](auto& b) { return wire::CreateDestroy(b); };

// Has the world 1, whose long step is computed.
void begin_long_step_of_a_world(RawClient& client, const ServiceHost& host) {
  client.greet();
  std::uint64_t const before = host.counts().requests;
  EXPECT_TRUE(client.send(new_worlds(2, pile())));
  EXPECT_EQ(client.receive(), TAKT_OK);
  EXPECT_TRUE(client.send(request(3, {1}, 0, kLongStep)));
  EXPECT_TRUE(wait_for([&] { return host.counts().requests == before + 2; }));
}

TEST(ServiceStop, StopEndsAStepOfItsWorldAlone) {
  auto const host = open_host({});
  RawClient client(host->doors()[0]);
  begin_long_step_of_a_world(client, *host);
  EXPECT_TRUE(client.send(request(4, {2}, 0, kStop)));  // of another handle
  EXPECT_TRUE(client.send(request(5, {1}, 0, kStop)));
  std::uint64_t id = 0;
  EXPECT_EQ(client.receive(&id), TAKT_ERROR_STOPPED);
  EXPECT_EQ(id, 3u);
  EXPECT_EQ(client.receive(&id), TAKT_ERROR_HANDLE);
  EXPECT_EQ(id, 4u);
  EXPECT_EQ(client.receive(&id), TAKT_OK);
  EXPECT_EQ(id, 5u);
  EXPECT_TRUE(client.send(request(6, {1}, 0, [](auto& b) { return wire::CreateStep(b, 1); })));
  EXPECT_EQ(client.receive(), TAKT_OK);
  // A later step does not know the request of an earlier one.
  EXPECT_TRUE(client.send(request(7, {1}, 0, [](auto& b) { return wire::CreateStep(b, 200); })));
  EXPECT_EQ(client.receive(), TAKT_OK);
  // A step that nobody stops is whole, also with a stop of another handle behind it.
  std::vector<std::byte> frames;
  RawClient::append(request(8, {1}, 0, [](auto& b) { return wire::CreateStep(b, 200); }), frames);
  RawClient::append(request(9, {9}, 0, kStop), frames);
  EXPECT_TRUE(client.send(std::span<const std::byte>(frames)));
  EXPECT_EQ(client.receive(), TAKT_OK);
  EXPECT_EQ(client.receive(), TAKT_ERROR_HANDLE);
}

TEST(ServiceStop, DestroyDoesNotWaitForAStep) {
  auto const host = open_host({});
  RawClient late(host->doors()[0]);
  begin_long_step_of_a_world(late, *host);
  EXPECT_TRUE(late.send(request(4, {1}, 0, kDestroy)));
  EXPECT_EQ(late.receive(), TAKT_ERROR_STOPPED);
  EXPECT_EQ(late.receive(), TAKT_OK);
  EXPECT_EQ(host->counts().worlds, 0u);
  // All of it in one packet; the batch has one world a tick behind the others, or none.
  for (std::uint32_t const worlds : {0u, 3u}) {
    RawClient early(host->doors()[0]);
    early.greet();
    std::vector<std::byte> frames;
    RawClient::append(new_worlds(2, pile(), worlds), frames);
    RawClient::append(request(3, {1}, 0, kLongStep), frames);
    RawClient::append(request(4, {1}, 0, kDestroy), frames);
    EXPECT_TRUE(early.send(std::span<const std::byte>(frames)));
    EXPECT_EQ(early.receive(), TAKT_OK);
    EXPECT_EQ(early.receive(), TAKT_ERROR_STOPPED);
    EXPECT_EQ(early.receive(), TAKT_OK);
    EXPECT_EQ(host->counts().worlds, 0u);
  }
}

TEST(ServiceStop, ALongStepOfAWorldEndsWithItsClientAndWithTheService) {
  auto host = open_host({});
  {
    RawClient leaves(host->doors()[0]);
    begin_long_step_of_a_world(leaves, *host);
  }
  EXPECT_TRUE(wait_for([&] { return host->counts().worlds == 0; }));
  RawClient stays(host->doors()[0]);
  begin_long_step_of_a_world(stays, *host);
  auto const before = std::chrono::steady_clock::now();
  host.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(20));
}

// Ends the call once it was called `after` times.
struct Stopper {
  int after = 0;
  int calls = 0;
  static std::uint32_t look(void* context) {
    auto& stopper = *static_cast<Stopper*>(context);
    return ++stopper.calls > stopper.after ? 1 : 0;
  }
};

TEST(ServiceStop, AFunctionOfTheClientEndsAWaitingStep) {
  auto const host = open_host({});
  std::string const scene_text = pile();
  takt_scene* scene = nullptr;
  ASSERT_EQ(takt_scene_parse(scene_text.data(), scene_text.size(), "pile", 4, &scene), TAKT_OK);
  for (const Door& door : host->doors()) {
    takt_service* const service = connect(door);
    takt_world* world = nullptr;
    ASSERT_EQ(takt_service_world(service, scene, nullptr, &world), TAKT_OK) << takt_last_error();
    takt_view const positions = takt::test::view_of(world, TAKT_POSITIONS);
    Stopper stopper{.after = 1};
    ASSERT_EQ(takt_service_set_stop(service, &Stopper::look, &stopper), TAKT_OK);
    EXPECT_EQ(takt_world_step(world, kStepTicksMax), TAKT_ERROR_STOPPED);
    EXPECT_TRUE(std::string_view(takt_last_error()).starts_with("takt_world_step: the step was stopped"))
        << takt_last_error();
    EXPECT_EQ(stopper.calls, 2);
    ASSERT_EQ(takt_service_set_stop(service, nullptr, nullptr), TAKT_OK);
    auto info = sized<takt_world_info>();
    ASSERT_EQ(takt_world_get_info(world, &info), TAKT_OK) << takt_last_error();
    EXPECT_GT(info.tick, 0u);
    EXPECT_LT(info.tick, kStepTicksMax);
    takt_world* here = nullptr;
    ASSERT_EQ(takt_world_create(scene, nullptr, &here), TAKT_OK);
    ASSERT_EQ(takt_world_step(here, static_cast<std::uint32_t>(info.tick)), TAKT_OK);
    EXPECT_EQ(hash_of(here), hash_of(world));
    takt_view const expected = takt::test::view_of(here, TAKT_POSITIONS);
    EXPECT_EQ(std::memcmp(positions.data, expected.data, expected.shape[0] * 24), 0);
    EXPECT_EQ(takt_world_step(world, 1), TAKT_OK) << takt_last_error();
    EXPECT_EQ(takt_world_destroy(here), TAKT_OK);
    EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
    EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
  }
  EXPECT_EQ(takt_scene_destroy(scene), TAKT_OK);
}

TEST(ServiceStop, AStoppedCallThatIsNoStepLeavesNothingBehind) {
  auto const host = open_host({});
  takt_service* const service = connect(host->doors()[0]);
  takt_world* const world = remote_world(service);
  takt_world* const other = remote_world(service);
  RawClient busy(host->doors()[0]);  // has the thread
  begin_long_step_of_a_world(busy, *host);
  std::thread frees([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    EXPECT_TRUE(busy.send(request(4, {1}, 0, kDestroy)));
  });
  Stopper stopper;
  ASSERT_EQ(
      takt_service_set_stop(
          service, [](void* context) { return std::uint32_t{static_cast<Stopper*>(context)->calls++ == 0}; },
          &stopper),
      TAKT_OK);
  takt_world* fork = nullptr;
  EXPECT_EQ(takt_world_fork(world, &fork), TAKT_ERROR_STOPPED);
  EXPECT_EQ(fork, nullptr);
  frees.join();
  EXPECT_EQ(takt_world_step(other, 1), TAKT_OK) << takt_last_error();
  EXPECT_EQ(host->counts().worlds, 2u);
  EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
  EXPECT_EQ(takt_world_destroy(other), TAKT_OK);
  EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
}

TEST(ServiceStop, ASecondStopEndsTheConnection) {
  auto const host = open_host({});
  takt_service* const service = connect(host->doors()[0]);
  takt_world* const world = remote_world(service);
  RawClient busy(host->doors()[0]);  // has the thread
  begin_long_step_of_a_world(busy, *host);
  Stopper stopper;
  ASSERT_EQ(takt_service_set_stop(service, &Stopper::look, &stopper), TAKT_OK);
  EXPECT_EQ(takt_world_step(world, 1), TAKT_ERROR_REMOTE);
  EXPECT_NE(std::string_view(takt_last_error()).find("stopped twice"), std::string_view::npos)
      << takt_last_error();
  EXPECT_EQ(stopper.calls, 2);
  EXPECT_EQ(takt_world_step(world, 1), TAKT_ERROR_REMOTE);
  EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
  EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
}

}  // namespace
}  // namespace takt::service::test
