// Ends of long steps: by requests, by clients that leave, by the service, and by a function of the client.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "tests/sanitizers.h"
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

// Ticks of a step of the pile that nobody stops: many times the 1 ms after which a step looks for its end.
// A tick of a sanitized build takes 20 times as long or more.
constexpr std::uint32_t kWholeStepTicks = TAKT_TEST_HAS_SYSTEM_HEAP ? 200 : 20;

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
  EXPECT_TRUE(client.send(request(7, {1}, 0, [](auto& b) { return wire::CreateStep(b, kWholeStepTicks); })));
  EXPECT_EQ(client.receive(), TAKT_OK);
  // A step that nobody stops is whole, also with a stop of another handle behind it.
  std::vector<std::byte> frames;
  RawClient::append(request(8, {1}, 0, [](auto& b) { return wire::CreateStep(b, kWholeStepTicks); }), frames);
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

// Frames of a step of the world 1, of reads of what it made, and of its Destroy.
std::vector<std::byte> step_and_read_and_destroy(std::uint32_t ticks) {
  std::vector<std::byte> frames;
  RawClient::append(request(3, {1}, 0, [&](auto& b) { return wire::CreateStep(b, ticks); }), frames);
  RawClient::append(request(4, {1}, 0, [](auto& b) { return wire::CreateHash(b); }), frames);
  RawClient::append(request(5, {1}, 0, [](auto& b) { return wire::CreateSave(b); }), frames);
  RawClient::append(request(6, {1}, 0, kDestroy), frames);
  return frames;
}

TEST(ServiceStop, DestroyWaitsForAStepWhoseStateIsRead) {
  auto const host = open_host({});
  for (bool const is_late : {false, true}) {
    RawClient client(host->doors()[0]);
    client.greet();
    EXPECT_TRUE(client.send(new_worlds(2, pile())));
    EXPECT_EQ(client.receive(), TAKT_OK);
    std::uint64_t const before = host->counts().requests;
    auto const frames = step_and_read_and_destroy(kWholeStepTicks);
    if (is_late) {  // the socket thread reads the rest
      std::size_t const first = kFrameHeadBytes + 8 * request(3, {1}, 0, kLongStep).size();
      EXPECT_TRUE(client.send(std::span(frames).first(first)));
      EXPECT_TRUE(wait_for([&] { return host->counts().requests == before + 1; }));
      EXPECT_TRUE(client.send(std::span(frames).subspan(first)));
    } else {
      EXPECT_TRUE(client.send(std::span<const std::byte>(frames)));
    }
    for (int i = 0; i < 4; ++i) EXPECT_EQ(client.receive(), TAKT_OK) << i;
    EXPECT_EQ(host->counts().worlds, 0u);
  }
  EXPECT_EQ(host->counts().steps_stopped, 0u);
  // Stop ends it all the same; a Destroy of a world of a batch, which fails, does not.
  RawClient client(host->doors()[0]);
  client.greet();
  EXPECT_TRUE(client.send(new_worlds(2, pile(), 2)));
  EXPECT_EQ(client.receive(), TAKT_OK);
  EXPECT_TRUE(client.send(request(3, {1}, 0, [](auto& b) { return wire::CreateStep(b, kWholeStepTicks); })));
  EXPECT_TRUE(client.send(request(4, {1, 0}, 0, kDestroy)));
  EXPECT_EQ(client.receive(), TAKT_OK);
  EXPECT_EQ(client.receive(), TAKT_ERROR_BORROWED);
  EXPECT_TRUE(client.send(request(7, {1}, 0, kLongStep)));
  EXPECT_TRUE(client.send(request(8, {1}, 0, [](auto& b) { return wire::CreateHash(b); })));
  EXPECT_TRUE(client.send(request(9, {1}, 0, kStop)));
  EXPECT_EQ(client.receive(), TAKT_ERROR_STOPPED);
  EXPECT_EQ(client.receive(), TAKT_OK);
  EXPECT_EQ(client.receive(), TAKT_OK);
}

