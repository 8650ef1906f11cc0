// BotPlayer chooses the commands of one bot of `takt bot`. The bot pushes bodies, spawns some, drags one in a
// circle, releases it, and despawns its own. next_command() takes the time and the visible bodies and returns
// a command; the caller sends it. Random choices come from a seed alone. BotPlayer uses no socket and no
// clock, so the acceptance test runs it on a virtual clock.
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

  /// True when next_command() would do something: until then there is no need to look at the bodies.
  [[nodiscard]] bool is_due(std::uint64_t now_us) const noexcept { return now_us >= next_us_; }
  /// The next command, if it is time for one. `player` is the bot's own id.
  [[nodiscard]] std::optional<sim::Command> next_command(std::uint64_t now_us, std::uint32_t player,
                                                         std::span<const client::Body> bodies);
  /// The command that came last was sent as `sequence`.
  void note_sent(std::uint32_t sequence, const sim::Command& command);
  /// Handles the server's outcome: a bot does not touch a body again that cannot be moved.
  void note_outcome(const client::CommandOutcome& decided);

  static constexpr std::uint64_t kActionUs = 150'000;  ///< between two actions: under seven commands a second
  static constexpr std::uint64_t kDragUs = 50'000;     ///< between two positions of a drag: twenty a second
  static constexpr std::uint64_t kDragTimeUs = 1'500'000;
  static constexpr std::uint32_t kOwnBodiesMax = 6;

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
