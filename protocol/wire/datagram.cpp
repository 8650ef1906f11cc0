#include "protocol/wire/datagram.h"

#include <algorithm>

#include "takt/core/assert.h"
#include "takt/core/bytes.h"

namespace takt::protocol {

namespace {

constexpr std::uint8_t kHandshakeType = 1;
constexpr unsigned kMaskBytesBits = 3;  // of the ack block's second field

}  // namespace

void write_handshake_header(std::vector<std::byte>& out) {
  std::size_t const at = out.size();
  out.resize(at + kHandshakeHeaderBytes);
  store_little_endian(&out[at], kDatagramMagic);
  store_little_endian(&out[at + 4], kHandshakeType);
}

Result<std::span<const std::byte>, Error> read_handshake(std::span<const std::byte> datagram) noexcept {
  if (datagram.size() < kHandshakeHeaderBytes) return Error::kTooShort;
  if (datagram.size() > kDatagramBytesMax) return Error::kTooLong;
  ByteReader reader(datagram);
  if (reader.get<std::uint32_t>() != kDatagramMagic) return Error::kBadMagic;
  if (reader.get<std::uint8_t>() != kHandshakeType) return Error::kBadType;
  return datagram.subspan(kHandshakeHeaderBytes);
}

void write_ack_block(const AckBlock& block, std::vector<std::byte>& out) {
  ByteWriter writer(out);
  std::uint64_t missing = ~block.mask & AckBlock::kMaskAll;
  unsigned mask_bytes = 0;
  for (std::uint64_t rest = missing; rest != 0; rest >>= 8) ++mask_bytes;
  auto const delay = std::min(block.delay_100us, AckBlock::kDelayUnitsMax);
  writer.put(block.newest_low);
  writer.put(static_cast<std::uint16_t>(unsigned{delay} << kMaskBytesBits | mask_bytes));
  for (; mask_bytes > 0; --mask_bytes, missing >>= 8) writer.put(static_cast<std::uint8_t>(~missing));
}

Result<AckBlock, Error> read_ack_block(std::span<const std::byte>& payload) noexcept {
  ByteReader reader(payload);
  AckBlock block;
  block.newest_low = reader.get<std::uint16_t>();
  auto const second = reader.get<std::uint16_t>();
  block.delay_100us = static_cast<std::uint16_t>(second >> kMaskBytesBits);
  unsigned const mask_bytes = second & ((1u << kMaskBytesBits) - 1);
  std::uint64_t missing = 0;
  for (unsigned i = 0; i < mask_bytes; ++i)
    missing |= std::uint64_t{static_cast<std::uint8_t>(~reader.get<std::uint8_t>())} << (8 * i);
  if (!reader.ok()) return Error::kTooShort;
  block.mask = ~missing & AckBlock::kMaskAll;
  payload = payload.subspan(reader.offset());
  return block;
}

void write_section(const Section& section, std::vector<std::byte>& out) {
  TAKT_ASSERT(!section.payload.empty() && section.payload.size() <= kUnreliableBytesMax);
  ByteWriter writer(out);
  bool const fragment = section.kind == SectionKind::kFragment;
  writer.put(static_cast<std::uint8_t>(section.kind));
  writer.put(fragment && section.last_of_message ? kFragmentFlagLast : std::uint8_t{0});
  writer.put(static_cast<std::uint16_t>(section.payload.size()));
  if (fragment) writer.put(section.fragment);
  writer.put_bytes(section.payload);
}

bool SectionReader::next(Section& out) noexcept {
  if (rest_.empty() || !ok_) return false;
  ByteReader reader(rest_);
  auto const kind = reader.get<std::uint8_t>();
  auto const flags = reader.get<std::uint8_t>();
  auto const bytes = reader.get<std::uint16_t>();
  bool const fragment = kind == static_cast<std::uint8_t>(SectionKind::kFragment);
  if (!fragment && kind != static_cast<std::uint8_t>(SectionKind::kMessage)) return ok_ = false;
  out.kind = fragment ? SectionKind::kFragment : SectionKind::kMessage;
  out.last_of_message = fragment && (flags & kFragmentFlagLast) != 0;
  out.fragment = fragment ? reader.get<std::uint32_t>() : 0;
  out.payload = reader.get_bytes(bytes);
  if (!reader.ok() || bytes == 0) return ok_ = false;
  rest_ = rest_.subspan(reader.offset());
  return true;
}

}  // namespace takt::protocol
