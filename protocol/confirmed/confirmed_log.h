// ConfirmedLog has the records of a room's last confirmed ticks, one after another without a gap, for the
// sessions that simulate. A record is bytes here (sim/recording/tick_record.h has their content); an empty
// tick has none. The log is bounded in ticks and in bytes and forgets its oldest ticks first. A session that
// still needs a forgotten tick has to end. ServerShared owns one log for all sessions of a server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "protocol/messages/message.h"

namespace takt::protocol {

/// A tick that will not change any more.
struct ConfirmedTick {
  std::uint64_t tick = 0;
  std::vector<std::byte> record;  ///< empty = no inputs, no hash
  bool has_inputs = false;
  std::uint32_t sole_player = 0;  ///< the one player whose inputs the tick has; 0 = several, or the server
  std::uint64_t hash_tick = 0;    ///< of the state whose hash the record has; 0 = none
  std::uint64_t hash = 0;
};

class ConfirmedLog {
 public:
  /// Longest absence after which a client comes back by these ticks alone (continues()), at speed 1.
  static constexpr std::uint64_t kReturnSeconds = 30;
  /// A returning client's oldest tick must not be forgotten before it has arrived. ConfirmedSender sends few
  /// bytes as datagrams and finishes a tick by its ack. Before the first sample of a round trip a datagram
  /// counts as lost after 3 s (RttEstimator::kRtoMax), and its copies need the longest round trip, 2 s
  /// (kOrphanSilence). More bytes count as sent at once, in the reliable channel.
  static constexpr std::uint64_t kMarginSeconds = 5;
  /// Longest way back: what a client may lack before it has to join anew. World time: at speed 2 a log has
  /// 17.5 s of real time, and a client may be away for 12.5 s.
  static constexpr std::uint64_t kSeconds = kReturnSeconds + kMarginSeconds;
  static constexpr std::size_t kBytesMax = 4 * 1024 * 1024;
  /// Ticks from a state to the record that has its hash, at most.
  static constexpr std::uint64_t kHashDelayMax = 256;

  /// `ticks_max`, at least 1: kSeconds at the room's tick rate.
  explicit ConfirmedLog(std::uint64_t ticks_max, std::size_t bytes_max = kBytesMax) noexcept
      : ticks_max_(ticks_max), bytes_max_(bytes_max) {}

  /// Forgets all ticks. The next one may be any.
  void clear() noexcept;
  /// A tick that does not follow the last one begins the log anew.
  void append(ConfirmedTick&& tick);

  [[nodiscard]] std::uint64_t first_tick() const noexcept { return first_tick_; }
  [[nodiscard]] std::uint64_t end_tick() const noexcept { return first_tick_ + ticks_.size(); }
  /// A tick that the log has (asserted).
  [[nodiscard]] const ConfirmedTick& at(std::uint64_t tick) const;
  /// A client whose ticks end there, and whose state had that hash, needs only what the log has, and what it
  /// keeps for `margin_ticks` more: kMarginSeconds at the rate at which the room runs. The epoch is the
  /// caller's to compare.
  [[nodiscard]] bool continues(const ResumePoint& point, std::uint64_t margin_ticks) const;
  /// Sum of all records.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  [[nodiscard]] std::uint64_t ticks_left(std::uint64_t tick) const;

  std::uint64_t ticks_max_;
  std::size_t bytes_max_;
  std::uint64_t first_tick_ = 0;
  std::size_t bytes_ = 0;
  std::deque<ConfirmedTick> ticks_;
};

}  // namespace takt::protocol
