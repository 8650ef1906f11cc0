#include "protocol/link/frame.h"

#include <algorithm>

#include "takt/core/assert.h"
#include "takt/core/bytes.h"

namespace takt::protocol {
namespace {

constexpr std::uint8_t kKindDatagramClass = 1;
constexpr std::uint8_t kKindReliableClass = 2;

}  // namespace

void write_frame(MessageClass message_class, std::span<const std::byte> message, std::vector<std::byte>& out,
                 crypto::StreamSealer* sealer) {
  TAKT_ASSERT(!message.empty() && message.size() <= kReliableBytesMax);
  std::size_t const tag_bytes = sealer != nullptr ? crypto::kSealTagBytes : 0;
  std::size_t const at = out.size();
  ByteWriter writer(out);
  writer.put(static_cast<std::uint32_t>(1 + message.size() + tag_bytes));
  writer.put(message_class == MessageClass::kReliable ? kKindReliableClass : kKindDatagramClass);
  writer.put_bytes(message);
  if (sealer == nullptr) return;
  out.resize(out.size() + tag_bytes);
  auto const frame = std::span(out).subspan(at);
  auto const body = frame.subspan(kFramePrefixBytes);
  sealer->seal(frame.first(kFramePrefixBytes), body.first(1 + message.size()), body);  // in place
}

FrameReader::Outcome FrameReader::next(std::span<const std::byte>& bytes, Frame& out,
                                       crypto::StreamOpener* opener) {
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
  std::size_t const tag_bytes = opener != nullptr ? crypto::kSealTagBytes : 0;
  if (length > frame_bytes_max_ + tag_bytes) return fail(Outcome::kOversize);
  if (length < 2 + tag_bytes) return fail(Outcome::kBadLayout);
  if (!take(kFramePrefixBytes + length)) return Outcome::kNeedMore;
  auto const frame = std::span(held_);
  std::span<std::byte> body = frame.subspan(kFramePrefixBytes);
  if (opener != nullptr && !opener->open(frame.first(kFramePrefixBytes), body, body))
    return fail(Outcome::kForged);
  auto const kind = std::to_integer<std::uint8_t>(body[0]);
  if (kind != kKindDatagramClass && kind != kKindReliableClass) return fail(Outcome::kBadKind);
  out.message_class = kind == kKindReliableClass ? MessageClass::kReliable : MessageClass::kDatagram;
  out.message = body.subspan(1);
  complete_ = true;
  return Outcome::kFrame;
}

}  // namespace takt::protocol
