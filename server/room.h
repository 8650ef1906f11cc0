// A room: one simulation, its players' inputs and its recording, stepped tick by tick. Events of sessions come in by handle_event, what clients
// must hear goes out as a RoomUpdate. It reads no clock and knows no socket, session or thread: the acceptance test runs it on a virtual clock.
// Used by one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "protocol/server_endpoint.h"
#include "server/input_schedule.h"
#include "server/room_update.h"
#include "takt/core/result.h"
#include "takt/sim/recording.h"
#include "takt/sim/simulation.h"

namespace takt::server {

struct RoomOptions {
  NumbersMode numbers = NumbersMode::kFloat;
  StepOptions step;
  InputScheduleOptions inputs;
  std::uint32_t snapshot_every_ticks = 1;  ///< [1, 3600]; 1 = each tick is published
  sim::RecordingOptions recording;
};

/// What a room has done since it was made.
struct RoomCounters {
  std::uint64_t joined = 0;
  std::uint64_t left = 0;
  std::uint64_t inputs_applied = 0;  ///< moved ones included
  std::uint64_t inputs_moved = 0;    ///< acted in a later tick than asked
  std::uint64_t inputs_refused = 0;  ///< by schedule or policy
  std::uint64_t bodies_hidden = 0;   ///< updates in which a body's index was past what the protocol can name
};

class Room {
 public:
  /// Errors: those of Simulation::create.
  [[nodiscard]] static Result<Room, sim::SimError> create(const sim::Scene& scene, const RoomOptions& options,
                                                          std::unique_ptr<sim::Game> game = nullptr);

  /// Records every tick from here on. The sink must outlive the room. Call it before the first step.
  Result<Unit, sim::SimError> start_recording(sim::ByteSink& sink, const sim::Scene& scene);
  /// Writes what waits and the index. After it the room must not be stepped.
  Result<Unit, sim::SimError> close_recording();

  /// Someone joined, left, or sent inputs.
  void handle_event(protocol::ServerEvent&& event);
  /// One tick. `want_stats`: fill RoomUpdate::stats (its hash costs an encoding of the state; a recording pays it every tick anyway).
  [[nodiscard]] RoomUpdate step(bool want_stats = false);

  [[nodiscard]] const sim::Simulation& simulation() const noexcept { return simulation_; }
  [[nodiscard]] const RoomCounters& counters() const noexcept { return counters_; }
  [[nodiscard]] const StepStatus& last_status() const noexcept { return last_status_; }
  /// True once the recording's sink has failed: the room goes on without it.
  [[nodiscard]] bool has_recording_failed() const noexcept { return writer_ && writer_->failed(); }
  [[nodiscard]] std::uint64_t recorded_bytes() const noexcept { return writer_ ? writer_->written_bytes() : 0; }

 private:
  Room(sim::Simulation simulation, const RoomOptions& options) : options_(options), simulation_(std::move(simulation)), schedule_(options.inputs) {}

  void handle_inputs(protocol::InputsArrived&& event);
  void queue_server_input(sim::Command command);
  void tell(sim::PlayerId player, const protocol::InputOutcome& outcome);
  void note_refused(const sim::TickResult& result, RoomUpdate& update);
  void add_welcomes(RoomUpdate& update);
  [[nodiscard]] protocol::BodyInfo info_of(BodyId body) const;

  RoomOptions options_;
  sim::Simulation simulation_;
  InputSchedule schedule_;
  std::optional<sim::RecordingWriter> writer_;
  RoomCounters counters_;
  StepStatus last_status_;

  std::uint32_t server_sequence_ = 0;
  std::vector<sim::Input> server_inputs_;         // for the next step
  std::map<std::uint32_t, sim::PlayerId> joins_;  // server sequence of a JoinCommand in server_inputs_ -> who
  std::vector<PlayerOutcome> outcomes_;           // since the last step
  std::vector<sim::Input> inputs_;                // of the step, reused
  std::vector<protocol::BodyState> states_;
};

}  // namespace takt::server
