// endpoint_options() makes the options of a protocol::ClientEndpoint from what a caller of the SDK gives:
// Options and an address. open_transport() then connects the endpoint to the address. Client and
// ReplicaClient begin so. Each call of endpoint_options() draws another nonce.
#pragma once

#include <memory>

#include "net/client_transport.h"
#include "net/server_url.h"
#include "protocol/session/client_endpoint.h"
#include "takt/client/client.h"
#include "takt/client/error.h"
#include "takt/core/result.h"

namespace takt::client {

/// Numbers out of range are clamped as Options tells. Errors: kBadToken.
[[nodiscard]] Result<protocol::ClientOptions, Failure> endpoint_options(const Options& options,
                                                                        const net::ServerUrl& url);
/// The endpoint's options are those of the same `url`. Errors: kBadAddress, kNetwork.
[[nodiscard]] Result<std::unique_ptr<net::ClientTransport>, Failure> open_transport(
    const net::ServerUrl& url, protocol::ClientEndpoint& endpoint);

}  // namespace takt::client
