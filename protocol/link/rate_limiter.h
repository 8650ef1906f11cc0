// TokenBucket limits the rate of one peer: take() returns true while tokens are left. InputReceiver and
// ServerPeer limit a player's inputs, room controls (such as pause) and queries by TokenBuckets.
// AddressLimiter is a table of 4,096 TokenBuckets by IP address; AddressGate (protocol/session/) limits joins
// and new streams (TCP, web sockets) by it. Neither class allocates after construction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "protocol/wire/address.h"

namespace takt::protocol {

/// A bucket that gains `per_s` tokens a second and stores at most `burst`. It begins full.
class TokenBucket {
 public:
  /// A bucket without tokens, for ever.
  TokenBucket() = default;
  TokenBucket(std::uint32_t per_s, std::uint32_t burst, std::uint64_t now_us) noexcept
      : per_s_(per_s), burst_(burst), micro_tokens_(std::uint64_t{burst} * 1'000'000), at_us_(now_us) {}

  /// True if there is a token to take.
  [[nodiscard]] bool has(std::uint64_t now_us) const noexcept { return level(now_us) >= 1'000'000; }
  /// True if it stores `burst` tokens, as a new one does.
  [[nodiscard]] bool is_full(std::uint64_t now_us) const noexcept {
    return level(now_us) >= std::uint64_t{burst_} * 1'000'000;
  }
  /// Takes one token; false: there is less than one.
  [[nodiscard]] bool take(std::uint64_t now_us) noexcept { return take(now_us, 1); }
  /// Takes `count` tokens; false: there are fewer, and none is taken. More than `burst` are never there.
  [[nodiscard]] bool take(std::uint64_t now_us, std::uint32_t count) noexcept;

 private:
  [[nodiscard]] std::uint64_t level(std::uint64_t now_us) const noexcept;
  std::uint32_t per_s_ = 0;
  std::uint32_t burst_ = 0;
  std::uint64_t micro_tokens_ = 0;  // millionths of a token
  std::uint64_t at_us_ = 0;
};

/// Buckets by IPv4 address or by the first bytes of an IPv6 address (the port does not count) in a table of
/// fixed size. A keyed hash chooses the row of 8, so that an attacker cannot choose somebody else's. An
/// address gets a place whose bucket is full, which is that of nobody who asked of late. In a row without one
/// addresses share a bucket, which can only refuse more: with 256 addresses that flood, one row in 10^7.
class AddressLimiter {
 public:
  /// `per_s` and `burst` are those of every TokenBucket. `prefix_bytes` of an IPv6 address count, 0 to 16: 8
  /// for a /64. `secret` is the key of the hash.
  AddressLimiter(std::uint32_t per_s, std::uint32_t burst, const std::array<std::uint64_t, 2>& secret,
                 std::size_t prefix_bytes);

  /// True if the bucket of `from` has a token.
  [[nodiscard]] bool has(std::uint64_t now_us, const Address& from) const noexcept;
  /// Takes a token of the bucket of `from`; false: there is none.
  [[nodiscard]] bool take(std::uint64_t now_us, const Address& from) noexcept;

  static constexpr std::size_t kPlaces = 4096;

 private:
  struct Place {
    std::uint32_t tag = 0;  // of the address: bits of its hash, never 0; 0 = unused
    TokenBucket bucket;
  };
  struct Found {
    std::size_t place = 0;
    std::uint32_t tag = 0;
    bool is_new = false;  // the place is another's, who does not need it
  };
  [[nodiscard]] Found find(std::uint64_t now_us, const Address& from) const noexcept;

  static constexpr std::size_t kWays = 8;
  std::uint32_t per_s_;
  std::uint32_t burst_;
  std::array<std::uint64_t, 2> secret_;
  std::size_t prefix_bytes_;
  std::vector<Place> places_;
};

}  // namespace takt::protocol
