// A datagram is one UDP packet: of the handshake, or sealed. HandshakeHeader begins those of the handshake,
// in clear. AckBlock and Section are the parts of a sealed datagram's payload (crypto/sealed_datagram.h has
// its header). A section is one unreliable message or one fragment of a reliable message. Every line of the
// tables below determines bytes on the wire. DatagramLink (protocol/link/) has the state of a session:
// numbers, acks and windows.
//
//   handshake:
//   offset  size  field
//        0     4  magic, "TKT1"
//        4     1  type: 1. Version 2 has datagrams of type 2, which nobody reads any more
//        5    27  zeros, not checked
//       32     -  one message, to the end
//
//   ack block, which begins a payload if the header's ack bit is set:
//   offset  size  field
//        0     2  low bytes of the newest packet number that was received
//        2     2  bits 0-2: bytes of the mask; bits 3-15: ack delay, units of 100 us, saturating: time from
//                 the arrival of that datagram to the sending of this one
//        4  0..7  mask: bit i = the number newest - 1 - i was received. Bytes that are left out at its end
//                 have all bits set, so a path without loss needs none
//
//   message section:   kind 1 (1), flags 0 (1), bytes (2), message
//   fragment section:  kind 2 (1), flags (1; bit 0 = last of its message), bytes (2), fragment number (4),
//                      fragment
//
// The numbers in parentheses are sizes in bytes. The field `bytes` has the size of the message or fragment. A
// payload with a section asks for an ack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "protocol/wire/error.h"
#include "protocol/wire/limits.h"
#include "takt/core/result.h"

namespace takt::protocol {

/// True for the first byte of a sealed datagram; a handshake begins with 'T'.
[[nodiscard]] constexpr bool is_sealed(std::span<const std::byte> datagram) noexcept {
  return !datagram.empty() && (datagram[0] & std::byte{0x80}) != std::byte{0};
}

/// Appends a handshake's header.
void write_handshake_header(std::vector<std::byte>& out);
/// The message of a handshake datagram, not read; or Error::kTooShort, kTooLong, kBadMagic or kBadType.
[[nodiscard]] Result<std::span<const std::byte>, Error> read_handshake(
    std::span<const std::byte> datagram) noexcept;

/// The fields of the ack block's table, in its units.
struct AckBlock {
  static constexpr std::uint64_t kMaskAll = (std::uint64_t{1} << kAckBits) - 1;
  static constexpr std::uint16_t kDelayUnitsMax = (1u << 13) - 1;
  std::uint16_t newest_low = 0;
  std::uint16_t delay_100us = 0;  ///< at most kDelayUnitsMax
  std::uint64_t mask = kMaskAll;  ///< bit i: newest - 1 - i was received; kAckBits bits
  friend bool operator==(const AckBlock&, const AckBlock&) = default;
};

/// Appends the block; a greater delay is written as kDelayUnitsMax.
void write_ack_block(const AckBlock& block, std::vector<std::byte>& out);
/// Reads a block from the beginning of `payload` and removes it there; Error::kTooShort.
[[nodiscard]] Result<AckBlock, Error> read_ack_block(std::span<const std::byte>& payload) noexcept;

enum class SectionKind : std::uint8_t { kMessage = 1, kFragment = 2 };

inline constexpr std::uint8_t kFragmentFlagLast = 1u << 0;

/// One section of a datagram.
struct Section {
  SectionKind kind = SectionKind::kMessage;
  bool last_of_message = false;        ///< fragment: the last one of its message
  std::uint32_t fragment = 0;          ///< fragment: its number, from 0 over the session, modulo 2^32
  std::span<const std::byte> payload;  ///< not owned: bytes of the datagram, or of the sender's queue
};

/// Appends a section. The payload has 1 to kUnreliableBytesMax bytes (asserted).
void write_section(const Section& section, std::vector<std::byte>& out);

/// Reads the sections of a payload, behind the ack block, in order. A section is malformed if its kind is
/// unknown, its bytes are incomplete, or its payload is empty.
class SectionReader {
 public:
  /// The sections point into `body`.
  explicit SectionReader(std::span<const std::byte> body) noexcept : rest_(body) {}
  /// The next section; false at the end, and from the first malformed section on.
  [[nodiscard]] bool next(Section& out) noexcept;
  /// False once a malformed section was met.
  [[nodiscard]] bool ok() const noexcept { return ok_; }

 private:
  std::span<const std::byte> rest_;
  bool ok_ = true;
};

}  // namespace takt::protocol
