#include "protocol/session/address_gate.h"

#include <algorithm>

namespace takt::protocol {
namespace {

/// Bytes of an IPv6 address that name a network and a site.
constexpr std::size_t kNetworkBytes = 8;
constexpr std::size_t kSiteBytes = 6;

Address prefix_of(const Address& from, std::size_t bytes) noexcept {
  Address prefix;
  if (from.is_ipv4()) bytes = from.ip.size();
  std::copy_n(from.ip.begin(), bytes, prefix.ip.begin());
  return prefix;
}

std::uint32_t count_in(const std::map<Address, std::uint32_t>& counts, const Address& key) {
  auto const at = counts.find(key);
  return at != counts.end() ? at->second : 0;
}

void change_in(std::map<Address, std::uint32_t>& counts, const Address& key, int change) {
  std::uint32_t& count = counts[key];
  count += static_cast<std::uint32_t>(change);  // modulo 2^32: minus one is right
  if (count == 0) counts.erase(key);
}

}  // namespace

AddressGate::AddressGate(const AddressLimits& limits, const AddressLimits& loopback,
                         const std::array<std::uint64_t, 2>& secret)
    : limits_(limits),
      loopback_(loopback),
      joins_(limits.joins_per_s, limits.join_burst, secret, kNetworkBytes),
      site_joins_(kSiteFactor * limits.joins_per_s, kSiteFactor * limits.join_burst, secret, kSiteBytes),
      loopback_joins_(loopback.joins_per_s, loopback.join_burst, secret, kNetworkBytes),
      streams_(limits.streams_per_s, limits.stream_burst, secret, kNetworkBytes),
      loopback_streams_(loopback.streams_per_s, loopback.stream_burst, secret, kNetworkBytes) {}

bool AddressGate::has_place(const Address& from, std::uint32_t freed) const {
  std::uint32_t const max = limits_of(from).sessions_max;
  if (count_in(sessions_, prefix_of(from, kNetworkBytes)) >= max + freed) return false;
  return from.is_ipv4() || count_in(site_sessions_, prefix_of(from, kSiteBytes)) < kSiteFactor * max + freed;
}

void AddressGate::count(const Address& from, int change) {
  change_in(sessions_, prefix_of(from, kNetworkBytes), change);
  if (!from.is_ipv4()) change_in(site_sessions_, prefix_of(from, kSiteBytes), change);
}

bool AddressGate::take_join(std::uint64_t now_us, const Address& from) noexcept {
  if (from.is_loopback()) return loopback_joins_.take(now_us, from);
  return joins_.take(now_us, from) && (from.is_ipv4() || site_joins_.take(now_us, from));
}

bool AddressGate::take_stream(std::uint64_t now_us, const Address& from) noexcept {
  return (from.is_loopback() ? loopback_streams_ : streams_).take(now_us, from);
}

bool AddressGate::is_same(const Address& a, const Address& b) noexcept {
  return prefix_of(a, kNetworkBytes) == prefix_of(b, kNetworkBytes);
}

}  // namespace takt::protocol
