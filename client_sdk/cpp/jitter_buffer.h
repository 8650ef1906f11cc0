// JitterBuffer decides the render tick (the tick to draw): the server's tick minus a delay, so that the next
// snapshot has arrived when it is needed. When a snapshot arrives, JitterBuffer measures how many ticks the
// server's tick is beyond the newest snapshot before it. This is the delay that would just have sufficed,
// with transit, jitter and loss; a snapshot that arrives late counts as lost. Session owns the buffer, and
// gives the time and the estimate of the server's tick. JitterBuffer stores no bodies (track.h does).
//
// One stall of a path or of the server makes several snapshots late, so measurements count by episodes: the
// largest of each block of a quarter of a second (runs declustering of extremes; Smith, Statistical Science
// 4, 1989). A block lasts on while its largest is new, so that one episode is in one block. The target delay
// covers the newest 80 blocks, 20 to 25 s of frames, except for waits of less than a thousandth of that time
// in sum: kWaitPerBlockMs a block. The largest block has no part in the sum. So a lone episode that costs a
// wait of up to kRegainMs raises nobody's delay, and a longer wait raises it by the part above; episodes that
// recur raise it up to where their waits are short. With fewer than kBlocksMin blocks the largest counts. The
// target has a margin above what it covers, within delay_min_ms and delay_max_ms. The margin is half a tick
// and three tenths of what the measurements vary by, from the least of the newest kBlocksOfVariation blocks
// on: a long path with little jitter needs no more than a short one, nor does one that has become longer.
// Measurements of the first two seconds are forgotten, because the estimate of the server's tick converges in
// them.
//
// The delay approaches the target slowly: motion is at most 2 % too fast or 10 % too slow. When the next
// snapshot is missing, the render tick waits; the wait is a starvation. The delay keeps the part of a wait
// that the target includes, and the part above kRegainMs. The render tick regains the rest at twice its
// speed, after snapshots were punctual for kEpisodeUs. Until then the render tick leaves a margin to the
// newest measurement; spike modes of audio do likewise (Ramjee et al., INFOCOM 1994). An empty snapshot says
// that nothing changes: behind it the render tick goes on for kIdleSnapshots intervals. A wait for an idle
// server or after set_rate() is no starvation. The render tick never decreases, except to the tick of a pause
// that an idle room's had passed.
//
// A client that stalled (stall_watch.h) handles snapshots later than they arrived. Each call therefore has
// the server's tick at the earliest possible arrival too. A snapshot counts as punctual as usual, within
// these two bounds. The lower bound hides no need of a displayed frame, because a stalled client displays
// none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace takt::client {

struct JitterBufferOptions {
  double tick_rate_hz = 60;
  double delay_min_ms = 20;
  double delay_max_ms = 1000;
};

class JitterBuffer {
 public:
  explicit JitterBuffer(const JitterBufferOptions& options = {}) noexcept;

  /// A snapshot began to arrive (its first part; later parts of the same serial do nothing). `server_tick` is
  /// the server's tick now. `wait_snapshots`: snapshots until a body that did not fit is sent
  /// (refresh_meter.h). Each body then comes only every 1 + wait_snapshots snapshots, and the buffer must
  /// span that. `earliest_tick` is the server's tick at the earliest time at which the part may have arrived;
  /// below `server_tick` after a stall of the client.
  void handle_snapshot(std::uint32_t serial, std::uint64_t tick, bool is_empty, double wait_snapshots,
                       double server_tick, double earliest_tick) noexcept;
  void handle_snapshot(std::uint32_t serial, std::uint64_t tick, bool is_empty, double wait_snapshots,
                       double server_tick) noexcept {
    handle_snapshot(serial, tick, is_empty, wait_snapshots, server_tick, server_tick);
  }
  /// Changes the rate of the server's ticks; at 0 they stop at `server_tick`, and the render tick moves to
  /// the newest snapshot and stays there. The estimate at the earlier rate is discarded, and the delay grows
  /// again from the present one.
  void set_rate(double ticks_per_s, std::uint64_t server_tick) noexcept;
  /// Time has passed: moves the render tick. `earliest_tick`: as in handle_snapshot(). Snapshots may wait
  /// behind this call after a stall, so only a wait that had begun before the stall counts.
  void advance(std::uint64_t now_us, double server_tick, double earliest_tick) noexcept;
  void advance(std::uint64_t now_us, double server_tick) noexcept {
    advance(now_us, server_tick, server_tick);
  }

  /// Where bodies should be shown; meaningless before has_snapshot().
  [[nodiscard]] double render_tick() const noexcept { return render_tick_; }
  [[nodiscard]] bool has_snapshot() const noexcept { return newest_serial_ != 0; }
  [[nodiscard]] std::uint64_t newest_tick() const noexcept { return newest_tick_; }
  /// Ticks between two snapshots of a busy server, as seen.
  [[nodiscard]] std::uint64_t interval_ticks() const noexcept { return interval_ticks_; }

