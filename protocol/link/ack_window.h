// AckWindow is the receiving half of acknowledgement: it records which datagram sequences arrived.
// handle_sequence() classifies an arrival as fresh, duplicate, too old or too far ahead; DatagramLink
// processes fresh datagrams and drops the others. newest() and ack_bits() (the 64 sequences before the
// newest) become the ack fields of the next header. Duplicates are recognised among the last kMemory (8192)
// sequences. AckWindow sends nothing and uses no time.
#pragma once

#include <array>
#include <cstdint>

#include "protocol/wire/limits.h"

namespace takt::protocol {

class AckWindow {
 public:
  enum class Outcome : std::uint8_t {
    kFresh,      ///< never seen: process it
    kDuplicate,  ///< seen before: drop it
    kStale,      ///< so old that it cannot be told from a duplicate: drop it
    kAhead,      ///< further ahead than any honest sender can be: drop it
  };

  /// Records an arrival. The first one may have any sequence.
  Outcome handle_sequence(std::uint32_t sequence) noexcept;

  /// Something has arrived; before that the ack fields mean nothing.
  [[nodiscard]] bool has_any() const noexcept { return any_; }
  [[nodiscard]] std::uint32_t newest() const noexcept { return newest_; }
  /// Bit i: newest() - 1 - i has arrived.
  [[nodiscard]] std::uint64_t ack_bits() const noexcept;
  /// Sequences between the first and the newest that have not arrived.
  [[nodiscard]] std::uint64_t missing() const noexcept { return any_ ? span_ - arrived_ : 0; }

  /// Duplicates are recognised this far back; more than a second at the greatest join rate.
  static constexpr std::uint32_t kMemory = 8192;
  /// A jump beyond this is not loss: at the greatest join rate, 7,000 datagrams a second, the session has
  /// timed out long before 2^20 are missing.
  static constexpr std::uint32_t kAheadMax = 1u << 20;

 private:
  [[nodiscard]] bool has(std::uint32_t sequence) const noexcept;
  void set(std::uint32_t sequence, bool value) noexcept;

  std::array<std::uint64_t, kMemory / 64> bits_{};
  std::uint32_t newest_ = 0;
  std::uint64_t span_ = 0;  // sequences from the first arrival to the newest
  std::uint64_t arrived_ = 0;
  bool any_ = false;
};

}  // namespace takt::protocol
