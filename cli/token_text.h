// print_token() prints the content of a connect token for `takt token inspect`, as text or as one JSON
// object. It prints no key: a token's session keys and the keys of the back end are secret. Texts of the
// token reach the terminal without control characters.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "takt/crypto/connect_token.h"

namespace takt::cli {

/// The outcome of an inspection.
struct InspectedToken {
  crypto::TokenHeader header;
  std::uint64_t now_s = 0;                    ///< Unix time of the inspection
  std::optional<std::string_view> refusal;    ///< of a server or a client, with the given keys; static text
  std::optional<crypto::TokenClaims> claims;  ///< none without keys, and after a refusal
};

void print_token(const InspectedToken& token, bool as_json);

}  // namespace takt::cli
