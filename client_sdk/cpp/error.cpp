#include "takt/client/error.h"

namespace takt::client {

std::string_view message(ClientError error) noexcept {
  switch (error) {
    case ClientError::kBadUrl: return "not an address of a server; write udp://HOST:PORT or tcp://HOST:PORT";
    case ClientError::kBadAddress: return "the host name does not resolve";
    case ClientError::kNetwork: return "the system refused the socket";
    case ClientError::kNotConnected: return "not joined; wait for the Joined event first";
    case ClientError::kQueueFull:
      return "too many commands are unacknowledged; send fewer, or see whether the server still answers";
    case ClientError::kNotFinite: return "the command holds NaN or infinity";
    case ClientError::kOutOfRange: return "a number of the command is outside what may be sent";
    case ClientError::kNotSendable: return "the server alone gives this command, such as that a player joins";
    case ClientError::kBadToken: return "not a connect token; it begins with takt1_ and is copied whole";
    case ClientError::kSessionOpen: return "the session is not over yet; wait for its end, or leave first";
  }
  return "unknown error";
}

}  // namespace takt::client
