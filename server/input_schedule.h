// InputSchedule assigns each input of a player (a command with tick and sequence number) to the tick in which
// it acts. An early input waits for its tick; a late input acts in the next tick. An input that is too early,
// too late or over the limit of waiting inputs is refused (InputScheduleOptions). An input for an earlier
// tick than the player's last accepted input acts in that input's tick. The reason is that the simulation
// refuses sequences that come out of order. Room calls add() for a player's inputs in sequence order, and
// take() before each tick. The simulation checks permissions later (takt/sim/policy.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "protocol/messages/message.h"
#include "takt/sim/command.h"

namespace takt::server {

struct InputScheduleOptions {
  std::uint32_t late_ticks_max = 60;    ///< an input later than this is refused. A second at 60 Hz: the input
                                        ///< no longer fits what its player sees
  std::uint32_t early_ticks_max = 120;  ///< an input further ahead is refused: nobody fills the future
  std::size_t waiting_max = 512;        ///< inputs of one player that wait; more are refused
};

class InputSchedule {
 public:
  explicit InputSchedule(const InputScheduleOptions& options = {}) : options_(options) {}

  /// Stores or refuses an input; `tick` is that of the present state, and the earliest in which it can act.
  /// `tick` must not fall. The outcome is kApplied (the tick that it named, which the player need not be
  /// told), kMoved (a later tick), or a refusal.
  protocol::CommandOutcome add(std::uint64_t tick, sim::Input input);
  /// Moves the inputs of ticks up to `tick` into `out`, in (player, sequence) order, and replaces its
  /// contents. An input's tick is the one in which it acts. UINT64_MAX takes all.
  void take(std::uint64_t tick, std::vector<sim::Input>& out);
  /// Forgets a player and its waiting inputs.
  void remove_player(sim::PlayerId player);

  /// Inputs that wait, of all players.
  [[nodiscard]] std::size_t waiting_count() const noexcept;

 private:
  struct Player {
    std::uint64_t last_tick = 0;      // of its latest input
    std::vector<sim::Input> waiting;  // (tick, sequence) ascending
  };
  InputScheduleOptions options_;
  std::map<sim::PlayerId, Player> players_;
};

}  // namespace takt::server
