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
  kBadAddress = 0,        ///< not an IP address of this machine, or not a host name that resolves
  kPortInUse = 1,         ///< another program has the port, for UDP or for TCP
  kPermissionDenied = 2,  ///< ports below 1024 need privileges; a sandbox may forbid sockets
  kNoFreePort = 3,        ///< port 0 was asked and no number was free for UDP and TCP alike
  kConnectFailed = 4,     ///< the TCP connection was refused or not answered
  kSystem = 5,            ///< anything else; the detail has the system's words
};

/// One sentence for a person, without a full stop.
[[nodiscard]] std::string_view message(Error error) noexcept;

/// An error with what it was about: "port 7777: another program uses it (Address already in use)".
struct Failure {
  Error error = Error::kSystem;
  std::string detail;
};
[[nodiscard]] inline std::string message(const Failure& failure) { return failure.detail; }

}  // namespace takt::net
