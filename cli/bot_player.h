// BotPlayer chooses the commands of one bot, a test client of `takt bot` that plays on a server. The bot
// pushes bodies, spawns a few, drags one in a circle, releases the dragged body, and despawns its own bodies.
// next_command() takes the time, the bot's player id and the visible bodies; it returns a command when one is
// due. The caller sends the command, then reports its sequence number (note_sent) and the server's outcome
// (note_outcome). All randomness comes from a seed, and BotPlayer uses no socket and no clock. Hence the
// tests in tests/simulation/server run bots on a virtual clock too.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "takt/client/body.h"
#include "takt/client/event.h"
#include "takt/core/random.h"
#include "takt/sim/command.h"

namespace takt::cli {

class BotPlayer {
 public:
  explicit BotPlayer(std::uint64_t seed) : random_(seed) {}

  /// True when next_command() may return a command. Before that the caller need not compute the bodies.
  [[nodiscard]] bool is_due(std::uint64_t now_us) const noexcept { return now_us >= next_us_; }
  /// Returns the next command; none when it is not due or there is no body to act on. `player` is the bot's
  /// own id. `now_us` never decreases from call to call.
  [[nodiscard]] std::optional<sim::Command> next_command(std::uint64_t now_us, std::uint32_t player,
                                                         std::span<const client::Body> bodies);
  /// Records that `command`, the latest of next_command(), was sent as `sequence`.
  void note_sent(std::uint32_t sequence, const sim::Command& command);
  /// Handles the server's outcome of a command. The bot then omits a body that an impulse or grab was refused
  /// for as invalid, such as a body that is not dynamic.
  void note_outcome(const client::CommandOutcome& decided);

  static constexpr std::uint64_t kActionUs = 150'000;  ///< between two actions: under seven commands a second
  static constexpr std::uint64_t kDragUs = 50'000;     ///< between two positions of a drag: twenty a second
  static constexpr std::uint64_t kDragTimeUs = 1'500'000;  ///< duration of a drag
  static constexpr std::uint32_t kOwnBodiesMax = 6;  ///< bodies of its own with which a bot spawns no more

 private:
  [[nodiscard]] sim::Command impulse(const client::Body& body);
  [[nodiscard]] sim::Command spawn(std::span<const client::Body> bodies);
  [[nodiscard]] sim::Command grab(const client::Body& body);
  [[nodiscard]] sim::Command drag(std::uint64_t now_us) const;
  [[nodiscard]] const client::Body* choose(std::span<const client::Body> bodies, std::uint32_t owner);
  [[nodiscard]] float symmetric() { return static_cast<float>(random_.next_unit() * 2 - 1); }

  Random random_;
  std::uint64_t next_us_ = 0;
  bool grabbing_ = false;
  std::uint64_t grabbed_us_ = 0;
  Position grab_target_;
  std::uint32_t grab_sequence_ = 0;
  std::deque<std::pair<std::uint32_t, BodyId>> sent_;  // the last few commands that named a body
  std::set<BodyId> immovable_;
};

}  // namespace takt::cli
