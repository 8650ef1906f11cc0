#include "service/listener.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>

namespace takt::service {
namespace {

constexpr int kBacklog = 128;

ServiceFault fault(const Door& door, const std::string& text) {
  return {"--listen " + text_of(door) + ": " + text};
}
ServiceFault system_fault(const Door& door) { return fault(door, std::strerror(errno)); }

sockaddr_un unix_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

bool is_loopback(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    auto const& v4 = reinterpret_cast<const sockaddr_in&>(address);
    return ntohl(v4.sin_addr.s_addr) >> 24u == 127;
  }
  return address.sa_family == AF_INET6 &&
         IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr) != 0;
}

// Two services that start or end at the same time on one path take turns. A lock that another program keeps
// for longer than `patience` stays with it.
class PathLock {
 public:
  PathLock(const std::string& path, std::chrono::milliseconds patience) {
    std::size_t const slash = path.rfind('/');
    std::string const folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    folder_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    auto const end = std::chrono::steady_clock::now() + patience;
    while (folder_ >= 0 && ::flock(folder_, LOCK_EX | LOCK_NB) != 0) {
      is_busy_ = errno == EWOULDBLOCK;
      if (!is_busy_ || std::chrono::steady_clock::now() >= end) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    is_busy_ = false;
  }
  ~PathLock() {
    if (folder_ >= 0) ::close(folder_);
  }
  PathLock(const PathLock&) = delete;
  PathLock& operator=(const PathLock&) = delete;

  [[nodiscard]] bool is_busy() const noexcept { return is_busy_; }

 private:
  int folder_;
  bool is_busy_ = false;
};

// Removes a socket's file that no program listens on.
Result<Unit, ServiceFault> remove_stale(const Door& door) {
  struct stat status {};
  if (::lstat(door.path.c_str(), &status) != 0) return Unit{};
  if (!S_ISSOCK(status.st_mode)) return fault(door, "the file exists and is no socket: choose another path");
  int const probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (probe < 0) return system_fault(door);
  sockaddr_un const address = unix_address(door.path);
  int const result = ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  int const reason = errno;
  ::close(probe);
  if (result == 0 || reason != ECONNREFUSED)
    return fault(door, "another service listens there: stop it, or choose another path");
  if (::unlink(door.path.c_str()) != 0 && errno != ENOENT) return system_fault(door);
  return Unit{};
}

}  // namespace

Result<Listener, ServiceFault> Listener::open(const Door& door, bool has_token) {
  if (door.is_shared)
    return fault(door, "listen at unix:" + door.path + ", where clients of shm:" + door.path + " come, too");
  return door.is_unix() ? open_unix(door) : open_tcp(door, has_token);
}

Result<Listener, ServiceFault> Listener::open_unix(const Door& door) {
  PathLock const lock(door.path, std::chrono::seconds(2));
  if (lock.is_busy())
    return fault(door, "another program keeps a lock on the folder: end it, or choose a folder of your own");
  if (auto const removed = remove_stale(door); !removed) return removed.error();
  int const socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) return system_fault(door);
  Listener listener(socket, door);
  sockaddr_un const address = unix_address(door.path);
  // The mode of the socket becomes that of the file: nobody else can connect in between.
  if (::fchmod(socket, S_IRUSR | S_IWUSR) != 0 ||
      ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return system_fault(door);
  struct stat status {};
  if (::lstat(door.path.c_str(), &status) != 0 || ::chmod(door.path.c_str(), S_IRUSR | S_IWUSR) != 0 ||
      ::listen(socket, kBacklog) != 0) {
    ServiceFault const reason = system_fault(door);
    (void)::unlink(door.path.c_str());
    return reason;
  }
  listener.device_ = status.st_dev;
  listener.inode_ = status.st_ino;
  return listener;
}

Result<Listener, ServiceFault> Listener::open_tcp(const Door& door, bool has_token) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* list = nullptr;
  int const error = ::getaddrinfo(door.host.c_str(), std::to_string(door.port).c_str(), &hints, &list);
  if (error != 0) return fault(door, ::gai_strerror(error));
  std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> const found(list, &::freeaddrinfo);
  if (!has_token && !is_loopback(*found->ai_addr))
    return fault(door, "beyond loopback a service needs --token FILE");
  int const socket = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) return system_fault(door);
  Listener listener(socket, door);
  int const on = 1;
  (void)::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(socket, found->ai_addr, found->ai_addrlen) != 0 || ::listen(socket, kBacklog) != 0) {
    if (errno == EADDRINUSE)
      return fault(door, "another program uses the port; choose another, or port 0 for a free one");
    return system_fault(door);
  }
  sockaddr_storage bound{};
  socklen_t bytes = sizeof bound;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&bound), &bytes) != 0) return system_fault(door);
  listener.door_.port = ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(bound).sin6_port
                                                          : reinterpret_cast<sockaddr_in&>(bound).sin_port);
  return listener;
}

Listener::~Listener() {
  if (socket_ < 0) return;
  if (inode_ != 0) {
    PathLock const lock(door_.path, std::chrono::milliseconds(100));
    struct stat status {};
    // No other file gets the number of this one while the socket is open.
    if (!lock.is_busy() && ::lstat(door_.path.c_str(), &status) == 0 && status.st_dev == device_ &&
        status.st_ino == inode_)
      (void)::unlink(door_.path.c_str());
  }
  ::close(socket_);
}

}  // namespace takt::service
