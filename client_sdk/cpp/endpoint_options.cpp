#include "client_sdk/cpp/endpoint_options.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "net/entropy.h"
#include "protocol/messages/message.h"
#include "takt/crypto/connect_token.h"

namespace takt::client {
namespace {

std::uint64_t to_us(double seconds, double low_s, double high_s) {
  return static_cast<std::uint64_t>(std::clamp(seconds, low_s, high_s) * 1e6);
}

}  // namespace

Result<protocol::ClientOptions, Failure> endpoint_options(const Options& options, const net::ServerUrl& url) {
  protocol::ClientOptions out;
  out.transport = url.transport;
  // Half a character at the end, which a server would not take, is left out.
  out.player_name = protocol::printable_text(options.player_name.substr(0, sim::kMaxPlayerNameBytes));
  if (options.spectate) out.role = protocol::Role::kSpectator;
  out.scene_hash = options.scene_hash;
  if (options.numbers)
    out.numbers_mode = *options.numbers == NumbersMode::kFixed ? protocol::NumbersMode::kFixedMode
                                                               : protocol::NumbersMode::kFloatMode;
  out.nonce = net::draw_nonce();
  out.key_seed = std::make_shared<const crypto::SecretKey>(net::draw_seed());
  out.server_key = url.server_key;
  out.connect_timeout_us = to_us(options.connect_timeout_s, 0.1, 600);
  out.timeout_us = to_us(options.silence_timeout_s, 1, 600);
  if (options.token.empty()) return out;
  auto token = crypto::read_token_text(options.token);
  if (!token)
    return Failure{ClientError::kBadToken, "Options::token: " + std::string(message(ClientError::kBadToken))};
  out.token = std::move(token->sealed);
  out.token_keys = std::make_shared<const crypto::SessionKeys>(std::move(token->keys));
  return out;
}

Result<std::unique_ptr<net::ClientTransport>, Failure> open_transport(const net::ServerUrl& url,
                                                                      protocol::ClientEndpoint& endpoint) {
  auto transport = net::ClientTransport::open(url.host, url.port, url.transport, endpoint);
  if (transport) return *std::move(transport);
  net::Failure const& failure = transport.error();
  return Failure{failure.error == net::Error::kBadAddress ? ClientError::kBadAddress : ClientError::kNetwork,
                 message(failure)};
}

}  // namespace takt::client
