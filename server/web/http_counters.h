// HttpCounter names the counters of the web gateway, the HTTP and web socket side of a server, such as
// requests answered and refused. HttpCounts holds their values. HttpSite has the one HttpCounts of a gateway.
// The web thread counts, and makes the page /metrics from the counts (metrics.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace takt::server {

/// Names are stable: metrics and tests use them. docs/HTTP.md has a sentence on each.
enum class HttpCounter : std::uint8_t {
  kConnections,
  kRequests,
  kUpgrades,
  // refused connections
  kConnectionsMax,
  kConnectionsPerAddress,
  kTlsDisplaced,
  kTlsTimeout,
  kTlsPlain,
  kTlsFailed,
  // refused requests
  kRequestMalformed,
  kHeaderTooLarge,
  kBodyTooLarge,
  kMethodRefused,
  kRequestTimeout,
  kResponseTimeout,
  // refused upgrades
  kUpgradeMalformed,
  kOriginRefused,
  kPlainRefused,
  // refused messages
  kTextMessage,
  kUnmaskedFrame,
  kMessageTooLarge,
  kFrameMalformed,
  kSocketTimeout,
  kCount  // not a counter
};

inline constexpr std::size_t kHttpCounterCount = static_cast<std::size_t>(HttpCounter::kCount);
/// The first counter of refusals; all after it count refusals, too.
inline constexpr HttpCounter kFirstHttpRefusal = HttpCounter::kConnectionsMax;

/// The counter's stable name, e.g. "origin_refused"; "unknown" for kCount.
[[nodiscard]] std::string_view name_of(HttpCounter counter) noexcept;

/// Values since the gateway's start, by HttpCounter.
using HttpCounts = std::array<std::uint64_t, kHttpCounterCount>;

}  // namespace takt::server
