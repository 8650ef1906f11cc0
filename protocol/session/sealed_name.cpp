#include "protocol/session/sealed_name.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "crypto/handshake_seal.h"
#include "protocol/wire/limits.h"
#include "takt/core/assert.h"
#include "takt/core/bytes.h"

namespace takt::protocol {

namespace {

// Bytes of the wire: the length, the name, zeros.
using NameText = std::array<std::byte, kNamedProofBytes - kProofBytes>;

}  // namespace

std::vector<std::byte> prove(const crypto::SecretKey& key, std::span<const std::byte> context) {
  std::vector<std::byte> proof;
  crypto::seal_proof(key, context, {}, proof);
  return proof;
}

bool is_proved(const crypto::SecretKey& key, std::span<const std::byte> context,
               std::span<const std::byte> proof) {
  std::vector<std::byte> text;
  return proof.size() == kProofBytes && crypto::open_proof(key, context, proof, text);
}

std::vector<std::byte> prove_with_name(const crypto::SecretKey& key, std::span<const std::byte> context,
                                       std::string_view name) {
  TAKT_ASSERT(name.size() <= kPlayerNameBytesMax);
  NameText text{};
  text[0] = static_cast<std::byte>(name.size());
  std::ranges::copy(std::as_bytes(std::span(name)), text.begin() + 1);
  std::vector<std::byte> proof;
  crypto::seal_proof(key, context, text, proof);
  return proof;
}

Result<std::string, crypto::Error> open_name(const crypto::SecretKey& key, std::span<const std::byte> context,
                                             std::span<const std::byte> proof) {
  std::vector<std::byte> text;
  if (proof.size() != kNamedProofBytes || !crypto::open_proof(key, context, proof, text))
    return crypto::Error::kForged;
  auto const length = std::to_integer<std::size_t>(text[0]);
  if (length > kPlayerNameBytesMax) return crypto::Error::kOutOfRange;
  auto const padding = std::span(text).subspan(1 + length);
  std::string name(reinterpret_cast<const char*>(&text[1]), length);
  bool const is_padded = std::ranges::all_of(padding, [](std::byte b) { return b == std::byte{}; });
  if (!is_padded || !is_printable(name)) return crypto::Error::kOutOfRange;
  return name;
}

}  // namespace takt::protocol
