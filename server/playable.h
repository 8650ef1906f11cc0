// Playable is the interface of a world with ticks that a Server plays to clients: a live room (room.h) or a
// recording (playback.h). handle_event() takes the events of sessions, such as joins, inputs and pause
// requests. TickLoop calls step() for each tick, and idle() when no tick is due; each call returns a
// RoomUpdate. Server carries the RoomUpdate to Gateway, which sends it. A Playable reads no clock, has no
// socket and starts no thread; one thread at a time uses it. RoomCounters and WorldStats are its statistics.
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
  std::uint64_t joined = 0;
  std::uint64_t left = 0;
  std::uint64_t inputs_applied = 0;      ///< moved ones included
  std::uint64_t inputs_moved = 0;        ///< acted in a later tick than asked
  std::uint64_t inputs_refused = 0;      ///< by schedule or policy
  std::uint64_t contacts_cut_ticks = 0;  ///< ticks in which WorldDef::max_contacts left out contacts
  std::uint64_t bodies_removed = 0;      ///< spawned ones, because ticks took too long (tick_governor.h)
  std::uint64_t spawns_refused = 0;      ///< for the same reason
  std::uint64_t bodies_hidden = 0;  ///< updates in which a body's index was past what the protocol can name
  std::array<std::uint64_t, protocol::kCommandStatuses> outcomes{};  ///< told to players, by CommandStatus
};

/// The world that is shown, in numbers.
struct WorldStats {
  std::uint64_t tick = 0;
  std::uint32_t body_count = 0;
  std::uint32_t awake_count = 0;
  std::uint32_t contact_count = 0;

  /// As clients are told, without what only the server's clock knows.
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

/// Players of a world that goes on without their sessions.
struct AwayPlayers {
  std::map<std::string, sim::PlayerId> by_name;  ///< of those with a name
  sim::PlayerId first_new = 1;                   ///< above the ids of all players
};

class Playable {
 public:
  virtual ~Playable() = default;

  /// Someone joined, left, sent inputs or wants control.
  virtual void handle_event(protocol::ServerEvent&& event) = 0;
  /// One tick.
  [[nodiscard]] virtual RoomUpdate step(const UpdateRequest& request) = 0;
  /// No tick, only what there is to say: to newcomers, to those who control, and again what may have been
  /// lost.
  [[nodiscard]] virtual RoomUpdate idle(const UpdateRequest& request) = 0;

  /// Work that looks at the world without being part of a tick moves to a thread; its results come in later
  /// updates. Without the call they come in the same.
  virtual void start_shadow_thread() {}

  /// The last step took `tick_us` of the `period_us` between two ticks.
  virtual void note_tick(std::uint32_t /*tick_us*/, std::uint32_t /*period_us*/) {}
  /// Ticks take too long, so players spawn nothing.
  [[nodiscard]] virtual bool is_overloaded() const { return false; }

  [[nodiscard]] virtual const TickRate& tick_rate() const noexcept = 0;
  /// The room's state for a newcomer.
  [[nodiscard]] virtual RoomChange now() const = 0;
  [[nodiscard]] virtual WorldStats stats() const = 0;
  [[nodiscard]] virtual std::uint64_t hash() const = 0;
  [[nodiscard]] virtual const RoomCounters& counters() const noexcept = 0;
  [[nodiscard]] virtual std::uint32_t tick_rate_hz() const noexcept = 0;
  [[nodiscard]] virtual NumbersMode numbers() const noexcept = 0;
  /// Replication modes that sessions may ask for.
  [[nodiscard]] virtual protocol::OfferedModes offered_modes() const { return {}; }
  /// Before the first session.
  [[nodiscard]] virtual AwayPlayers away_players() const { return {}; }
  /// Players the scene allows.
  [[nodiscard]] virtual std::uint32_t players_max() const noexcept = 0;

  /// Writes what waits in a recording that is being made, and ends it. After it nothing may be stepped.
  virtual Result<Unit, sim::SimError> close_recording() { return Unit{}; }
  /// True once the recording's sink has failed: the room goes on without it.
  [[nodiscard]] virtual bool has_recording_failed() const { return false; }
  [[nodiscard]] virtual JournalStatus journal_status() const { return {}; }

 protected:
  Playable() = default;
  Playable(Playable&&) = default;
  Playable& operator=(Playable&&) = default;
};

}  // namespace takt::server
