// verify(), seek(), bisect() and compare() simulate a recording (recording.h) again. verify() simulates from
// the first image (saved state), compares every hash and stops at the first mismatch. seek() returns the
// simulation at a tick, and replay_to() the results of all steps to it. bisect() restarts from every image,
// and finds for each the first tick whose recorded hash differs from the simulated one. It also compares the
// game's messages and refusals with those of a run that was not restored. compare() finds the first tick at
// which two recordings differ. A tick that cannot be read is an error, which verify() and bisect() return in
// their reports. A tick in which the Game throws is one too (kGameThrew): its inputs are recorded, so a
// replay meets the exception again. The functions do no I/O of their own and print nothing.
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

/// Makes the game that a recording names; null when there is none of that name.
using GameFactory = std::function<std::unique_ptr<Game>(std::string_view name)>;

/// Where a replay left the recording.
struct Mismatch {
  std::uint64_t tick = 0;  ///< first state that came out differently
  std::uint64_t recorded_hash = 0;
  std::uint64_t replayed_hash = 0;
  std::vector<StateDifference>
      fields;  ///< recorded vs replayed, where an image at that tick allows it; else empty
};

struct VerifyReport {
  std::uint64_t ticks_checked = 0;
  std::uint64_t images_checked = 0;  ///< restored and hashed
  std::uint64_t final_tick = 0;
  std::uint64_t final_hash = 0;      ///< as replayed
  std::optional<Mismatch> mismatch;  ///< none = bit for bit, as far as it was checked
  std::optional<SimError>
      stopped_by;      ///< the recording could not be replayed past final_tick; none = checked to its end
  std::string thrown;  ///< text of the Game's exception, with kGameThrew
  std::optional<std::uint64_t>
      unreadable_image;  ///< tick of the image that stopped_by is about; none = about the tick after
};

/// Called after each tick that came out as recorded; return false to stop early (the report then covers what
/// was checked).
using ReplayProgress = std::function<bool(const Simulation& simulation, std::uint64_t tick)>;

/// Simulates the recording from its first image and compares every hash; also restores every image and
/// compares its hash. Stops at the first mismatch. Messages of a game are not compared: bisect() does.
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
  std::vector<SkippedImage> skipped_images;  ///< newest first; seek() went back past them
  std::uint64_t final_tick = 0;              ///< state that the recording could be read up to
  std::optional<SimError>
      stopped_by;      ///< of the tick after final_tick; of the images if all before the tick were skipped
  std::string thrown;  ///< text of the Game's exception, with kGameThrew
};

/// The simulation at `tick` in [first_tick, end_tick], from the nearest image before it that can be restored.
/// `trace` may be null. Errors: kTickOutOfRange; that of the nearest image if none can be restored; that of
/// the tick that cannot be read; kGameThrew.
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

/// An output of the game that a restored run made otherwise: `save` and `restore` forget a part of its state.
struct OutputMismatch {
  std::uint64_t tick = 0;  ///< of the first message, refusal or exception that differs
  std::string continued;   ///< of the run that was not restored: printable text, "nothing" = none. An
                           ///< exception counts as output
  std::string restored;    ///< of the run from the image
};

/// The ticks from one image to the next, simulated from that image.
struct ImageCheck {
  std::uint64_t image_tick = 0;
  std::uint64_t end_tick = 0;    ///< of the next image; after the last image the end of the recording
  std::uint64_t final_tick = 0;  ///< up to which the recording could be read
  bool is_image_sound = false;   ///< the image could be read, and has the hash that is recorded with it
  std::optional<Mismatch>
      mismatch;  ///< first state that does not follow; the rest up to end_tick is unchecked
  std::optional<OutputMismatch>
      output_mismatch;  ///< none for the first image, which no run continues past, and without a game
  std::optional<SimError> stopped_by;  ///< the recording could not be replayed past final_tick
  std::string thrown;                  ///< text of the Game's exception, with kGameThrew

  [[nodiscard]] bool follows() const noexcept { return !mismatch && !output_mismatch && !stopped_by; }
};

/// Simulates from every image to the next and compares every hash: one check per image, oldest first. The
/// first mismatch of the list is the first divergent tick. Later checks show whether later images are sound:
/// a wrong image has a mismatch of its own, and a single wrong tick has none after the next image. With a
/// game, each tick after the second image is simulated twice, by a restored run and by the run that goes on
/// from before the image, and their messages and refusals are compared. Errors, which hold for all images:
/// kGameMismatch, kImageVersion.
[[nodiscard]] Result<std::vector<ImageCheck>, SimError> bisect(const RecordingReader& recording,
                                                               const StepOptions& step = {},
                                                               const GameFactory& games = nullptr);

/// Two recordings side by side.
struct RecordingComparison {
  std::uint64_t first_tick = 0;  ///< of the states that both hold
  std::uint64_t end_tick = 0;
  std::optional<std::uint64_t> first_difference;  ///< first state that differs; none = all the same
  bool inputs_differ = false;                     ///< in the tick that led there
  std::vector<StateDifference> fields;            ///< left vs right at that tick
};

/// The progress of a comparison through its two recordings.
struct ComparisonTraces {
  ReplayTrace left;
  ReplayTrace right;
};

/// Finds the first state in which two recordings of one numbers mode differ, by their hashes, then simulates
/// both up to it for the fields. Errors: kTickOutOfRange (no tick in common), kImageInconsistent (different
/// numbers modes), those of seek. `traces` may be null; the one with stopped_by names the failed recording.
[[nodiscard]] Result<RecordingComparison, SimError> compare(const RecordingReader& left,
                                                            const RecordingReader& right,
                                                            const StepOptions& step = {},
                                                            const GameFactory& games = nullptr,
                                                            ComparisonTraces* traces = nullptr);

}  // namespace takt::sim
