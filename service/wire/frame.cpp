#include "service/wire/frame.h"

#include <algorithm>
#include <cstring>

#include "takt/core/bytes.h"

namespace takt::service {

void put_frame_head(std::span<std::byte, kFrameHeadBytes> out, std::uint32_t payload_bytes) noexcept {
  store_little_endian(out.data(), std::uint64_t{payload_bytes});
}

std::span<std::byte> FrameBuffer::room() {
  constexpr std::size_t kMinRoom = 8 * 1024;
  trim();
  if (begin_ > 0) {
    std::memmove(bytes_.data(), bytes_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (bytes_.size() - end_ < kMinRoom) bytes_.resize(std::max(2 * bytes_.size(), end_ + 2 * kMinRoom));
  return std::span(bytes_).subspan(end_);
}

void FrameBuffer::trim() noexcept {
  constexpr std::size_t kKeptBytes = 1u << 20u;  // one large scene does not occupy memory for ever
  if (begin_ != end_ || bytes_.size() <= kKeptBytes) return;
  free_bytes(bytes_);
  begin_ = end_ = 0;
}

bool FrameBuffer::next(std::span<const std::byte>& payload) noexcept {
  if (fault_ != FrameFault::kNone || end_ - begin_ < kFrameHeadBytes) return false;
  auto const head = load_little_endian<std::uint64_t>(bytes_.data() + begin_);
  if (head == 0 || head > UINT32_MAX || head % 8 != 0) {
    fault_ = FrameFault::kHead;
    return false;
  }
  if (head > payload_max_) {
    fault_ = FrameFault::kSize;
    return false;
  }
  if (end_ - begin_ - kFrameHeadBytes < head) return false;
  payload = std::span(bytes_).subspan(begin_ + kFrameHeadBytes, head);
  begin_ += kFrameHeadBytes + head;
  return true;
}

}  // namespace takt::service
