// These functions write the reports of `takt replay` as JSON, one object without a line end each.
// docs/COMMANDS.md has the shapes; a test compares the page with the program.
#pragma once

#include <optional>
#include <string>

#include "takt/sim/replay.h"

namespace takt::cli {

/// Returns an object with tick, recorded_hash, replayed_hash and fields; "null" without a mismatch.
[[nodiscard]] std::string mismatch_json(const std::optional<sim::Mismatch>& mismatch);

/// The reason why a replay stopped, as a string, or null. `thrown` is the text of a game's exception.
[[nodiscard]] std::string stop_json(std::optional<sim::SimError> stopped_by, const std::string& thrown);

/// {"tick", "continued", "restored"}, or null; `run --sync-test` has it too.
[[nodiscard]] std::string output_mismatch_json(const std::optional<sim::OutputMismatch>& mismatch);

/// Returns a line of `replay bisect`: one image and the check of the ticks after it.
[[nodiscard]] std::string image_check_json(const sim::ImageCheck& check);

/// Returns the line of `replay diff`. `left` and `right` are the paths of the recordings.
[[nodiscard]] std::string comparison_json(const std::string& left, const std::string& right,
                                          const sim::RecordingComparison& report);

}  // namespace takt::cli
