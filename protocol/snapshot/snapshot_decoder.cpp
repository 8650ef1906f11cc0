#include "protocol/snapshot/snapshot_decoder.h"

#include <algorithm>

namespace takt::protocol {
namespace {

std::uint32_t index_of(BodyId id) noexcept { return static_cast<std::uint32_t>(id); }
bool is_addressable(BodyId id) noexcept { return (id >> 32) != 0 && index_of(id) < kBodyIndexMax; }

}  // namespace

SnapshotDecoder::Outcome SnapshotDecoder::handle_part(SnapshotPart& part) {
  for (const BodyState& body : part.bodies)
    if (!is_addressable(body.id)) return Outcome::kIndexRange;
  for (BodyId const id : part.removed)
    if (!is_addressable(id)) return Outcome::kIndexRange;
  auto slices = decode_rope_slices(part.ropes);
  if (!slices) return Outcome::kBadRopes;
  if (newest_serial_ >= kSnapshotAgeMax && part.serial <= newest_serial_ - kSnapshotAgeMax)
    return Outcome::kStale;

  if (parts_.empty()) parts_.resize(kSnapshotAgeMax);
  Parts& parts = parts_[part.serial % kSnapshotAgeMax];
  if (parts.serial != part.serial) {
    parts.serial = part.serial;
    parts.tick = part.tick;
    parts.part_count = part.part_count;
    parts.arrived = 0;
    parts.have.assign(part.part_count, false);
  }
  if (parts.tick != part.tick || parts.part_count != part.part_count || part.part >= parts.part_count)
    return Outcome::kInconsistent;
  if (parts.have[part.part]) return Outcome::kDuplicate;
  parts.have[part.part] = true;
  ++parts.arrived;

  if (part.serial > newest_serial_) {
    newest_serial_ = part.serial;
    newest_tick_ = part.tick;
  }
  apply_removals(part);
  apply_bodies(part);
  rope_news_ = {};
  ropes_.handle_removed(part.serial, part.removed_ropes, rope_news_.gone);
  ropes_.handle_slices(part.serial, *std::move(slices), rope_news_.ropes, rope_news_.gone);
  if (parts.arrived < parts.part_count) return Outcome::kApplied;
  if (part.serial > complete_serial_) {
    complete_serial_ = part.serial;
    complete_tick_ = part.tick;
  }
  return Outcome::kCompleted;
}

void SnapshotDecoder::apply_removals(SnapshotPart& part) {
  std::erase_if(part.removed, [&](BodyId id) {
    if (index_of(id) >= slots_.size()) slots_.resize(std::size_t{index_of(id)} + 1);
    Slot& slot = slots_[index_of(id)];
    if (slot.serial >= part.serial) return true;  // a newer record already said more
    bool const had = slot.present;
    if (had) --body_count_;
    slot.present = false;
    slot.serial = part.serial;
    slot.tick = part.tick;
    return !had;
  });
}

void SnapshotDecoder::apply_bodies(SnapshotPart& part) {
  std::erase_if(part.bodies, [&](const BodyState& body) {
    std::uint32_t const index = index_of(body.id);
    if (index >= slots_.size()) slots_.resize(std::size_t{index} + 1);
    Slot& slot = slots_[index];
    if (slot.serial >= part.serial)
      return !slot.present || slot.state.id != body.id;  // an old sample, valid only of a body that still is
    if (!slot.present) ++body_count_;
    slot = {body, part.tick, part.serial, true};
    return false;
  });
  std::erase_if(part.movers, [&](const MoverInput& input) {
    return std::ranges::find(part.bodies, input.body, &BodyState::id) == part.bodies.end();
  });
}

const BodyState* SnapshotDecoder::find(BodyId id) const noexcept {
  std::uint32_t const index = index_of(id);
  if (index >= slots_.size() || !slots_[index].present || slots_[index].state.id != id) return nullptr;
  return &slots_[index].state;
}

}  // namespace takt::protocol
