#include "service/wire/ring.h"

#include <algorithm>
#include <cstring>

namespace takt::service {
namespace {

// Each side stores what it has done and then loads the wait of the other; the other stores its wait and then
// loads what was done. In the one order of these operations at least one of the two sees the other.
constexpr auto kOrder = std::memory_order_seq_cst;

RingWait take(std::atomic<std::uint32_t>& word) noexcept {
  if (word.load(kOrder) == 0) return RingWait::kAwake;
  std::uint32_t const wait = word.exchange(0, kOrder);
  return wait == static_cast<std::uint32_t>(RingWait::kSocket) ? RingWait::kSocket : RingWait::kFutex;
}

}  // namespace

std::size_t RingReader::read(std::span<std::byte> out) noexcept {
  if (is_broken_) return 0;
  if (written_ == read_) {
    std::uint64_t const written = head_->written.load(std::memory_order_acquire);
    if (written - read_ > bytes_.size()) {  // also one that went back
      is_broken_ = true;
      return 0;
    }
    written_ = written;
  }
  std::size_t const count = std::min<std::uint64_t>(written_ - read_, out.size());
  if (count == 0) return 0;
  std::size_t const at = read_ & (bytes_.size() - 1);
  std::size_t const first = std::min(count, bytes_.size() - at);
  std::memcpy(out.data(), bytes_.data() + at, first);
  std::memcpy(out.data() + first, bytes_.data(), count - first);
  read_ += count;
  head_->read.store(read_, kOrder);
  return count;
}

// The bytes were copied before the position of reads was stored, and this load is after it.
bool RingReader::is_present() noexcept {
  is_broken_ |= head_->written.load(kOrder) < written_;
  return !is_broken_;
}

bool RingReader::begin_wait(RingWait how) noexcept {
  head_->reader_wait.store(static_cast<std::uint32_t>(how), kOrder);
  if (!is_broken_ && head_->written.load(kOrder) == read_) return true;
  end_wait();
  return false;
}

// A writer that waits is woken for half of the ring, not for each small read. No reader waits for bytes
// before it has read all, so the moment comes.
RingWait RingReader::take_writer_wait() noexcept {
  return written_ - read_ <= bytes_.size() / 2 ? take(head_->writer_wait) : RingWait::kAwake;
}

std::size_t RingWriter::write(std::span<const std::byte> in) noexcept {
  if (is_broken_) return 0;
  if (bytes_.size() - (written_ - read_) < in.size()) {
    std::uint64_t const read = head_->read.load(std::memory_order_acquire);
    // Also one that is ahead of the bytes. One that went back within the size hides room from its own side.
    if (written_ - read > bytes_.size()) {
      is_broken_ = true;
      return 0;
    }
    read_ = read;
  }
  std::size_t const count = std::min<std::uint64_t>(bytes_.size() - (written_ - read_), in.size());
  if (count == 0) return 0;
  std::size_t const at = written_ & (bytes_.size() - 1);
  std::size_t const first = std::min(count, bytes_.size() - at);
  std::memcpy(bytes_.data() + at, in.data(), first);
  std::memcpy(bytes_.data(), in.data() + first, count - first);
  written_ += count;
  head_->written.store(written_, kOrder);
  return count;
}

bool RingWriter::begin_wait(RingWait how) noexcept {
  head_->writer_wait.store(static_cast<std::uint32_t>(how), kOrder);
  if (!is_broken_ && written_ - head_->read.load(kOrder) == bytes_.size()) return true;
  end_wait();
  return false;
}

void RingWriter::withdraw() noexcept {
  is_broken_ = true;
  head_->written.store(0, kOrder);
}

RingWait RingWriter::take_reader_wait() noexcept { return take(head_->reader_wait); }

}  // namespace takt::service
