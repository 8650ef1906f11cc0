#include "crypto/base64url.h"

#include <sodium.h>

#include "crypto/sodium.h"

namespace takt::crypto {

constexpr int kVariant = sodium_base64_VARIANT_URLSAFE_NO_PADDING;

void append_base64url(std::span<const std::byte> bytes, std::string& out) {
  start_sodium();
  std::size_t const at = out.size();
  std::size_t const with_end = sodium_base64_encoded_len(bytes.size(), kVariant);  // counts a final zero
  out.resize(at + with_end);
  sodium_bin2base64(out.data() + at, with_end, sodium_bytes(bytes.data()), bytes.size(), kVariant);
  out.pop_back();
}

std::optional<std::size_t> decode_base64url(std::string_view text, std::span<std::byte> out) {
  start_sodium();
  std::size_t count = 0;
  const char* end = nullptr;
  if (sodium_base642bin(sodium_bytes(out.data()), out.size(), text.data(), text.size(), nullptr, &count, &end,
                        kVariant) != 0)
    return std::nullopt;
  if (end != text.data() + text.size()) return std::nullopt;
  return count;
}

}  // namespace takt::crypto
