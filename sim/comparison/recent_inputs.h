// RecentInputs keeps the inputs of the last ticks, for a report about a state that differs
// (desync_recording.h). Ticks without inputs take no memory. It is no log: ConfirmedLog (protocol/) has the
// ticks that clients still need. Records are shared: a copy of RecentInputs copies no inputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "sim/recording/tick_record.h"
#include "takt/sim/command.h"

namespace takt::sim {

class RecentInputs {
 public:
  /// Ticks that are kept, and inputs and bytes of all of them together; the oldest ticks go first. 17 s at 60
  /// Hz, more than any state waits for a comparison.
  static constexpr std::uint64_t kTicksMax = 1024;
  static constexpr std::size_t kInputsMax = 16'384;
  static constexpr std::size_t kBytesMax = std::size_t{4} << 20u;

  /// The inputs of record.tick, which follows the tick before; a gap forgets what was before it.
  void add(TickRecord record);
  void clear() noexcept;

  /// Every tick of [first, end) is kept.
  [[nodiscard]] bool has(std::uint64_t first, std::uint64_t end) const noexcept {
    return first >= first_ && end <= end_;
  }
  /// Records of the ticks of [first, end) that have inputs, ascending; all of them are kept (asserted).
  [[nodiscard]] std::vector<std::shared_ptr<const TickRecord>> list(std::uint64_t first,
                                                                    std::uint64_t end) const;

 private:
  struct Kept {
    std::shared_ptr<const TickRecord> record;
    std::size_t bytes = 0;
  };
  std::deque<Kept> records_;  // with inputs, ascending
  std::size_t input_count_ = 0;
  std::size_t bytes_ = 0;
  std::uint64_t first_ = 0;
  std::uint64_t end_ = 0;
};

}  // namespace takt::sim
