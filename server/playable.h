// Playable is the interface of a world with ticks that a Server plays to clients: a live room (room.h) or a
// recording (playback.h). handle_event() takes the events of sessions, such as joins, inputs and pause
// requests. TickLoop calls step() for each tick, and idle() when no tick is due; each call returns a
// RoomUpdate. Server carries the RoomUpdate to Gateway, which sends it. A Playable has no socket, and no
// thread before start_shadow_thread(). Ticks read no clock. One thread at a time uses a Playable.
// RoomCounters and WorldStats are its statistics.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "protocol/session/server_endpoint.h"
#include "server/journal_status.h"
#include "server/room_update.h"
#include "server/tick_rate.h"
#include "takt/core/result.h"
#include "takt/physics/world.h"
#include "takt/sim/error.h"

namespace takt::server {

/// Counters of a room since its creation.
struct RoomCounters {
  std::uint64_t joined = 0;              ///< players and spectators
  std::uint64_t left = 0;                ///< players and spectators
  std::uint64_t inputs_applied = 0;      ///< not refused; moved ones included
  std::uint64_t inputs_moved = 0;        ///< moved to a later tick than asked; a step may still refuse them
  std::uint64_t inputs_refused = 0;      ///< by the room or its simulation
  std::uint64_t contacts_cut_ticks = 0;  ///< ticks in which WorldDef::max_contacts left something out
  std::uint64_t bodies_removed = 0;      ///< bodies of players, because ticks took too long (tick_governor.h)
  std::uint64_t spawns_refused = 0;      ///< for the same reason
  std::uint64_t desyncs = 0;             ///< states of clients that differed at a confirmed tick
  std::uint64_t bodies_hidden = 0;       ///< snapshots that lack a body whose index the protocol cannot name
  std::array<std::uint64_t, protocol::kCommandStatuses> outcomes{};  ///< sent to players, by CommandStatus
  std::array<std::uint64_t, protocol::kCommandRefusals> refusals{};  ///< of inputs_refused, by CommandRefusal

  /// Counts an input that did not act.
  void count_refused(protocol::CommandRefusal reason) {
    ++inputs_refused;
    ++refusals[static_cast<std::size_t>(reason)];
  }
};

/// Numbers of the world that clients see.
struct WorldStats {
  std::uint64_t tick = 0;
  std::uint32_t body_count = 0;
  std::uint32_t awake_count = 0;
  std::uint32_t contact_count = 0;  ///< of the last step

  /// The message for clients, without the tick times, which TickLoop adds, and the clients, which Gateway
  /// adds.
  [[nodiscard]] protocol::ServerStats to_stats(std::uint64_t state_hash) const {
    protocol::ServerStats stats;
    stats.tick = tick;
    stats.state_hash = state_hash;
    stats.body_count = body_count;
    stats.awake_count = awake_count;
    stats.contact_count = contact_count;
    return stats;
  }
};

/// Players of a resumed world, who have no session yet.
struct AwayPlayers {
  std::map<std::string, sim::PlayerId> by_name;            ///< away players with a name
  std::map<sim::PlayerId, std::uint32_t> input_offsets{};  ///< sequences of their last inputs
  sim::PlayerId first_new = 1;                             ///< above the ids of all players
};

class Playable {
 public:
  virtual ~Playable() = default;

  /// Applies an event of a session: a join, a leave, inputs, a Control, queries and others.
  virtual void handle_event(protocol::ServerEvent&& event) = 0;
  /// Runs one tick. A playback at its end runs none, and pauses.
  [[nodiscard]] virtual RoomUpdate step(const UpdateRequest& request) = 0;
  /// Runs no tick. The update has what waits for clients, such as welcomes and answers, and what `request`
  /// names.
  [[nodiscard]] virtual RoomUpdate idle(const UpdateRequest& request) = 0;

  /// Moves queries, inspections and hashes to a thread; their results come in later updates. Without the call
  /// they come in the same update. Call it at most once.
  virtual void start_shadow_thread() {}

  /// Reports that the last step took `cost_us` of processor time (tick_cost.h) of the `period_us` between two
  /// ticks.
  virtual void note_tick(std::uint32_t /*cost_us*/, std::uint32_t /*period_us*/) {}
  /// True while spawns of players are refused because ticks take too long.
  [[nodiscard]] virtual bool is_overloaded() const { return false; }

  [[nodiscard]] virtual const TickRate& tick_rate() const noexcept = 0;
  /// The room's state for a newcomer.
  [[nodiscard]] virtual RoomChange now() const = 0;
  /// Statistics of the present tick.
  [[nodiscard]] virtual WorldStats stats() const = 0;
  /// State hash of the present tick, computed in the call.
  [[nodiscard]] virtual std::uint64_t hash() const = 0;
  [[nodiscard]] virtual const RoomCounters& counters() const noexcept = 0;
  [[nodiscard]] virtual std::uint32_t tick_rate_hz() const noexcept = 0;
  [[nodiscard]] virtual NumbersMode numbers() const noexcept = 0;
  /// Replication modes that sessions may ask for.
  [[nodiscard]] virtual protocol::OfferedModes offered_modes() const { return {}; }
  /// Players of a resumed world. Server reads them once, before the first session.
  [[nodiscard]] virtual AwayPlayers away_players() const { return {}; }
  /// Sessions at once: of players in a room (the policy's limit), of spectators in a playback.
  [[nodiscard]] virtual std::uint32_t players_max() const noexcept = 0;

  /// Writes what waits in a recording that is being made, and ends it. Call it after the last step. Error:
  /// kWriteFailed. No recording, or one that failed before, is no error.
  virtual Result<Unit, sim::SimError> close_recording() { return Unit{}; }
  /// True once the recording has ended by a failure: the room goes on without it.
  [[nodiscard]] virtual bool has_recording_failed() const { return false; }
  /// Counters of the recording; default values without one.
  [[nodiscard]] virtual JournalStatus journal_status() const { return {}; }

 protected:
  Playable() = default;
  Playable(Playable&&) = default;
  Playable& operator=(Playable&&) = default;
};

}  // namespace takt::server
