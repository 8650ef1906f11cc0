#include "sim/recording/output_comparison.h"

#include <algorithm>
#include <string>
#include <vector>

namespace takt::sim {
namespace {

std::string text_of(const GameMessage& message) {
  std::string const to =
      message.player == kServerPlayer ? "to all" : "to player " + std::to_string(message.player);
  std::string text;
  for (std::byte const byte : message.bytes) {
    auto const c = static_cast<char>(byte);
    text += c >= ' ' && c <= '~' ? c : '?';
  }
  return to + ": " + text;
}

std::string text_of(const RefusedInput& refused) {
  std::string const input =
      "input " + std::to_string(refused.sequence) + " of player " + std::to_string(refused.player);
  return input + " refused: " + std::string(message(refused.reason)) +
         (refused.text.empty() ? "" : ": " + refused.text);
}

// The first difference of two lists, as texts; "nothing" where a list has ended.
template <class T>
bool find_difference(const std::vector<T>& continued, const std::vector<T>& restored, OutputMismatch& out) {
  if (continued == restored) return false;
  auto const [l, r] = std::ranges::mismatch(continued, restored);
  out.continued = l != continued.end() ? text_of(*l) : "nothing";
  out.restored = r != restored.end() ? text_of(*r) : "nothing";
  return true;
}

}  // namespace

std::optional<OutputMismatch> compare_outputs(const TickResult& continued, const TickResult& restored) {
  OutputMismatch mismatch{restored.tick, {}, {}};
  if (find_difference(continued.messages, restored.messages, mismatch)) return mismatch;
  if (find_difference(continued.refused, restored.refused, mismatch)) return mismatch;
  return std::nullopt;
}

}  // namespace takt::sim
