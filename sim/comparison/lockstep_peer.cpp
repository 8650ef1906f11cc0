#include "sim/comparison/lockstep_peer.h"

#include <span>
#include <utility>

#include "sim/comparison/answer_text.h"
#include "sim/comparison/hash_tree.h"

namespace takt::sim {
namespace {

std::string tick_text(std::uint64_t tick, std::uint64_t hash) {
  return "tick " + std::to_string(tick) + " hash " + hash_word(hash);
}

}  // namespace

LockstepPeer::LockstepPeer(Simulation& simulation, std::vector<Input> script, const StepOptions& options,
                           std::uint32_t rollback_ticks)
    : simulation_(&simulation), script_(std::move(script)) {
  options_.step = options;
  if (rollback_ticks != 0) sync_test_.emplace(rollback_ticks, 1);
  while (next_input_ < script_.size() && script_[next_input_].tick < simulation.tick()) ++next_input_;
}

std::string LockstepPeer::greeting() const {
  bool const is_fixed = simulation_->numbers() == NumbersMode::kFixed;
  return "takt-lockstep " + std::to_string(kLockstepVersion) + " scene " +
         hash_word(simulation_->scene_hash()) + " numbers " + (is_fixed ? "fixed " : "float ") +
         tick_text(simulation_->tick(), simulation_->hash());
}

PeerReply LockstepPeer::handle_line(std::string_view line) {
  if (line == "step") return step();
  if (line == "end") return {"end", true};
  if (line.starts_with("probe ")) return probe(line.substr(6));
  return {"error the line is none of 'step', 'probe PATH' and 'end'", true};
}

PeerReply LockstepPeer::step() {
  std::size_t const begin = next_input_;
  while (next_input_ < script_.size() && script_[next_input_].tick == simulation_->tick()) ++next_input_;
  std::span const inputs = std::span(script_).subspan(begin, next_input_ - begin);
  TickResult const result =
      sync_test_ ? sync_test_->step(*simulation_, inputs, options_) : simulation_->step(inputs, options_);
  if (!sync_test_ || !sync_test_->difference()) return {tick_text(result.tick, result.hash), false};
  SyncDifference const& difference = *sync_test_->difference();
  std::string text = "error sync test: tick " + std::to_string(difference.tick) +
                     " comes out differently after a rollback to tick " +
                     std::to_string(difference.rolled_back_to);
  if (!difference.fields.empty()) text += "; " + message(difference.fields.front());
  return {text, true};
}

PeerReply LockstepPeer::probe(std::string_view path) const {
  Result<StatePath, ComparisonError> const parsed = parse_path(path);
  if (!parsed) return {"error " + message(parsed.error()), true};
  HashTree const tree([this](FieldSink& sink) { simulation_->list_fields(sink); });
  std::string const text = answer_text(tree.answer(*parsed));
  return {"answer " + path_text(*parsed) + (text.empty() ? "" : " " + text), false};
}

}  // namespace takt::sim
