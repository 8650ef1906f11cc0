// A service with its sockets, and clients through takt.h, in one process.
#include "service/service_host.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <thread>

#include "service/client/service_client.h"
#include "tests/sanitizers.h"
#include "tests/unit/service/host_clients.h"

namespace takt::service::test {
namespace {

TEST(ServiceHost, EveryEditGivesTheHashOfAWorldInThisProcess) {
  auto const host = open_host({});
  for (std::uint32_t const numbers : {TAKT_NUMBERS_FLOAT, TAKT_NUMBERS_FIXED}) {
    takt_world* const here = make_world(numbers);
    run_every_edit(here);
    for (const Door& door : host->doors()) {
      takt_service* const service = connect(door);
      takt_world* const there = remote_world(service, numbers);
      run_every_edit(there);
      EXPECT_EQ(hash_of(there), hash_of(here)) << text_of(door);
      EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
      EXPECT_EQ(takt_world_step(there, 1), TAKT_OK);  // the world keeps the connection
      EXPECT_EQ(takt_world_destroy(there), TAKT_OK);
    }
    EXPECT_EQ(takt_world_destroy(here), TAKT_OK);
  }
  EXPECT_TRUE(wait_for([&] { return host->counts().clients == 0; }));
  EXPECT_EQ(host->counts().worlds, 0u);
}

TEST(ServiceHost, ArraysOfABatchAndOfItsWorldsStayFresh) {
  auto const host = open_host({});
  takt_service* const service = connect(host->doors()[0]);
  takt_batch* const batch = remote_batch(service, 3);
  takt_world* second = nullptr;
  ASSERT_EQ(takt_batch_world(batch, 1, &second), TAKT_OK);
  EXPECT_EQ(takt_world_destroy(second), TAKT_ERROR_BORROWED);
  auto all = sized<takt_view>();
  ASSERT_EQ(takt_batch_array(batch, TAKT_POSITIONS, &all, nullptr), TAKT_OK);
  ASSERT_EQ(all.dimensions, 3u);
  takt_view const one = takt::test::view_of(second, TAKT_POSITIONS);
  auto const height_in = [](const takt_view& view, std::size_t world) {
    std::size_t const rows = view.shape[view.dimensions - 2];
    return static_cast<const double*>(view.data)[(world * rows + 1) * 3 + 1];
  };
  std::uint64_t const box = takt::test::body_of(second, "box");
  double const up[3] = {0, 9, 0};
  ASSERT_EQ(takt_world_teleport(second, box, up, nullptr, nullptr, nullptr), TAKT_OK) << takt_last_error();
  EXPECT_EQ(height_in(one, 0), 9);
  EXPECT_EQ(height_in(all, 1), 9);
  EXPECT_NE(height_in(all, 0), 9);
  ASSERT_EQ(takt_batch_step(batch, 1, nullptr), TAKT_OK);
  EXPECT_LT(height_in(one, 0), 9);
  EXPECT_EQ(height_in(one, 0), height_in(all, 1));
  // The edit of the first world succeeds, that of the second fails.
  std::uint64_t const bodies[3] = {box, 0xdead, box};
  double const places[9] = {0, 20, 0, 0, 20, 0, 0, 20, 0};
  EXPECT_NE(takt_batch_teleport(batch, bodies, places, nullptr, nullptr, nullptr, nullptr), TAKT_OK);
  EXPECT_TRUE(std::string_view(takt_last_error()).starts_with("takt_batch_teleport: ")) << takt_last_error();
  EXPECT_EQ(height_in(all, 0), 20);
  EXPECT_LT(height_in(all, 2), 20);
  EXPECT_EQ(takt_batch_destroy(batch), TAKT_OK);
  EXPECT_EQ(takt_world_step(second, 1), TAKT_ERROR_HANDLE);
  EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
}

TEST(ServiceHost, SnapshotsAndImagesBelongToTheirSide) {
  auto const host = open_host({});
  takt_service* const service = connect(host->doors()[0]);
  takt_service* const other = connect(host->doors()[0]);
  takt_world* const there = remote_world(service);
  takt_world* const elsewhere = remote_world(other);
  takt_world* const here = make_world();
  takt_snapshot* remote = nullptr;
  takt_snapshot* local = nullptr;
  ASSERT_EQ(takt_world_capture(there, &remote), TAKT_OK);
  ASSERT_EQ(takt_world_capture(here, &local), TAKT_OK);
  EXPECT_EQ(takt_world_rollback(there, local), TAKT_ERROR_HANDLE);
  EXPECT_EQ(takt_world_rollback(here, remote), TAKT_ERROR_HANDLE);
  EXPECT_EQ(takt_world_rollback(elsewhere, remote), TAKT_ERROR_MISMATCH);
  ASSERT_EQ(takt_world_step(there, 9), TAKT_OK);
  const void* image = nullptr;
  std::size_t bytes = 0;
  ASSERT_EQ(takt_world_save(there, &image, &bytes), TAKT_OK);
  ASSERT_EQ(takt_world_restore(here, image, bytes), TAKT_OK) << takt_last_error();
  EXPECT_EQ(hash_of(here), hash_of(there));
  // An image of another scene is refused in all places with one text.
  takt_world* const strange = make_world(TAKT_NUMBERS_FLOAT, 1, kTwoBoxes);
  const void* foreign = nullptr;
  std::size_t foreign_bytes = 0;
  ASSERT_EQ(takt_world_save(strange, &foreign, &foreign_bytes), TAKT_OK);
  EXPECT_EQ(takt_world_restore(here, foreign, foreign_bytes), TAKT_ERROR_MISMATCH);
  std::string const text = takt_last_error();
  EXPECT_NE(text.find("of the scene"), std::string::npos) << text;
  for (const Door& door : host->doors()) {
    takt_service* const third = connect(door);
    takt_world* const world = remote_world(third);
    std::uint64_t const before = hash_of(world);
    EXPECT_EQ(takt_world_restore(world, foreign, foreign_bytes), TAKT_ERROR_MISMATCH);
    EXPECT_EQ(takt_last_error(), text) << text_of(door);
    EXPECT_EQ(hash_of(world), before);
    EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
    EXPECT_EQ(takt_service_destroy(third), TAKT_OK);
  }
  EXPECT_EQ(takt_world_destroy(strange), TAKT_OK);
  takt_world* copy = nullptr;
  ASSERT_EQ(takt_service_world_from_image(other, image, bytes, nullptr, nullptr, &copy), TAKT_OK);
  EXPECT_EQ(hash_of(copy), hash_of(here));
  for (takt_world* const world : {there, elsewhere, here, copy})
    EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
  EXPECT_EQ(takt_snapshot_destroy(remote), TAKT_OK);
  EXPECT_EQ(takt_snapshot_destroy(local), TAKT_OK);
  EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
  EXPECT_EQ(takt_service_destroy(other), TAKT_OK);
}

TEST(ServiceHost, SixteenRequestsMayBeOutstanding) {
  auto const host = open_host({});
  auto client = ServiceClient::connect(text_of(host->doors()[1]), {});
  ASSERT_TRUE(client.ok()) << client.error().text;
  ServiceClient& c = **client;
  auto const made = c.call({}, 0, [](auto& b) {
    return wire::CreateNewWorlds(
        b, b.CreateVector(reinterpret_cast<const std::uint8_t*>(kTwoBoxes.data()), kTwoBoxes.size()));
  });
  ASSERT_EQ(made.status, TAKT_OK) << made.text;
  Target const world{made.reply->handle()};
  for (int i = 0; i < 16; ++i)
    ASSERT_TRUE(c.submit(world, 1u << TAKT_POSITIONS, [](auto& b) { return wire::CreateStep(b, 1); }));
  ASSERT_TRUE(c.flush());
  takt_world* const here = make_world(TAKT_NUMBERS_FLOAT, 1, kTwoBoxes);
  takt_view const expected = takt::test::view_of(here, TAKT_POSITIONS);
  for (int i = 0; i < 16; ++i) {
    ServiceClient::Answer const answer = c.receive();
    ASSERT_EQ(answer.status, TAKT_OK) << answer.text;
    ASSERT_EQ(takt_world_step(here, 1), TAKT_OK);
    std::vector<std::uint64_t> words(9);
    std::memcpy(words.data(), expected.data, 72);
    EXPECT_TRUE(std::ranges::equal(*answer.reply->observation()->data(), words)) << i;
  }
  EXPECT_EQ(takt_world_destroy(here), TAKT_OK);
}

TEST(ServiceHost, AClientThatIsGoneFreesItsWorlds) {
  auto const host = open_host({});
  {
    takt_service* const service = connect(host->doors()[0]);
    takt_world* const kept = remote_world(service);
    RawClient gone(host->doors()[0]);
    gone.greet();
    for (std::uint64_t id = 2; id < 6; ++id) {
      EXPECT_TRUE(gone.send(request(id, {}, 0, [](auto& b) {
        return wire::CreateNewWorlds(
            b, b.CreateVector(reinterpret_cast<const std::uint8_t*>(kTwoBoxes.data()), kTwoBoxes.size()));
      })));
      EXPECT_EQ(gone.receive(), TAKT_OK);
    }
    EXPECT_EQ(host->counts().worlds, 5u);
    EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
    EXPECT_EQ(takt_world_destroy(kept), TAKT_OK);
  }
  EXPECT_TRUE(wait_for([&] { return host->counts().worlds == 0; })) << host->counts().worlds;
}

TEST(ServiceHost, ALeaseKeepsWorldsForItsSeconds) {
  ServiceOptions options;
  options.lease_s = 2;
  auto const host = open_host(options);
  auto const left = std::chrono::steady_clock::now();
  auto client = ServiceClient::connect(text_of(host->doors()[0]), {});
  ASSERT_TRUE(client.ok());
  EXPECT_EQ((*client)
                ->call({}, 0,
                       [](auto& b) {
                         return wire::CreateNewWorlds(
                             b, b.CreateVector(reinterpret_cast<const std::uint8_t*>(kTwoBoxes.data()),
                                               kTwoBoxes.size()));
                       })
                .status,
            TAKT_OK);
  client->reset();
  EXPECT_TRUE(wait_for([&] { return host->counts().clients == 0; }));
  EXPECT_TRUE(wait_for([&] { return host->counts().worlds == 0; }));
  EXPECT_GE(std::chrono::steady_clock::now() - left, std::chrono::seconds(2));
}

TEST(ServiceHost, ASlowReaderIsReadNoMoreAndHurtsNobody) {
  auto const host = open_host({});
  RawClient slow(host->doors()[0]);
  slow.greet();
  EXPECT_TRUE(slow.send(request(2, {}, 0, [](auto& b) {
    auto const scene =
        b.CreateVector(reinterpret_cast<const std::uint8_t*>(kTwoBoxes.data()), kTwoBoxes.size());
    return wire::CreateNewWorlds(b, scene, 0, 0, 1, 0, 1000);
  })));
  EXPECT_EQ(slow.receive(), TAKT_OK);
  // Each reply has 72,000 bytes, which nobody reads.
  std::uint64_t sent = 0;
  while (sent < 100'000 && slow.offer(request(3 + sent, {1}, 1u << TAKT_POSITIONS,
                                              [](auto& b) { return wire::CreateObserve(b); })))
    ++sent;
  EXPECT_LT(sent, 100'000u);
  takt_service* const service = connect(host->doors()[0]);
  takt_world* const world = remote_world(service);
  for (int i = 0; i < 50; ++i) ASSERT_EQ(takt_world_step(world, 1), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
  EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
  // All replies come once it reads.
  for (std::uint64_t i = 0; i < sent; ++i) ASSERT_EQ(slow.receive(), TAKT_OK) << i << " of " << sent;
}

// Connections share the buffers of a thread, one after the other.
TEST(ServiceHost, RepliesOfAClientThatLeavesReachNobodyElse) {
  auto const host = open_host({});
  Door const door = host->doors()[0];
  std::atomic<bool> is_over = false;
  std::thread leaver([&] {
    std::vector<std::byte> frames;
    for (std::uint64_t id = 1'000'000; id < 1'000'200; ++id)
      RawClient::append(request(id, {1}, 0, [](auto& b) { return wire::CreateHash(b); }), frames);
    while (!is_over) {
      RawClient client(door);
      client.greet();
      EXPECT_TRUE(client.send(std::span<const std::byte>(frames)));
    }
  });
  RawClient stays(door);
  stays.greet();
  for (std::uint64_t id = 2; id < 3000; ++id) {
    ASSERT_TRUE(stays.send(request(id, {1}, 0, [](auto& b) { return wire::CreateHash(b); })));
    std::uint64_t replied = 0;
    EXPECT_EQ(stays.receive(&replied), TAKT_ERROR_HANDLE);
    EXPECT_EQ(replied, id);
    if (replied != id) break;
  }
  is_over = true;
  leaver.join();
}

// Bytes of a frame that never becomes whole.
std::vector<std::byte> part_of_a_frame(std::size_t bytes) {
  std::vector<std::byte> part(kFrameHeadBytes + bytes);
  put_frame_head(std::span(part).first<kFrameHeadBytes>(), kFrameBytesMax);
  return part;
}

TEST(ServiceHost, TheSlowestOfManyLargeFramesEnds) {
  ServiceOptions options;
  options.limits.buffer_bytes_max = 12u << 20u;
  auto const host = open_host(options);
  std::vector<std::byte> const part = part_of_a_frame(2u << 20u);
  std::vector<std::unique_ptr<RawClient>> stalled;
  for (int i = 0; i < 8; ++i) {
    stalled.push_back(std::make_unique<RawClient>(host->doors()[0]));
    stalled.back()->greet();
    EXPECT_TRUE(stalled.back()->send(std::span<const std::byte>(part)));
  }
  EXPECT_EQ(stalled[0]->receive(), TAKT_ERROR_LIMIT);
  EXPECT_EQ(stalled[0]->receive(), -1);
  // A large frame that comes at once is answered.
  RawClient whole(host->doors()[0]);
  whole.greet();
  EXPECT_TRUE(whole.send(request(2, {}, 0, [](auto& b) {
    std::vector<std::uint8_t> const scene(3u << 20u);
    return wire::CreateNewWorlds(b, b.CreateVector(scene));
  })));
  EXPECT_EQ(whole.receive(), TAKT_ERROR_SCENE);
}

#if TAKT_TEST_HAS_SYSTEM_HEAP
TEST(ServiceHost, AFrameWithoutMemoryEndsItsConnectionAlone) {
  // A thread's own arena has 64 MiB of address space beside the limit.
  ASSERT_EQ(::mallopt(M_ARENA_MAX, 1), 1);
  auto const host = open_host({});
  takt_service* const service = connect(host->doors()[0]);
  takt_world* const world = remote_world(service);
  RawClient large(host->doors()[0]);
  large.greet();
  std::vector<std::byte> const part = part_of_a_frame(kFrameBytesMax - 8);
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  rlimit small = before;
  small.rlim_cur = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) + (2u << 20u);
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &small), 0);
  (void)large.send(std::span<const std::byte>(part));
  takt_status const last = large.receive();
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_EQ(last, -1);
  EXPECT_EQ(takt_world_step(world, 1), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
  EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
}
#endif

