#include "protocol/link/frame.h"

#include <algorithm>

#include "takt/core/assert.h"
#include "takt/core/bytes.h"

namespace takt::protocol {
namespace {

constexpr std::uint8_t kKindDatagramClass = 1;
constexpr std::uint8_t kKindReliableClass = 2;

}  // namespace

void write_frame(MessageClass message_class, std::span<const std::byte> message,
                 std::vector<std::byte>& out) {
  TAKT_ASSERT(!message.empty() && message.size() <= kReliableBytesMax);
  ByteWriter writer(out);
  writer.put(static_cast<std::uint32_t>(message.size() + 1));
  writer.put(message_class == MessageClass::kReliable ? kKindReliableClass : kKindDatagramClass);
  writer.put_bytes(message);
}

FrameReader::Outcome FrameReader::next(std::span<const std::byte>& bytes, Frame& out) {
  if (failed_ != Outcome::kFrame) return failed_;
  if (complete_) {
    held_.clear();
    complete_ = false;
  }
  auto const take = [&](std::size_t until) {
    std::size_t const count = std::min(until - held_.size(), bytes.size());
    held_.insert(held_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
    bytes = bytes.subspan(count);
    return held_.size() == until;
  };
  if (held_.size() < kFramePrefixBytes && !take(kFramePrefixBytes)) return Outcome::kNeedMore;
  auto const length = load_little_endian<std::uint32_t>(held_.data());
  // Judged before a byte of the body is stored.
  if (length > frame_bytes_max_) return fail(Outcome::kOversize);
  if (length < 2) return fail(Outcome::kBadLayout);
  if (!take(kFramePrefixBytes + length)) return Outcome::kNeedMore;
  auto const kind = std::to_integer<std::uint8_t>(held_[kFramePrefixBytes]);
  if (kind != kKindDatagramClass && kind != kKindReliableClass) return fail(Outcome::kBadKind);
  out.message_class = kind == kKindReliableClass ? MessageClass::kReliable : MessageClass::kDatagram;
  out.message = std::span<const std::byte>(held_).subspan(kFramePrefixBytes + 1);
  complete_ = true;
  return Outcome::kFrame;
}

}  // namespace takt::protocol
