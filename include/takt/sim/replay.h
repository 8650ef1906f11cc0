// verify(), seek(), bisect() and compare() simulate a recording (recording.h) again. verify() simulates from
// the first image (saved state), compares every hash and stops at the first mismatch. seek() returns the
// simulation at a tick, and replay_to() the results of all steps to it; neither compares a hash. bisect()
// restarts from every image, and finds for each the first tick whose recorded hash differs from the simulated
// one. bisect() also compares the game's messages and refusals with those of a run that was not restored.
// compare() finds the first tick at which two recordings differ. A tick that cannot be read is an error,
// which verify() and bisect() return in their reports. A tick in which the Game throws is one too
// (kGameThrew): its inputs are recorded, so a replay meets the exception again. The functions do no I/O of
// their own and print nothing. A `games` that is null serves recordings without a game.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "takt/core/result.h"
#include "takt/sim/recording.h"
#include "takt/sim/simulation.h"

namespace takt::sim {

/// Returns a new object of the game that a recording names, or null when there is none of that name.
using GameFactory = std::function<std::unique_ptr<Game>(std::string_view name)>;

/// The first state of a replay that differs from the recording.
struct Mismatch {
  std::uint64_t tick = 0;
  std::uint64_t recorded_hash = 0;
  std::uint64_t replayed_hash = 0;
  std::vector<StateDifference> fields;  ///< recorded and replayed values; empty without an image of that tick
};

struct VerifyReport {
  std::uint64_t ticks_checked = 0;     ///< simulated and compared; a step without a recorded hash counts
  std::uint64_t images_checked = 0;    ///< restored and compared
  std::uint64_t final_tick = 0;        ///< last state that was computed
  std::uint64_t final_hash = 0;        ///< of that state, as replayed
  std::optional<Mismatch> mismatch;    ///< none = equal bits up to final_tick
  std::optional<SimError> stopped_by;  ///< error of the recording at final_tick; none = it could be read
  std::string thrown;                  ///< text of the Game's exception, with kGameThrew
  std::optional<std::uint64_t> unreadable_image;  ///< with stopped_by: the error is that of the image of this
                                                  ///< tick; none = of the step from final_tick
};

/// Called after each step that agrees with the recording; `tick` is that of the state after it. False stops
/// the replay.
using ReplayProgress = std::function<bool(const Simulation& simulation, std::uint64_t tick)>;

/// Simulates the recording from its first image and compares every hash; also restores every image and
/// compares its hash. Stops at the first mismatch, and when `progress` (may be null) returns false. Messages
/// of a game are not compared; bisect() compares them. Errors: those of Simulation::restore and
/// RecordingReader with the first image; kGameMismatch also when `games` has no game of the recorded name.
[[nodiscard]] Result<VerifyReport, SimError> verify(const RecordingReader& recording,
                                                    const StepOptions& step = {},
                                                    const GameFactory& games = nullptr,
                                                    const ReplayProgress& progress = nullptr);

/// An image that could not be restored, and why.
struct SkippedImage {
  std::uint64_t tick = 0;
  SimError error = SimError::kRecordingDamaged;
};

/// The progress of a replay through a recording, for messages to people.
struct ReplayTrace {
  std::vector<SkippedImage> skipped_images;  ///< images that seek() could not restore, newest first
  std::uint64_t final_tick = 0;              ///< last state that was reached; 0 if no image was restored
  std::optional<SimError> stopped_by;        ///< error of the step from final_tick, or of the image if none
                                             ///< was restored
  std::string thrown;                        ///< text of the Game's exception, with kGameThrew
};

/// Returns the simulation at `tick` in [first_tick, end_tick], simulated from the newest image up to `tick`
/// that can be restored. No hash is compared. `trace` may be null. Errors: kTickOutOfRange; that of the
/// newest such image if none can be restored; kGameMismatch and kImageVersion at once; that of the tick that
/// cannot be read; kGameThrew.
[[nodiscard]] Result<Simulation, SimError> seek(const RecordingReader& recording, std::uint64_t tick,
                                                const StepOptions& step = {},
                                                const GameFactory& games = nullptr,
                                                ReplayTrace* trace = nullptr);

/// Called with the result of each step, for its messages and refusals.
using StepObserver = std::function<void(const TickResult& result)>;

/// seek() from the first image alone, so that `observe` has the ticks from info().first_tick to `tick`.
/// Errors: as seek.
[[nodiscard]] Result<Simulation, SimError> replay_to(const RecordingReader& recording, std::uint64_t tick,
                                                     const StepObserver& observe,
                                                     const StepOptions& step = {},
                                                     const GameFactory& games = nullptr,
                                                     ReplayTrace* trace = nullptr);

/// An output of the game that differs in a restored run: Game::visit_state omits a part of its state.
struct OutputMismatch {
  std::uint64_t tick = 0;  ///< of the first message, refusal or exception that differs, as TickResult::tick
  std::string continued;   ///< of the run that was not restored: printable text, "nothing" = none. An
                           ///< exception counts as output
  std::string restored;    ///< of the run from the image
};

/// The ticks from one image to the next, simulated from that image.
struct ImageCheck {
  std::uint64_t image_tick = 0;
  std::uint64_t end_tick = 0;        ///< of the next image; after the last image the end of the recording
  std::uint64_t final_tick = 0;      ///< last state that was computed
  bool is_image_sound = false;       ///< the image was restored and has the hash that is recorded with it
  std::optional<Mismatch> mismatch;  ///< the first one; states after it, up to end_tick, are unchecked
  std::optional<OutputMismatch> output_mismatch;  ///< the first one; none without a game, and none for the
                                                  ///< first image, before which nothing was simulated
  std::optional<SimError> stopped_by;             ///< error of the image, or of the step from final_tick
  std::string thrown;                             ///< text of the Game's exception, with kGameThrew