TEST(ServiceHost, SixtyFourClientsWorkAtOnce) {
  ServiceOptions options;
  options.limits.threads = 2;
  auto const host = open_host(options);
  takt_world* const here = make_world();
  ASSERT_EQ(takt_world_step(here, 20), TAKT_OK);
  std::uint64_t const expected = hash_of(here);
  EXPECT_EQ(takt_world_destroy(here), TAKT_OK);
  std::atomic<int> right = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 64; ++i) {
    clients.emplace_back([&, i] {
      takt_service* const service = connect(host->doors()[static_cast<std::size_t>(i % 2)]);
      takt_world* const world = remote_world(service);
      for (int tick = 0; tick < 20; ++tick) (void)takt_world_step(world, 1);
      if (hash_of(world) == expected) ++right;
      (void)takt_world_destroy(world);
      (void)takt_service_destroy(service);
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(right, 64);
  EXPECT_TRUE(wait_for([&] { return host->counts().clients == 0; }));
  EXPECT_EQ(host->counts().worlds, 0u);
  EXPECT_EQ(host->counts().refused, 0u);
}

// A thread without other work stays with the connection that it answered last.
TEST(ServiceHost, AThreadThatWaitsForOneClientServesTheOthers) {
  auto const host = open_host({});  // one thread
  RawClient first(host->doors()[0]);
  RawClient second(host->doors()[0]);
  RawClient third(host->doors()[0]);
  for (RawClient* const client : {&first, &second, &third}) client->greet();
  auto const hash = [](auto& b) { return wire::CreateHash(b); };
  std::uint64_t id = 2;
  auto const answers = [&](RawClient& client) {
    EXPECT_TRUE(client.send(request(id, {1}, 0, hash)));
    std::uint64_t replied = 0;
    EXPECT_EQ(client.receive(&replied), TAKT_ERROR_HANDLE);
    return replied == id++;
  };
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(answers(first));
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(answers(first)) << i;
    ASSERT_TRUE(answers(second)) << i;
    if (i % 8 == 0) {
      ASSERT_TRUE(answers(third)) << i;
    }
  }
}

// A thread waits for the socket while it is closed, and its number goes to the next connection.
TEST(ServiceHost, AnOldConnectionDoesNotEndTheNextOne) {
  auto const host = open_host({});
  auto const hash = [](auto& b) { return wire::CreateHash(b); };
  for (int i = 0; i < 500; ++i) {
    RawClient client(host->doors()[0]);
    client.greet();
    EXPECT_TRUE(client.send(request(2, {1}, 0, hash)));
    ASSERT_EQ(client.receive(), TAKT_ERROR_HANDLE) << i;
  }
}

TEST(ServiceHost, AFrameInPartsOnAConnectionInUseDelaysNobody) {
  auto const host = open_host({});  // one thread
  RawClient slow(host->doors()[0]);
  RawClient other(host->doors()[0]);
  slow.greet();
  other.greet();
  auto const hash = [](auto& b) { return wire::CreateHash(b); };
  for (std::uint64_t id = 2; id < 30; ++id) {
    std::vector<std::byte> frames;
    RawClient::append(request(id, {1}, 0, hash), frames);
    RawClient::append(request(id + 100, {1}, 0, hash), frames);
    std::span<const std::byte> const all(frames);
    std::size_t const cut = frames.size() * id / 32;
    EXPECT_TRUE(slow.send(all.first(cut)));
    EXPECT_TRUE(other.send(request(id, {1}, 0, hash)));
    EXPECT_EQ(other.receive(), TAKT_ERROR_HANDLE);
    EXPECT_TRUE(slow.send(all.subspan(cut)));
    std::uint64_t replied = 0;
    EXPECT_EQ(slow.receive(&replied), TAKT_ERROR_HANDLE);
    EXPECT_EQ(replied, id);
    EXPECT_EQ(slow.receive(&replied), TAKT_ERROR_HANDLE);
    EXPECT_EQ(replied, id + 100);
  }
  // A wrong head after good requests, on a connection that a thread reads.
  EXPECT_TRUE(slow.send(std::as_bytes(std::span<const std::uint64_t>(std::vector<std::uint64_t>{7}))));
  EXPECT_EQ(slow.receive(), TAKT_ERROR_REMOTE);
  EXPECT_EQ(slow.receive(), -1);
  EXPECT_TRUE(other.send(request(99, {1}, 0, hash)));
  EXPECT_EQ(other.receive(), TAKT_ERROR_HANDLE);
}

TEST(ServiceHost, ManyConnectionsAreALimitWithItsName) {
  ServiceOptions options;
  options.clients_max = 1;
  auto const host = open_host(options);
  takt_service* const service = connect(host->doors()[0]);
  takt_service* second = nullptr;
  EXPECT_EQ(try_connect(host->doors()[1], "", second), TAKT_ERROR_LIMIT);
  EXPECT_NE(std::string_view(takt_last_error()).find("limit clients: "), std::string_view::npos)
      << takt_last_error();
  EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
}

TEST(ServiceHost, StrangersTakeNoPlaceOfAClient) {
  ServiceOptions options;
  options.clients_max = 2;
  auto const host = open_host(options);
  std::vector<std::unique_ptr<RawClient>> strangers;
  for (int i = 0; i < 100; ++i) strangers.push_back(std::make_unique<RawClient>(host->doors()[0]));
  EXPECT_EQ(strangers[0]->receive(), -1);  // the oldest, long before the 10 s of a Hello
  takt_service* const service = connect(host->doors()[0]);
  strangers[99]->greet();
  EXPECT_EQ(host->counts().clients, 2u);
  EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
}

TEST(ServiceHost, AClientIsGreetedAndServedWhileAnotherSendsOnAndOn) {
  auto const host = open_host({});  // one thread
  RawClient busy(host->doors()[0]);
  busy.greet();
  EXPECT_TRUE(busy.send(request(2, {}, 0, [](auto& b) {
    auto const scene =
        b.CreateVector(reinterpret_cast<const std::uint8_t*>(kTwoBoxes.data()), kTwoBoxes.size());
    return wire::CreateNewWorlds(b, scene);
  })));
  EXPECT_EQ(busy.receive(), TAKT_OK);
  auto const step = [](auto& b) { return wire::CreateStep(b, kStepTicksMax); };
  for (std::uint64_t id = 3; id < 43; ++id) EXPECT_TRUE(busy.send(request(id, {1}, 0, step)));
  RawClient second(host->doors()[0]);
  second.greet();
  EXPECT_LT(host->counts().requests, 41u);  // the thread is busy
  EXPECT_TRUE(second.send(request(2, {1}, 0, [](auto& b) { return wire::CreateHash(b); })));
  EXPECT_EQ(second.receive(), TAKT_ERROR_HANDLE);
  EXPECT_LT(host->counts().requests, 42u);
  for (std::uint64_t id = 3; id < 43; ++id) EXPECT_EQ(busy.receive(), TAKT_OK);
}

TEST(ServiceHost, AWrongTokenIsRefused) {
  ServiceOptions options;
  options.token = "0123456789abcdef";
  auto const host = open_host(options);
  takt_service* service = nullptr;
  for (const Door& door : host->doors()) {
    for (std::string const token : {"", "0123456789abcdeF", "0123456789abcde", "0123456789abcdef0"})
      EXPECT_EQ(try_connect(door, token, service), TAKT_ERROR_TOKEN) << token;
    ASSERT_EQ(try_connect(door, options.token, service), TAKT_OK) << takt_last_error();
    EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
  }
  EXPECT_EQ(host->counts().worlds, 0u);
  // A stranger makes no world.
  RawClient stranger(host->doors()[0]);
  EXPECT_TRUE(stranger.send(request(1, {}, 0, [](auto& b) { return wire::CreateNewWorlds(b); })));
  EXPECT_EQ(stranger.receive(), TAKT_ERROR_REMOTE);
  EXPECT_EQ(stranger.receive(), -1);
}

TEST(ServiceHost, StrangersSendNoLargeFrames) {
  auto const host = open_host({});
  RawClient stranger(host->doors()[0]);
  EXPECT_TRUE(stranger.send(std::vector<std::uint64_t>(kHelloBytesMax)));
  EXPECT_EQ(stranger.receive(), TAKT_ERROR_LIMIT);
  EXPECT_EQ(stranger.receive(), -1);
  RawClient garbage(host->doors()[0]);
  EXPECT_TRUE(garbage.send({1, 2, 3, 4}));
  EXPECT_EQ(garbage.receive(), TAKT_ERROR_REMOTE);
  EXPECT_EQ(garbage.receive(), -1);
}

TEST(ServiceHost, TheEndOfTheServiceIsAnErrorOfItsWorlds) {
  auto host = open_host({});
  takt_service* const service = connect(host->doors()[0]);
  takt_world* const world = remote_world(service);
  host.reset();
  EXPECT_EQ(takt_world_step(world, 1), TAKT_ERROR_REMOTE);
  EXPECT_EQ(takt_world_step(world, 1), TAKT_ERROR_REMOTE);
  EXPECT_TRUE(std::string_view(takt_last_error()).starts_with("takt_world_step: unix:")) << takt_last_error();
  EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
  EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
}

TEST(ServiceHost, NoServiceIsAnErrorWithTheAddress) {
  takt_service* service = nullptr;
  Door const nowhere{socket_path("nowhere"), "", 0};
  EXPECT_EQ(try_connect(nowhere, "", service), TAKT_ERROR_REMOTE);
  EXPECT_NE(std::string_view(takt_last_error()).find(nowhere.path), std::string_view::npos);
  EXPECT_EQ(takt_connect("tcp:127.0.0.1:0", 15, nullptr, 0, &service), TAKT_ERROR_RANGE);
  EXPECT_EQ(takt_connect("nowhere", 7, nullptr, 0, &service), TAKT_ERROR_RANGE);
  EXPECT_EQ(takt_connect("unix:a", 6, std::string(257, 'a').data(), 257, &service), TAKT_ERROR_RANGE);
  EXPECT_EQ(takt_connect(nullptr, 6, nullptr, 0, &service), TAKT_ERROR_NULL);
  EXPECT_EQ(takt_connect("unix:a", 6, nullptr, 3, &service), TAKT_ERROR_NULL);
  EXPECT_EQ(takt_connect("unix:a", 6, nullptr, 0, nullptr), TAKT_ERROR_NULL);
}

// ---------------------------------------------------------------- doors

TEST(ServiceListener, TheSocketsFileIsItsOwnersAloneAndGoesWithTheService) {
  std::string const path = socket_path("mode");
  {
    auto const listener = Listener::open({path, "", 0}, false);
    ASSERT_TRUE(listener.ok()) << listener.error().text;
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777u, 0600u);
  }
  EXPECT_NE(::access(path.c_str(), F_OK), 0);
}

