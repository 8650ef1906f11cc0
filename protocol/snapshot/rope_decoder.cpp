#include "protocol/snapshot/rope_decoder.h"

#include <algorithm>
#include <utility>

#include "protocol/wire/limits.h"

namespace takt::protocol {
namespace {

RopeState head_of(const RopeSlice& slice) { return {slice.id, slice.flags, slice.radius, {}, {}}; }

}  // namespace

void RopeDecoder::handle_slices(std::uint32_t serial, std::vector<RopeSlice>&& slices,
                                std::vector<RopeState>& whole, std::vector<RopeId>& gone) {
  for (RopeSlice& slice : slices) {
    Slot& slot = slots_[static_cast<std::uint32_t>(slice.id)];
    if (serial > slot.serial) {
      std::size_t const before = slot.present ? slot.node_count : 0;
      if (node_count_ - before + slice.node_count > kRopeNodesPerClient)
        continue;  // more than an honest server tells
      if (slot.present && slot.id != slice.id) gone.push_back(slot.id);
      if (slot.id != slice.id || slot.node_count != slice.node_count) slot.waiting.clear();
      node_count_ += slice.node_count - before;
      slot.id = slice.id;
      slot.serial = serial;
      slot.node_count = slice.node_count;
      slot.present = true;
    } else if (!slot.present || slot.id != slice.id || slot.node_count != slice.node_count) {
      continue;  // an old sample, valid only of a rope that still is, and of use only as long as it is as it
                 // was
    }
    if (auto rope = collect(slot, serial, std::move(slice))) whole.push_back(*std::move(rope));
  }
}

std::optional<RopeState> RopeDecoder::collect(Slot& slot, std::uint32_t serial, RopeSlice&& slice) {
  if (slice.first == 0 && slice.nodes.size() == slice.node_count) {
    RopeState rope = head_of(slice);
    rope.nodes = std::move(slice.nodes);
    rope.tensions = std::move(slice.tensions);
    return rope;
  }
  auto at = std::ranges::find(slot.waiting, serial, &Waiting::serial);
  if (at == slot.waiting.end()) {
    if (slot.waiting.size() == kWaitingMax) {
      auto const oldest = std::ranges::min_element(slot.waiting, {}, &Waiting::serial);
      if (oldest->serial > serial) return std::nullopt;
      slot.waiting.erase(oldest);
    }
    at = slot.waiting.insert(slot.waiting.end(), {serial, slice.node_count, 0, {}});
  }
  if (slice.nodes.size() > at->node_count - at->here) return std::nullopt;
  at->here += static_cast<std::uint32_t>(slice.nodes.size());
  at->slices.push_back(std::move(slice));
  if (at->here < at->node_count) return std::nullopt;
  std::vector<RopeSlice> slices = std::move(at->slices);
  slot.waiting.erase(at);
  std::ranges::sort(slices, {}, &RopeSlice::first);
  RopeState rope = head_of(slices.front());
  for (const RopeSlice& one : slices) {
    if (one.first != rope.nodes.size()) return std::nullopt;  // they overlap
    rope.nodes.insert(rope.nodes.end(), one.nodes.begin(), one.nodes.end());
    rope.tensions.insert(rope.tensions.end(), one.tensions.begin(), one.tensions.end());
  }
  return rope;
}

void RopeDecoder::handle_removed(std::uint32_t serial, std::span<const RopeId> removed,
                                 std::vector<RopeId>& gone) {
  for (RopeId const id : removed) {
    auto const index = static_cast<std::uint32_t>(id);
    if (index >= kRopeIndexMax) continue;
    Slot& slot = slots_[index];
    if (slot.serial >= serial) continue;  // a newer record already said more
    if (slot.present) {
      gone.push_back(slot.id);
      node_count_ -= slot.node_count;
    }
    slot.present = false;
    slot.serial = serial;
    slot.waiting.clear();
  }
}

std::size_t RopeDecoder::rope_count() const noexcept {
  return static_cast<std::size_t>(
      std::ranges::count_if(slots_, [](const auto& entry) { return entry.second.present; }));
}

}  // namespace takt::protocol
