// The functions write the report of `takt lockstep-test`: as text for people, as a JSON object, and as a
// JUnit XML file for CI systems.
#pragma once

#include <array>
#include <string>

#include "sim/comparison/lockstep_comparison.h"

namespace takt::cli {

struct LockstepReport {
  sim::LockstepReport result;
  std::string scene;                    ///< its name in messages
  std::array<std::string, 2> programs;  ///< the commands of both ends, with their options
  double seconds = 0.0;                 ///< real time of the test
};

/// "A" or "B".
[[nodiscard]] const char* end_name(sim::ComparedEnd end) noexcept;
/// "program B (takt lockstep-peer ...): it ended with exit code 3"; the report must have a failure.
[[nodiscard]] std::string failure_text(const LockstepReport& report);

/// Lines of a comparison without a failure.
[[nodiscard]] std::string lockstep_text(const LockstepReport& report);
/// One object without a line end; docs/COMMANDS.md has its keys.
[[nodiscard]] std::string lockstep_json(const LockstepReport& report);
/// One test suite with one test case: a difference is a failure, a failure of an end is an error.
[[nodiscard]] std::string lockstep_junit(const LockstepReport& report);

}  // namespace takt::cli
