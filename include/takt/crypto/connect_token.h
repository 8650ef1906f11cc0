// A connect token proves the identity of a player that joins: a back end mints it, the client carries it, the
// server opens it without a call to the back end. It has two parts. The client part is the two session keys,
// which only the client reads. The sealed token goes to the server: its header is in clear and authenticated,
// its claims are encrypted with the key that back end and server share. mint_token() makes a token,
// read_token_header() reads the header, open_token() verifies it. docs/TOKENS.md has the byte layout. Time
// and random bytes come in as arguments. open_token() remembers nothing: TokenLedger
// (takt/crypto/token_ledger.h) binds a token to one session at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "takt/core/result.h"
#include "takt/crypto/error.h"
#include "takt/crypto/secret.h"
#include "takt/crypto/token_keys.h"

namespace takt::crypto {

/// A sealed token fits into a challenge response of 1,200 bytes beside the request's own fields, the cookie,
/// the client's public key and its proof.
inline constexpr std::size_t kSealedTokenBytesMax = 912;
inline constexpr std::size_t kTokenServersMax = 8;
/// "HOST:PORT"; a host name of DNS has up to 253 bytes, longer lists than 912 bytes allow are refused.
inline constexpr std::size_t kTokenServerBytesMax = 255;
inline constexpr std::size_t kTokenNameBytesMax = 32;  ///< as the name of a player on the wire
inline constexpr std::size_t kTokenUserDataBytesMax = 256;
/// 400 days from issue to expiry, and from a server's time to the expiry: one year and time to renew.
inline constexpr std::uint64_t kTokenLifetimeMaxS = 400ull * 24 * 3600;
/// Random bytes for one token: nonce (24), the two session keys (2 x 32).
inline constexpr std::size_t kTokenRandomBytes = 88;

/// The part that a client takes in a room. Values are those of the wire's Role.
enum class TokenRole : std::uint8_t { kPlayer = 0, kSpectator = 1 };

/// Bits of TokenClaims::modes. Bit i is the replication mode i of the wire.
inline constexpr std::uint8_t kTokenModeSnapshot = 1u << 0;
inline constexpr std::uint8_t kTokenModeRollback = 1u << 1;
inline constexpr std::uint8_t kTokenModeLockstep = 1u << 2;
inline constexpr std::uint8_t kTokenModePredicted = 1u << 3;
inline constexpr std::uint8_t kTokenModesAll =
    kTokenModeSnapshot | kTokenModeRollback | kTokenModeLockstep | kTokenModePredicted;

/// The statements of a back end about one player.
struct TokenClaims {
  std::uint64_t user_id = 0;   ///< account of the player; 1 or more
  std::uint64_t room_id = 0;   ///< 0 = any room of the server
  std::uint64_t issued_s = 0;  ///< Unix time in seconds
  /// Unix time in seconds, 1 to kTokenLifetimeMaxS after issued_s; the token works before this second.
  std::uint64_t expires_s = 0;
  TokenRole role = TokenRole::kPlayer;
  bool admin = false;                    ///< may pause, step and load scenes
  std::uint8_t modes = kTokenModesAll;   ///< allowed replication modes, at least one
  std::uint32_t bodies_max = 0;          ///< bodies that the player may own; 0 = as the room's policy
  std::uint32_t commands_per_s_max = 0;  ///< 0 = as the room's policy
  std::uint32_t reconnect_grace_s = 30;  ///< the player is away, and not gone, for this time
  std::string player_name;               ///< valid UTF-8 without control characters, at most 32 bytes
  std::vector<std::string> servers;      ///< "HOST:PORT", at most 8 texts of ASCII; empty = any server
  std::vector<std::byte> user_data;      ///< of the game, at most 256 bytes
  friend bool operator==(const TokenClaims&, const TokenClaims&) = default;
};

/// The whole token, for the client. Whoever has it can join as the user.
struct ConnectToken {
  SessionKeys keys;
  std::vector<std::byte> sealed;
};

/// Mints a token with the key `key_id` of `keys`. `random` must come from the random source of the operating
/// system, fresh for each token. Errors: kWrongKey (no such id), kTooLongLived, kOutOfRange (another claim
/// outside its range, or a sealed token of more than kSealedTokenBytesMax bytes: shorten the list of
/// servers).
[[nodiscard]] Result<ConnectToken, Error> mint_token(const TokenClaims& claims, const TokenKeys& keys,
                                                     std::uint32_t key_id,
                                                     std::span<const std::byte, kTokenRandomBytes> random);

/// "takt1_" and base64url of the token. The text is as secret as the keys in it.
[[nodiscard]] std::string token_text(const ConnectToken& token);
/// The token of a text. White space around the text is ignored. Errors: kMalformed, kWrongVersion.
[[nodiscard]] Result<ConnectToken, Error> read_token_text(std::string_view text);

/// The header of a sealed token: bytes in clear that anybody can read and, before open_token(), anybody can
/// have changed.
struct TokenHeader {
  std::uint32_t key_id = 0;
  std::uint64_t expires_s = 0;
  std::vector<std::string> servers;
};
/// Errors: kMalformed, kWrongVersion.
[[nodiscard]] Result<TokenHeader, Error> read_token_header(std::span<const std::byte> sealed);

/// The last 16 bytes of a sealed token. Only an owner of the key can make two tokens with one tag, so the tag
/// identifies the token.
using TokenTag = std::array<std::byte, 16>;

struct OpenedToken {
  TokenClaims claims;
  SessionKeys keys;
  TokenTag tag{};
};

/// Verifies and decrypts a sealed token. `own_servers` are the names of this server, as back ends write them;
/// `now_s` is Unix time. The checks are in this order: kMalformed, kWrongVersion, kExpired, kTooLongLived,
/// kWrongKey, kWrongServer, then one decryption, kForged. A refusal allocates nothing. Verified claims that
/// mint_token() refuses are kMalformed, or kTooLongLived if their times alone are too far apart.
[[nodiscard]] Result<OpenedToken, Error> open_token(std::span<const std::byte> sealed, const TokenKeys& keys,
                                                    std::span<const std::string> own_servers,
                                                    std::uint64_t now_s);

/// The statements of a token, without its session keys.
struct VerifiedToken {
  TokenClaims claims;
  TokenTag tag{};
};

/// As open_token(), without the session keys unless `session_keys` is given, which the caller wipes. The two
/// secrets of an OpenedToken take pages of their own, which cost 160 us; a verification takes 2 to 8 us.
[[nodiscard]] Result<VerifiedToken, Error> verify_token(std::span<const std::byte> sealed,
                                                        const TokenKeys& keys,
                                                        std::span<const std::string> own_servers,
                                                        std::uint64_t now_s,
                                                        SessionKeyBytes* session_keys = nullptr);

}  // namespace takt::crypto
