#include "tests/integration/server/lost_network.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace {

std::atomic<bool> is_network_lost{false};

}  // namespace

// In the place of the C library's.
extern "C" int connect(int descriptor, const sockaddr* address, socklen_t bytes) {
  if (is_network_lost) {
    errno = ENETUNREACH;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_connect, descriptor, address, bytes));
}

namespace takt::server::test {

LostNetwork::LostNetwork() { is_network_lost = true; }
LostNetwork::~LostNetwork() { is_network_lost = false; }

}  // namespace takt::server::test
