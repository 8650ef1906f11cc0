#include "server/desync_desk.h"

#include <algorithm>
#include <string>
#include <utility>

#include "protocol/wire/limits.h"
#include "sim/comparison/answer_text.h"

namespace takt::server {
std::optional<ShadowWorld::StateProbe> DesyncDesk::handle_probe(sim::PlayerId player,
                                                                const protocol::DesyncProbe& probe,
                                                                std::uint64_t now_tick) {
  auto const path = sim::parse_path(probe.path);
  bool const is_first = path.ok() && path->depth == sim::StateDepth::kWorld;
  if (auto const open = comparisons_.find(player); open != comparisons_.end()) {
    if (open->second.is_asked) return std::nullopt;
    if (is_first) {
      conclude(player, "the client began anew", false);
      return refuse(player, probe);
    }
  }
  if (is_first) {
    comparisons_.insert_or_assign(player,
                                  Comparison{probe.tick, sim::StateComparison(kFieldsMax), {}, false});
    std::deque<std::uint64_t>& began = began_[player];
    began.push_back(now_tick);
    if (began.size() > kDesyncsMax) began.pop_front();
  }
  auto const at = comparisons_.find(player);
  if (at == comparisons_.end()) return refuse(player, probe);
  Comparison& comparison = at->second;
  if (!path.ok() || comparison.tick != probe.tick || comparison.states.poll_path() != *path) {
    conclude(player, "the client asked for a path out of turn", false);
    return refuse(player, probe);
  }
  comparison.client_answer = probe.answer;
  comparison.is_asked = true;
  return ShadowWorld::StateProbe{player, probe.tick, *path};
}

void DesyncDesk::handle_result(ShadowWorld::ProbeResult&& result) {
  sim::PlayerId const player = result.probe.player;
  auto const at = comparisons_.find(player);
  // An answer to a comparison that was abandoned belongs to no other.
  if (at == comparisons_.end() || !at->second.is_asked || at->second.tick != result.probe.tick ||
      at->second.states.poll_path() != result.probe.path)
    return;
  at->second.is_asked = false;
  protocol::DesyncAnswer answer{
      result.probe.tick, sim::path_text(result.probe.path), {}, protocol::DesyncStatus::kAnswered};
  if (!result.answer) {
    answer.status = protocol::DesyncStatus::kForgotten;
    replies_.push_back({player, std::move(answer)});
    return conclude(player, "the server keeps that state no longer", false);
  }
  answer.answer = sim::answer_text(*result.answer);
  bool const fits = answer.answer.size() <= protocol::kDesyncAnswerBytesMax;
  if (!fits) answer.answer.clear();
  replies_.push_back({player, std::move(answer)});
  if (!fits) return conclude(player, "the state is too large to be compared over the wire", true);
  auto const client = sim::parse_answer(result.probe.path, at->second.client_answer);
  if (!client) return conclude(player, "the client's answer: " + message(client.error()), true);
  sim::StateComparison& states = at->second.states;
  if (auto const handled = states.handle_answers(*result.answer, *client); !handled)
    return conclude(player, "the client's answer: " + message(handled.error().error), true);
  if (!states.poll_path()) conclude(player, message(states.divergence()), true);
}

// The client ends its comparison too, and waits for the image.
std::nullopt_t DesyncDesk::refuse(sim::PlayerId player, const protocol::DesyncProbe& probe) {
  replies_.push_back({player, {probe.tick, probe.path, {}, protocol::DesyncStatus::kForgotten}});
  return std::nullopt;
}

void DesyncDesk::conclude(sim::PlayerId player, std::string text, bool is_state_kept) {
  auto const at = comparisons_.find(player);
  if (!protocol::is_printable(text)) text = protocol::printable_text(text);
  findings_.push_back({player, at->second.tick, std::move(text), is_state_kept, false});
  comparisons_.erase(at);
}

void DesyncDesk::forget(sim::PlayerId player) {
  abandon(player);
  began_.erase(player);
}

void DesyncDesk::abandon(sim::PlayerId player) {
  comparisons_.erase(player);
  std::erase_if(findings_, [&](const DesyncFinding& one) { return one.player == player; });
}

void DesyncDesk::enter_world() {
  comparisons_.clear();
  began_.clear();  // ticks begin anew
  findings_.clear();
}

std::size_t DesyncDesk::count_since(sim::PlayerId player, std::uint64_t tick) const {
  auto const at = began_.find(player);
  if (at == began_.end()) return 0;
  return static_cast<std::size_t>(
      std::ranges::count_if(at->second, [&](std::uint64_t began) { return began >= tick; }));
}

}  // namespace takt::server
