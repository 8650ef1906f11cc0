#include "cli/start_failure.h"

namespace takt::cli {

std::string start_failure(const server::Failure& failure, std::uint16_t port, const WebOptions& web) {
  // The option with the port, its value, the values that always work, and the option with the address.
  struct Names {
    std::string option;
    std::string value;
    std::string free_ports;
    std::string address_option;
  };
  Names const names = [&]() -> Names {
    switch (failure.sockets) {
      case server::Sockets::kWeb:
        return {"--http", web.port, "auto for a free one, or 0 for none", "--http-bind"};
      case server::Sockets::kMetrics:
        return {"--metrics-listen", web.metrics_listen, "port 0 for a free one", "--metrics-listen"};
      case server::Sockets::kGame: break;
    }
    return {"--port", std::to_string(port), "0 for a free one", "--bind"};
  }();
  switch (failure.error) {
    case server::Error::kPortInUse:
      return names.option + ' ' + names.value + ": " + std::string(server::message(failure.error)) +
             "; choose another, or " + names.free_ports;
    case server::Error::kPermissionDenied:
      return message(failure) + "; choose another port with " + names.option;
    case server::Error::kBadAddress:
      return message(failure) + "; name an address of this machine with " + names.address_option;
    case server::Error::kNetwork:
    case server::Error::kSceneRefused:
    case server::Error::kCertificateRefused:
    case server::Error::kTokenKeysRefused:
    case server::Error::kIdentityRefused:
    case server::Error::kDesyncFolderRefused: break;
  }
  return message(failure);
}

}  // namespace takt::cli
