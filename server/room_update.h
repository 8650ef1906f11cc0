// What one tick of a room says to its clients: plain data on its way from the simulation's thread to the network's. It knows no session.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocol/body_state.h"
#include "protocol/message.h"
#include "takt/sim/command.h"

namespace takt::server {

/// The news for one player alone.
struct PlayerOutcome {
  sim::PlayerId player = 0;
  protocol::InputOutcome outcome;
};

/// A player that is in: everything that exists at the update's tick.
struct Welcome {
  sim::PlayerId player = 0;
  std::shared_ptr<const std::vector<protocol::BodyInfo>> bodies;
};

/// A player that the room does not take.
struct Kick {
  sim::PlayerId player = 0;
  std::string text;
};

struct RoomUpdate {
  std::uint64_t tick = 0;                                    ///< of the state after the step
  std::optional<std::vector<protocol::BodyState>> snapshot;  ///< every body, id order; none = not this tick
  std::vector<protocol::BodyInfo> added;                     ///< since the update before, for players welcomed earlier
  std::vector<protocol::BodyId> removed;
  std::vector<PlayerOutcome> outcomes;  ///< inputs that were moved or refused
  std::vector<Welcome> welcomes;
  std::vector<Kick> kicks;
  std::optional<protocol::ServerStats> stats;  ///< about once a second
};

}  // namespace takt::server
