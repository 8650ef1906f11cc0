#include "server/token_gate.h"

#include <utility>

#include "protocol/wire/limits.h"
#include "takt/core/assert.h"
#include "takt/crypto/connect_token.h"

namespace takt::server {
namespace {

static_assert(protocol::kConnectTokenBytesMax == crypto::kSealedTokenBytesMax);
static_assert(protocol::kPlayerNameBytesMax == crypto::kTokenNameBytesMax);

constexpr std::uint8_t bit_of(protocol::ReplicationMode mode) {
  return static_cast<std::uint8_t>(1u << static_cast<unsigned>(mode));
}
static_assert(bit_of(protocol::ReplicationMode::kSnapshot) == crypto::kTokenModeSnapshot);
static_assert(bit_of(protocol::ReplicationMode::kRollback) == crypto::kTokenModeRollback);
static_assert(bit_of(protocol::ReplicationMode::kLockstep) == crypto::kTokenModeLockstep);
static_assert(bit_of(protocol::ReplicationMode::kPredicted) == crypto::kTokenModePredicted);

protocol::RefuseReason reason_of(crypto::Error error) {
  using protocol::RefuseReason;
  switch (error) {
    case crypto::Error::kWrongVersion: return RefuseReason::kTokenWrongVersion;
    case crypto::Error::kExpired: return RefuseReason::kTokenExpired;
    case crypto::Error::kTooLongLived: return RefuseReason::kTokenTooLongLived;
    case crypto::Error::kWrongKey: return RefuseReason::kTokenWrongKey;
    case crypto::Error::kWrongServer: return RefuseReason::kTokenWrongServer;
    case crypto::Error::kForged: return RefuseReason::kTokenForged;
    default: return RefuseReason::kTokenMalformed;
  }
}

}  // namespace

TokenGate::TokenGate(const TokenOptions& options, crypto::TokenKeys keys, std::size_t sessions_max,
                     std::function<std::uint64_t()> unix_now_s)
    : public_addresses_(options.public_addresses),
      room_id_(options.room_id),
      unix_now_s_(std::move(unix_now_s)),
      ledger_(sessions_max),
      keys_(std::move(keys)) {}

void TokenGate::replace_keys(crypto::TokenKeys keys) {
  std::lock_guard const lock(keys_mutex_);
  std::swap(keys_, keys);
}

Result<protocol::TokenGrant, protocol::RefuseReason> TokenGate::open(std::span<const std::byte> sealed,
                                                                     crypto::SessionKeyBytes& keys) {
  auto const verified = [&] {
    std::lock_guard const lock(keys_mutex_);
    return crypto::verify_token(sealed, keys_, public_addresses_, unix_now_s_(), &keys);
  }();
  if (!verified) return reason_of(verified.error());
  crypto::TokenClaims const& claims = verified->claims;
  if (claims.room_id != 0 && claims.room_id != room_id_) return protocol::RefuseReason::kTokenWrongRoom;
  protocol::TokenGrant grant;
  grant.tag = verified->tag;
  grant.user_id = claims.user_id;
  grant.role =
      claims.role == crypto::TokenRole::kSpectator ? protocol::Role::kSpectator : protocol::Role::kPlayer;
  grant.admin = claims.admin;
  grant.modes = claims.modes;
  grant.name = claims.player_name;
  grant.bodies_max = claims.bodies_max;
  grant.commands_per_s_max = claims.commands_per_s_max;
  return grant;
}

// The ledger has a place for each session, and a session that is leaving has released its own.
bool TokenGate::claim(const crypto::TokenTag& tag, std::uint64_t holder) {
  return ledger_.claim(tag, holder).ok();
}

void TokenGate::release(const crypto::TokenTag& tag, std::uint64_t holder) { ledger_.release(tag, holder); }

}  // namespace takt::server
