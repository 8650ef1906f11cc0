// TokenOpener verifies the connect tokens of requests for a server, and binds each to one session at a time.
// protocol/ knows the rights of a token, TokenGrant, and not its bytes: server/token_gate.h implements the
// interface and has the keys, the ledger and the time of day. ServerSessions calls it, on the thread of the
// endpoint.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "protocol/messages/message.h"
#include "takt/core/result.h"
#include "takt/crypto/secret.h"

namespace takt::protocol {

/// The rights of a session, as its token states them.
struct TokenGrant {
  std::array<std::byte, 16> tag{};       ///< identifies the token
  std::uint64_t user_id = 0;             ///< account of the player, not 0
  Role role = Role::kPlayer;             ///< kSpectator may not join as a player; kPlayer may join as either
  bool admin = false;                    ///< may send Control
  std::uint8_t modes = 0;                ///< bit i: ReplicationMode i is allowed
  std::string name;                      ///< printable, at most kPlayerNameBytesMax bytes
  std::uint32_t bodies_max = 0;          ///< that the player may own; 0 = as the room
  std::uint32_t commands_per_s_max = 0;  ///< 0 = as the room
};

class TokenOpener {
 public:
  virtual ~TokenOpener() = default;
  /// Verifies a sealed token with at most one decryption. `keys` gets the session keys in it, which the
  /// caller wipes. Errors: a RefuseReason about tokens, but neither kTokenRequired nor kTokenReused.
  [[nodiscard]] virtual Result<TokenGrant, RefuseReason> open(std::span<const std::byte> sealed,
                                                              crypto::SessionKeyBytes& keys) = 0;
  /// Binds the token to the session `holder`, which is not 0; false: another session holds it.
  [[nodiscard]] virtual bool claim(const std::array<std::byte, 16>& tag, std::uint64_t holder) = 0;
  /// Frees the token when its session has ended.
  virtual void release(const std::array<std::byte, 16>& tag, std::uint64_t holder) = 0;
};

}  // namespace takt::protocol
