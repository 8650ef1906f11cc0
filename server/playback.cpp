#include "server/playback.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <variant>

#include "server/world_view.h"
#include "takt/core/assert.h"
#include "takt/core/overload.h"

namespace takt::server {

std::vector<protocol::TimelineMark> thin_out(std::vector<protocol::TimelineMark> marks, std::size_t max) {
  if (marks.empty()) return marks;
  std::uint64_t const first = marks.front().tick;
  for (std::uint64_t stretch = 2; marks.size() > max; stretch *= 2) {
    std::vector<protocol::TimelineMark> thinner;
    std::array<std::size_t, 5>
        latest{};  // by kind: index + 1 into `thinner` of the mark of the present stretch
    std::uint64_t present = 0;
    for (const protocol::TimelineMark& mark : marks) {
      std::uint64_t const at = (mark.tick - first) / stretch;
      if (at != present) latest.fill(0);
      present = at;
      std::size_t& known = latest[static_cast<std::size_t>(mark.kind)];
      if (known != 0) {
        thinner[known - 1].count += mark.count;
      } else {
        thinner.push_back(mark);
        known = thinner.size();
      }
    }
    marks = std::move(thinner);
  }
  return marks;
}

Playback::Playback(const sim::RecordingReader& recording, sim::Simulation simulation, const StepOptions& step,
                   sim::GameFactory games)
    : recording_(&recording),
      step_(step),
      games_(std::move(games)),
      publisher_(std::move(simulation)),
      end_tick_(recording.info().end_tick) {
  publisher_.want_stats();
}

Result<Playback, sim::SimError> Playback::open(const sim::RecordingReader& recording, const StepOptions& step,
                                               std::optional<std::uint64_t> start_tick,
                                               const sim::GameFactory& games) {
  auto simulation = sim::seek(recording, start_tick.value_or(recording.info().first_tick), step, games);
  if (!simulation) return simulation.error();
  Playback playback(recording, *std::move(simulation), step, games);
  if (!recording.scene_binary().empty()) {
    if (auto scene = sim::load_scene(recording.scene_binary(), "recording"))
      playback.scene_ = *std::move(scene);
    if (playback.scene_) playback.publisher_.set_max_query_length_m(playback.scene_->max_query_length_m);
  }
  playback.read_marks();
  return playback;
}

void Playback::read_marks() {
  using enum protocol::MarkKind;
  auto const images = recording_->image_ticks();
  auto image = images.begin();
  for (std::uint64_t tick = recording_->info().first_tick; tick <= end_tick_; ++tick) {
    std::array<std::uint32_t, 5> counts{};
    if (image != images.end() && *image == tick) {
      ++counts[static_cast<std::size_t>(kImage)];
      ++image;
    }
    if (tick < end_tick_) {
      auto const recorded = recording_->tick(tick);
      if (!recorded) {
        end_tick_ = tick;
        end_reason_ = std::string(sim::message(recorded.error()));
      } else {
        for (const sim::Input& input : recorded->inputs) {
          auto kind = kInput;
          if (std::holds_alternative<sim::JoinCommand>(input.command)) kind = kJoin;
          if (std::holds_alternative<sim::LeaveCommand>(input.command)) kind = kLeave;
          ++counts[static_cast<std::size_t>(kind)];
        }
      }
    }
    for (std::size_t kind = 0; kind < counts.size(); ++kind)
      if (counts[kind] > 0) marks_.push_back({tick, counts[kind], static_cast<protocol::MarkKind>(kind)});
  }
  marks_ = thin_out(std::move(marks_), protocol::kTimelineMarksMax);
}

// ---------------------------------------------------------------- events

void Playback::handle_event(protocol::ServerEvent&& event) {
  Overload const handle{
      [&](const protocol::PlayerJoined& joined) {
        spectators_.insert(joined.player);
        publisher_.welcome(joined.player, 0);
        ++publisher_.counters().joined;
      },
      [&](const protocol::PlayerLeft& left) {
        spectators_.erase(left.player);
        publisher_.forget(left.player);
      },
      [](const protocol::PlayerMoved&) {},  // the network thread logs it, and passes it to no room
      [&](const protocol::InputsArrived& inputs) { refuse_inputs(inputs); },
      [&](const protocol::ControlArrived& control) { handle_control(control); },
      [&](const protocol::EpochEntered& entered) {
        if (entered.epoch == publisher_.epoch() && spectators_.contains(entered.player))
          publisher_.welcome(entered.player, entered.mode_epoch);
      },
      [&](protocol::QueryArrived& query) { publisher_.handle_query(std::move(query)); },
      [](const protocol::DesyncProbed&) {},  // spectators of a recording do not simulate
      [](const protocol::ModeSwitched&) {},
      [&](const protocol::InspectArrived& inspect) { publisher_.handle_inspect(inspect); },
  };
  std::visit(handle, event);
}

void Playback::refuse_inputs(const protocol::InputsArrived& inputs) {
  for (const protocol::Input& input : inputs.inputs) {
    publisher_.counters().count_refused(protocol::CommandRefusal::kPlayback);
    publisher_.tell(inputs.player, {input.sequence,
                                    protocol::CommandStatus::kRefusedPermission,
                                    simulation().tick(),
                                    protocol::CommandRefusal::kPlayback,
                                    {}});
  }
}

void Playback::handle_control(const protocol::ControlArrived& event) {
  using enum protocol::ControlStatus;
  protocol::Control const& control = event.control;
  protocol::ControlResult result{control.request, kDone, {}};
  if (control.action == protocol::ControlAction::kLoadScene) {
    result = {control.request, kRefusedNotHere, "a recording is being played; its scene cannot be changed"};
  } else if (control.action == protocol::ControlAction::kSeek) {
    if (control.tick < recording_->info().first_tick || control.tick > end_tick_) {
      result = {control.request, kRefusedRange,
                "the recording goes from tick " + std::to_string(recording_->info().first_tick) + " to " +
                    std::to_string(end_tick_)};
    } else {
      wanted_tick_ = control.tick;  // a bar that is dragged asks for many; the last one counts
      if (tick_rate().is_paused())
        publisher_.tick_rate().pause();  // steps asked for before it would lead away from it
    }
  } else {
    // At its end a recording has no more ticks to run, and begins anew when it is told to go on.
    bool const goes_on = control.action == protocol::ControlAction::kResume ||
                         control.action == protocol::ControlAction::kStep;
    if (goes_on && !wanted_tick_ && simulation().tick() >= end_tick_) {
      if (control.action == protocol::ControlAction::kStep) {
        publisher_.answer(event.player, {control.request, kRefusedRange, "this is the end of the recording"});
        return;
      }
      wanted_tick_ = recording_->info().first_tick;
    }
    result.status = publisher_.apply(control).value_or(kFailed);
  }
  publisher_.answer(event.player, std::move(result));
}

void Playback::seek_now() {
  std::uint64_t const tick = *std::exchange(wanted_tick_, std::nullopt);
  auto sought = sim::seek(*recording_, tick, step_, games_);
  if (!sought) {
    seek_reason_ = std::string(sim::message(sought.error()));
    publisher_.tick_rate().pause();
    publisher_.note_change();
    return;
  }
  publisher_.enter(*std::move(sought));
  seek_reason_.clear();
}

// ---------------------------------------------------------------- updates

RoomUpdate Playback::step(const UpdateRequest& request) {
  if (wanted_tick_) seek_now();
  RoomUpdate update;
  std::optional<std::uint64_t> hash;
  auto const recorded = simulation().tick() < end_tick_ ? recording_->tick(simulation().tick())
                                                        : sim::SimError::kTickOutOfRange;
  if (recorded) {
    publisher_.begin_tick();
    sim::TickResult result = publisher_.simulation().step(recorded->inputs, {step_, true});
    hash = result.hash;
    // Spectators are not the recorded players: those have ids of their own.
    result.tickets.clear();
    publisher_.end_tick(recorded->inputs, result, update);
    std::erase_if(result.messages,
                  [](const sim::GameMessage& message) { return message.player != sim::kServerPlayer; });
    update.messages = std::move(result.messages);
    if (!recorded->agrees(result.hash)) {
      end_reason_ =
          "tick " + std::to_string(result.tick) + " comes out differently here; see takt replay bisect";
      end_tick_ = result.tick;
    }
  }
  if (simulation().tick() >= end_tick_) {
    publisher_.tick_rate().pause();
    publisher_.note_change();
    publisher_.want_stats();
  }
  finish(update, request, hash);
  return update;
}

RoomUpdate Playback::idle(const UpdateRequest& request) {
  if (wanted_tick_) seek_now();
  RoomUpdate update;
  UpdateRequest now_request = request;
  now_request.snapshot = request.snapshot || publisher_.has_changed();
  finish(update, now_request, std::nullopt);
  return update;
}

void Playback::finish(RoomUpdate& update, const UpdateRequest& request, std::optional<std::uint64_t> hash) {
  if (publisher_.take_change()) update.change = now();
  publisher_.finish(update, request, hash);
}

RoomChange Playback::now() const {
  sim::RecordingInfo const& info = recording_->info();
  RoomChange change;
  change.playing = {publisher_.epoch(), info.scene_hash, info.tick_rate_hz, info.substeps,
                    tick_rate().ticks_per_s(info.tick_rate_hz)};
  protocol::RoomState& state = change.state;
  state.epoch = publisher_.epoch();
  state.tick = simulation().tick();
  state.paused = tick_rate().is_paused();
  state.speed = tick_rate().speed();
  state.is_recording = true;
  state.first_tick = info.first_tick;
  state.end_tick = end_tick_;
  state.tick_rate_hz = info.tick_rate_hz;
  state.scene_hash = info.scene_hash;
  std::string const& reason = seek_reason_.empty() ? end_reason_ : seek_reason_;
  state.title = title_of(reason.empty() ? info.scene_title : info.scene_title + ": " + reason);
  if (scene_) state.camera = camera_of(scene_->camera);
  state.marks = marks_;
  return change;
}

}  // namespace takt::server
