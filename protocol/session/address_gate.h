// AddressGate limits what one network address may hold and ask of a server: sessions, streams without a
// session, joins and new streams a second (AddressLimits). An address is an IPv4 address or an IPv6 /64
// prefix, which one host or household controls. A second level limits the sessions and joins of an IPv6 /48.
// The gate charges only addresses that a challenge cookie (challenge.h) or TCP's handshake has proved, so no
// stranger uses up the limits of somebody else. ServerShared has the gate; ServerDatagrams and
// ServerStreamSessions check it. ServerStreamSessions counts the streams without a session.
#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "protocol/link/rate_limiter.h"
#include "protocol/wire/address.h"

namespace takt::protocol {

struct AddressLimits {
  /// Sessions at once: a household or a small class behind one address.
  std::uint32_t sessions_max = 8;
  /// Streams at once that have no session yet; for one more the oldest of the address is closed.
  std::uint32_t pending_streams_max = 16;
  /// Joins a second, and the burst. A join is the most expensive thing that a stranger may ask for. Further
  /// joins wait: a client repeats its response, and a stream keeps its request, for up to 5 s.
  std::uint32_t joins_per_s = 2;
  std::uint32_t join_burst = 16;
  /// New streams a second, and the burst; further ones are closed.
  std::uint32_t streams_per_s = 32;
  std::uint32_t stream_burst = 64;

  /// The limits of addresses of this machine (127.0.0.0/8 and ::1): load tests and tools run there.
  [[nodiscard]] static constexpr AddressLimits of_loopback() noexcept {
    return {4096, 256, 256, 4096, 256, 4096};
  }
};

/// An IPv6 /48 has this many times the sessions and joins of one address. Streams are limited by /64 only.
inline constexpr std::uint32_t kSiteFactor = 4;

class AddressGate {
 public:
  /// `loopback`: limits of each address of this machine. `secret`: key of the AddressLimiters' hash.
  AddressGate(const AddressLimits& limits, const AddressLimits& loopback,
              const std::array<std::uint64_t, 2>& secret);

  /// True when the address may have one session more, after `freed` of its sessions have ended.
  [[nodiscard]] bool has_place(const Address& from, std::uint32_t freed = 0) const;
  /// Counts a session of the address; remove() must follow when it ends.
  void add(const Address& from) { count(from, 1); }
  void remove(const Address& from) { count(from, -1); }

  /// Charges a join to the address and its /48; false: the join must wait.
  [[nodiscard]] bool take_join(std::uint64_t now_us, const Address& from) noexcept;
  /// Charges a new stream to the address; false: the stream must be closed.
  [[nodiscard]] bool take_stream(std::uint64_t now_us, const Address& from) noexcept;

  /// The limits that apply to the address.
  [[nodiscard]] const AddressLimits& limits_of(const Address& from) const noexcept {
    return from.is_loopback() ? loopback_ : limits_;
  }
  /// True if both count as one address: the same IPv4 address or IPv6 /64.
  [[nodiscard]] static bool is_same(const Address& a, const Address& b) noexcept;

 private:
  void count(const Address& from, int change);

  AddressLimits limits_;
  AddressLimits loopback_;
  std::map<Address, std::uint32_t> sessions_;       // by IPv4 address or /64, port 0; no entry = 0
  std::map<Address, std::uint32_t> site_sessions_;  // by /48
  AddressLimiter joins_;
  AddressLimiter site_joins_;
  AddressLimiter loopback_joins_;
  AddressLimiter streams_;
  AddressLimiter loopback_streams_;
};

}  // namespace takt::protocol
