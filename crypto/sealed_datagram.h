// The byte layout of a sealed datagram since version 3 of the wire.
//
//   offset  size  field
//        0     1  bit 7: 1 (a handshake begins with 'T', which has 0); bit 6: key phase; bits 5-4: bytes of
//                 the packet number, 1 = 2 bytes, 2 = 4 bytes; bit 3: path probe; bit 2: an ack block begins
//                 the payload; bits 1-0: 0
//        1     4  connection id, chosen by the server: routes to the session, from its address alone
//        5  2, 4  low bytes of the packet number
//        7     -  payload, encrypted (datagram_cipher.h)
//      end    16  tag
//
// Integers are little-endian. The header is the associated data. The nonce is 4 zero bytes and the 64-bit
// packet number. DatagramSealer writes the layout, DatagramOpener reads it, and DatagramLink
// (protocol/link/) owns one of each. advance_key_chain() derives the packet keys of the phases.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "takt/core/result.h"
#include "takt/crypto/secret.h"

namespace takt::crypto {

inline constexpr std::size_t kSealTagBytes = 16;
/// Bytes around a payload while the peer acknowledges, and at most.
inline constexpr std::size_t kSealOverheadBytes = 1 + 4 + 2 + kSealTagBytes;
inline constexpr std::size_t kSealOverheadBytesMax = 1 + 4 + 4 + kSealTagBytes;

/// Reasons to drop a datagram. Each is counted, and none is answered.
enum class DropReason : std::uint8_t {
  kMalformed = 0,        ///< another layout, or shorter than an empty payload
  kWrongConnection = 1,  ///< of another session
  kReplayed = 2,         ///< this packet number was opened before
  kLate = 3,             ///< older than the replay window, or of a phase whose key is wiped
  kForged = 4,           ///< the tag does not verify
};
inline constexpr std::size_t kDropReasonCount = 5;

struct SealFlags {
  bool path_probe = false;
  bool has_ack = false;
  friend bool operator==(const SealFlags&, const SealFlags&) = default;
};

struct SealedHeader {
  SealFlags flags;
  bool phase = false;
  std::uint32_t connection_id = 0;
  std::uint32_t number_low = 0;
  std::size_t number_bytes = 2;  ///< 2 or 4

  [[nodiscard]] std::size_t bytes() const noexcept { return 5 + number_bytes; }
};

/// Writes header.bytes() bytes.
void write_sealed_header(const SealedHeader& header, std::byte* out) noexcept;
/// Error kMalformed.
[[nodiscard]] Result<SealedHeader, DropReason> read_sealed_header(
    std::span<const std::byte> datagram) noexcept;

/// The nonce of a packet number.
[[nodiscard]] std::array<std::byte, 12> seal_nonce(std::uint64_t number) noexcept;

/// The chain secret gives the packet key of a phase and the chain secret of the
/// next one (BLAKE2b, crypto_kdf), and is then overwritten: a later state gives no earlier key.
/// Replaces `chain` and writes the packet key of the phase that it stood for.
void advance_key_chain(std::span<std::byte, 32> chain, std::span<std::byte, 32> packet_key) noexcept;

}  // namespace takt::crypto
