// Both directions of one session: two sealers and two openers with the keys of a session. Nothing is sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "crypto/datagram_opener.h"
#include "crypto/datagram_sealer.h"
#include "tests/unit/crypto/sample_tokens.h"

namespace takt::crypto::test {

using Bytes = std::vector<std::byte>;

inline Bytes payload_of(std::uint64_t value, std::size_t size = 40) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(value >> (8 * (i % 8)));
  return bytes;
}

inline Bytes seal(DatagramSealer& sealer, std::span<const std::byte> payload, std::uint64_t now_us = 0,
                  std::uint64_t acked = 0, SealFlags flags = {}) {
  Bytes datagram(payload.size() + kSealOverheadBytesMax);
  datagram.resize(sealer.seal(now_us, acked, flags, payload, datagram));
  return datagram;
}

struct Opened {
  bool ok = false;
  DropReason reason = DropReason::kMalformed;  // unless ok
  std::uint64_t number = 0;
  SealFlags flags;
  Bytes payload;
};

inline Opened open(DatagramOpener& opener, std::span<const std::byte> datagram, std::uint64_t now_us = 0,
                   std::uint64_t rtt_us = 100'000) {
  Bytes buffer(datagram.size());
  auto const result = opener.open(now_us, rtt_us, datagram, buffer);
  if (!result) return {false, result.error(), 0, {}, {}};
  return {true, {}, result->number, result->flags, Bytes(result->payload.begin(), result->payload.end())};
}

struct SealedPair {
  explicit SealedPair(DatagramCipher cipher, std::uint8_t seed = 1, std::uint32_t id = 0xC0FFEE01,
                      KeyPhaseLimits limits = {})
      : keys{sample_key(seed), sample_key(static_cast<std::uint8_t>(seed + 50))},
        client_sealer(cipher, keys.client_to_server, id, 0, limits),
        server_opener(cipher, keys.client_to_server, id),
        server_sealer(cipher, keys.server_to_client, id, 0, limits),
        client_opener(cipher, keys.server_to_client, id) {}

  SessionKeys keys;
  DatagramSealer client_sealer;
  DatagramOpener server_opener;
  DatagramSealer server_sealer;
  DatagramOpener client_opener;
};

}  // namespace takt::crypto::test
