#include "service/connection.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace takt::service::test {
namespace {

TEST(ServiceConnection, WrittenRepliesOccupyNoMemory) {
  std::array<int, 2> sockets{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()), 0);
  std::atomic<std::uint64_t> sum = 0;
  auto owner = std::make_unique<Connection>(sockets[0], sum);
  Connection& connection = *owner;
  std::unique_lock lock(connection.mutex);
  constexpr std::size_t kReplyBytes = 32 * 1024;
  std::vector<std::byte> read_bytes(kReplyBytes);
  std::uint64_t written = 0;
  std::uint64_t read = 0;
  std::size_t largest = 0;
  bool is_right = true;
  // The client is always behind, and reads as much as comes: 64 MiB.
  while (written < (64u << 20u)) {
    while (connection.out_bytes() <= 512 * 1024) {
      for (std::size_t i = 0; i < kReplyBytes; ++i)
        connection.out.push_back(static_cast<std::byte>((written + i) % 251));
      written += kReplyBytes;
      ASSERT_TRUE(connection.write());
    }
    ssize_t const count = ::recv(sockets[1], read_bytes.data(), read_bytes.size(), 0);
    ASSERT_GT(count, 0);
    for (ssize_t i = 0; i < count; ++i)
      is_right &= read_bytes[static_cast<std::size_t>(i)] == static_cast<std::byte>(read++ % 251);
    ASSERT_TRUE(connection.write());
    largest = std::max(largest, connection.out.size());
  }
  EXPECT_TRUE(is_right);
  EXPECT_LE(largest, 2u << 20u);
  EXPECT_GE(sum, connection.out.size());
  EXPECT_LE(sum, 4u << 20u);
  lock.unlock();
  owner.reset();
  EXPECT_EQ(sum, 0u);
  ::close(sockets[1]);
}

// A connection with rings, in a poll: its client is the other end of the socket.
struct RingConnection {
  RingConnection() {
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, sockets.data()), 0);
    owner = std::make_unique<Connection>(sockets[0], sum);
    EXPECT_TRUE(owner->open_rings(RingSizes{}, 1u << 20u, desk).ok());
    epoll_event event{};
    event.events = EPOLLIN;
    EXPECT_EQ(::epoll_ctl(poll, EPOLL_CTL_ADD, sockets[0], &event), 0);
  }
  ~RingConnection() {
    ::close(poll);
    ::close(sockets[1]);
  }
  // Events that come at once.
  std::uint32_t events() const {
    epoll_event event{};
    return ::epoll_wait(poll, &event, 1, 0) == 1 ? event.events : 0;
  }

  std::array<int, 2> sockets{};
  int poll = ::epoll_create1(EPOLL_CLOEXEC);
  std::atomic<std::uint64_t> sum = 0;
  std::atomic<std::uint64_t> ring_sum = 0;
  RingDesk desk{ring_sum};
  std::unique_ptr<Connection> owner;
};

TEST(ServiceConnection, AnEndedConnectionOfRingsTakesNoTurns) {
  RingConnection rings;
  Connection& connection = *rings.owner;
  std::lock_guard const lock(connection.mutex);
  connection.uses_rings = true;
  connection.needs_turn = true;
  connection.watch(rings.poll);
  EXPECT_EQ(rings.events(), EPOLLOUT);
  connection.out.resize(100);  // that the client does not read
  connection.is_ending = true;
  connection.watch(rings.poll);
  EXPECT_EQ(rings.events(), 0u);
}

TEST(ServiceConnection, AKeptConnectionOfRingsHearsOfRoomForItsReplies) {
  RingConnection rings;
  Connection& connection = *rings.owner;
  WorkerCall keeper;
  std::lock_guard const lock(connection.mutex);
  connection.uses_rings = true;
  connection.keeper = &keeper;
  connection.watch(rings.poll);
  EXPECT_EQ(::send(rings.sockets[1], "", 1, 0), 1);
  EXPECT_EQ(rings.events(), 0u);  // the keeper reads the ring
  connection.out.resize(100);
  connection.watch(rings.poll);
  EXPECT_EQ(rings.events(), EPOLLIN);
  connection.keeper = nullptr;
}

// The Welcome may have to wait for the client: from then on, the client's bytes in the ring must wake.
TEST(ServiceConnection, ALateWelcomeAnnouncesTheWaitForRequests) {
  RingConnection rings;
  Connection& connection = *rings.owner;
  std::lock_guard const lock(connection.mutex);
  std::array<char, 4096> bytes{};
  while (::send(rings.sockets[0], bytes.data(), bytes.size(), MSG_DONTWAIT) > 0) continue;
  connection.out.resize(100);
  EXPECT_TRUE(connection.write());
  EXPECT_FALSE(connection.uses_rings);
  while (::recv(rings.sockets[1], bytes.data(), bytes.size(), MSG_DONTWAIT) > 0) continue;
  EXPECT_TRUE(connection.write());
  EXPECT_TRUE(connection.uses_rings);
  EXPECT_EQ(connection.rings->reader().wait_word(), static_cast<std::uint32_t>(RingWait::kSocket));
}

}  // namespace
}  // namespace takt::service::test
