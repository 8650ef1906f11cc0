// Listener is a listening socket of the service: TCP, or a Unix socket whose file only its owner may use
// (mode 0600). A file that no program listens on is replaced; one in use is refused. The destructor removes
// the file, unless another program keeps a lock on its folder. Listener accepts nothing itself.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "service/wire/door.h"
#include "takt/core/result.h"

namespace takt::service {

struct ServiceFault {
  std::string text;  ///< one line with the option and the remedy
};

class Listener {
 public:
  /// Binds and listens. Port 0 is a free one. `has_token` is false for a service without tokens, which may
  /// listen on loopback addresses alone.
  [[nodiscard]] static Result<Listener, ServiceFault> open(const Door& door, bool has_token);
  ~Listener();
  Listener(Listener&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)),
        door_(std::move(other.door_)),
        device_(other.device_),
        inode_(other.inode_) {}
  Listener& operator=(Listener&&) = delete;

  [[nodiscard]] int socket() const noexcept { return socket_; }
  [[nodiscard]] const Door& door() const noexcept { return door_; }  ///< with the port that was bound

 private:
  Listener(int socket, Door door) : socket_(socket), door_(std::move(door)) {}
  [[nodiscard]] static Result<Listener, ServiceFault> open_unix(const Door& door);
  [[nodiscard]] static Result<Listener, ServiceFault> open_tcp(const Door& door, bool has_token);

  int socket_;
  Door door_;
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;  // of the socket's file, which is removed only if it is still ours
};

}  // namespace takt::service