TEST(ServiceStop, TheEndOfTheServiceIsNoStopOfItsClient) {
  auto host = open_host({});
  RawClient client(host->doors()[0]);
  begin_long_step_of_a_world(client, *host);
  host.reset();
  std::uint64_t id = 0;
  EXPECT_EQ(client.receive(&id), TAKT_ERROR_REMOTE);
  EXPECT_EQ(id, 3u);
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

// Ends a call by the results of `answers`, a character for each look; the last one stays.
struct Stopper {
  std::string_view answers;
  std::size_t calls = 0;
  static std::uint32_t look(void* context) {
    auto& stopper = *static_cast<Stopper*>(context);
    return stopper.answers[std::min(stopper.calls++, stopper.answers.size() - 1)] == '1';
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
    Stopper stopper{"010"};
    ASSERT_EQ(takt_service_set_stop(service, &Stopper::look, &stopper), TAKT_OK);
    EXPECT_EQ(takt_world_step(world, kStepTicksMax), TAKT_ERROR_STOPPED);
    EXPECT_TRUE(std::string_view(takt_last_error()).starts_with("takt_world_step: the step was stopped"))
        << takt_last_error();
    EXPECT_GE(stopper.calls, 2u);
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
  // The stop lasts, and is one all the same. The third look frees the thread.
  struct Lasting {
    RawClient* busy;
    int calls = 0;
    static std::uint32_t look(void* context) {
      auto& lasting = *static_cast<Lasting*>(context);
      if (++lasting.calls == 3) (void)lasting.busy->send(request(4, {1}, 0, kDestroy));
      return 1;
    }
  } lasting{&busy};
  ASSERT_EQ(takt_service_set_stop(service, &Lasting::look, &lasting), TAKT_OK);
  takt_world* fork = nullptr;
  EXPECT_EQ(takt_world_fork(world, &fork), TAKT_ERROR_STOPPED) << takt_last_error();
  EXPECT_EQ(fork, nullptr);
  EXPECT_GE(lasting.calls, 3);
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
  Stopper stopper{"101"};
  ASSERT_EQ(takt_service_set_stop(service, &Stopper::look, &stopper), TAKT_OK);
  EXPECT_EQ(host->counts().clients, 2u);
  EXPECT_EQ(takt_world_step(world, 1), TAKT_ERROR_REMOTE);
  EXPECT_NE(std::string_view(takt_last_error()).find("stopped twice"), std::string_view::npos)
      << takt_last_error();
  EXPECT_EQ(stopper.calls, 3u);
  // The service knows, though handles of the connection live.
  EXPECT_TRUE(wait_for([&] { return host->counts().clients == 1; }));
  EXPECT_EQ(takt_world_step(world, 1), TAKT_ERROR_REMOTE);
  EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
  EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
}

// A door whose service answers Hello, and goes on as its test wants.
class Pretender {
 public:
  explicit Pretender(const std::string& name) : path_(socket_path(name)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path_.data(), path_.size());
    EXPECT_EQ(::bind(door_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(door_, 1), 0);
  }
  ~Pretender() {
    ::close(peer);
    ::close(door_);
    (void)::unlink(path_.c_str());
  }
  Pretender(const Pretender&) = delete;
  Pretender& operator=(const Pretender&) = delete;

  takt_service* greet() {
    std::thread greets([&] {
      peer = ::accept4(door_, nullptr, nullptr, SOCK_CLOEXEC);
      std::array<std::byte, 4096> hello{};
      EXPECT_GT(::recv(peer, hello.data(), hello.size(), 0), 0);
      flatbuffers::FlatBufferBuilder builder;
      auto const welcome = wire::CreateWelcome(builder, kServiceVersion, kFrameBytesMax, kWindow);
      wire::ReplyBuilder reply(builder);
      reply.add_id(1);
      reply.add_welcome(welcome);
      builder.Finish(reply.Finish(), kIdentifier);
      std::vector<std::byte> frame;
      append_frame(builder, frame);
      EXPECT_EQ(::send(peer, frame.data(), frame.size(), MSG_NOSIGNAL), static_cast<ssize_t>(frame.size()));
    });
    takt_service* const service = connect(*parse_door("unix:" + path_));
    greets.join();
    return service;
  }

  int peer = -1;

 private:
  std::string path_;
  int door_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
};

// Two stops end a call with an image of so many bytes.
void expect_two_stops(takt_service* service, std::size_t image_bytes) {
  Stopper stopper{"0101"};
  ASSERT_EQ(takt_service_set_stop(service, &Stopper::look, &stopper), TAKT_OK);
  std::vector<std::byte> const image(image_bytes);
  takt_world* world = nullptr;
  EXPECT_EQ(takt_service_world_from_image(service, image.data(), image.size(), nullptr, nullptr, &world),
            TAKT_ERROR_REMOTE);
  EXPECT_EQ(stopper.calls, 4u);
}

TEST(ServiceStop, TheFunctionIsCalledWhileTheServiceTakesNothing) {
  Pretender deaf("deaf");
  takt_service* const service = deaf.greet();
  expect_two_stops(service, 16u << 20u);  // more than a socket takes
  EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
}

TEST(ServiceStop, TheFunctionIsCalledWhileAReplyTricklesIn) {
  Pretender slow("slow");
  takt_service* const service = slow.greet();
  std::thread trickles([&] {  // until the client ends the connection
    std::array<std::byte, kFrameHeadBytes> head{};
    put_frame_head(head, 1u << 20u);
    for (std::size_t i = 0;; ++i) {
      if (::send(slow.peer, &head[std::min(i, kFrameHeadBytes - 1)], 1, MSG_NOSIGNAL) != 1) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  expect_two_stops(service, 100);
  trickles.join();
  EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
}

TEST(ServiceStop, AFunctionOfTheMainThreadIsCalledOnNoOther) {
  Stopper stopper{"011"};
  takt_main_thread_stop stop{&Stopper::look, &stopper, 0, 0};
  EXPECT_EQ(takt_stop_on_main_thread(&stop), 0u);
  EXPECT_EQ(stop.was_stopped, 0u);
  std::thread([&] { EXPECT_EQ(takt_stop_on_main_thread(&stop), 0u); }).join();
  EXPECT_EQ(stopper.calls, 1u);
  EXPECT_EQ(takt_stop_on_main_thread(&stop), 1u);
  EXPECT_EQ(stop.was_stopped, 1u);
  stop.is_stopped = nullptr;
  EXPECT_EQ(takt_stop_on_main_thread(&stop), 0u);
  EXPECT_EQ(stop.was_stopped, 1u);
  EXPECT_EQ(takt_stop_on_main_thread(nullptr), 0u);
}

}  // namespace
}  // namespace takt::service::test
