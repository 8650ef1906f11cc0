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

}  // namespace
}  // namespace takt::service::test
