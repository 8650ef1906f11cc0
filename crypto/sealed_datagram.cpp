#include "crypto/sealed_datagram.h"

#include <sodium.h>

#include <cstring>

#include "crypto/sodium.h"
#include "takt/core/bytes.h"

namespace takt::crypto {
namespace {

constexpr std::uint8_t kSessionBit = 1u << 7;
constexpr std::uint8_t kPhaseBit = 1u << 6;
constexpr unsigned kNumberShift = 4;
constexpr std::uint8_t kPathProbeBit = 1u << 3;
constexpr std::uint8_t kAckBit = 1u << 2;
constexpr std::uint8_t kReservedBits = 3;
constexpr char kKeyContext[crypto_kdf_CONTEXTBYTES + 1] = "taktseal";
constexpr std::uint64_t kPacketKeyId = 1;
constexpr std::uint64_t kNextChainId = 2;
static_assert(crypto_kdf_KEYBYTES == 32 && kSealTagBytes == crypto_aead_chacha20poly1305_ietf_ABYTES);

}  // namespace

void write_sealed_header(const SealedHeader& header, std::byte* out) noexcept {
  unsigned const first = kSessionBit | (header.phase ? kPhaseBit : 0u) |
                         static_cast<unsigned>(header.number_bytes / 2) << kNumberShift |
                         (header.flags.path_probe ? kPathProbeBit : 0u) |
                         (header.flags.has_ack ? kAckBit : 0u);
  out[0] = static_cast<std::byte>(first);
  store_little_endian(out + 1, header.connection_id);
  if (header.number_bytes == 2) {
    store_little_endian(out + 5, static_cast<std::uint16_t>(header.number_low));
  } else {
    store_little_endian(out + 5, header.number_low);
  }
}

Result<SealedHeader, DropReason> read_sealed_header(std::span<const std::byte> datagram) noexcept {
  if (datagram.size() < kSealOverheadBytes) return DropReason::kMalformed;
  auto const first = std::to_integer<std::uint8_t>(datagram[0]);
  unsigned const number_code = first >> kNumberShift & 3u;
  if ((first & kSessionBit) == 0 || (first & kReservedBits) != 0 || (number_code != 1 && number_code != 2))
    return DropReason::kMalformed;
  SealedHeader header;
  header.flags = {(first & kPathProbeBit) != 0, (first & kAckBit) != 0};
  header.phase = (first & kPhaseBit) != 0;
  header.number_bytes = 2 * number_code;
  if (datagram.size() < header.bytes() + kSealTagBytes) return DropReason::kMalformed;
  header.connection_id = load_little_endian<std::uint32_t>(datagram.data() + 1);
  header.number_low = header.number_bytes == 2 ? load_little_endian<std::uint16_t>(datagram.data() + 5)
                                               : load_little_endian<std::uint32_t>(datagram.data() + 5);
  return header;
}

std::array<std::byte, 12> seal_nonce(std::uint64_t number) noexcept {
  std::array<std::byte, 12> nonce{};
  store_little_endian(nonce.data() + 4, number);
  return nonce;
}

void advance_key_chain(std::span<std::byte, 32> chain, std::span<std::byte, 32> packet_key) noexcept {
  std::array<std::byte, 32> next;
  crypto_kdf_derive_from_key(sodium_bytes(packet_key.data()), packet_key.size(), kPacketKeyId, kKeyContext,
                             sodium_bytes(chain.data()));
  crypto_kdf_derive_from_key(sodium_bytes(next.data()), next.size(), kNextChainId, kKeyContext,
                             sodium_bytes(chain.data()));
  std::memcpy(chain.data(), next.data(), next.size());
  wipe(next);
}

}  // namespace takt::crypto
