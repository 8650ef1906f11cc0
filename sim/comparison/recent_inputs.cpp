#include "sim/comparison/recent_inputs.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "takt/core/assert.h"

namespace takt::sim {
namespace {

// In memory, with what a command has on the heap.
std::size_t bytes_of(const std::vector<Input>& inputs) {
  std::size_t bytes = sizeof(TickRecord);
  for (const Input& input : inputs) {
    bytes += sizeof(Input);
    if (auto const* custom = std::get_if<CustomCommand>(&input.command)) bytes += custom->bytes.size();
    if (auto const* join = std::get_if<JoinCommand>(&input.command)) bytes += join->name.size();
    if (auto const* rope = std::get_if<CreateRopeCommand>(&input.command))
      bytes += rope->points.size() * sizeof(Position) + rope->pins.size() * sizeof(PinnedNode);
    if (auto const* joint = std::get_if<CreateJointCommand>(&input.command))
      bytes += joint->axes.size() * sizeof(CreateJointCommand::Axis);
  }
  return bytes;
}

}  // namespace

void RecentInputs::add(TickRecord record) {
  std::uint64_t const tick = record.tick;
  if (tick != end_) {
    clear();
    first_ = tick;
  }
  end_ = tick + 1;
  if (!record.inputs.empty()) {
    std::size_t const bytes = bytes_of(record.inputs);
    input_count_ += record.inputs.size();
    bytes_ += bytes;
    records_.push_back({std::make_shared<const TickRecord>(std::move(record)), bytes});
  }
  if (end_ - first_ > kTicksMax) first_ = end_ - kTicksMax;
  while (!records_.empty() &&
         (records_.front().record->tick < first_ || input_count_ > kInputsMax || bytes_ > kBytesMax)) {
    Kept const& oldest = records_.front();
    first_ = std::max(first_, oldest.record->tick + 1);
    input_count_ -= oldest.record->inputs.size();
    bytes_ -= oldest.bytes;
    records_.pop_front();
  }
}

void RecentInputs::clear() noexcept {
  records_.clear();
  input_count_ = bytes_ = 0;
  first_ = end_ = 0;
}

std::vector<std::shared_ptr<const TickRecord>> RecentInputs::list(std::uint64_t first,
                                                                  std::uint64_t end) const {
  TAKT_ASSERT(has(first, end));
  std::vector<std::shared_ptr<const TickRecord>> out;
  for (const Kept& kept : records_)
    if (kept.record->tick >= first && kept.record->tick < end) out.push_back(kept.record);
  return out;
}

}  // namespace takt::sim
