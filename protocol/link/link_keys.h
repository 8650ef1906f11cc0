// LinkKeys are the two keys of a session as one of its ends uses them. DatagramLink and StreamLink are made
// with LinkKeys and copy both. The session keys (takt/crypto/secret.h) own the bytes.
#pragma once

#include "takt/crypto/secret.h"

namespace takt::protocol {

struct LinkKeys {
  const crypto::SecretKey& send;
  const crypto::SecretKey& receive;
  [[nodiscard]] static LinkKeys of_client(const crypto::SessionKeys& keys) noexcept {
    return {keys.client_to_server, keys.server_to_client};
  }
  [[nodiscard]] static LinkKeys of_server(const crypto::SessionKeys& keys) noexcept {
    return {keys.server_to_client, keys.client_to_server};
  }
};

}  // namespace takt::protocol
