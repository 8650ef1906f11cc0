// HandshakeLimiter limits the connection requests over datagrams that a server reads, for all addresses
// together. ServerDatagrams has one. The addresses are not proved, so no address has a limit of its own that
// somebody else could use up. Half of the rate is for everybody. The other half is for networks that ask for
// little: an IPv4 /24 or an IPv6 /48 within its share. A flood from some networks thus leaves half of the
// rate to all others. A flood that forges addresses of all networks takes both halves. Shares are kept in a
// table of fixed size with a keyed hash (AddressLimiter).
#pragma once

#include <array>
#include <cstdint>

#include "protocol/link/rate_limiter.h"
#include "protocol/wire/address.h"

namespace takt::protocol {

class HandshakeLimiter {
 public:
  /// `per_s` and `burst`: of all addresses together. `secret`: key of the hash.
  HandshakeLimiter(std::uint32_t per_s, std::uint32_t burst, const std::array<std::uint64_t, 2>& secret)
      : open_(per_s - per_s / 2, burst - burst / 2, 0),
        reserved_(per_s / 2, burst / 2, 0),
        networks_(kNetworkPerS, kNetworkBurst, secret, kSiteBytes) {}

  /// Takes a request of `from`; false: it must be dropped.
  [[nodiscard]] bool take(std::uint64_t now_us, const Address& from) noexcept {
    Address network = from;
    if (from.is_ipv4()) network.ip.back() = 0;
    bool const is_within_share = networks_.take(now_us, network);
    return open_.take(now_us) || (is_within_share && reserved_.take(now_us));
  }

  /// Requests a second of one network that the reserved half takes, and the burst: a school whose pupils
  /// connect at once, each with a request every 250 ms.
  static constexpr std::uint32_t kNetworkPerS = 64;
  static constexpr std::uint32_t kNetworkBurst = 128;

 private:
  static constexpr std::size_t kSiteBytes = 6;
  TokenBucket open_;
  TokenBucket reserved_;
  AddressLimiter networks_;
};

}  // namespace takt::protocol
