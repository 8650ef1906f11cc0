// A latency probe is a datagram that any program may send to a server, and a latency reply is the server's
// answer: `takt ping` and region pickers measure round trips by both, without a session. Probe and reply have
// the header of a handshake datagram (datagram.h) with types of their own. Nothing of them is secret or
// authenticated. Every line of the table below determines bytes on the wire.
//
//   offset  size  field
//        0     4  magic, "TKT1"
//        4     1  type: 3 = probe, 4 = reply
//        5    27  zeros, not checked
//       32     8  nonce; the reply has that of its probe
//       40     4  reply alone: protocol version of the server
//
// A probe is padded to kConnectRequestBytes with zeros, which are not checked, and a server reads no shorter
// one. The reply is thus 0.04 of it. A larger reply of a later version is read, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace takt::protocol {

inline constexpr std::size_t kLatencyReplyBytes = 44;

struct LatencyReply {
  std::uint64_t nonce = 0;
  std::uint32_t protocol_version = 0;
  friend bool operator==(const LatencyReply&, const LatencyReply&) = default;
};

/// Replaces `out` by a probe of kConnectRequestBytes.
void write_latency_probe(std::uint64_t nonce, std::vector<std::byte>& out);
/// The nonce of a probe; nothing if the datagram is none, or shorter than kConnectRequestBytes or longer than
/// kDatagramBytesMax.
[[nodiscard]] std::optional<std::uint64_t> read_latency_probe(std::span<const std::byte> datagram) noexcept;

/// Replaces `out` by a reply of kLatencyReplyBytes.
void write_latency_reply(const LatencyReply& reply, std::vector<std::byte>& out);
/// Nothing if the datagram is no reply, or has not kLatencyReplyBytes to kDatagramBytesMax.
[[nodiscard]] std::optional<LatencyReply> read_latency_reply(std::span<const std::byte> datagram) noexcept;

/// True for a datagram of the type of a probe, of any size from the header's on.
[[nodiscard]] bool is_latency_probe(std::span<const std::byte> datagram) noexcept;

}  // namespace takt::protocol
