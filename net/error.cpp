#include "net/error.h"

namespace takt::net {

std::string_view message(Error error) noexcept {
  switch (error) {
    case Error::kBadAddress: return "the address is not usable";
    case Error::kPortInUse: return "another program uses the port";
    case Error::kPermissionDenied: return "the system does not permit it";
    case Error::kNoFreePort: return "no port is free for UDP and TCP alike";
    case Error::kConnectFailed: return "the connection was refused or not answered";
    case Error::kSystem: return "a socket call failed";
  }
  return "unknown error";
}

}  // namespace takt::net
