// handshake_context() returns the bytes of a handshake that both ends must agree on: transport, request,
// cookie and public keys. The keys of a session depend on them (crypto/key_exchange.h), and so do the
// client's proof and the sealed Accept. Who changes a byte of the handshake on its way thus ends it.
// append_request() appends a request without its padding; the cookie covers it, too (challenge.h).
#pragma once

#include <cstddef>
#include <vector>

#include "crypto/key_exchange.h"
#include "protocol/messages/message.h"
#include "protocol/session/server_event.h"
#include "takt/core/bytes.h"

namespace takt::protocol {

/// `Writer`: ByteWriter or SipHasher.
template <class Writer>
void append_request(const ConnectRequest& request, Writer& writer);
[[nodiscard]] std::vector<std::byte> handshake_context(TransportKind transport, const ConnectRequest& request,
                                                       const Cookie& cookie,
                                                       const crypto::ServerPublicKeys& server,
                                                       const crypto::PublicKey& client);

}  // namespace takt::protocol
