// InputSchedule assigns each input of a player (a command with tick and sequence number) to the tick in which
// it acts. An early input waits for its tick; a late input acts in the next tick. An input that is too early,
// too late or over the limit of waiting inputs is refused (InputScheduleOptions). An input for an earlier
// tick than its predecessor acts in the predecessor's tick, because the simulation refuses sequences that
// come out of order. Room calls add() for inputs in sequence order, and take() before each tick. The
// simulation checks permissions later (takt/sim/policy.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "protocol/messages/message.h"
#include "takt/sim/command.h"

namespace takt::server {

struct InputScheduleOptions {
  std::uint32_t late_ticks_max = 60;    ///< later than this: refused. A second at 60 Hz; what a player wanted
                                        ///< then no longer fits what it sees
  std::uint32_t early_ticks_max = 120;  ///< further ahead than this: refused, so that nobody fills the future
  std::size_t waiting_max = 512;        ///< inputs of one player that wait; more are refused
};

class InputSchedule {
 public:
  explicit InputSchedule(const InputScheduleOptions& options = {}) : options_(options) {}

  /// Takes an input while the state of `tick` is current, so that `tick` is the earliest it can act in. The
  /// result says what the player must be told: `applied` means in the tick it asked for, which needs no
  /// telling.
  protocol::CommandOutcome add(std::uint64_t tick, sim::Input input);
  /// The inputs that act in the step from `tick` on, stamped with it, in (player, sequence) order; replaces
  /// `out`. Ticks must not fall.
  void take(std::uint64_t tick, std::vector<sim::Input>& out);
  /// Forgets a player and what waits for it.
  void remove_player(sim::PlayerId player);

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
