// TickRecord is the confirmed content of one tick: its inputs in (player, sequence) order, and the hash of a
// state that has become known. A server sends records to clients that simulate (protocol/confirmed/). One
// record has one encoding. decode_tick_record() checks layout and order, not the values of commands: the
// simulation refuses those alike on every peer. A record is part of no file.
//
// The hash of a state at a multiple of kHashEveryTicks comes from another thread some ticks later, so a
// record names the tick of its hash. docs/RECORDING.md has the byte table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "takt/core/result.h"
#include "takt/sim/command.h"
#include "takt/sim/error.h"

namespace takt::sim {

/// A server hashes the states whose tick is a multiple of this: 7.5 times a second at 60 Hz.
inline constexpr std::uint64_t kHashEveryTicks = 8;
/// Largest record that is decoded. Unpacked it has at most eight times as many bytes.
inline constexpr std::size_t kTickRecordBytesMax = 2 * 1024 * 1024;

/// The hash of the state at a tick (Simulation::hash).
struct StateHash {
  std::uint64_t tick = 0;
  std::uint64_t hash = 0;
  friend bool operator==(const StateHash&, const StateHash&) = default;
};

struct TickRecord {
  std::uint64_t tick = 0;         ///< the inputs act in the step from this tick to the next
  std::vector<Input> inputs;      ///< strictly ascending by (player, sequence), stamped with `tick`
  std::optional<StateHash> hash;  ///< of a state at tick + 1 or before
  friend bool operator==(const TickRecord&, const TickRecord&) = default;
};

/// Appends the encoding without the record's tick, nothing for a record without inputs and hash. Order and
/// ticks must be those that TickRecord states (asserted).
void encode(const TickRecord& record, std::vector<std::byte>& out);

/// The record of `tick` from exactly these bytes. kTickRecordMalformed: a layout that encode() does not
/// write. kTooLarge: more than kTickRecordBytesMax bytes.
[[nodiscard]] Result<TickRecord, SimError> decode_tick_record(std::uint64_t tick,
                                                              std::span<const std::byte> bytes);

}  // namespace takt::sim
