#include "crypto/datagram_sealer.h"

#include <algorithm>

#include "crypto/packet_number.h"
#include "crypto/sodium.h"

namespace takt::crypto {

DatagramSealer::DatagramSealer(DatagramCipher cipher, const SecretKey& key, std::uint32_t connection_id,
                               std::uint64_t now_us, KeyPhaseLimits limits)
    : keys_(std::array<std::byte, 64>{}), limits_(limits), connection_id_(connection_id), cipher_(cipher) {
  start_sodium();
  auto const chain = keys_.reveal_for_writing().last<32>();
  std::ranges::copy(key.reveal(), chain.begin());
  begin_phase(now_us);
}

void DatagramSealer::begin_phase(std::uint64_t now_us) {
  auto const keys = keys_.reveal_for_writing();
  advance_key_chain(keys.last<32>(), keys.first<32>());
  first_of_phase_ = next_number_;
  phase_began_us_ = now_us;
}

std::size_t DatagramSealer::seal(std::uint64_t now_us, std::uint64_t acked, SealFlags flags,
                                 std::span<const std::byte> payload, std::span<std::byte> out) {
  TAKT_ASSERT(out.size() >= payload.size() + kSealOverheadBytesMax);
  TAKT_ASSERT(acked < next_number_);
  bool const is_over =
      next_number_ - first_of_phase_ >= limits_.datagrams || now_us - phase_began_us_ >= limits_.duration_us;
  if (is_over && acked >= first_of_phase_) {
    ++phase_count_;
    begin_phase(now_us);
  }
  std::uint64_t const number = next_number_++;
  SealedHeader header;
  header.flags = flags;
  header.phase = phase_count_ % 2 == 1;
  header.connection_id = connection_id_;
  header.number_bytes = packet_number_bytes(number, acked);
  header.number_low = static_cast<std::uint32_t>(number);
  write_sealed_header(header, out.data());
  encrypt_datagram(cipher_, keys_.reveal().first<32>(), number, out.first(header.bytes()), payload,
                   out.data() + header.bytes());
  return header.bytes() + payload.size() + kSealTagBytes;
}

}  // namespace takt::crypto
