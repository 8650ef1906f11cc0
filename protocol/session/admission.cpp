#include "protocol/session/admission.h"

#include <algorithm>

#include "protocol/session/challenge.h"
#include "takt/core/assert.h"

namespace takt::protocol {
namespace {

std::string hex(std::uint64_t value) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "0x";
  for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[(value >> shift) & 0xfu];
  return text;
}

}  // namespace

std::optional<Refuse> judge(const ServerOptions& options, TransportKind transport,
                            const ConnectRequest& request) {
  auto const refuse = [&](RefuseReason reason, std::string text) {
    return Refuse{request.nonce, reason, std::move(text)};
  };
  if (request.protocol_version != kProtocolVersion) {
    return refuse(RefuseReason::kVersionMismatch, "this server speaks protocol version " +
                                                      std::to_string(kProtocolVersion) + ", you asked for " +
                                                      std::to_string(request.protocol_version));
  }
  if (transport != TransportKind::kWebSocket && !request.player_name.empty()) {
    return refuse(RefuseReason::kBadRequest,
                  "over UDP and TCP the player's name goes into the proof, sealed, and not into the request");
  }
  if (!options.modes.contains(request.mode)) {
    return refuse(RefuseReason::kModeUnsupported, "this server offers " + options.modes.text() +
                                                      ", you asked for " +
                                                      std::string(name_of(request.mode)));
  }
  if (request.scene_hash != 0 && request.scene_hash != options.scene_hash) {
    return refuse(RefuseReason::kSceneMismatch, "this server runs scene " + hex(options.scene_hash) +
                                                    ", you asked for " + hex(request.scene_hash));
  }
  if (request.numbers_mode != NumbersMode::kAny && request.numbers_mode != options.numbers_mode) {
    return refuse(RefuseReason::kNumbersMismatch,
                  "this server computes in " + std::string(name_of(options.numbers_mode)) +
                      ", you asked for " + std::string(name_of(request.numbers_mode)));
  }
  return std::nullopt;
}

std::size_t UsedCookies::row_of(const Cookie& cookie) const {
  return static_cast<std::size_t>(hash_used_cookie(secret_, cookie) % kRows);
}

bool UsedCookies::contains(std::uint64_t now_us, const Cookie& cookie) const {
  return std::ranges::any_of(rows_[row_of(cookie)], [&](const Used& used) {
    return used.until_us > now_us && used.cookie == cookie;
  });
}

bool UsedCookies::has_place(std::uint64_t now_us, const Cookie& cookie) const {
  return std::ranges::any_of(rows_[row_of(cookie)],
                             [&](const Used& used) { return used.until_us <= now_us; });
}

void UsedCookies::insert(std::uint64_t now_us, const Cookie& cookie) {
  TAKT_ASSERT(!contains(now_us, cookie));  // two sessions would have the same keys and nonces
  Row& row = rows_[row_of(cookie)];
  auto const oldest = std::ranges::min_element(row, {}, &Used::until_us);
  TAKT_ASSERT(oldest->until_us <= now_us);
  *oldest = {now_us + kCookieLifetime + 1, cookie};
}

}  // namespace takt::protocol
