// Worlds of lost connections: keys, leases and takeovers.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstring>
#include <string>

#include "service/client/service_client.h"
#include "tests/unit/service/host_clients.h"

namespace takt::service::test {
namespace {

using KeyBytes = std::array<std::uint8_t, TAKT_KEY_BYTES>;

std::unique_ptr<ServiceHost> open_host_with_leases(std::uint32_t seconds = 60) {
  ServiceOptions options;
  options.lease_s = seconds;
  return open_host(std::move(options));
}

KeyBytes key_of(takt_world* world) {
  KeyBytes key{};
  EXPECT_EQ(takt_world_key(world, key.data()), TAKT_OK) << takt_last_error();
  return key;
}

// A world of another connection, which has stepped `ticks` and is lost with its handle.
KeyBytes leave_world(const ServiceHost& host, std::uint32_t ticks) {
  std::uint32_t const others = host.counts().clients;
  auto client = ServiceClient::connect(text_of(host.doors()[0]), {});
  EXPECT_TRUE(client.ok());
  ServiceClient& c = **client;
  EXPECT_EQ(c.call({}, 0,
                   [](auto& b) {
                     return wire::CreateNewWorlds(
                         b, b.CreateVector(reinterpret_cast<const std::uint8_t*>(kTwoBoxes.data()),
                                           kTwoBoxes.size()));
                   })
                .status,
            TAKT_OK);
  EXPECT_EQ(c.call({1}, 0, [&](auto& b) { return wire::CreateStep(b, ticks); }).status, TAKT_OK);
  KeyBytes key{};
  {
    auto const answer = c.call({1}, 0, [](auto& b) { return wire::CreateKey(b); });
    EXPECT_EQ(answer.status, TAKT_OK) << answer.text;
    std::memcpy(key.data(), answer.reply->bytes()->data(), key.size());
  }
  client->reset();
  EXPECT_TRUE(wait_for([&] { return host.counts().clients == others; }));
  return key;
}

TEST(ServiceLease, AWorldGoesOnWithTheHashOfOneThatWasNeverLost) {
  auto const host = open_host_with_leases();
  KeyBytes const key = leave_world(*host, 30);
  for (const Door& door : host->doors()) {
    takt_service* const service = connect(door);
    takt_world* world = nullptr;
    ASSERT_EQ(takt_service_attach_world(service, key.data(), &world), TAKT_OK) << takt_last_error();
    EXPECT_EQ(key_of(world), key);
    takt_world* const here = make_world(TAKT_NUMBERS_FLOAT, 1, kTwoBoxes);
    ASSERT_EQ(takt_world_step(here, door.is_unix() ? 30 : 40), TAKT_OK);
    EXPECT_EQ(hash_of(world), hash_of(here));
    ASSERT_EQ(takt_world_step(here, 10), TAKT_OK);
    ASSERT_EQ(takt_world_step(world, 10), TAKT_OK);
    EXPECT_EQ(hash_of(world), hash_of(here));
    EXPECT_EQ(host->counts().worlds, 1u);
    EXPECT_EQ(takt_world_destroy(here), TAKT_OK);
    if (door.is_unix()) continue;  // its connection still has the world, and its handles stay with the test
    EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
    EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
  }
  EXPECT_EQ(host->counts().worlds, 0u);
}

TEST(ServiceLease, ABatchMovesWithItsWorldsAndOnlyAsABatch) {
  auto const host = open_host_with_leases();
  takt_service* const first = connect(host->doors()[0]);
  takt_service* const second = connect(host->doors()[1]);
  takt_batch* const batch = remote_batch(first, 3);
  takt_world* member = nullptr;
  ASSERT_EQ(takt_batch_world(batch, 1, &member), TAKT_OK);
  KeyBytes key{};
  EXPECT_EQ(takt_world_key(member, key.data()), TAKT_ERROR_BORROWED);
  ASSERT_EQ(takt_batch_key(batch, key.data()), TAKT_OK);
  ASSERT_EQ(takt_batch_step(batch, 7, nullptr), TAKT_OK);
  std::array<std::uint64_t, 3> before{};
  ASSERT_EQ(takt_batch_hashes(batch, before.data()), TAKT_OK);
  takt_world* world = nullptr;
  EXPECT_EQ(takt_service_attach_world(second, key.data(), &world), TAKT_ERROR_MISMATCH);
  takt_batch* own = nullptr;
  EXPECT_EQ(takt_service_attach_batch(first, key.data(), &own), TAKT_ERROR_BORROWED);
  ASSERT_EQ(takt_service_attach_batch(second, key.data(), &own), TAKT_OK) << takt_last_error();
  std::array<std::uint64_t, 3> after{};
  ASSERT_EQ(takt_batch_hashes(own, after.data()), TAKT_OK);
  EXPECT_EQ(before, after);
  // The connection that had it has ended.
  EXPECT_EQ(takt_batch_step(batch, 1, nullptr), TAKT_ERROR_REMOTE);
  EXPECT_EQ(takt_batch_destroy(batch), TAKT_OK);
  EXPECT_EQ(takt_batch_destroy(own), TAKT_OK);
  EXPECT_EQ(takt_service_attach_batch(second, key.data(), &own), TAKT_ERROR_HANDLE);
  EXPECT_EQ(takt_service_destroy(first), TAKT_OK);
  EXPECT_EQ(takt_service_destroy(second), TAKT_OK);
}

TEST(ServiceLease, EachBitOfAKeyCounts) {
  auto const host = open_host_with_leases();
  KeyBytes const key = leave_world(*host, 1);
  takt_service* const service = connect(host->doors()[0]);
  takt_world* world = nullptr;
  for (std::size_t bit = 0; bit < 8 * key.size(); ++bit) {
    KeyBytes wrong = key;
    wrong[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
    EXPECT_EQ(takt_service_attach_world(service, wrong.data(), &world), TAKT_ERROR_HANDLE) << bit;
  }
  EXPECT_EQ(takt_service_attach_world(service, nullptr, &world), TAKT_ERROR_NULL);
  ASSERT_EQ(takt_service_attach_world(service, key.data(), &world), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
  EXPECT_NE(leave_world(*host, 1), key);
  EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
}

TEST(ServiceLease, TheEndOfALeaseIsTheEndOfItsKeys) {
  auto const host = open_host_with_leases(1);
  KeyBytes const key = leave_world(*host, 1);
  takt_service* const service = connect(host->doors()[0]);
  EXPECT_TRUE(wait_for([&] { return host->counts().worlds == 0; }));
  takt_world* world = nullptr;
  EXPECT_EQ(takt_service_attach_world(service, key.data(), &world), TAKT_ERROR_HANDLE);
  EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
}

TEST(ServiceLease, WithoutLeasesNothingHasAKey) {
  auto const host = open_host({});
  takt_service* const service = connect(host->doors()[0]);
  takt_world* const world = remote_world(service);
  takt_world* const here = make_world();
  KeyBytes key{};
  EXPECT_EQ(takt_world_key(world, key.data()), TAKT_ERROR_UNSUPPORTED);
  EXPECT_NE(std::string_view(takt_last_error()).find("--idle-lease"), std::string_view::npos);
  EXPECT_EQ(takt_world_key(here, key.data()), TAKT_ERROR_UNSUPPORTED);
  takt_world* attached = nullptr;
  EXPECT_EQ(takt_service_attach_world(service, key.data(), &attached), TAKT_ERROR_UNSUPPORTED);
  EXPECT_EQ(takt_world_destroy(here), TAKT_OK);
  EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
  EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
}

// The old connection computes a long step when the new one takes its world.
TEST(ServiceLease, ATakeoverStopsAStep) {
  ServiceOptions options;
  options.lease_s = 60;
  options.limits.threads = 2;
  auto const host = open_host(std::move(options));
  RawClient old(host->doors()[0]);
  old.greet();
  std::string scene = R"({ "title": "Grid", "world": { "allow_sleep": false }, "bodies": [
    { "type": "static", "shapes": [{ "half_space": {} }] })";
  for (int i = 0; i < 150; ++i)
    scene += ", { \"position\": [" + std::to_string(2 * i) + ", 0.5, 0], \"shapes\": [{ \"box\": {} }] }";
  scene += "] }";
  EXPECT_TRUE(old.send(request(2, {}, 0, [&](auto& b) {
    auto const bytes = b.CreateVector(reinterpret_cast<const std::uint8_t*>(scene.data()), scene.size());
    return wire::CreateNewWorlds(b, bytes);
  })));
  EXPECT_EQ(old.receive(), TAKT_OK);
  EXPECT_TRUE(old.send(request(3, {1}, 0, [](auto& b) { return wire::CreateKey(b); })));
  Key secret{};
  EXPECT_EQ(old.receive(nullptr, &secret), TAKT_OK);
  KeyBytes key{};
  std::memcpy(key.data(), secret.data(), key.size());
  EXPECT_TRUE(old.send(request(4, {1}, 0, [](auto& b) { return wire::CreateStep(b, kStepTicksMax); })));
  EXPECT_TRUE(wait_for([&] { return host->counts().requests == 3; }));
  takt_service* const service = connect(host->doors()[0]);
  takt_world* world = nullptr;
  ASSERT_EQ(takt_service_attach_world(service, key.data(), &world), TAKT_OK) << takt_last_error();
  auto info = sized<takt_world_info>();
  ASSERT_EQ(takt_world_get_info(world, &info), TAKT_OK);
  EXPECT_LT(info.tick, kStepTicksMax);
  EXPECT_EQ(takt_world_step(world, 1), TAKT_OK);
  EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
  EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
}

}  // namespace
}  // namespace takt::service::test
