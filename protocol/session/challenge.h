// make_cookie and check_cookie are the server's stateless challenge over datagrams. A client that sends the
// cookie back has proved that it receives at its address. Cookies are computed with a secret key, so the
// server stores nothing for a stranger. Connection ids, path probes and the seeds of ack traps, which no
// stranger may guess, are of the same key. ServerDatagrams calls all these functions; ServerSessions has the
// UsedCookies (admission.h), which refuse a cookie that was used before.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/messages/message.h"
#include "protocol/session/server_event.h"
#include "protocol/wire/address.h"
#include "protocol/wire/siphash.h"

namespace takt::protocol {

/// kForged: not made with this secret for this address and request. kExpired: older than kCookieLifetime, or
/// issued after `now_us`.
enum class CookieVerdict : std::uint8_t { kGood, kForged, kExpired };

/// 8 bytes of issue time and 8 bytes of SipHash over this time, the transport, the address and the request
/// without padding. One host and port may be that of a client over UDP and of another over TCP.
[[nodiscard]] Cookie make_cookie(const std::array<std::uint64_t, 2>& secret, std::uint64_t now_us,
                                 TransportKind transport, const Address& address,
                                 const ConnectRequest& request);

/// Checks that this server gave `cookie` over this transport to this address for this request within
/// kCookieLifetime.
[[nodiscard]] CookieVerdict check_cookie(const std::array<std::uint64_t, 2>& secret, std::uint64_t now_us,
                                         TransportKind transport, const Address& address,
                                         const ConnectRequest& request, const Cookie& cookie);

/// The time at which a good cookie was made.
[[nodiscard]] std::uint64_t issue_time_of(const Cookie& cookie) noexcept;

/// The hash by which UsedCookies finds a cookie. Nothing on the wire shows it.
[[nodiscard]] std::uint64_t hash_used_cookie(const std::array<std::uint64_t, 2>& secret,
                                             const Cookie& cookie);

/// Connection id of the session `count`, never 0: SipHash of the number, cut to 32 bits. Two counts may have
/// one id. An id is no secret, because every datagram carries it in clear; it only must not tell how many
/// sessions there were.
[[nodiscard]] std::uint32_t make_connection_id(const std::array<std::uint64_t, 2>& secret,
                                               std::uint64_t count);
/// Bytes of the path probe `count`.
[[nodiscard]] std::array<std::byte, 8> make_probe(const std::array<std::uint64_t, 2>& secret,
                                                  std::uint64_t count);
/// DatagramLinkOptions::trap_seed of the session `count`, never 0.
[[nodiscard]] std::uint64_t make_trap_seed(const std::array<std::uint64_t, 2>& secret, std::uint64_t count);

}  // namespace takt::protocol
