// A service with its sockets in the process of its test, and clients of it: RawClient sends frames as they
// are.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "service/service_host.h"
#include "tests/unit/c/edit_script.h"
#include "tests/unit/service/request_frames.h"

namespace takt::service::test {

using takt::test::hash_of;
using takt::test::load;
using takt::test::make_world;
using takt::test::run_every_edit;
using takt::test::sized;

inline std::string socket_path(const std::string& name) {
  return ::testing::TempDir() + "takt-" + std::to_string(::getpid()) + "-" + name;
}

inline bool wait_for(const std::function<bool()>& is_true) {
  auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!is_true()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

inline std::unique_ptr<ServiceHost> open_host(ServiceOptions options, const std::string& name = "service") {
  options.doors = {*parse_door("unix:" + socket_path(name)), *parse_door("tcp:127.0.0.1:0")};
  auto host = ServiceHost::open(std::move(options));
  EXPECT_TRUE(host.ok()) << host.error().text;
  return std::move(host).value();
}

inline takt_status try_connect(const Door& door, std::string_view token, takt_service*& out) {
  std::string const address = text_of(door);
  return takt_connect(address.data(), address.size(), token.data(), token.size(), &out);
}

inline takt_service* connect(const Door& door) {
  takt_service* service = nullptr;
  EXPECT_EQ(try_connect(door, "", service), TAKT_OK) << takt_last_error();
  return service;
}

inline takt_world* remote_world(takt_service* service, std::uint32_t numbers = TAKT_NUMBERS_FLOAT) {
  takt_scene* const scene = load();
  auto options = sized<takt_world_options>();
  options.numbers = numbers;
  takt_world* world = nullptr;
  EXPECT_EQ(takt_service_world(service, scene, &options, &world), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_scene_destroy(scene), TAKT_OK);
  return world;
}

inline takt_batch* remote_batch(takt_service* service, std::uint32_t world_count) {
  takt_scene* const scene = load();
  auto options = sized<takt_batch_options>();
  options.world_count = world_count;
  takt_batch* batch = nullptr;
  EXPECT_EQ(takt_service_batch(service, scene, &options, &batch), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_scene_destroy(scene), TAKT_OK);
  return batch;
}

class RawClient {
 public:
  explicit RawClient(const Door& door) : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, door.path.data(), door.path.size());
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    timeval const limit{60, 0};  // a reply that never comes fails its test
    (void)::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    (void)::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  }
  ~RawClient() { ::close(socket_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  bool send(const std::vector<std::uint64_t>& message) const {
    std::vector<std::byte> frame;
    append(message, frame);
    return send(std::span<const std::byte>(frame));
  }
  // False when the connection has ended, or the service takes no more bytes for a minute.
  bool send(std::span<const std::byte> bytes) const {
    return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
  }
  // False when the service takes no more bytes now.
  bool offer(const std::vector<std::uint64_t>& message) const {
    timeval const moment{0, 200'000};
    timeval const limit{60, 0};
    (void)::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &moment, sizeof moment);
    bool const is_taken = send(message);
    (void)::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    return is_taken;
  }
  static void append(const std::vector<std::uint64_t>& message, std::vector<std::byte>& frames) {
    std::size_t const at = frames.size();
    frames.resize(at + kFrameHeadBytes + 8 * message.size());
    put_frame_head(std::span(frames).subspan(at).first<kFrameHeadBytes>(),
                   static_cast<std::uint32_t>(8 * message.size()));
    std::memcpy(frames.data() + at + kFrameHeadBytes, message.data(), 8 * message.size());
  }
  // The status of the next reply; -1 when the connection has ended, or no reply comes. `key` gets the bytes.
  takt_status receive(std::uint64_t* id = nullptr, Key* key = nullptr) {
    std::span<const std::byte> message;
    while (!in_.next(message)) {
      auto const room = in_.room();
      ssize_t const count = ::recv(socket_, room.data(), room.size(), 0);
      if (count <= 0) return -1;
      in_.add(static_cast<std::size_t>(count));
    }
    EXPECT_TRUE(verify<wire::Reply>(message.data(), message.size()));
    auto const& reply = *flatbuffers::GetRoot<wire::Reply>(message.data());
    if (id != nullptr) *id = reply.id();
    if (key != nullptr && reply.bytes() != nullptr && reply.bytes()->size() == key->size())
      std::memcpy(key->data(), reply.bytes()->data(), key->size());
    return reply.status();
  }
  void greet() {
    EXPECT_TRUE(send(request(1, {}, 0, [](auto& b) { return wire::CreateHello(b, kServiceVersion); })));
    EXPECT_EQ(receive(), TAKT_OK);
  }

 private:
  int socket_;
  FrameBuffer in_{kFrameBytesMax};
};

}  // namespace takt::service::test
