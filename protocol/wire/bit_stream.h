// BitWriter appends numbers of 0 to 56 bits to a vector of bytes, lowest bit first. BitReader reads such
// numbers back. rope_codec.cpp uses both for the Rice codes of ropes. BitReader accepts untrusted bytes: bits
// after the last byte read as zeros, and ok() is false from then on. Neither class checks the number of bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace takt::protocol {

class BitWriter {
 public:
  /// Appends each byte to `out` once its 8 bits are known. `out` must outlive the writer.
  explicit BitWriter(std::vector<std::byte>& out) noexcept : out_(&out) {}
  /// Appends the lowest `count` bits of `value`; `count` is 0 to 56, and the bits above must be 0.
  void put(std::uint64_t value, unsigned count) {
    held_ |= value << held_count_;
    held_count_ += count;
    for (; held_count_ >= 8; held_count_ -= 8, held_ >>= 8) out_->push_back(static_cast<std::byte>(held_));
  }
  /// Appends the bits that remain, filled up to a byte with zeros. Must be called once, at the end.
  void finish() {
    if (held_count_ > 0) out_->push_back(static_cast<std::byte>(held_));
    held_ = 0;
    held_count_ = 0;
  }

 private:
  std::vector<std::byte>* out_;
  std::uint64_t held_ = 0;
  unsigned held_count_ = 0;  // below 8 between calls
};

class BitReader {
 public:
  /// `bytes` must outlive the reader.
  explicit BitReader(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}
  /// The next `count` bits as a number, first bit lowest; `count` is 0 to 56.
  [[nodiscard]] std::uint64_t get(unsigned count) noexcept {
    while (held_count_ < count) {
      std::uint64_t const next = at_ < bytes_.size() ? static_cast<std::uint64_t>(bytes_[at_]) : 0;
      ok_ = ok_ && at_ < bytes_.size();
      ++at_;
      held_ |= next << held_count_;
      held_count_ += 8;
    }
    std::uint64_t const value = held_ & ((std::uint64_t{1} << count) - 1);
    held_ >>= count;
    held_count_ -= count;
    return value;
  }
  /// The number of ones before the next zero, at most `max`. The zero is consumed, except after `max` ones.
  [[nodiscard]] unsigned get_ones(unsigned max) noexcept {
    unsigned count = 0;
    while (count < max && get(1) != 0) ++count;
    return count;
  }
  /// False once a bit after the last byte was read.
  [[nodiscard]] bool ok() const noexcept { return ok_; }
  /// True when at least one bit of the last byte was read, and no bit after it.
  [[nodiscard]] bool is_at_end() const noexcept { return at_ == bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  std::uint64_t held_ = 0;
  unsigned held_count_ = 0;
  bool ok_ = true;
};

}  // namespace takt::protocol
