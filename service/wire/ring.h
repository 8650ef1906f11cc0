// Ring is a stream of bytes in memory that two programs share: one writes, one reads (docs/SERVICE.md, 3). It
// is the queue of one producer and one consumer with free-running positions (Lamport 1977, "Proving the
// Correctness of Multiprocess Programs"). RingReader and RingWriter take nothing from shared memory on trust:
// each position is loaded once and checked, and bytes are copied out before anyone looks at them. Neither
// waits, and neither calls the system.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace takt::service {

/// How a side waits for the other one. The other one sets it back to kAwake when it wakes the side.
enum class RingWait : std::uint32_t {
  kAwake = 0,
  kFutex = 1,   ///< in the system, for a change of this very word
  kSocket = 2,  ///< for a byte of the socket; the service alone
};

/// The part of a ring that both sides see beside its bytes. Each member has a cache line of its own, and one
/// side that writes it; the words of waits are written by both.
struct RingHead {
  alignas(64) std::atomic<std::uint64_t> written{0};      ///< bytes since the start
  alignas(64) std::atomic<std::uint64_t> read{0};         ///< bytes since the start
  alignas(64) std::atomic<std::uint32_t> reader_wait{0};  ///< a RingWait: the reader waits for bytes
  alignas(64) std::atomic<std::uint32_t> writer_wait{0};  ///< a RingWait: the writer waits for room
};
static_assert(sizeof(RingHead) == 256 && std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::uint32_t>::is_always_lock_free);

/// Sizes of rings: powers of two within these bounds.
inline constexpr std::uint32_t kRingBytesMin = 4096;
inline constexpr std::uint32_t kRingBytesMax = 16u << 20u;
[[nodiscard]] constexpr bool is_ring_size(std::uint64_t bytes) noexcept {
  return bytes >= kRingBytesMin && bytes <= kRingBytesMax && (bytes & (bytes - 1)) == 0;
}

class RingReader {
 public:
  /// `bytes` is_ring_size(). Both must outlive the reader.
  RingReader(RingHead& head, std::span<const std::byte> bytes) noexcept : head_(&head), bytes_(bytes) {}

  /// True when read() has something to do: bytes, or a position that cannot be.
  [[nodiscard]] bool has_bytes() const noexcept {
    return !is_broken_ && head_->written.load(std::memory_order_acquire) != read_;
  }
  /// Copies bytes out and returns their number; 0 without any, and from a broken ring.
  [[nodiscard]] std::size_t read(std::span<std::byte> out) noexcept;
  /// False, and is_broken(), when the writer's position is behind bytes that read() has seen: the memory is
  /// removed, and the bytes of the last read() may be zeros. A reader that trusts the writer calls it.
  [[nodiscard]] bool is_present() noexcept;
  /// The writer's position was impossible. Final.
  [[nodiscard]] bool is_broken() const noexcept { return is_broken_; }

  /// Announces that the reader waits. False when bytes have come: it is awake.
  [[nodiscard]] bool begin_wait(RingWait how) noexcept;
  void end_wait() noexcept { head_->reader_wait.store(0, std::memory_order_relaxed); }
  [[nodiscard]] std::atomic<std::uint32_t>& wait_word() const noexcept { return head_->reader_wait; }
  /// How the writer waits, if it does and half of the ring is free; the caller wakes it at
  /// writer_wait_word().
  [[nodiscard]] RingWait take_writer_wait() noexcept;
  [[nodiscard]] std::atomic<std::uint32_t>& writer_wait_word() const noexcept { return head_->writer_wait; }

 private:
  RingHead* head_;
  std::span<const std::byte> bytes_;
  std::uint64_t read_ = 0;     // the shared one is for the writer alone
  std::uint64_t written_ = 0;  // checked
  bool is_broken_ = false;
};

class RingWriter {
 public:
  /// `bytes` is_ring_size(). Both must outlive the writer.
  RingWriter(RingHead& head, std::span<std::byte> bytes) noexcept : head_(&head), bytes_(bytes) {}

  /// True when write() has something to do: room, or a position that cannot be.
  [[nodiscard]] bool has_room() const noexcept {
    return !is_broken_ && written_ - head_->read.load(std::memory_order_acquire) != bytes_.size();
  }
  /// Copies what fits and returns the number of bytes; 0 into a full ring and into a broken one.
  [[nodiscard]] std::size_t write(std::span<const std::byte> in) noexcept;
  /// The reader's position was impossible. Final.
  [[nodiscard]] bool is_broken() const noexcept { return is_broken_; }

  /// Announces that the writer waits. False when there is room: it is awake.
  [[nodiscard]] bool begin_wait(RingWait how) noexcept;
  void end_wait() noexcept { head_->writer_wait.store(0, std::memory_order_relaxed); }
  [[nodiscard]] std::atomic<std::uint32_t>& wait_word() const noexcept { return head_->writer_wait; }
  /// Sets the position back to the start, before the memory is removed: see RingReader::is_present(). Final.
  void withdraw() noexcept;
  /// How the reader waits, if it does; the caller wakes it at reader_wait_word().
  [[nodiscard]] RingWait take_reader_wait() noexcept;
  [[nodiscard]] std::atomic<std::uint32_t>& reader_wait_word() const noexcept { return head_->reader_wait; }

 private:
  RingHead* head_;
  std::span<std::byte> bytes_;
  std::uint64_t written_ = 0;  // the shared one is for the reader alone
  std::uint64_t read_ = 0;     // checked
  bool is_broken_ = false;
};

}  // namespace takt::service
