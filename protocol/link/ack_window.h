// AckWindow is the receiving half of acknowledgement: it records which datagram sequences arrived.
// handle_sequence() classifies an arrival as fresh, duplicate, too old or too far ahead; DatagramLink
// processes fresh datagrams and drops the others. newest() and ack_bits() (the 64 sequences before the
// newest) become the ack fields of the next header. Duplicates are recognised among the kMemory (8,192)
// newest sequences. AckWindow sends nothing and uses no time. Sequences wrap at 2^32 (sequence.h).
#pragma once

#include <array>
#include <cstdint>

#include "protocol/wire/limits.h"

namespace takt::protocol {

class AckWindow {
 public:
  enum class Outcome : std::uint8_t {
    kFresh,      ///< first arrival of this sequence: process the datagram
    kDuplicate,  ///< the sequence arrived before: drop the datagram
    kStale,      ///< kMemory or more before the newest, so perhaps a duplicate: drop the datagram
    kAhead,      ///< more than kAheadMax after the newest, which no honest sender is: drop the datagram
  };

  /// Records an arrival, unless the outcome is kStale or kAhead. The first one may have any sequence.
  Outcome handle_sequence(std::uint32_t sequence) noexcept;

  /// True once a sequence has arrived. Before, newest() and ack_bits() are 0 and mean nothing.
  [[nodiscard]] bool has_any() const noexcept { return any_; }
  [[nodiscard]] std::uint32_t newest() const noexcept { return newest_; }
  /// Bit i, 0 to 63, is set when newest() - 1 - i has arrived.
  [[nodiscard]] std::uint64_t ack_bits() const noexcept;
  /// Number of sequences from the oldest that arrived to the newest that have not arrived. It includes the
  /// sequences that a server never sends (DatagramLinkOptions::trap_seed).
  [[nodiscard]] std::uint64_t missing() const noexcept { return any_ ? span_ - arrived_ : 0; }

  /// Sequences that are remembered; they last more than a second at the greatest join rate.
  static constexpr std::uint32_t kMemory = 8192;
  /// Greatest jump that loss can explain: at the greatest join rate, 7,000 datagrams a second, a session
  /// times out long before 2^20 sequences are missing.
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
