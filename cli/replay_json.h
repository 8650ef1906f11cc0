// These functions write the reports of `takt replay` as JSON, one object without a line end each.
// docs/COMMANDS.md has the shapes; a test compares the page with the program.
#pragma once

#include <optional>
#include <string>

#include "takt/sim/replay.h"

namespace takt::cli {

/// {"tick", "recorded_hash", "replayed_hash", "fields"}, or null.
[[nodiscard]] std::string mismatch_json(const std::optional<sim::Mismatch>& mismatch);

/// {"tick", "continued", "restored"}, or null; `run --sync-test` has it too.
[[nodiscard]] std::string output_mismatch_json(const std::optional<sim::OutputMismatch>& mismatch);

/// A line of `replay bisect`: one image and the ticks that follow from it.
[[nodiscard]] std::string image_check_json(const sim::ImageCheck& check);

/// The line of `replay diff`.
[[nodiscard]] std::string comparison_json(const std::string& left, const std::string& right,
                                          const sim::RecordingComparison& report);

}  // namespace takt::cli
