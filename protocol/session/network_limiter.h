// NetworkLimiter limits what all addresses together ask of a server: the connection requests that it reads,
// the latency probes that it answers, the tokens that it opens, the keys that it agrees on. ServerDatagrams
// has one for requests and one for probes, ServerShared one for each of the others. Half of the rate is for
// everybody. The other half is for networks that ask for little: an IPv4 /24 or an IPv6 /48 within its share.
// A flood from some networks thus leaves half of the rate to all others. A flood of all networks, forged or
// not, takes both halves. Shares are kept in a table of fixed size with a keyed hash (AddressLimiter).
#pragma once

#include <array>
#include <cstdint>

#include "protocol/link/rate_limiter.h"
#include "protocol/wire/address.h"

namespace takt::protocol {

/// A rate and a burst.
struct RateLimit {
  std::uint32_t per_s = 0;
  std::uint32_t burst = 0;
};

class NetworkLimiter {
 public:
  /// `all`: of all addresses together. `share`: of one network, from the reserved half. `secret`: key of the
  /// hash.
  NetworkLimiter(RateLimit all, RateLimit share, const std::array<std::uint64_t, 2>& secret)
      : open_(all.per_s - all.per_s / 2, all.burst - all.burst / 2, 0),
        reserved_(all.per_s / 2, all.burst / 2, 0),
        networks_(share.per_s, share.burst, secret, kSiteBytes) {}

  /// True if take() would return true now.
  [[nodiscard]] bool has(std::uint64_t now_us, const Address& from) const noexcept {
    return open_.has(now_us) || (reserved_.has(now_us) && networks_.has(now_us, network_of(from)));
  }
  /// Takes one for `from`; false: there is none left.
  [[nodiscard]] bool take(std::uint64_t now_us, const Address& from) noexcept {
    bool const is_within_share = networks_.take(now_us, network_of(from));
    return open_.take(now_us) || (is_within_share && reserved_.take(now_us));
  }

 private:
  static constexpr std::size_t kSiteBytes = 6;
  static Address network_of(const Address& from) noexcept {
    Address network = from;
    if (from.is_ipv4()) network.ip.back() = 0;
    return network;
  }
  TokenBucket open_;
  TokenBucket reserved_;
  AddressLimiter networks_;
};

/// Requests of one network: 16 clients that connect at once, each with a request every 250 ms, and more of
/// them until the open half is taken.
inline constexpr RateLimit kRequestShare{64, 128};
/// Latency probes of one network: 16 clients that measure at once, each with a probe every 250 ms.
inline constexpr RateLimit kLatencyProbeShare{64, 128};
/// Tokens of one network that are opened: likewise, but a token is opened once.
inline constexpr RateLimit kTokenShare{64, 128};
/// Agreements of one network: two addresses whose bursts of joins (AddressLimits) come at once are in the
/// burst, and 15 such networks in the reserved half of 250 a second.
inline constexpr RateLimit kAgreementShare{16, 32};

}  // namespace takt::protocol
