// ConfirmedReceiver puts confirmed ticks into order on a client that simulates. Batches arrive more than
// once, out of order and in slices; take() returns ticks without gaps from start_at() on, each once. Batches
// that come too early wait, bounded by kConfirmedBatchesMax and kConfirmedBytesMax: an honest server sends no
// more. ClientInbox owns the receiver. The receiver decodes no record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "protocol/confirmed/confirmed_batch.h"
#include "protocol/messages/message.h"

namespace takt::protocol {

class ConfirmedReceiver {
 public:
  enum class Outcome : std::uint8_t {
    kTaken,
    kOtherEpoch,  ///< of another world; dropped
    kBad,         ///< bytes or slices that do not add up, or too many that wait: the session must end
  };
  /// `epoch`: the world that the client is in; 0 = not known yet.
  [[nodiscard]] Outcome handle_slice(ConfirmedSlice&& slice, std::uint32_t epoch);
  /// A join image gave the client the state at `tick`: ticks begin there.
  void start_at(std::uint64_t tick);
  /// Another world, or none: forgets everything.
  void reset() noexcept;
  /// The ticks that follow those taken before, or none.
  [[nodiscard]] std::optional<ConfirmedBatch> take();

 private:
  [[nodiscard]] Outcome handle_batch(std::span<const std::byte> bytes, std::uint32_t epoch);

  std::optional<std::uint64_t> next_tick_;
  std::multimap<std::uint64_t, ConfirmedBatch> waiting_;  // by first tick
  std::size_t waiting_bytes_ = 0;
  std::vector<std::byte> slices_;
  std::uint32_t slices_total_ = 0;
};

}  // namespace takt::protocol
