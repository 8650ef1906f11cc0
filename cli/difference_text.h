// Texts of fields in which two states differ. fields_json() is the JSON array of `takt replay --json`, `run
// --sync-test --json` and `lockstep-test --json`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "takt/core/state_fields.h"

namespace takt::cli {

/// "0x" and 16 digits.
[[nodiscard]] std::string hash_text(std::uint64_t hash);

/// An array of {"path", left, right, "<left>_bits", "<right>_bits", "ulps"}. `left` and `right` are the keys
/// of the two values; bits are null for a text, a count or an absent field, ulps for all but finite floats.
[[nodiscard]] std::string fields_json(const std::vector<StateDifference>& fields, const std::string& left,
                                      const std::string& right);

}  // namespace takt::cli
