#include "protocol/wire/latency_probe.h"

#include "protocol/wire/limits.h"
#include "takt/core/bytes.h"

namespace takt::protocol {
namespace {

constexpr std::uint8_t kProbeType = 3;
constexpr std::uint8_t kReplyType = 4;
static_assert(kLatencyReplyBytes == kHandshakeHeaderBytes + sizeof(std::uint64_t) + sizeof(std::uint32_t));

void write_header(std::uint8_t type, std::vector<std::byte>& out) {
  out.assign(kHandshakeHeaderBytes, std::byte{0});
  store_little_endian(&out[0], kDatagramMagic);
  store_little_endian(&out[4], type);
}

bool is_of_type(std::uint8_t type, std::span<const std::byte> datagram) noexcept {
  if (datagram.size() < kHandshakeHeaderBytes || datagram.size() > kDatagramBytesMax) return false;
  ByteReader reader(datagram);
  return reader.get<std::uint32_t>() == kDatagramMagic && reader.get<std::uint8_t>() == type;
}

}  // namespace

void write_latency_probe(std::uint64_t nonce, std::vector<std::byte>& out) {
  write_header(kProbeType, out);
  ByteWriter(out).put(nonce);
  out.resize(kConnectRequestBytes);
}

std::optional<std::uint64_t> read_latency_probe(std::span<const std::byte> datagram) noexcept {
  if (!is_latency_probe(datagram) || datagram.size() < kConnectRequestBytes) return std::nullopt;
  return ByteReader(datagram.subspan(kHandshakeHeaderBytes)).get<std::uint64_t>();
}

void write_latency_reply(const LatencyReply& reply, std::vector<std::byte>& out) {
  write_header(kReplyType, out);
  ByteWriter writer(out);
  writer.put(reply.nonce);
  writer.put(reply.protocol_version);
}

std::optional<LatencyReply> read_latency_reply(std::span<const std::byte> datagram) noexcept {
  if (!is_of_type(kReplyType, datagram) || datagram.size() < kLatencyReplyBytes) return std::nullopt;
  ByteReader reader(datagram.subspan(kHandshakeHeaderBytes));
  LatencyReply reply;
  reply.nonce = reader.get<std::uint64_t>();
  reply.protocol_version = reader.get<std::uint32_t>();
  return reply;
}

bool is_latency_probe(std::span<const std::byte> datagram) noexcept {
  return is_of_type(kProbeType, datagram);
}

}  // namespace takt::protocol