  /// The delay while snapshots are punctual, ms; a wait adds to it until the render tick has regained the
  /// wait.
  [[nodiscard]] double delay_ms() const noexcept { return delay_ticks_ * tick_ms_; }
  [[nodiscard]] double jitter_ms() const noexcept { return jitter_ticks_ * tick_ms_; }
  [[nodiscard]] double starved_ms() const noexcept { return starved_ticks_ * tick_ms_; }
  [[nodiscard]] double longest_starvation_ms() const noexcept { return longest_starvation_ticks_ * tick_ms_; }
  [[nodiscard]] double longest_gap_ms() const noexcept { return longest_gap_ticks_ * tick_ms_; }
  [[nodiscard]] std::uint64_t starvations() const noexcept { return starvations_; }

  static constexpr std::size_t kBlocks = 80;  ///< 20 s and more: stalls are covered if three are in memory
  static constexpr std::size_t kBlocksOfVariation = 20;
  /// The largest of fewer blocks counts: without it the delay could be nearly the minimum.
  static constexpr std::size_t kBlocksMin = 8;
  static constexpr double kWaitPerBlockMs = 0.2;      ///< waits that the delay permits: 0.8 in 1,000
  static constexpr std::uint64_t kBlockUs = 250'000;  ///< shortest block; needs of one block are one episode
  /// Longest block: a path whose delay rises for longer than this is followed.
  static constexpr std::uint64_t kBlockMaxUs = 500'000;
  /// A block with a younger maximum goes on: the snapshots behind one stall arrive within some 50 ms.
  static constexpr std::uint64_t kEpisodeUs = 100'000;
  /// The first blocks, in which the clock converges, are forgotten, each second.
  static constexpr std::size_t kSettlingBlocks = 8;
  /// Longest part of a wait that is regained: at twice the speed, more than three frames look like a rush.
  static constexpr double kRegainMs = 50;
  static constexpr double kSpeedUp =
      0.02;  ///< the delay shrinks by at most this fraction of passing time: shown motion is 2 % too fast
  static constexpr double kSlowDown = 0.10;  ///< and grows by this: 10 % too slow, rather than a stop
  /// A server with nothing to say still speaks every 6 snapshots (SnapshotEncoder::kIdleSnapshots): a pause
  /// up to that is not loss.
  static constexpr std::uint64_t kIdleSnapshots = 6;

 private:
  void note_need(double need_ticks) noexcept;
  void advance_block(std::uint64_t now_us) noexcept;
  void keep_held(double ticks) noexcept;
  /// Need that the delay covers (0: none is known), and the delay for it.
  struct Target {
    double need_ticks;
    double delay_ticks;
  };
  [[nodiscard]] Target target() const noexcept;
  [[nodiscard]] double covered_need(double largest, std::size_t blocks) const noexcept;
  void end_wait(bool was_idle) noexcept;

  double delay_min_ms_;
  double delay_max_ms_;
  double tick_ms_;
  double delay_min_ticks_;
  double delay_max_ticks_;
  double rate_per_us_;  // of the tick rate while paused
  bool is_paused_ = false;
  bool is_changing_tick_rate_ = false;  // until the next snapshot: waiting for it is no starvation

  std::uint32_t newest_serial_ = 0;
  std::uint64_t newest_tick_ = 0;
  bool newest_is_empty_ = false;
  std::uint64_t interval_ticks_ = 1;

  struct Needs {
    double max = 0;
    double min = std::numeric_limits<double>::infinity();
  };
  std::array<Needs, kBlocks> needs_{};  // of each block, a ring
  std::size_t settling_blocks_ = kSettlingBlocks;
  std::size_t block_ = 0;
  std::uint64_t block_began_us_ = 0;
  std::uint64_t max_need_us_ = 0;  // of the present block
  double delay_ticks_ = 0;
  double held_ticks_ = 0;  // by which the render tick is later than the delay, after a wait
  double newest_need_ticks_ = 0;
  std::uint64_t late_until_us_ = 0;  // an episode of measurements above the delay goes on
  bool is_waiting_ = false;          // for the next snapshot
  double render_tick_ = 0;
  bool is_running_ = false;
  std::uint64_t last_us_ = 0;

  double waited_ticks_ = 0;     // of the present wait
  double uncounted_ticks_ = 0;  // of that wait, which a stall of the client may explain
  double lateness_ticks_ = 0;
  double jitter_ticks_ = 0;
  double starved_ticks_ = 0;
  double longest_starvation_ticks_ = 0;
  double longest_gap_ticks_ = 0;
  std::uint64_t starvations_ = 0;
};

}  // namespace takt::client
