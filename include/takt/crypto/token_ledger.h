// TokenLedger binds each token to one session at a time. A second session that shows the token of a living
// one is refused as reused. When a session ends, its token is free again until it expires, so a player comes
// back with it. The table has a fixed number of places, one for each session that a server allows, and
// allocates nothing after its construction. It expects tags of tokens that open_token() has verified: a
// stranger cannot fill it. A session outlives the expiry of its token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "takt/core/result.h"
#include "takt/crypto/connect_token.h"
#include "takt/crypto/error.h"

namespace takt::crypto {

class TokenLedger {
 public:
  /// `places`: tokens held at a time, 1 or more (asserted).
  explicit TokenLedger(std::size_t places);

  /// Binds the token to the session `holder` (not 0, asserted). A holder that repeats its claim succeeds.
  /// Errors: kReused (another session holds it), kTableFull.
  [[nodiscard]] Result<Unit, Error> claim(const TokenTag& tag, std::uint64_t holder);
  /// Frees the token when its session has ended. Does nothing if `holder` does not hold it.
  void release(const TokenTag& tag, std::uint64_t holder);
  /// The session that holds the token, 0 = none.
  [[nodiscard]] std::uint64_t holder_of(const TokenTag& tag) const noexcept;
  /// Number of tokens that are held.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  struct Entry {
    TokenTag tag{};
    std::uint64_t holder = 0;  // 0 = empty
  };
  [[nodiscard]] std::size_t home_of(const TokenTag& tag) const noexcept;
  [[nodiscard]] std::size_t find(const TokenTag& tag) const noexcept;

  std::vector<Entry> entries_;  // open addressing, linear probes; a power of two, at most half full
  std::size_t places_;
  std::size_t size_ = 0;
};

}  // namespace takt::crypto
