// Room is a live world with its players: one simulation, the players' inputs, the tick rate and, if wanted, a
// recording. handle_event() takes session events; step() runs one tick and idle() none. step() and idle()
// return what clients must receive as a RoomUpdate. Room has no socket, and starts threads in
// start_shadow_thread() alone. Only its Journal reads a clock, so the tests in tests/simulation/server run
// rooms on a virtual clock. One thread at a time uses a Room.
//
// A Control message may load another scene, which replaces the simulation and begins a new epoch (number of
// the room's world). A scene that cannot be loaded changes nothing. A room that is being recorded loads no
// scene, because a recording is of one world. A recording that has failed does not count. A room with a Game
// loads no scene either, because the game's code belongs to its scene.
//
// Room bounds the cost of strangers: a scene without a policy gets sim::guarded_policy(), and one without
// max_contacts a limit by its number of bodies. A room with a Game gets neither; a resumed room keeps what
// its simulation has.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "protocol/session/server_endpoint.h"
#include "server/input_schedule.h"
#include "server/journal.h"
#include "server/playable.h"
#include "server/room_update.h"
#include "server/scene_provider.h"
#include "server/tick_governor.h"
#include "server/world_publisher.h"
#include "takt/core/result.h"
#include "takt/sim/recording.h"
#include "takt/sim/simulation.h"

namespace takt::server {

struct RoomOptions {
  NumbersMode numbers = NumbersMode::kFloat;
  StepOptions step;
  InputScheduleOptions inputs;
  std::uint32_t snapshot_every_ticks = 1;  ///< [1, 3600]: only steps to a multiple of it have a snapshot
  GovernorOptions governor;
  /// Modes of replication. Clients that simulate make the room keep states and encode each tick's inputs.
  protocol::OfferedModes modes;
  bool keeps_desync_states = false;  ///< RoomUpdate::desync_reports
  sim::RecordingOptions recording;
  std::string scene_name;     ///< of the first scene, as `provider` lists it; empty = it is not listed
  std::uint32_t away_s = 30;  ///< players of a resumed world leave after this world time without a session
  /// Epoch of the first world, [1, 2^31]. A host draws it: clients that come back name the epoch of their
  /// world, and another run of the server must not take that for one of its own.
  std::uint32_t first_epoch = 1;
  const SceneProvider* provider = nullptr;  ///< of scenes for load_scene; null = none. Must outlive the room
  std::optional<std::uint32_t> substeps;    ///< replaces that of scenes by load_scene, not of the first one
  std::optional<std::uint32_t> tick_rate_hz;  ///< likewise
};

class Room final : public Playable {
 public:
  /// A room at tick 0 of the scene. Errors: those of Simulation::create, which writes `game_text` if it is
  /// not null. RoomOptions::scene_name has at most kSceneNameBytesMax bytes (asserted).
  [[nodiscard]] static Result<Room, sim::SimError> create(const sim::Scene& scene, const RoomOptions& options,
                                                          std::unique_ptr<sim::Game> game = nullptr,
                                                          std::string* game_text = nullptr);

  /// A room that goes on with a simulation of the scene. Its players are away: they stay in the simulation
  /// for RoomOptions::away_s, and then leave. A session that joins with the id of an away player continues
  /// it, or begins anew after it has left. Its inputs are numbered on from the player's last in both cases.
  [[nodiscard]] static Room resume(sim::Simulation simulation, const sim::Scene& scene,
                                   const RoomOptions& options);

  /// Records every tick from here on. The sink must outlive the room. A room has one recording (asserted).
  /// Call it before the first step. kWriteFailed: the room goes on, and has_recording_failed() is true.
  Result<Unit, sim::SimError> start_recording(sim::ByteSink& sink, const sim::Scene& scene);
  /// Records into files that follow one another (journal.h), instead of start_recording() and with the same
  /// rules. With a next file, kWriteFailed only suspends the recording.
  Result<Unit, sim::SimError> start_journal(JournalStore& store, const sim::Scene& scene,
                                            const JournalOptions& options);
  Result<Unit, sim::SimError> close_recording() override;

  /// Pauses the room until a Control resumes it. Call it before the first session.
  void pause() noexcept { publisher_.tick_rate().pause(); }
  void handle_event(protocol::ServerEvent&& event) override;
  [[nodiscard]] RoomUpdate step(const UpdateRequest& request) override;
  /// As step(UpdateRequest{}).
  [[nodiscard]] RoomUpdate step() { return step({}); }
  [[nodiscard]] RoomUpdate idle(const UpdateRequest& request) override;
  void start_shadow_thread() override;
  void note_tick(std::uint32_t cost_us, std::uint32_t period_us) override {
    governor_.note_tick(cost_us, period_us);
  }
  [[nodiscard]] protocol::OfferedModes offered_modes() const override { return options_.modes; }
  [[nodiscard]] bool is_overloaded() const override { return governor_.is_overloaded(); }
  [[nodiscard]] AwayPlayers away_players() const override;

