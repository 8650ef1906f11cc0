// RollbackReplica is a client's own copy of a room's world. It begins with a join image and steps confirmed
// ticks, whose inputs the server sends. With prediction (rollback) it also steps ahead of them: own inputs
// act in their tick at once, and of other players the last Move holds, as the world itself keeps it. When
// confirmed inputs differ from the predicted ones, the replica goes back and steps again, at most once for
// each advance(). Without prediction (lockstep) it steps confirmed ticks alone. Confirmed states whose tick
// is a multiple of sim::kHashEveryTicks are hashed and compared with the server's hashes. They are kept until
// then, so that answer() can tell what a state has that differs.
//
// The replica has no session, clock or thread: ReplicaSession connects it with them. It is of one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "client_sdk/cpp/replica/visual_offset.h"
#include "protocol/confirmed/confirmed_batch.h"
#include "sim/comparison/hash_tree.h"
#include "sim/comparison/recent_inputs.h"
#include "sim/recording/tick_record.h"
#include "takt/core/result.h"
#include "takt/replica/replica_event.h"
#include "takt/sim/rollback_buffer.h"
#include "takt/sim/simulation.h"

namespace takt::client {

struct ReplicaOptions {
  bool predicts = true;  ///< false = lockstep
  /// Ticks that the replica steps ahead of the confirmed ones at most, [1, 1024]: about a round trip and the
  /// way of a lost datagram. Above it the replica stands still.
  std::uint32_t ahead_ticks_max = 120;
  /// Confirmed ticks that are stepped in one advance() to catch up, at least 1: what a frame has time for.
  std::uint32_t catch_up_ticks = 20;
  StepOptions step;  ///< threads and lanes, which change no bit; its pool must outlive the replica
  bool keeps_desync_states = false;  ///< for desync_recording(): one state more, and recent inputs
};

/// The own state at a confirmed tick has another hash than the server's.
struct Diverged {
  std::uint64_t tick = 0;
  std::uint64_t own_hash = 0;
  std::uint64_t server_hash = 0;
};
/// A confirmed message of the Game, once.
struct ConfirmedMessage {
  sim::GameMessage message;
};
using ReplicaEvent = std::variant<RolledBack, Diverged, ConfirmedMessage>;

/// Counts since restore().
struct ReplicaStats {
  std::uint64_t rollbacks = 0;
  std::uint64_t resimulated_ticks = 0;
  std::uint64_t deepest_rollback_ticks = 0;
  std::uint64_t hashes_equal = 0;
  std::uint64_t hashes_different = 0;
  std::uint64_t stalled_advances = 0;  ///< at which ahead_ticks_max held the replica back
};

class RollbackReplica {
 public:
  explicit RollbackReplica(const ReplicaOptions& options);

  /// The world of a join image, for the player `own`. Forgets what was before, but the counts: a second image
  /// of a world repairs it. `sequence_offset`: protocol::Accept::input_offset. Errors: those of
  /// Simulation::restore.
  Result<Unit, sim::SimError> restore(std::span<const std::byte> image, sim::PlayerId own,
                                      std::unique_ptr<sim::Game> game = nullptr,
                                      std::uint32_t sequence_offset = 0);
  /// Where another session may begin with this world, which is that of the room's `epoch`. Its hash is the
  /// newest that the server had too, as far as is known: it hashes a state some ticks later than this end.
  /// Before the server's first hash it is the newest own one. None without a confirmed hash, without an epoch
  /// (0), after a desync that no image has repaired, or while confirmed ticks of more than half a second are
  /// not stepped.
  [[nodiscard]] std::optional<protocol::ResumePoint> resume_point(std::uint32_t epoch) const;
  /// Another session begins with this world, for the player `own`; confirmed ticks follow from
  /// confirmed_tick() on. Own inputs of the session before count no longer. `sequence_offset`: as that of
  /// restore(). There must be a world (asserted).
  void resume(sim::PlayerId own, std::uint32_t sequence_offset);
  /// Another world begins, whose image has yet to come.
  void clear();
  /// Replaces ReplicaOptions::predicts. There must be no world (asserted).
  void set_predicts(bool predicts);
  [[nodiscard]] bool has_world() const noexcept { return simulation_.has_value(); }

