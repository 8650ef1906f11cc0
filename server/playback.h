// Playback plays a recording to viewers: it simulates the recorded inputs again tick by tick, and can be
// paused, stepped, sped up and sought in. A seek starts from the last saved state (image) at or before the
// wanted tick. The seek begins a new epoch (number of the room's world), in which clients receive all bodies
// anew. Viewers never enter the simulation, and their inputs are refused. A recorded game's messages to all
// players go to all viewers, those to one player to nobody.
//
// If the hash of a tick differs from the recorded one, or the file is damaged, the playback ends at that
// tick. The room's title then gives the reason; `takt replay verify` and `takt replay bisect` find out more.
// A RecordingReader reads the file, and TickLoop the clock.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "server/playable.h"
#include "server/world_publisher.h"
#include "takt/core/result.h"
#include "takt/sim/recording.h"
#include "takt/sim/replay.h"
#include "takt/sim/scene.h"

namespace takt::server {

class Playback final : public Playable {
 public:
  /// Seeks `start_tick`, by default the first one, and reads all ticks for the time line's marks. `recording`
  /// must outlive the playback. Errors: those of sim::seek. A tick that cannot be read is no error: the
  /// playback ends before its step. `games` makes the game that the recording names, here and in later seeks.
  [[nodiscard]] static Result<Playback, sim::SimError> open(
      const sim::RecordingReader& recording, const StepOptions& step = {},
      std::optional<std::uint64_t> start_tick = std::nullopt, const sim::GameFactory& games = nullptr);

  void handle_event(protocol::ServerEvent&& event) override;
  [[nodiscard]] RoomUpdate step(const UpdateRequest& request) override;
  [[nodiscard]] RoomUpdate idle(const UpdateRequest& request) override;
  void start_shadow_thread() override { publisher_.start_shadow_thread(); }

  [[nodiscard]] const TickRate& tick_rate() const noexcept override { return publisher_.tick_rate(); }
  [[nodiscard]] RoomChange now() const override;
  [[nodiscard]] WorldStats stats() const override { return publisher_.stats(); }
  [[nodiscard]] std::uint64_t hash() const override { return simulation().hash(); }
  [[nodiscard]] const RoomCounters& counters() const noexcept override { return publisher_.counters(); }
  [[nodiscard]] std::uint32_t tick_rate_hz() const noexcept override {
    return recording_->info().tick_rate_hz;
  }
  [[nodiscard]] NumbersMode numbers() const noexcept override { return recording_->info().numbers; }
  [[nodiscard]] std::uint32_t players_max() const noexcept override { return kSpectatorsMax; }

  /// Sets the speed, in [kControlSpeedMin, kControlSpeedMax]; another value changes nothing. Call it before
  /// the first session.
  void set_speed(float speed) noexcept {
    (void)publisher_.tick_rate().apply({0, protocol::ControlAction::kSetSpeed, speed, 0, {}});
  }

  /// Pauses until a Control resumes. Call it before the first session.
  void pause() noexcept { publisher_.tick_rate().pause(); }

  [[nodiscard]] const sim::Simulation& simulation() const noexcept { return publisher_.simulation(); }
  /// Joins, leaves, inputs and images of the recording, in tick order, after thin_out().
  [[nodiscard]] const std::vector<protocol::TimelineMark>& marks() const noexcept { return marks_; }
  /// The last tick that can be played. It falls when a tick differs from the recording.
  [[nodiscard]] std::uint64_t end_tick() const noexcept { return end_tick_; }

  static constexpr std::uint32_t kSpectatorsMax = 4096;  ///< as ServerOptions::players_max at most

 private:
  Playback(const sim::RecordingReader& recording, sim::Simulation simulation, const StepOptions& step,
           sim::GameFactory games);

  void read_marks();
  void handle_control(const protocol::ControlArrived& event);
  void refuse_inputs(const protocol::InputsArrived& inputs);
  void seek_now();
  void finish(RoomUpdate& update, const UpdateRequest& request, std::optional<std::uint64_t> hash);

  const sim::RecordingReader* recording_;
  StepOptions step_;
  sim::GameFactory games_;  // for seeks; may be null
  WorldPublisher publisher_;
  std::uint64_t end_tick_;
  std::optional<sim::Scene> scene_;  // for the camera; none when the recording kept none
  std::vector<protocol::TimelineMark> marks_;
  // Reasons for the title: why the playback ends before the recording does, and why the last seek failed.
  std::string end_reason_;
  std::string seek_reason_;
  std::set<sim::PlayerId> spectators_;
  std::optional<std::uint64_t> wanted_tick_;  // of a seek that has not been done: only the last of several is
};

/// Joins neighbouring marks until at most `max` are left. The marks of a kind within a stretch of ticks
/// become one, at the first one's tick, with their counts added up. The stretch doubles until the marks fit.
/// `marks` are in tick order; `max` is at least 5, the number of kinds.
[[nodiscard]] std::vector<protocol::TimelineMark> thin_out(std::vector<protocol::TimelineMark> marks,
                                                           std::size_t max);

}  // namespace takt::server
