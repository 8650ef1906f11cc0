#include "protocol/snapshot/rope_source.h"

#include <utility>

#include "protocol/messages/rope_codec.h"
#include "protocol/wire/limits.h"
#include "takt/core/assert.h"

namespace takt::protocol {

void RopeSource::update(std::optional<std::span<const RopeState>> ropes) {
  listed_ = ropes.has_value();
  if (!listed_) return;
  ++revision_;
  for (const RopeState& rope : *ropes) {
    auto const index = static_cast<std::uint32_t>(rope.id);
    TAKT_ASSERT((rope.id >> 32) != 0 && index < kRopeIndexMax);
    if (index >= slots_.size()) {
      slots_.resize(std::size_t{index} + 1);
      seen_.resize(std::size_t{index} + 1, 0);
      last_.resize(std::size_t{index} + 1);
    }
    TAKT_ASSERT(seen_[index] != revision_);  // listed twice
    seen_[index] = revision_;
    Slot& slot = slots_[index];
    if (slot.present && last_[index] == rope)
      continue;  // asleep, most of them: coding costs ten times the look
    last_[index] = rope;
    auto slices = encode_rope(rope);
    if (slot.present && slot.slices == slices) continue;  // the id is in the bytes
    std::size_t bytes = 0;
    for (auto const& slice : slices) bytes += slice.size();
    slot = {rope.id, std::move(slices), bytes, revision_, true};
  }
  for (std::size_t index = 0; index < slots_.size(); ++index) {
    Slot& slot = slots_[index];
    if (!slot.present || seen_[index] == revision_) continue;
    slot.present = false;
    slot.slices.clear();
    last_[index] = {};
    slot.revision = revision_;
  }
}

}  // namespace takt::protocol