  /// Ticks that follow those confirmed before. False: a record that does not decode, or a gap; the session is
  /// worth nothing any more.
  [[nodiscard]] bool handle_confirmed(const protocol::ConfirmedBatch& batch);
  /// An own input that was sent. `sequence` counts the session's inputs; sequences and ticks ascend. A tick
  /// that the replica has stepped already is predicted at once: by the next advance().
  void add_input(std::uint64_t tick, std::uint32_t sequence, sim::Command command);
  /// The server refused an own input before it became one of a tick.
  void drop_input(std::uint32_t sequence);

  /// Confirmed inputs act, in at most one resimulation, and the world moves on towards `target_tick`.
  /// `offsets` take over what the resimulation moved; nullptr = none.
  void advance(std::uint64_t target_tick, VisualOffsets* offsets = nullptr);
  [[nodiscard]] std::optional<ReplicaEvent> next_event();

  /// The world at tick(); there must be one (asserted).
  [[nodiscard]] const sim::Simulation& simulation() const;
  /// Present tick.
  [[nodiscard]] std::uint64_t tick() const noexcept { return simulation_ ? simulation_->tick() : 0; }
  /// Ticks below it are confirmed. May be above tick() while the replica catches up.
  [[nodiscard]] std::uint64_t confirmed_tick() const noexcept { return confirmed_end_; }
  /// Hash of the own state at the last confirmed multiple of sim::kHashEveryTicks.
  [[nodiscard]] std::optional<sim::StateHash> last_confirmed_hash() const;
  [[nodiscard]] const ReplicaStats& stats() const noexcept { return stats_; }
  /// The state at a confirmed tick is kept: the next confirmed ticks have come, and it may differ.
  [[nodiscard]] bool keeps(std::uint64_t tick) const noexcept;
  /// The state at a tick is kept no longer, or never was: a later one is kept.
  [[nodiscard]] bool has_forgotten(std::uint64_t tick) const noexcept;
  /// Children of a node of the hash tree of a state that keeps() (asserted).
  [[nodiscard]] sim::StateAnswer answer(std::uint64_t tick, const sim::StatePath& path) const;
  /// A recording of a state that keeps() (asserted), and of an earlier one that is kept, with the inputs
  /// between them (sim/comparison/desync_recording.h). ReplicaOptions::keeps_desync_states must be set.
  [[nodiscard]] std::vector<std::byte> desync_recording(std::uint64_t tick) const;
  [[nodiscard]] std::size_t inputs_in_flight() const noexcept { return own_inputs_.size(); }

 private:
  struct Kept {
    std::uint64_t tick = 0;
    bool is_used = false;
    sim::SimulationSnapshot state;
  };
  void take_server_hash(const sim::StateHash& hash);
  void note_own_hash(std::uint64_t tick, std::uint64_t hash);
  void compare(std::uint64_t tick);
  /// The slot for a state to keep, unless the state is known to be equal.
  [[nodiscard]] sim::SimulationSnapshot* slot_to_keep(std::uint64_t tick);
  [[nodiscard]] const Kept* kept_before(std::uint64_t tick) const;
  /// Gives the buffer the inputs that are known or predicted now.
  void correct_inputs();
  bool correct();
  bool resimulate();
  /// Confirmed ticks leave the buffer.
  void confirm_held();
  void step_confirmed();
  void step_ahead(std::uint64_t target_tick);
  [[nodiscard]] std::vector<sim::Input> predicted(std::uint64_t tick) const;
  void report_messages();

  ReplicaOptions options_;
  std::optional<sim::Simulation> simulation_;
  sim::RollbackBuffer buffer_;
  sim::PlayerId own_ = 0;
  std::uint32_t sequence_offset_ = 0;  // of restore()
  std::uint64_t confirmed_end_ = 0;
  std::deque<sim::TickRecord> records_;  // confirmed and not stepped for good; the last is confirmed_end_ - 1
  std::deque<sim::Input> own_inputs_;    // without a confirmed tick, ascending
  std::map<std::uint64_t, std::uint64_t> own_hashes_;     // by tick
  std::map<std::uint64_t, std::uint64_t> server_hashes_;  // by tick
  std::vector<Kept> kept_;
  sim::RecentInputs recent_inputs_;          // with keeps_desync_states
  std::optional<std::uint64_t> equal_tick_;  // the last at which both hashes were equal
  bool has_diverged_ = false;                // a hash was another than the server's
  bool has_bad_records_ = false;             // the server would send them again
  std::deque<ReplicaEvent> events_;
  ReplicaStats stats_;
};

}  // namespace takt::client
