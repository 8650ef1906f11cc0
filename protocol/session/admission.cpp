#include "protocol/session/admission.h"

#include <algorithm>

namespace takt::protocol {
namespace {

std::string hex(std::uint64_t value) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "0x";
  for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[(value >> shift) & 0xfu];
  return text;
}

}  // namespace

std::optional<Refuse> judge(const ServerOptions& options, const ConnectRequest& request) {
  auto const refuse = [&](RefuseReason reason, std::string text) {
    return Refuse{request.nonce, reason, std::move(text)};
  };
  if (request.protocol_version != kProtocolVersion) {
    return refuse(RefuseReason::kVersionMismatch, "this server speaks protocol version " +
                                                      std::to_string(kProtocolVersion) + ", you asked for " +
                                                      std::to_string(request.protocol_version));
  }
  if (request.mode != ReplicationMode::kSnapshot) {
    return refuse(RefuseReason::kModeUnsupported,
                  "this server offers mode snapshot, you asked for " + std::string(name_of(request.mode)));
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

bool UsedCookies::contains(std::uint64_t now_us, const Cookie& cookie) const {
  return std::any_of(used_.begin(), used_.end(), [&](const Used& used) {
    return used.at_us + kCookieLifetime >= now_us && used.cookie == cookie;
  });
}

void UsedCookies::insert(std::uint64_t now_us, const Cookie& cookie) {
  while (!used_.empty() && used_.front().at_us + kCookieLifetime < now_us) used_.pop_front();
  used_.push_back({now_us, cookie});
}

}  // namespace takt::protocol
