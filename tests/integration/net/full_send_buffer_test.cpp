// The system's send buffer is full: the calls of the system are replaced, because loopback never blocks a
// sender. The replacements act on this program alone.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cerrno>

#include "tests/integration/net/loopback.h"

namespace {

int sends_to_refuse = 0;

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

bool is_refused() {
  if (sends_to_refuse == 0) return false;
  --sends_to_refuse;
  errno = EAGAIN;
  return true;
}

}  // namespace

extern "C" {
ssize_t sendto(int socket, const void* bytes, size_t size, int flags, const sockaddr* to, socklen_t to_size) {
  if (is_refused()) return -1;
  return next<decltype(&sendto)>("sendto")(socket, bytes, size, flags, to, to_size);
}
ssize_t sendmsg(int socket, const msghdr* message, int flags) {
  if (is_refused()) return -1;
  return next<decltype(&sendmsg)>("sendmsg")(socket, message, flags);
}
}

namespace takt::net::test {
namespace {

TEST(BurstLossAtTheSender, ADatagramWaitsForTheSocketInsteadOfBeingLost) {
  Loopback loopback;
  ASSERT_EQ(loopback.failure, "");
  auto& client = loopback.add_client(protocol::TransportKind::kDatagram);
  ASSERT_NE(client.transport, nullptr);
  ASSERT_TRUE(loopback.run_until(10, [&] { return client.count<protocol::Connected>() == 1; }));
  // A burst of 200 messages, of which the system takes none at first.
  for (int i = 0; i < 200; ++i)
    ASSERT_TRUE(loopback.endpoint().send_game_event(1, 1, std::vector<std::byte>(1000)).ok());
  sends_to_refuse = 5;
  loopback.transport().flush();
  EXPECT_LT(sends_to_refuse, 5);
  ASSERT_TRUE(loopback.run_until(10, [&] { return client.count<protocol::GameEvent>() == 200; }));
  sends_to_refuse = 0;
  EXPECT_GE(loopback.transport().counters().datagram_send_blocked, 1u);
  EXPECT_EQ(loopback.transport().counters().datagram_send_failed, 0u);
  EXPECT_EQ(loopback.endpoint().counters()[protocol::Counter::kFragmentsResent], 0u) << "nothing was lost";
}

}  // namespace
}  // namespace takt::net::test