  [[nodiscard]] const TickRate& tick_rate() const noexcept override { return publisher_.tick_rate(); }
  [[nodiscard]] RoomChange now() const override;
  [[nodiscard]] WorldStats stats() const override { return publisher_.stats(); }
  [[nodiscard]] std::uint64_t hash() const override { return simulation().hash(); }
  [[nodiscard]] const RoomCounters& counters() const noexcept override { return publisher_.counters(); }

  [[nodiscard]] std::uint32_t tick_rate_hz() const noexcept override { return playing_.tick_rate_hz; }
  [[nodiscard]] NumbersMode numbers() const noexcept override { return simulation().numbers(); }
  [[nodiscard]] std::uint32_t players_max() const noexcept override {
    return simulation().policy().max_players;
  }
  [[nodiscard]] bool has_recording_failed() const override { return has_recording_failed_; }
  [[nodiscard]] JournalStatus journal_status() const override {
    return journal_ ? journal_->status() : JournalStatus{};
  }

  [[nodiscard]] const sim::Simulation& simulation() const noexcept { return publisher_.simulation(); }
  [[nodiscard]] const StepStatus& last_status() const noexcept { return publisher_.last_status(); }
  [[nodiscard]] std::uint32_t epoch() const noexcept { return publisher_.epoch(); }

 private:
  /// The description of the scene that plays.
  struct Playing {
    std::string name;
    std::string title;
    std::uint64_t hash = 0;
    std::uint32_t tick_rate_hz = 60;
    std::uint32_t substeps = 4;
    protocol::CameraPlace camera;
    double max_query_length_m = 0.0;
  };

  Room(sim::Simulation simulation, const RoomOptions& options, Playing playing);
  [[nodiscard]] static Playing playing_of(const sim::Scene& scene, std::string name);
  static void bound_work(const sim::Scene& scene, sim::Simulation& simulation);

  [[nodiscard]] bool is_recording() const noexcept { return journal_ && !has_recording_failed_; }
  void handle_inputs(protocol::InputsArrived&& event);
  void handle_control(const protocol::ControlArrived& event);
  [[nodiscard]] protocol::ControlResult load_scene(const std::string& name);
  void enter_world(sim::Simulation simulation, Playing playing);
  struct Join {
    sim::PlayerId player = 0;
    bool is_new = true;  // not one that follows into another scene
  };
  void introduce(const ImageReceiver& session, protocol::ReplicationMode mode, bool has_world);
  void queue_join(const Join& join, std::string name);
  void queue_server_input(sim::Command command);
  void follow_journal();
  void let_away_players_leave();
  void tell(sim::PlayerId player, protocol::CommandOutcome outcome);
  void despawn_overload();
  void refuse(const sim::Input& input, sim::Refusal reason);
  [[nodiscard]] std::uint32_t affordable_spawns(sim::PlayerId player) const;
  void refuse_floods();
  void note_refused(const sim::TickResult& result, RoomUpdate& update);
  void finish(RoomUpdate& update, const UpdateRequest& request, std::optional<std::uint64_t> hash);

  RoomOptions options_;
  std::unique_ptr<JournalStore> sink_store_;  // of start_recording()
  std::unique_ptr<Journal> journal_;          // the publisher's shadow world reports to it, so it ends later
  bool has_recording_failed_ = false;
  WorldPublisher publisher_;
  Playing playing_;
  InputSchedule schedule_;
  TickGovernor governor_;

  std::map<sim::PlayerId, std::string> players_;          // with their names, for the next scene
  std::map<sim::PlayerId, std::uint64_t> away_;           // of a resumed world: leave at this tick
  std::map<sim::PlayerId, std::uint32_t> input_offsets_;  // of a resumed world: last sequences of its players
  std::map<sim::PlayerId, std::uint32_t> sequences_;      // of players who came back: before their session's
  std::map<sim::PlayerId, std::uint32_t> bodies_max_;     // of players whose token limits them
  std::set<sim::PlayerId> spectators_;                    // who never enter the simulation
  std::uint32_t server_sequence_ = 0;
  std::vector<sim::Input> server_inputs_;  // for the next step
  std::map<std::uint32_t, Join> joins_;    // server sequence of a JoinCommand in server_inputs_ -> who
  std::vector<sim::Input> inputs_;         // of the step, reused
};

}  // namespace takt::server