TEST(ServiceListener, ALiveSocketIsRefusedAndAStaleOneReplaced) {
  Door const door{socket_path("stale"), "", 0};
  {
    auto const first = Listener::open(door, false);
    ASSERT_TRUE(first.ok());
    auto const second = Listener::open(door, false);
    ASSERT_FALSE(second.ok());
    EXPECT_NE(second.error().text.find("another service listens there"), std::string::npos);
    EXPECT_EQ(::access(door.path.c_str(), F_OK), 0);
  }
  int const socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, door.path.data(), door.path.size());
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ::close(socket);  // as a killed service leaves it
  ASSERT_EQ(::access(door.path.c_str(), F_OK), 0);
  auto const third = Listener::open(door, false);
  EXPECT_TRUE(third.ok()) << third.error().text;
}

TEST(ServiceListener, AFileThatIsNoSocketStays) {
  Door const door{socket_path("file"), "", 0};
  std::ofstream(door.path) << "mine";
  auto const listener = Listener::open(door, false);
  ASSERT_FALSE(listener.ok());
  EXPECT_NE(listener.error().text.find("is no socket"), std::string::npos);
  EXPECT_EQ(::access(door.path.c_str(), F_OK), 0);
  ::unlink(door.path.c_str());
}

TEST(ServiceListener, BeyondLoopbackATokenIsNeeded) {
  for (const char* const host : {"0.0.0.0", "::"}) {
    auto const listener = Listener::open({"", host, 0}, false);
    ASSERT_FALSE(listener.ok());
    EXPECT_NE(listener.error().text.find("--token FILE"), std::string::npos) << listener.error().text;
  }
  EXPECT_TRUE(Listener::open({"", "0.0.0.0", 0}, true).ok());
  auto const first = Listener::open({"", "127.0.0.1", 0}, false);
  ASSERT_TRUE(first.ok());
  auto const second = Listener::open(first->door(), false);
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().text.find("another program uses the port"), std::string::npos);
}

}  // namespace
}  // namespace takt::service::test
