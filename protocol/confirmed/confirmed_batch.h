// A ConfirmedBatch is a range of confirmed ticks as bytes of a Confirmed message: epoch, first tick, number
// of ticks, and the records of those ticks that are not empty. write_batch() takes the records from a
// ConfirmedLog; read_batch() reads the bytes of a stranger. Numbers are base-128, low seven bits first. An
// empty tick costs no byte. docs/PROTOCOL.md has the table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "protocol/confirmed/confirmed_log.h"
#include "protocol/wire/error.h"
#include "takt/core/result.h"

namespace takt::protocol {

/// Ticks of one batch: 30 s at 10,000 Hz.
inline constexpr std::uint64_t kConfirmedTicksMax = 300'000;

/// The record of one tick that is not empty.
struct TickBytes {
  std::uint64_t tick = 0;
  std::vector<std::byte> record;
};

struct ConfirmedBatch {
  std::uint32_t epoch = 0;
  std::uint64_t first_tick = 0;
  std::uint64_t end_tick = 0;      ///< above first_tick
  std::vector<TickBytes> records;  ///< ascending ticks; those left out are empty

  [[nodiscard]] std::size_t memory_bytes() const noexcept;  ///< of the records, about
};

/// Replaces `out` by the batch of ticks from `first` on, at most to `end`, in at most `bytes_max` bytes, but
/// of one tick at least. Returns the end of the batch. The log must have the ticks, and there must be one
/// (asserted).
std::uint64_t write_batch(const ConfirmedLog& log, std::uint32_t epoch, std::uint64_t first,
                          std::uint64_t end, std::size_t bytes_max, std::vector<std::byte>& out);

/// kBadLayout: bytes that do not add up. kOutOfRange: no ticks, or more than kConfirmedTicksMax.
[[nodiscard]] Result<ConfirmedBatch, Error> read_batch(std::span<const std::byte> bytes);

}  // namespace takt::protocol
