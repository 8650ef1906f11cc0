// Base64 with the alphabet of URLs and without padding (RFC 4648, section 5), in a time that depends on the
// sizes alone (libsodium). Texts of tokens and keys use it. A text with a character outside of the alphabet,
// or with unused bits set in its last character, has no bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace takt::crypto {

void append_base64url(std::span<const std::byte> bytes, std::string& out);
/// Decodes into the beginning of `out`. Returns the number of bytes; none if the text is no base64url or has
/// more bytes than `out`.
[[nodiscard]] std::optional<std::size_t> decode_base64url(std::string_view text, std::span<std::byte> out);

}  // namespace takt::crypto
