// LockstepComparison runs two LockstepPeers tick by tick against each other: it returns the line that both
// must receive next, and compares their replies. At the first tick with different hashes it descends to the
// first field that differs (StateComparison). It does no I/O: its owner carries lines, and reports ends that
// die or stay silent. `takt lockstep-test` is its owner (cli/command_lockstep_test.cpp).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/comparison/state_comparison.h"

namespace takt::sim {

/// The first tick at which the two ends differ.
struct LockstepDifference {
  std::uint64_t tick = 0;
  std::array<std::uint64_t, 2> hashes{};
  StateDivergence state;  ///< no parts if the ends hash equal records differently
};

/// The end that made the comparison impossible.
struct LockstepFailure {
  ComparedEnd end = ComparedEnd::kLeft;
  std::string text;
};

struct LockstepReport {
  std::uint64_t first_tick = 0;
  std::uint64_t final_tick = 0;  ///< last tick that both ends computed
  std::uint64_t final_hash = 0;  ///< of the left end
  std::optional<LockstepDifference> difference;
  std::optional<LockstepFailure> failure;

  [[nodiscard]] bool is_equal() const noexcept { return !difference && !failure; }
};

class LockstepComparison {
 public:
  /// Steps `ticks` ticks. `max_fields` bounds the fields of a difference.
  explicit LockstepComparison(std::uint64_t ticks, std::size_t max_fields = 16)
      : ticks_(ticks), comparison_(max_fields) {}

  /// The line that both ends must receive now, once for each pair of replies; none = the comparison is
  /// finished. Before the first call, both greetings must be handled.
  [[nodiscard]] std::optional<std::string> poll_request();
  /// Untrusted line of an end, without its line end: its greeting, or the reply to the request.
  void handle_line(ComparedEnd end, std::string_view line);
  /// The end died, was silent for too long or sent a line that is too long.
  void handle_failure(ComparedEnd end, std::string text);
  [[nodiscard]] bool is_finished() const noexcept { return stage_ == Stage::kFinished; }
  [[nodiscard]] const LockstepReport& report() const noexcept { return report_; }

 private:
  enum class Stage : std::uint8_t { kGreeting, kSteps, kProbes, kFinished };
  struct Greeting {
    std::string scene;
    std::string numbers;
  };
  struct TickHash {
    std::uint64_t tick = 0;
    std::uint64_t hash = 0;
  };
  [[nodiscard]] std::optional<std::string> parse_greeting(std::size_t end, std::string_view line);
  [[nodiscard]] std::optional<std::string> parse_tick(std::size_t end, std::string_view line);
  [[nodiscard]] std::optional<std::string> parse_probe(std::size_t end, std::string_view line);
  void compare();
  void compare_ticks();
  void compare_answers();

  std::uint64_t ticks_;
  StateComparison comparison_;
  Stage stage_ = Stage::kGreeting;
  std::array<bool, 2> has_replied_{};
  std::array<Greeting, 2> greetings_;
  std::array<TickHash, 2> tick_hashes_;
  std::array<StateAnswer, 2> answers_;
  LockstepReport report_;
};

}  // namespace takt::sim
