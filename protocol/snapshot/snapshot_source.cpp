#include "protocol/snapshot/snapshot_source.h"

#include "protocol/wire/limits.h"
#include "takt/core/assert.h"

namespace takt::protocol {
namespace {

[[maybe_unused]] bool all_finite(const BodyState& b) {
  auto const finite = [](const Vec3f& v) {
    return v.x - v.x == 0.0f && v.y - v.y == 0.0f && v.z - v.z == 0.0f;
  };
  Quatf const& q = b.rotation;
  return finite({q.x, q.y, q.z}) && q.w - q.w == 0.0f && finite(b.linear_velocity) &&
         finite(b.angular_velocity);
}

}  // namespace

void SnapshotSource::update(std::uint64_t tick, std::span<const BodyState> bodies) {
  tick_ = tick;
  ++revision_;
  body_count_ = bodies.size();
  for (const BodyState& body : bodies) {
    auto const index = static_cast<std::uint32_t>(body.id);
    TAKT_ASSERT((body.id >> 32) != 0 && index < kBodyIndexMax);
    TAKT_VALIDATE(all_finite(body));
    if (index >= slots_.size()) {
      slots_.resize(index + 1);
      seen_.resize(index + 1, 0);
    }
    TAKT_ASSERT(seen_[index] != revision_);  // listed twice
    seen_[index] = revision_;
    Slot& slot = slots_[index];
    if (slot.present && slot.state == body) continue;
    if (slot.state.id != body.id) slot.input.reset();
    slot.state = body;
    slot.revision = revision_;
    slot.present = true;
  }
  for (std::size_t index = 0; index < slots_.size(); ++index) {
    Slot& slot = slots_[index];
    if (!slot.present || seen_[index] == revision_) continue;
    slot.present = false;
    slot.revision = revision_;
  }
}

void SnapshotSource::update_movers(std::span<const MoverInput> movers) {
  for (const MoverInput& input : movers) {
    auto const index = static_cast<std::uint32_t>(input.body);
    TAKT_ASSERT(index < slots_.size() && slots_[index].present && slots_[index].state.id == input.body);
    Slot& slot = slots_[index];
    if (slot.input == input) continue;
    slot.input = input;
    slot.input_revision = revision_;
  }
}

}  // namespace takt::protocol
