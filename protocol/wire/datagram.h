// DatagramHeader and Section are the parts of a datagram (one UDP packet): a fixed little-endian header and,
// in session datagrams, sections. A section is one unreliable message or one fragment of a reliable message.
// write_header, read_header, write_section and SectionReader convert them to and from bytes. Every line of
// the table below determines bytes on the wire. DatagramLink (protocol/link/) has the state of a session:
// sequences, acks and windows.
//
//   offset  size  field
//        0     4  magic, "TKT1"
//        4     1  type: 1 handshake, 2 session
//        5     1  flags: bit 0 = asks for an ack, bit 1 = ack and ack bits are valid; others 0, not checked
//        6     2  ack delay, units of 100 us, saturating: time from the arrival of the newest datagram (ack)
//                 to the sending of this one
//        8     8  session id; 0 in handshake datagrams
//       16     4  sequence of this datagram, counted from 1 in each direction; handshake: 0
//       20     4  ack: the newest sequence received
//       24     8  ack bits: bit i = sequence ack - 1 - i was received; handshake: 0 in both
//       32        handshake: one message to the end. session: sections to the end
//
//   message section:   kind 1 (1), flags 0 (1), bytes (2), message
//   fragment section:  kind 2 (1), flags (1; bit 0 = last of its message), bytes (2), fragment number (4),
//                      fragment
//
// The numbers in parentheses are sizes in bytes. The field `bytes` has the size of the message or fragment.
//
// Sequences have 32 bits, not 16: when a client joins, up to 7,000 datagrams a second would exhaust 16 bits
// in 10 s. A recorded datagram would then be taken for a new one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "protocol/wire/error.h"
#include "protocol/wire/limits.h"
#include "takt/core/result.h"

namespace takt::protocol {

enum class DatagramType : std::uint8_t { kHandshake = 1, kSession = 2 };

inline constexpr std::uint8_t kDatagramFlagAckEliciting = 1u << 0;  ///< the sender asks for an ack
inline constexpr std::uint8_t kDatagramFlagAckValid = 1u << 1;      ///< `ack` and `ack_bits` are valid

/// The fields of the table above, in its units.
struct DatagramHeader {
  DatagramType type = DatagramType::kSession;
  std::uint8_t flags = 0;
  std::uint16_t ack_delay_100us = 0;
  std::uint64_t session = 0;
  std::uint32_t sequence = 0;
  std::uint32_t ack = 0;
  std::uint64_t ack_bits = 0;
  friend bool operator==(const DatagramHeader&, const DatagramHeader&) = default;
};

/// Writes the magic and the header's fields over the first bytes of a datagram.
void write_header(const DatagramHeader& header, std::span<std::byte, kDatagramHeaderBytes> out) noexcept;
/// The header of a datagram, or Error::kTooShort, kTooLong, kBadMagic or kBadType. Unknown flags are kept.
[[nodiscard]] Result<DatagramHeader, Error> read_header(std::span<const std::byte> datagram) noexcept;

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

/// Reads the sections of a datagram's body in order. A section is malformed if its kind is unknown, its bytes
/// are incomplete, or its payload is empty.
class SectionReader {
 public:
  /// `body`: the datagram without its header. The sections point into it.
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
