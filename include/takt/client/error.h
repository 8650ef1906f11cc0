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
  kNotConnected = 4,  ///< the client has not joined yet, or the session has ended
  kQueueFull = 5,     ///< too many unacknowledged commands or requests: the server does not answer, or the
                      ///< caller sends faster than the server takes
  kNotFinite = 6,     ///< a number of the command, query or request is NaN or infinite
  kOutOfRange = 7,    ///< a number, shape, count or text is outside the range that can be sent
  kNotSendable = 8,   ///< a command of the server alone (sim::ServerCommand), such as JoinCommand
  kBadToken = 9,      ///< Options::token is not the text of a connect token
  kSessionOpen = 10,  ///< the session is not over yet; another may begin after Disconnected or Left
};

/// One line in plain words. Never empty.
[[nodiscard]] std::string_view message(ClientError error) noexcept;

/// An error of Client::connect() and a text about it.
struct Failure {
  ClientError error = ClientError::kNetwork;
  std::string detail;  ///< one line: the address, the reason and the remedy
};
[[nodiscard]] inline std::string message(const Failure& failure) { return failure.detail; }

}  // namespace takt::client
