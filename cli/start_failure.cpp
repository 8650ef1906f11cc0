#include "cli/start_failure.h"

namespace takt::cli {

std::string start_failure(const server::Failure& failure, std::uint16_t port, const WebOptions& web) {
  bool const is_web = failure.sockets == server::Sockets::kWeb;
  std::string const option = is_web ? "--http" : "--port";
  switch (failure.error) {
    case server::Error::kPortInUse:
      return option + ' ' + (is_web ? web.port : std::to_string(port)) + ": " +
             std::string(server::message(failure.error)) + "; choose another, or " +
             (is_web ? "auto for a free one, or 0 for none" : "0 for a free one");
    case server::Error::kPermissionDenied: return message(failure) + "; choose another port with " + option;
    case server::Error::kBadAddress:
      return message(failure) + "; name an address of this machine with " +
             (is_web ? "--http-bind" : "--bind");
    case server::Error::kNetwork:
    case server::Error::kSceneRefused:
    case server::Error::kTokenKeysRefused: break;
  }
  return message(failure);
}

}  // namespace takt::cli
