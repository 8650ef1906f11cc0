// ConfirmedSender decides, for one session that simulates, which confirmed ticks go out when. A tick with
// inputs of others goes at once, all else every kIntervalUs, or kQuietIntervalUs while nobody acts. The next
// batches repeat a tick that is not acknowledged, up to copies() times, and a tick whose copies were all lost
// goes out again. More than kReliableAbove unsent bytes go through the reliable channel, as after a join.
// Acknowledgements are those of the link, by token. ServerPeer owns the sender and sends its batches. The
// sender reads no clock and writes no message.
//
// Repeating every unacknowledged tick, as GGPO does, costs a round trip of copies: at 1,000 ms some 60.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "protocol/confirmed/confirmed_log.h"

namespace takt::protocol {

/// A batch to send (confirmed_batch.h).
struct OutgoingBatch {
  std::vector<std::byte> bytes;
  std::uint64_t token = 0;  ///< 0 = through the reliable channel
};

class ConfirmedSender {
 public:
  static constexpr std::uint64_t kIntervalUs = 100'000;
  /// A tick with inputs of others goes at once if nothing went for this time. While somebody acts in every
  /// tick at 60 Hz, a batch so carries two of them: 30 datagrams a second, whose headers are two thirds of
  /// the bytes. The 8 ms below two ticks are for batches that went late. Paths that lose batches have no such
  /// wait: the next batch repeats a lost tick.
  static constexpr std::uint64_t kUrgentIntervalUs = 25'000;
  /// Nobody acted for kQuietAfterUs: ticks are empty but for hashes, and predictions right.
  static constexpr std::uint64_t kQuietIntervalUs = 200'000;
  static constexpr std::uint64_t kQuietAfterUs = 1'000'000;
  /// Batches that carry a tick before anything is known of them, at kLossHigh or more. At 25 % loss one tick
  /// in 64 waits for the link to judge its datagrams lost.
  static constexpr std::uint8_t kCopiesMax = 3;
  /// Fractions of batches that are lost, from which on a tick has 2 and kCopiesMax copies. Below both, fewer
  /// than 1 tick in 200 waits.
  static constexpr double kLossLow = 0.005;
  static constexpr double kLossHigh = 0.02;
  /// Bytes of a batch in a datagram: the table around it and the header leave 1,100.
  static constexpr std::size_t kDatagramBytes = 1080;
  static constexpr std::size_t kReliableAbove = 4 * 1024;
  /// Bytes of a batch in the reliable channel, if its first tick is not larger.
  static constexpr std::size_t kReliableBytes = 256 * 1024;
  /// Batches of one poll: what a tick may cost a session.
  static constexpr std::size_t kBatchesMax = 4;
  /// Marks the tokens of batches among those of a link.
  static constexpr std::uint64_t kTokenBit = std::uint64_t{1} << 63u;

  /// The image of the state at `tick` is on its way: ticks follow from there.
  void start(std::uint64_t tick);
  /// Another world, or another mode. Tokens of before mean nothing any more.
  void stop();
  [[nodiscard]] bool is_active() const noexcept { return is_active_; }
  /// The log has forgotten a tick that this session needs.
  [[nodiscard]] bool has_fallen_behind(const ConfirmedLog& log) const noexcept {
    return is_active_ && base_ < log.first_tick();
  }

  /// Where a session is.
  struct Path {
    std::uint32_t epoch = 0;
    std::uint32_t player = 0;
    bool is_reliable_idle = false;  ///< no reliable message waits in front of the link
    /// The client has its image. Ticks that overtake a repair's image would be dropped as ones of the past.
    bool is_image_there = true;
  };
  /// The batches to send now, after a tick was appended. Not after has_fallen_behind() (asserted).
  [[nodiscard]] std::vector<OutgoingBatch> poll(std::uint64_t now_us, const ConfirmedLog& log,
                                                const Path& path);
  /// A token of poll() is known to be delivered or lost.
  void handle_settled(std::uint64_t token, bool delivered);

  /// Batches that carry a tick before anything is known of them, by the loss of the last ones.
  [[nodiscard]] std::uint8_t copies() const noexcept {
    if (loss_ >= kLossHigh) return kCopiesMax;
    return loss_ >= kLossLow ? 2 : 1;
  }
  /// First tick that is not known to have arrived, nor is in the reliable channel.
  [[nodiscard]] std::uint64_t base() const noexcept { return base_; }

 private:
  struct Tick {
    bool is_done = false;  // arrived, or in the reliable channel
    std::uint8_t copies = 0;
    std::uint16_t in_flight = 0;
  };
  struct InFlight {
    std::uint64_t first = 0;
    std::uint64_t end = 0;
    bool is_settled = false;
  };
  [[nodiscard]] Tick& at(std::uint64_t tick) { return ticks_[static_cast<std::size_t>(tick - base_)]; }
  [[nodiscard]] std::uint64_t end() const noexcept { return base_ + ticks_.size(); }
  [[nodiscard]] bool is_wanted(const Tick& tick) const noexcept {
    return !tick.is_done && (tick.in_flight == 0 || tick.copies < copies());
  }
  /// The first tick from `tick` on that a batch has to carry, or end().
  [[nodiscard]] std::uint64_t next_wanted(std::uint64_t tick);
  [[nodiscard]] std::uint64_t end_of_run(std::uint64_t first);
  void finish(std::uint64_t first, std::uint64_t end);
  void drop_done();

  bool is_active_ = false;
  bool waits_for_image_ = false;
  bool is_urgent_ = false;  // foreign inputs, or a loss
  bool is_cut_ = false;     // kBatchesMax left ticks for the next poll
  std::uint64_t base_ = 0;
  std::uint64_t sent_us_ = 0;
  std::uint64_t acted_us_ = 0;  // when the last tick with inputs came
  double loss_ = 0.1;           // of batches, smoothed; at first as if it were high
  std::deque<Tick> ticks_;      // from base_ on
  std::uint64_t unsent_bytes_ = 0;
  std::deque<InFlight> in_flight_;  // tokens first_token_, first_token_ + 1, ...
  std::uint64_t first_token_ = 1;
};

}  // namespace takt::protocol
