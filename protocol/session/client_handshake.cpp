#include "protocol/session/client_handshake.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "crypto/handshake_seal.h"
#include "protocol/session/handshake_context.h"
#include "protocol/session/sealed_name.h"
#include "protocol/wire/datagram.h"
#include "takt/core/assert.h"
#include "takt/core/bytes.h"

namespace takt::protocol {

namespace {

// A response with the longest token fits its datagram: else a client with one would abort in poll_datagram().
static_assert(kHandshakeHeaderBytes + kTokenResponseBytes + kConnectTokenBytesMax <= kConnectRequestBytes);

// The seed of a key pair and the nonce of an attempt have a number each.
std::uint64_t pair_number(std::uint64_t attempt) { return 2 * attempt; }
std::uint64_t nonce_number(std::uint64_t attempt) { return 2 * attempt + 1; }

}  // namespace

crypto::SecretKey seed_of_attempt(const crypto::SecretKey& seed, std::uint64_t attempt) {
  return crypto::derive_seed(seed, pair_number(attempt));
}

void ClientHandshake::begin(std::uint64_t now_us, std::shared_ptr<const crypto::SecretKey> seed) {
  next_us_ = now_us;
  nonce_ = options_->nonce;
  if (options_->transport == TransportKind::kWebSocket) return;
  TAKT_ASSERT(seed != nullptr);
  seed_ = std::move(seed);
  pair_.emplace(seed_of_attempt(*seed_, 0));
}

// The challenge may have been forged, which nobody sees in it, and its cookie may have expired.
bool ClientHandshake::begin_anew_if_due(std::uint64_t now_us) {
  if (!keys_ || options_->transport != TransportKind::kDatagram || now_us < challenged_us_ + kAnswerPatience)
    return false;
  ++attempt_;
  keys_.reset();
  pair_.emplace(seed_of_attempt(*seed_, attempt_));
  crypto::SecretKey const nonce = crypto::derive_seed(*seed_, nonce_number(attempt_));
  nonce_ = load_little_endian<std::uint64_t>(nonce.reveal().data());
  next_us_ = now_us;
  return true;
}

ConnectRequest ClientHandshake::request() const {
  ConnectRequest request;
  request.protocol_version = options_->protocol_version;
  request.scene_hash = options_->scene_hash;
  request.numbers_mode = options_->numbers_mode;
  request.mode = options_->mode;
  bool const is_plain = options_->transport == TransportKind::kWebSocket;
  if (is_plain && options_->token.empty()) request.player_name = options_->player_name;
  request.token = options_->token;
  if (is_plain && options_->token_keys)
    request.token_verifier = crypto::token_verifier(*options_->token_keys);
  request.nonce = nonce_;
  request.role = options_->role;
  request.resume = options_->resume;
  if (options_->transport == TransportKind::kDatagram) request.ciphers = options_->ciphers;
  return request;
}

ChallengeResponse ClientHandshake::response() const {
  return {cookie_, request(), pair_->public_key().bytes, proof_};
}

bool ClientHandshake::poll_datagram(std::uint64_t now_us, MessageWriter& writer,
                                    std::vector<std::byte>& out) {
  if (now_us < next_us_) return false;
  next_us_ = now_us + kHandshakeRetry;
  out.clear();
  write_handshake_header(out);
  auto const message =
      keys_ ? writer.write(response()) : writer.write_padded(request(), kConnectRequestBytes - out.size());
  out.insert(out.end(), message.begin(), message.end());
  TAKT_ASSERT(out.size() <= kConnectRequestBytes);
  out.resize(kConnectRequestBytes);  // a response ends in zeros; the server answers nothing that is shorter
  return true;
}

HandshakeStep ClientHandshake::handle(std::uint64_t now_us, const Message& message) {
  // The nonce is known to both ends only: without it a stranger's guess could refuse for the server.
  auto const is_ours = [&](const auto* answer) { return answer != nullptr && answer->nonce == nonce_; };
  bool const is_plain = options_->transport == TransportKind::kWebSocket;
  if (is_ours(std::get_if<Refuse>(&message))) return HandshakeStep::kRefused;
  if (is_plain) {
    auto const* accept = std::get_if<Accept>(&message);
    if (!is_ours(accept)) return HandshakeStep::kUnexpected;
    accept_ = *accept;
    return HandshakeStep::kAccepted;
  }
  if (auto const* challenge = std::get_if<Challenge>(&message); is_ours(challenge))
    return handle_challenge(now_us, *challenge);
  if (auto const* sealed = std::get_if<SealedAccept>(&message); is_ours(sealed) && keys_)
    return handle_accept(*sealed);
  return HandshakeStep::kUnexpected;
}

HandshakeStep ClientHandshake::handle_challenge(std::uint64_t now_us, const Challenge& challenge) {
  if (keys_)
    return HandshakeStep::kRepeated;  // the first cookie is as good, or begin_anew_if_due() forgets it
  crypto::ServerPublicKeys const server{{challenge.lasting_key}, {challenge.short_lived_key}};
  if (options_->server_key && *options_->server_key != server.lasting) {
    has_met_other_key_ = true;
    return HandshakeStep::kKeyBad;
  }
  auto const context =
      handshake_context(options_->transport, request(), challenge.cookie, server, pair_->public_key());
  crypto::SessionKeyBytes token_keys{};
  if (options_->token_keys) {
    std::ranges::copy(options_->token_keys->client_to_server.reveal(), token_keys.begin());
    std::ranges::copy(options_->token_keys->server_to_client.reveal(),
                      token_keys.begin() + crypto::SecretKey::kBytes);
  }
  auto keys = crypto::agree_as_client(*pair_, server, context, options_->token_keys ? &token_keys : nullptr);
  crypto::wipe(token_keys);
  if (!keys) return HandshakeStep::kKeyBad;
  keys_ = *std::move(keys);
  cookie_ = challenge.cookie;
  // A new pair for each attempt makes another key, so none seals two texts.
  proof_ = options_->token.empty() ? prove_with_name(keys_->client_to_server, context, options_->player_name)
                                   : prove(keys_->client_to_server, context);
  next_us_ = now_us;
  challenged_us_ = now_us;
  return HandshakeStep::kChallenged;
}

HandshakeStep ClientHandshake::handle_accept(const SealedAccept& sealed) {
  std::vector<std::byte> bytes;
  if (!crypto::open_accept(keys_->server_to_client, sealed.sealed, bytes)) return HandshakeStep::kForged;
  auto const message = reader_.read(bytes, MessageClass::kDatagram);
  auto const* accept = message ? std::get_if<Accept>(&*message) : nullptr;
  bool const is_stream = options_->transport == TransportKind::kStream;
  if (accept == nullptr || accept->nonce != nonce_ ||
      accept->session > std::numeric_limits<std::uint32_t>::max() || (accept->session == 0) != is_stream ||
      !crypto::is_offered(request().ciphers, accept->cipher))
    return HandshakeStep::kUnexpected;
  accept_ = *accept;
  return HandshakeStep::kAccepted;
}

void ClientHandshake::forget() noexcept {
  seed_.reset();
  pair_.reset();
  keys_.reset();
}

}  // namespace takt::protocol
