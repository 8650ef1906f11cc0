// PredictedReplica is a client's own world where the server's is too large to step whole, or has things that
// the client must not see. It begins with an image and steps ahead of the server. Own inputs act in their
// tick at once. Bodies near the player's own ones (PredictedArea) are dynamic; other bodies are kinematic and
// follow snapshots, somewhat behind. A snapshot of tick s is compared with what the replica had at s. Within
// the grids of body_truth.h nothing happens. Else the replica goes back to s, corrects the bodies that differ
// (Simulation::correct), and steps again, at most once for each advance(). States of held ticks are kept, so
// that a later correction of an earlier tick does not undo them. A body that the server has asleep where the
// own world cannot keep it is held there, kinematic, until news of it come or an own command names it. No
// Game runs here: what it does comes with snapshots.
//
// Own spawns and despawns are not predicted: a body appears when the server tells of it, with the density and
// friction of a SpawnCommand's defaults. Joints and ropes are those of the image and of own commands.
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
#include <utility>
#include <vector>

#include "client_sdk/cpp/replica/body_truth.h"
#include "client_sdk/cpp/replica/predicted_area.h"
#include "client_sdk/cpp/replica/visual_offset.h"
#include "protocol/messages/message.h"
#include "takt/core/result.h"
#include "takt/replica/replica_event.h"
#include "takt/sim/simulation.h"

namespace takt::client {

struct PredictedOptions {
  double area_radius_m = 20;  ///< around own bodies; about what a player sees move in a round trip
  /// Ticks that the replica steps ahead of the newest snapshot at most, [1, 1024]. Above it stands still.
  std::uint32_t ahead_ticks_max = 120;
  /// Ticks that are stepped in one advance() to catch up, at least 1.
  std::uint32_t catch_up_ticks = 20;
  StepOptions step;  ///< threads and lanes; its pool must outlive the replica
};

/// Counts since restore().
struct PredictedStats {
  std::uint64_t rollbacks = 0;
  std::uint64_t resimulated_ticks = 0;
  std::uint64_t deepest_rollback_ticks = 0;
  std::uint64_t compared = 0;   ///< states of predicted bodies that snapshots brought
  std::uint64_t corrected = 0;  ///< those of them that were not within the grids
  double error_sum_m = 0;       ///< of the compared positions
  double error_max_m = 0;
  std::uint64_t stalled_advances = 0;  ///< at which ahead_ticks_max held the replica back
};

class PredictedReplica {
 public:
  explicit PredictedReplica(const PredictedOptions& options);

  /// The world of a join image, without its Game, for the player `own`. `sequence_offset`: as that of
  /// RollbackReplica::restore(). Errors: those of Simulation::restore.
  Result<Unit, sim::SimError> restore(std::span<const std::byte> image, sim::PlayerId own,
                                      std::uint32_t sequence_offset = 0);
  /// Another world begins, whose image has yet to come.
  void clear();
  [[nodiscard]] bool has_world() const noexcept { return simulation_.has_value(); }

  /// `completes`: all parts of the snapshot have arrived.
  void handle_snapshot(const protocol::SnapshotPart& part, bool completes);
  void handle_added(const protocol::BodiesAdded& added);
  void handle_removed(const protocol::BodiesRemoved& removed);
  /// An own input that was sent. Sequences ascend; `tick` is not below tick().
  void add_input(std::uint64_t tick, std::uint32_t sequence, sim::Command command);
  /// The server applied it in another tick.
  void move_input(std::uint32_t sequence, std::uint64_t tick);
  /// The server refused it.
  void drop_input(std::uint32_t sequence);

  /// Corrects what snapshots and outcomes tell, in at most one resimulation, and moves on to `target_tick`.
  void advance(std::uint64_t target_tick, VisualOffsets* offsets = nullptr);
  [[nodiscard]] std::optional<RolledBack> next_rollback();

  /// The world at tick(); there must be one (asserted).
  [[nodiscard]] const sim::Simulation& simulation() const;
  [[nodiscard]] std::uint64_t tick() const noexcept { return simulation_ ? simulation_->tick() : 0; }
  /// Tick of the newest snapshot, or of the image before the first.
  [[nodiscard]] std::uint64_t snapshot_tick() const noexcept;
  [[nodiscard]] const PredictedArea& area() const noexcept { return area_; }
  [[nodiscard]] const PredictedStats& stats() const noexcept { return stats_; }
  [[nodiscard]] std::size_t inputs_in_flight() const noexcept { return inputs_.size(); }

 private:
  struct Slot {
    sim::SimulationSnapshot before;
    std::vector<sim::BodyView> predicted;               // id order
    std::vector<std::pair<BodyId, MoverInput>> inputs;  // in force, of the movers' bodies
  };
  /// A body that comes or goes after the image.
  struct Life {
    std::uint64_t from = 0;                    // tick
    std::uint64_t until = UINT64_MAX;          // tick from which on it does not exist
    std::optional<protocol::BodyInfo> info{};  // none: it was in the image
    std::uint64_t applied_tick = 0;            // the latest tick at which a world differed
  };
  [[nodiscard]] Slot& slot(std::uint64_t tick) { return slots_[tick % slots_.size()]; }
  /// The own world steps the body: it is in the area, and not held.
  [[nodiscard]] bool steps(BodyId body) const;
  [[nodiscard]] bool is_predicted(const TruthState& truth) const;
  [[nodiscard]] std::optional<std::uint64_t> first_difference();
  void note_entered();
  /// A prediction that went its own way, without news of the body, is wrong after some time.
  void note_silence();
  [[nodiscard]] bool differs(std::uint64_t tick, const TruthState& truth);
  [[nodiscard]] bool agrees_at(std::uint64_t tick, const sim::BodyView& own, const TruthState& truth);
  void note_dirty(std::uint64_t tick);
  void rewind(std::uint64_t tick, VisualOffsets* offsets);
  /// Corrects the world by the snapshots of its present tick.
  void apply_truth();
  void correct(const TruthState& truth);
  void keep();
  void step();
  void apply_lives();
  void admit(BodyId body, const protocol::BodyInfo& info);
  void drive_bodies();
  void drive(BodyId body, const BodyTruth::Track& track);
  void drive_movers();
  void trim();

  PredictedOptions options_;
  std::optional<sim::Simulation> simulation_;
  BodyTruth truth_;
  PredictedArea area_;
  std::map<BodyId, BodyType> types_;  // of the server
  std::vector<Slot> slots_;
  std::uint64_t first_tick_ = 0;  // of the slots that are held; the last is tick() - 1
  std::uint64_t image_tick_ = 0;
  sim::PlayerId own_ = 0;
  std::uint32_t sequence_offset_ = 0;
  std::deque<sim::Input> inputs_;  // own, of held and later ticks
  std::map<BodyId, Life> lives_;
  std::optional<std::uint64_t> dirty_tick_;  // inputs of it have changed
  double delay_ticks_ = 0;                   // of bodies that follow snapshots
  std::uint64_t area_tick_ = 0;              // of the last choice
  bool is_area_due_ = true;
  std::uint64_t silence_tick_ = 0;       // newest snapshot at the last note_silence()
  std::vector<sim::Input> step_inputs_;  // scratch of step()
  std::vector<MoverId> movers_;          // scratch of drive_movers()
  std::deque<RolledBack> rollbacks_;
  PredictedStats stats_;
};

}  // namespace takt::client
