#include "protocol/wire/datagram.h"

#include "takt/core/assert.h"
#include "takt/core/bytes.h"

namespace takt::protocol {

void write_header(const DatagramHeader& header, std::span<std::byte, kDatagramHeaderBytes> out) noexcept {
  store_little_endian(&out[0], kDatagramMagic);
  store_little_endian(&out[4], static_cast<std::uint8_t>(header.type));
  store_little_endian(&out[5], header.flags);
  store_little_endian(&out[6], header.ack_delay_100us);
  store_little_endian(&out[8], header.session);
  store_little_endian(&out[16], header.sequence);
  store_little_endian(&out[20], header.ack);
  store_little_endian(&out[24], header.ack_bits);
}

Result<DatagramHeader, Error> read_header(std::span<const std::byte> datagram) noexcept {
  if (datagram.size() < kDatagramHeaderBytes) return Error::kTooShort;
  if (datagram.size() > kDatagramBytesMax) return Error::kTooLong;
  ByteReader reader(datagram);
  if (reader.get<std::uint32_t>() != kDatagramMagic) return Error::kBadMagic;
  auto const type = reader.get<std::uint8_t>();
  if (type != static_cast<std::uint8_t>(DatagramType::kHandshake) &&
      type != static_cast<std::uint8_t>(DatagramType::kSession))
    return Error::kBadType;
  DatagramHeader header;
  header.type = static_cast<DatagramType>(type);
  header.flags = reader.get<std::uint8_t>();
  header.ack_delay_100us = reader.get<std::uint16_t>();
  header.session = reader.get<std::uint64_t>();
  header.sequence = reader.get<std::uint32_t>();
  header.ack = reader.get<std::uint32_t>();
  header.ack_bits = reader.get<std::uint64_t>();
  return header;
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
