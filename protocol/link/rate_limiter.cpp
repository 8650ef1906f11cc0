#include "protocol/link/rate_limiter.h"

#include <span>

#include "protocol/wire/siphash.h"

namespace takt::protocol {

std::uint64_t TokenBucket::level(std::uint64_t now_us) const noexcept {
  std::uint64_t const full = std::uint64_t{burst_} * 1'000'000;
  std::uint64_t const elapsed_us = now_us > at_us_ ? now_us - at_us_ : 0;
  if (per_s_ == 0) return micro_tokens_;
  // per_s tokens a second are per_s millionths a microsecond. Compared by division first, so that nothing
  // overflows.
  if (elapsed_us >= (full - micro_tokens_) / per_s_ + 1) return full;
  return micro_tokens_ + elapsed_us * per_s_;
}

bool TokenBucket::take(std::uint64_t now_us, std::uint32_t count) noexcept {
  micro_tokens_ = level(now_us);
  if (now_us > at_us_) at_us_ = now_us;
  std::uint64_t const price = std::uint64_t{count} * 1'000'000;
  if (micro_tokens_ < price) return false;
  micro_tokens_ -= price;
  return true;
}

AddressLimiter::AddressLimiter(std::uint32_t per_s, std::uint32_t burst,
                               const std::array<std::uint64_t, 2>& secret, std::size_t prefix_bytes)
    : per_s_(per_s), burst_(burst), secret_(secret), prefix_bytes_(prefix_bytes), places_(kPlaces) {}

AddressLimiter::Found AddressLimiter::find(std::uint64_t now_us, const Address& from) const noexcept {
  auto const ip = std::as_bytes(std::span(from.ip));
  std::uint64_t const hash = siphash(secret_, from.is_ipv4() ? ip : ip.first(prefix_bytes_));
  auto const tag = static_cast<std::uint32_t>(hash >> 32) | 1u;
  std::size_t const row = hash % (kPlaces / kWays) * kWays;
  std::size_t idle = kPlaces;
  for (std::size_t place = row; place < row + kWays; ++place) {
    if (places_[place].tag == tag) return {place, tag, false};
    bool const is_idle = places_[place].tag == 0 || places_[place].bucket.is_full(now_us);
    if (is_idle && idle == kPlaces) idle = place;
  }
  if (idle != kPlaces) return {idle, tag, true};
  return {row + tag / 2 % kWays, tag, false};
}

bool AddressLimiter::has(std::uint64_t now_us, const Address& from) const noexcept {
  Found const found = find(now_us, from);
  return found.is_new ? burst_ > 0 : places_[found.place].bucket.has(now_us);
}

bool AddressLimiter::take(std::uint64_t now_us, const Address& from) noexcept {
  Found const found = find(now_us, from);
  if (found.is_new) places_[found.place] = {found.tag, TokenBucket(per_s_, burst_, now_us)};
  return places_[found.place].bucket.take(now_us);
}

}  // namespace takt::protocol
