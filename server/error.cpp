#include "takt/server/error.h"

namespace takt::server {

std::string_view message(Error error) noexcept {
  switch (error) {
    case Error::kBadAddress: return "this is not an address of this machine";
    case Error::kPortInUse: return "another program uses the port";
    case Error::kPermissionDenied: return "the system does not allow this; ports below 1024 need privileges";
    case Error::kNetwork: return "the system refused the sockets";
    case Error::kSceneRefused: return "the scene cannot be simulated";
    case Error::kCertificateRefused: return "the TLS certificate or its key cannot be used";
    case Error::kTokenKeysRefused: return "the key file of tokens cannot be used";
    case Error::kIdentityRefused: return "the identity file cannot be used";
    case Error::kDesyncFolderRefused: return "the folder for reports of desyncs cannot be used";
  }
  return "unknown error";
}

}  // namespace takt::server
