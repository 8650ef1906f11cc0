#include "cli/refusal_counts.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace takt::cli {
namespace {

std::vector<std::pair<std::string_view, std::uint64_t>> rows_of(const RefusalCounts& counts) {
  std::vector<std::pair<std::string_view, std::uint64_t>> rows;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    // A server of an earlier version refuses without a reason.
    bool const is_named = i != static_cast<std::size_t>(protocol::CommandRefusal::kNone);
    rows.emplace_back(is_named ? name_of(static_cast<protocol::CommandRefusal>(i)) : "unnamed", counts[i]);
  }
  return rows;
}

}  // namespace

std::string refusals_text(const RefusalCounts& counts, std::uint64_t queue_full) {
  auto rows = rows_of(counts);
  if (queue_full > 0) rows.emplace_back("queue_full", queue_full);
  std::ranges::stable_sort(rows, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (auto const& [name, count] : rows)
    text.append(text.empty() ? " (" : ", ").append(name).append(" ").append(std::to_string(count));
  return text.empty() ? text : text + ')';
}

std::string refusals_json(const RefusalCounts& counts) {
  std::string text = "{";
  for (auto const& [name, count] : rows_of(counts)) {
    if (text.size() > 1) text += ',';
    text.append("\"").append(name).append("\":").append(std::to_string(count));
  }
  return text + '}';
}

}  // namespace takt::cli
