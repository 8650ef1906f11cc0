// TokenKeys is the set of up to four keys that a back end and its servers share, each with an id. Tokens are
// minted with the newest key, which has the greatest id, and open with any: a new key is rotated in without a
// token that stops working. read_token_keys() and token_key_line() are the text form of a key file; the
// caller reads and writes the file. Tokens are in takt/crypto/connect_token.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "takt/core/result.h"
#include "takt/crypto/error.h"
#include "takt/crypto/secret.h"

namespace takt::crypto {

class TokenKeys {
 public:
  /// Four keys: one to mint with, one before it, and two for back ends that lag behind.
  static constexpr std::size_t kMaxKeys = 4;

  /// Errors: kOutOfRange (id 0), kDuplicate, kTableFull.
  [[nodiscard]] Result<Unit, Error> add(std::uint32_t id, SecretKey key);
  /// Removes the key with the smallest id, if any.
  void remove_oldest();

  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  /// The greatest id; 0 without keys.
  [[nodiscard]] std::uint32_t newest_id() const noexcept;
  /// All ids, ascending.
  [[nodiscard]] std::vector<std::uint32_t> ids() const;
  /// Null without such a key. The pointer is good until the next change.
  [[nodiscard]] const SecretKey* find(std::uint32_t id) const noexcept;

 private:
  struct Entry {
    std::uint32_t id;
    SecretKey key;
  };
  std::vector<Entry> entries_;  // ascending ids
};

/// A fault of a key file; `line` counts from 1.
struct TokenKeysFault {
  int line = 0;
  Error error = Error::kMalformed;
};
/// Reads one key a line, "<id> <base64url of 32 bytes>"; empty lines and lines that begin with # are ignored.
[[nodiscard]] Result<TokenKeys, TokenKeysFault> read_token_keys(std::string_view text);
/// The line of one key, with its line end. It is as secret as the key.
[[nodiscard]] std::string token_key_line(std::uint32_t id, const SecretKey& key);

}  // namespace takt::crypto
