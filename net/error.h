// net::Error lists why a host name was not resolved, or a socket not opened or connected. net::Failure adds a
// detail: the address and the system's message. open() of the transports and of LossyRelay returns a Failure.
// protocol/messages/message.h has the reasons why a connection was refused or a session ended.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace takt::net {

/// Values are frozen; new ones go to the end.
enum class Error : std::uint8_t {
  kBadAddress = 0,  ///< to bind: no IP address of this machine; to connect: no IP address, or unknown host
  kPortInUse = 1,   ///< another program uses the port, for UDP or for TCP; choose another port
  kPermissionDenied = 2,  ///< ports below 1024 need privileges; a sandbox may forbid sockets
  kNoFreePort = 3,        ///< port 0 was requested, and no tried number was free for UDP and TCP alike
  kConnectFailed = 4,     ///< the connection was refused or not answered, or the network is unreachable
  kSystem = 5,            ///< any other error of a socket call; the detail has the system's text
};

/// One sentence for a person, without a full stop.
[[nodiscard]] std::string_view message(Error error) noexcept;

/// An error with its detail, a text for a person.
struct Failure {
  Error error = Error::kSystem;
  std::string detail;  ///< "port 7777: another program uses the port (Address already in use)"
};
/// The detail.
[[nodiscard]] inline std::string message(const Failure& failure) { return failure.detail; }

}  // namespace takt::net