  /// True when all states up to end_tick agree with the recording.
  [[nodiscard]] bool follows() const noexcept { return !mismatch && !output_mismatch && !stopped_by; }
};

/// Simulates from every image to the next and compares every hash: one check per image, oldest first. The
/// first mismatch of the list is the first divergent tick. A damaged image has a mismatch in its own check. A
/// divergence between two images has none in the checks after it. With a game, each step after the second
/// image is simulated twice: by a run restored from the image and by the run that continues from before it.
/// Messages and refusals of the two runs are compared. Errors, which hold for all images: kGameMismatch,
/// kImageVersion.
[[nodiscard]] Result<std::vector<ImageCheck>, SimError> bisect(const RecordingReader& recording,
                                                               const StepOptions& step = {},
                                                               const GameFactory& games = nullptr);

/// Returns the field of the game's state at which the image of `image_tick` is refused (kGameRefused), and
/// why: "player[2].score: the bytes end before it". Empty if the game does not refuse it.
[[nodiscard]] std::string image_refusal(const RecordingReader& recording, std::uint64_t image_tick,
                                        const GameFactory& games);

/// The result of a comparison of two recordings.
struct RecordingComparison {
  std::uint64_t first_tick = 0;                   ///< first state that both have
  std::uint64_t end_tick = 0;                     ///< last state that both have
  std::optional<std::uint64_t> first_difference;  ///< tick of the first state that differs; none = all equal
  bool inputs_differ = false;           ///< the inputs of the step to that state differ; false at first_tick
  std::vector<StateDifference> fields;  ///< left and right values at that tick, at most 16
};

/// The progress of a comparison through its two recordings.
struct ComparisonTraces {
  ReplayTrace left;
  ReplayTrace right;
};

/// Finds the first state in which two recordings of one numbers mode differ: by simulation at first_tick, by
/// their recorded hashes after it. Then simulates both up to that state for the fields. States without a hash
/// in one recording count as equal. Errors: kTickOutOfRange (no tick in common), kImageInconsistent
/// (different numbers modes), those of seek. `traces` may be null; the trace with stopped_by is that of the
/// recording that failed.
[[nodiscard]] Result<RecordingComparison, SimError> compare(const RecordingReader& left,
                                                            const RecordingReader& right,
                                                            const StepOptions& step = {},
                                                            const GameFactory& games = nullptr,
                                                            ComparisonTraces* traces = nullptr);

}  // namespace takt::sim
