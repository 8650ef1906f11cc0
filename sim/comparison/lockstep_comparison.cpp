#include "sim/comparison/lockstep_comparison.h"

#include <utility>
#include <vector>

#include "sim/comparison/answer_text.h"
#include "sim/comparison/lockstep_peer.h"
#include "takt/core/assert.h"

namespace takt::sim {
namespace {

// The begin of an untrusted line for an error message.
std::string quoted_start(std::string_view line) {
  constexpr std::size_t kMaxShownBytes = 80;
  std::string text = "'";
  for (char const letter : line.substr(0, kMaxShownBytes))
    text += letter >= ' ' && letter <= '~' ? letter : '?';
  return text + (line.size() > kMaxShownBytes ? "...'" : "'");
}

}  // namespace

void LockstepComparison::handle_failure(ComparedEnd end, std::string text) {
  if (is_finished()) return;
  stage_ = Stage::kFinished;
  report_.failure = LockstepFailure{end, std::move(text)};
}

std::optional<std::string> LockstepComparison::poll_request() {
  TAKT_ASSERT(stage_ != Stage::kGreeting);
  if (is_finished()) return std::nullopt;
  has_replied_ = {};
  return stage_ == Stage::kSteps ? "step" : "probe " + path_text(*comparison_.poll_path());
}

void LockstepComparison::handle_line(ComparedEnd which, std::string_view line) {
  if (is_finished()) return;
  auto const end = static_cast<std::size_t>(which);
  TAKT_ASSERT(!has_replied_[end]);
  has_replied_[end] = true;
  if (line.starts_with("error ")) return handle_failure(which, "it reports: " + std::string(line.substr(6)));
  std::optional<std::string> wrong;
  switch (stage_) {
    case Stage::kGreeting: wrong = parse_greeting(end, line); break;
    case Stage::kSteps: wrong = parse_tick(end, line); break;
    case Stage::kProbes: wrong = parse_probe(end, line); break;
    case Stage::kFinished: return;
  }
  if (wrong) return handle_failure(which, *std::move(wrong));
  if (has_replied_[0] && has_replied_[1]) compare();
}

std::optional<std::string> LockstepComparison::parse_greeting(std::size_t end, std::string_view line) {
  std::vector<std::string_view> const words = words_of_line(line);
  bool const is_greeting = words.size() >= 2 && words[0] == "takt-lockstep";
  if (!is_greeting)
    return "its first line is " + quoted_start(line) +
           " and no greeting 'takt-lockstep ...'; it must be a takt "
           "that has 'lockstep-peer'";
  if (words[1] != std::to_string(kLockstepVersion))
    return "it speaks version " + quoted_start(words[1]) + " of the line protocol, and this program speaks " +
           std::to_string(kLockstepVersion);
  bool const is_whole = words.size() == 10 && words[2] == "scene" && words[4] == "numbers" &&
                        (words[5] == "float" || words[5] == "fixed") && words[6] == "tick" &&
                        words[8] == "hash";
  std::optional<std::uint64_t> const tick = is_whole ? parse_count(words[7], UINT64_MAX) : std::nullopt;
  std::optional<std::uint64_t> const hash = is_whole ? parse_hash_word(words[9]) : std::nullopt;
  if (!tick || !hash || !parse_hash_word(words[3])) return "its greeting is malformed: " + quoted_start(line);
  greetings_[end] = {std::string(words[3]), std::string(words[5])};
  tick_hashes_[end] = {*tick, *hash};
  return std::nullopt;
}

std::optional<std::string> LockstepComparison::parse_tick(std::size_t end, std::string_view line) {
  std::uint64_t const expected = report_.final_tick + 1;
  std::vector<std::string_view> const words = words_of_line(line);
  bool const is_whole = words.size() == 4 && words[0] == "tick" && words[2] == "hash";
  std::optional<std::uint64_t> const hash = is_whole ? parse_hash_word(words[3]) : std::nullopt;
  if (!hash || parse_count(words[1], UINT64_MAX) != expected)
    return "it answers " + quoted_start(line) + " to 'step' instead of 'tick " + std::to_string(expected) +
           " hash 0x...'";
  tick_hashes_[end] = {expected, *hash};
  return std::nullopt;
}

std::optional<std::string> LockstepComparison::parse_probe(std::size_t end, std::string_view line) {
  StatePath const& path = *comparison_.poll_path();
  std::string const head = "answer " + path_text(path);
  std::string_view rest = line;
  if (!rest.starts_with(head)) return "it answers " + quoted_start(line) + " instead of '" + head + " ...'";
  rest.remove_prefix(head.size());
  if (!rest.empty() && !rest.starts_with(' '))
    return "it answers " + quoted_start(line) + " instead of '" + head + " ...'";
  Result<StateAnswer, ComparisonError> answer = parse_answer(path, rest.empty() ? rest : rest.substr(1));
  if (!answer) return "its " + message(answer.error());
  answers_[end] = *std::move(answer);
  return std::nullopt;
}

void LockstepComparison::compare() {
  if (stage_ == Stage::kProbes) return compare_answers();
  if (stage_ == Stage::kGreeting) {
    if (greetings_[0].scene != greetings_[1].scene)
      return handle_failure(ComparedEnd::kRight, "its scene has the hash " + greetings_[1].scene +
                                                     ", and that of the other is " + greetings_[0].scene +
                                                     "; both must read one scene with one loader");
    if (greetings_[0].numbers != greetings_[1].numbers)
      return handle_failure(ComparedEnd::kRight, "its numbers are " + greetings_[1].numbers +
                                                     ", and those of the other " + greetings_[0].numbers +
                                                     "; the two modes never agree");
    if (tick_hashes_[0].tick != tick_hashes_[1].tick)
      return handle_failure(ComparedEnd::kRight, "it begins at tick " + std::to_string(tick_hashes_[1].tick) +
                                                     ", and the other at " +
                                                     std::to_string(tick_hashes_[0].tick));
    report_.first_tick = tick_hashes_[0].tick;
    stage_ = Stage::kSteps;
  }
  compare_ticks();
}

void LockstepComparison::compare_ticks() {
  report_.final_tick = tick_hashes_[0].tick;
  report_.final_hash = tick_hashes_[0].hash;
  if (tick_hashes_[0].hash != tick_hashes_[1].hash) {
    report_.difference =
        LockstepDifference{report_.final_tick, {tick_hashes_[0].hash, tick_hashes_[1].hash}, {}};
    stage_ = Stage::kProbes;
  } else if (report_.final_tick - report_.first_tick >= ticks_) {
    stage_ = Stage::kFinished;
  }
}

void LockstepComparison::compare_answers() {
  Result<Unit, ContradictoryAnswer> const handled = comparison_.handle_answers(answers_[0], answers_[1]);
  if (!handled) return handle_failure(handled.error().end, message(handled.error().error));
  if (comparison_.poll_path()) return;
  report_.difference->state = comparison_.divergence();
  stage_ = Stage::kFinished;
}

}  // namespace takt::sim
