#include "takt/sim/replay.h"

#include <algorithm>
#include <utility>

#include "sim/recording/game_exception.h"
#include "sim/recording/output_comparison.h"

namespace takt::sim {
namespace {

Result<Simulation, SimError> restore_at(const RecordingReader& recording, std::uint64_t image_tick,
                                        const GameFactory& games, std::string* game_text = nullptr) {
  std::string const& name = recording.info().game_name;
  std::unique_ptr<Game> game;
  if (!name.empty()) {
    if (games) game = games(name);
    if (game == nullptr) return SimError::kGameMismatch;
  }
  Result<std::vector<std::byte>, SimError> const image = recording.image(image_tick);
  if (!image) return image.error();
  Result<Simulation, SimError> simulation = SimError::kGameRefused;
  auto const restore = [&] { simulation = Simulation::restore(*image, std::move(game), game_text); };
  if (std::optional<std::string> thrown = game_exception_of(restore)) {
    if (game_text != nullptr) *game_text = "the game threw: " + *thrown;
    return SimError::kGameRefused;
  }
  if (simulation && simulation->tick() != image_tick) return SimError::kRecordingDamaged;
  return simulation;
}

// The result of a step, or the text of the game's exception. Then the simulation is between two ticks.
struct Stepped {
  TickResult result;
  std::optional<std::string> thrown;
};

Stepped step_tick(Simulation& simulation, const RecordedTick& recorded, const TickOptions& options) {
  Stepped stepped;
  stepped.thrown = game_exception_of([&] { stepped.result = simulation.step(recorded.inputs, options); });
  return stepped;
}

bool has_image(const RecordingReader& recording, std::uint64_t tick) {
  return std::ranges::binary_search(recording.image_ticks(), tick);
}

// Lists the fields that differ, if the recording holds the whole state of that tick.
Mismatch describe(const RecordingReader& recording, const Simulation& replayed, std::uint64_t recorded_hash,
                  std::uint64_t replayed_hash, const GameFactory& games) {
  Mismatch mismatch{replayed.tick(), recorded_hash, replayed_hash, {}};
  if (!has_image(recording, replayed.tick())) return mismatch;
  Result<Simulation, SimError> const recorded = restore_at(recording, replayed.tick(), games);
  if (recorded && recorded->numbers() == replayed.numbers())
    mismatch.fields = Simulation::diff(*recorded, replayed);
  return mismatch;
}

// The first output of the game that differs, of two runs of the step to `tick`.
std::optional<OutputMismatch> compare_outputs(std::uint64_t tick, const Stepped& continued,
                                              const Stepped& restored) {
  if (continued.thrown != restored.thrown) {
    auto const text = [](const Stepped& run) { return run.thrown ? "exception: " + *run.thrown : "nothing"; };
    return OutputMismatch{tick, text(continued), text(restored)};
  }
  if (continued.thrown) return std::nullopt;  // the results are not whole
  return compare_outputs(continued.result, restored.result);
}

// Simulates from one image to the next, up to the first mismatch. Returns the error that ended it earlier.
// `continued` is the run of the earlier images: if it is at the image's tick, it is stepped beside the
// restored one. It is empty at the end, or is a run at the next image.
std::optional<SimError> check_image(const RecordingReader& recording, const StepOptions& step,
                                    const GameFactory& games, std::optional<Simulation>& continued,
                                    ImageCheck& check) {
  std::optional<Simulation> straight = std::exchange(continued, std::nullopt);
  Result<Simulation, SimError> simulation = restore_at(recording, check.image_tick, games);
  if (!simulation) return simulation.error();
  Result<std::uint64_t, SimError> const image_hash = recording.image_hash(check.image_tick);
  if (!image_hash) return image_hash.error();
  std::uint64_t const restored_hash = simulation->hash();
  check.is_image_sound = restored_hash == *image_hash;
  if (!check.is_image_sound) {
    check.mismatch = Mismatch{check.image_tick, *image_hash, restored_hash, {}};
    return std::nullopt;
  }
  TickOptions options;
  options.step = step;
  while (check.final_tick < check.end_tick) {
    Result<RecordedTick, SimError> const recorded = recording.tick(check.final_tick);
    if (!recorded) return recorded.error();
    std::uint64_t const after = check.final_tick + 1;
    Stepped const stepped = step_tick(*simulation, *recorded, options);
    if (!stepped.thrown && !recorded->agrees(stepped.result.hash)) {
      check.final_tick = after;
      check.mismatch = describe(recording, *simulation, recorded->hash_after, stepped.result.hash, games);
      return std::nullopt;
    }
    if (straight) {
      Stepped const beside = step_tick(*straight, *recorded, options);
      bool const agrees = beside.thrown || recorded->agrees(beside.result.hash);
      if (agrees && !check.output_mismatch) check.output_mismatch = compare_outputs(after, beside, stepped);
      if (!agrees || beside.thrown) straight.reset();  // its own mismatch is that of an earlier image
    }
    if (stepped.thrown) {
      check.thrown = *stepped.thrown;
      return SimError::kGameThrew;
    }
    check.final_tick = after;
  }
  if (simulation->game() != nullptr) continued = straight ? std::move(straight) : *std::move(simulation);
  return std::nullopt;
}

// The newest image up to `tick` that can be restored. `trace` has the newer ones, which cannot be.
Result<Simulation, SimError> restore_before(const RecordingReader& recording, std::uint64_t tick,
                                            const GameFactory& games, ReplayTrace& trace) {
  auto const images = recording.image_ticks();
  auto at = std::ranges::upper_bound(images, tick);
  while (at != images.begin()) {
    Result<Simulation, SimError> simulation = restore_at(recording, *--at, games);
    bool const holds_for_all = !simulation && (simulation.error() == SimError::kGameMismatch ||
                                               simulation.error() == SimError::kImageVersion);
    if (simulation || holds_for_all) return simulation;
    trace.skipped_images.push_back({*at, simulation.error()});
  }
  return trace.skipped_images.front().error;  // there is an image at info().first_tick
}

Result<RecordedTick, SimError> read_tick(const RecordingReader& recording, std::uint64_t tick,
                                         ReplayTrace& trace) {
  Result<RecordedTick, SimError> recorded = recording.tick(tick);
  trace.final_tick = tick;
  if (!recorded) trace.stopped_by = recorded.error();
  return recorded;
}

// Steps the restored simulation to `tick`. `observe` may be null.
Result<Simulation, SimError> step_to(const RecordingReader& recording, std::uint64_t tick,
                                     Result<Simulation, SimError> simulation, const StepOptions& step,
                                     const StepObserver& observe, ReplayTrace& trace) {
  if (!simulation) {
    trace.stopped_by = simulation.error();
    return simulation;
  }
  TickOptions options;
  options.step = step;
  options.want_hash = false;
  for (std::uint64_t t = simulation->tick(); t < tick; ++t) {
    Result<RecordedTick, SimError> const recorded = read_tick(recording, t, trace);
    if (!recorded) return recorded.error();
    Stepped const stepped = step_tick(*simulation, *recorded, options);
    if (stepped.thrown) {
      trace.thrown = *stepped.thrown;
      trace.stopped_by = SimError::kGameThrew;
      return SimError::kGameThrew;
    }
    if (observe) observe(stepped.result);
  }
  trace.final_tick = tick;
  return simulation;
}

}  // namespace

Result<VerifyReport, SimError> verify(const RecordingReader& recording, const StepOptions& step,
                                      const GameFactory& games, const ReplayProgress& progress) {
  RecordingInfo const& info = recording.info();
  Result<Simulation, SimError> simulation = restore_at(recording, info.first_tick, games);
  if (!simulation) return simulation.error();
  VerifyReport report;
  report.final_tick = simulation->tick();
  report.final_hash = simulation->hash();
  Result<std::uint64_t, SimError> const first_hash = recording.image_hash(info.first_tick);
  if (!first_hash) return first_hash.error();
  report.images_checked = 1;
  if (*first_hash != report.final_hash) {
    report.mismatch = describe(recording, *simulation, *first_hash, report.final_hash, games);
    return report;
  }
  TickOptions options;
  options.step = step;
  for (std::uint64_t tick = info.first_tick; tick < info.end_tick; ++tick) {
    Result<RecordedTick, SimError> const recorded = recording.tick(tick);
    if (!recorded) {
      report.stopped_by = recorded.error();
      return report;
    }
    Stepped const stepped = step_tick(*simulation, *recorded, options);
    if (stepped.thrown) {
      report.stopped_by = SimError::kGameThrew;
      report.thrown = *stepped.thrown;
      return report;
    }
    TickResult const& result = stepped.result;
    ++report.ticks_checked;
    report.final_tick = result.tick;
    report.final_hash = result.hash;
    if (!recorded->agrees(result.hash)) {
      report.mismatch = describe(recording, *simulation, recorded->hash_after, result.hash, games);
      return report;
    }
    if (has_image(recording, result.tick)) {
      Result<Simulation, SimError> const image = restore_at(recording, result.tick, games);
      if (!image) {
        report.stopped_by = image.error();
        report.unreadable_image = result.tick;
        return report;
      }
      ++report.images_checked;
      if (image->hash() != result.hash) {
        report.mismatch =
            Mismatch{result.tick, image->hash(), result.hash, Simulation::diff(*image, *simulation)};
        return report;
      }
    }
    if (progress && !progress(*simulation, result.tick)) break;
  }
  return report;
}

Result<Simulation, SimError> seek(const RecordingReader& recording, std::uint64_t tick,
                                  const StepOptions& step, const GameFactory& games, ReplayTrace* trace) {
  ReplayTrace own;
  ReplayTrace& noted = trace != nullptr ? *trace : own;
  noted = {};
  RecordingInfo const& info = recording.info();
  if (tick < info.first_tick || tick > info.end_tick) return SimError::kTickOutOfRange;
  return step_to(recording, tick, restore_before(recording, tick, games, noted), step, nullptr, noted);
}

Result<Simulation, SimError> replay_to(const RecordingReader& recording, std::uint64_t tick,
                                       const StepObserver& observe, const StepOptions& step,
                                       const GameFactory& games, ReplayTrace* trace) {
  ReplayTrace own;
  ReplayTrace& noted = trace != nullptr ? *trace : own;
  noted = {};
  RecordingInfo const& info = recording.info();
  if (tick < info.first_tick || tick > info.end_tick) return SimError::kTickOutOfRange;
  return step_to(recording, tick, restore_before(recording, info.first_tick, games, noted), step, observe,
                 noted);
}

Result<std::vector<ImageCheck>, SimError> bisect(const RecordingReader& recording, const StepOptions& step,
                                                 const GameFactory& games) {
  auto const images = recording.image_ticks();
  std::vector<ImageCheck> checks;
  std::optional<Simulation> continued;
  for (std::size_t i = 0; i < images.size(); ++i) {
    ImageCheck& check = checks.emplace_back();
    check.image_tick = check.final_tick = images[i];
    check.end_tick = i + 1 < images.size() ? images[i + 1] : recording.info().end_tick;
    check.stopped_by = check_image(recording, step, games, continued, check);
    if (check.stopped_by == SimError::kGameMismatch || check.stopped_by == SimError::kImageVersion)
      return *check.stopped_by;
  }
  return checks;
}

std::string image_refusal(const RecordingReader& recording, std::uint64_t image_tick,
                          const GameFactory& games) {
  std::string text;
  (void)restore_at(recording, image_tick, games, &text);
  return text;
}

Result<RecordingComparison, SimError> compare(const RecordingReader& left, const RecordingReader& right,
                                              const StepOptions& step, const GameFactory& games,
                                              ComparisonTraces* traces) {
  ComparisonTraces own;
  ReplayTrace& of_left = (traces != nullptr ? *traces : own).left = {};
  ReplayTrace& of_right = (traces != nullptr ? *traces : own).right = {};
  if (left.info().numbers != right.info().numbers) return SimError::kImageInconsistent;
  RecordingComparison report;
  report.first_tick = std::max(left.info().first_tick, right.info().first_tick);
  report.end_tick = std::min(left.info().end_tick, right.info().end_tick);
  if (report.first_tick > report.end_tick) return SimError::kTickOutOfRange;
  // States once parted may meet again by chance or by a teleport, so every hash is looked at, not every other
  // one.
  Result<Simulation, SimError> l = seek(left, report.first_tick, step, games, &of_left);
  if (!l) return l.error();
  Result<Simulation, SimError> r = seek(right, report.first_tick, step, games, &of_right);
  if (!r) return r.error();
  if (l->hash() != r->hash()) report.first_difference = report.first_tick;
  for (std::uint64_t tick = report.first_tick; tick < report.end_tick && !report.first_difference; ++tick) {
    Result<RecordedTick, SimError> const a = read_tick(left, tick, of_left);
    if (!a) return a.error();
    Result<RecordedTick, SimError> const b = read_tick(right, tick, of_right);
    if (!b) return b.error();
    if (!a->has_hash || b->agrees(a->hash_after)) continue;
    report.first_difference = tick + 1;
    report.inputs_differ = a->inputs != b->inputs;
  }
  if (!report.first_difference) return report;
  l = seek(left, *report.first_difference, step, games, &of_left);
  if (!l) return l.error();
  r = seek(right, *report.first_difference, step, games, &of_right);
  if (!r) return r.error();
  report.fields = Simulation::diff(*l, *r);
  return report;
}

}  // namespace takt::sim
