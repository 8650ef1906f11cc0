#include "net/error.h"

namespace takt::net {

std::string_view message_of(Error error) noexcept {
  switch (error) {
    case Error::bad_address: return "the address is not usable";
    case Error::port_in_use: return "another program uses the port";
    case Error::permission_denied: return "the system does not permit it";
    case Error::no_free_port: return "no port is free for UDP and TCP alike";
    case Error::connect_failed: return "the connection was refused or not answered";
    case Error::system: return "a socket call failed";
  }
  return "unknown error";
}

}  // namespace takt::net
