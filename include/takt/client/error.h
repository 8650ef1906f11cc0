// ClientError is the reason why a call of takt::client::Client failed; Client::send() and others return it in
// a Result. Failure is a ClientError with a text; Client::connect() returns it. The reason why a session
// ended is in the event Disconnected (event.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace takt::client {

/// Values are frozen; new ones go to the end.
enum class ClientError : std::uint8_t {
  kBadUrl = 1,        ///< not udp://HOST:PORT or tcp://HOST:PORT
  kBadAddress = 2,    ///< the host name does not resolve
  kNetwork = 3,       ///< the system refused the socket
  kNotConnected = 4,  ///< wait for the Joined event first
  kQueueFull =
      5,  ///< too many unacknowledged commands: the server does not answer, or you send faster than it takes
  kNotFinite = 6,    ///< the command holds NaN or infinity
  kOutOfRange = 7,   ///< a number of the command is outside what may be sent
  kNotSendable = 8,  ///< only the server lets players join and leave
};

/// One line in plain words. Never empty.
[[nodiscard]] std::string_view message(ClientError error) noexcept;

/// An error with what it was about.
struct Failure {
  ClientError error = ClientError::kNetwork;
  std::string detail;  ///< one line: the address, the reason and the remedy
};
[[nodiscard]] inline std::string message(const Failure& failure) { return failure.detail; }

}  // namespace takt::client
