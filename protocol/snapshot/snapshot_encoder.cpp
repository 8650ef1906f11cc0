#include "protocol/snapshot/snapshot_encoder.h"

#include <algorithm>

#include "takt/core/assert.h"

namespace takt::protocol {
namespace {

constexpr std::size_t kRemovalBytes = sizeof(BodyId);
constexpr std::size_t kPartBytes = kSnapshotBodiesPerPart * kBodyStateBytes;
// Overhead of ropes in a part beside their own bytes: vector heads and padding. Without it, a full part with
// some of everything is too long by 12 bytes.
constexpr std::size_t kRopeSectionBytes = 16;
// Overhead of inputs of movers, likewise.
constexpr std::size_t kMoverSectionBytes = 16;

// How fast a waiting body gains priority: what moves fast looks wrong sooner. m^2/s^2.
std::uint32_t weight_of(const BodyState& body) noexcept {
  Vec3f const& v = body.linear_velocity;
  float const speed2 = v.x * v.x + v.y * v.y + v.z * v.z;
  return 1u + (speed2 > 1.0f ? 1u : 0u) + (speed2 > 16.0f ? 1u : 0u);
}

}  // namespace

std::uint64_t SnapshotEncoder::revision_of(const SnapshotSource::Slot& source) const noexcept {
  return wants_.movers ? std::max(source.revision, source.input_revision) : source.revision;
}

bool SnapshotEncoder::is_dirty(const Slot& slot, const SnapshotSource::Slot& source) const noexcept {
  bool const outdated = slot.sent_revision != revision_of(source) || slot.delivery == Delivery::kLost;
  if (source.present) return outdated;
  // Gone: the client must hear of it only if it was ever told of a body here.
  return slot.delivery != Delivery::kUnsent && outdated;
}

void SnapshotEncoder::gather(const SnapshotSource& source) {
  auto const slots = source.slots();
  if (slots_.size() < slots.size()) slots_.resize(slots.size());
  bodies_.clear();
  removals_.clear();
  joining_ = false;
  for (std::uint32_t index = 0; index < slots.size(); ++index) {
    Slot& slot = slots_[index];
    if (!is_dirty(slot, slots[index])) continue;
    if (!slots[index].present) {
      removals_.push_back(index);
      continue;
    }
    if (slot.delivery == Delivery::kUnsent) joining_ = true;
    slot.priority += weight_of(slots[index].state);
    bodies_.push_back({slot.priority, index});
  }
}

// Cuts bodies_ and removals_ down to the budget; the value is how many had to wait. Removals go first: they
// are small, and a ghost is worse than a late body.
std::uint32_t SnapshotEncoder::select(const SnapshotSource& source, std::size_t bytes_max) {
  std::size_t const wanted =
      std::min(joining_ ? budget_.bytes_per_snapshot_joining : budget_.bytes_per_snapshot,
               kSnapshotPartsMax * kPartBytes);
  std::size_t const budget = std::min(wanted, bytes_max);
  std::size_t const removals_fit =
      std::min(removals_.size(), std::max<std::size_t>(budget / kRemovalBytes, 1));
  std::size_t deferred = removals_.size() - removals_fit;
  removals_.resize(removals_fit);
  std::size_t left = budget - std::min(budget, removals_fit * kRemovalBytes);
  if (wants_.movers) {
    // All movers may be chosen.
    auto const movers = static_cast<std::size_t>(std::ranges::count_if(
        bodies_, [&](const Candidate& body) { return source.slots()[body.index].input.has_value(); }));
    left -= std::min(movers, left / (kBodyStateBytes + kMoverInputBytes)) * kMoverInputBytes;
  }
  std::size_t fit = left / kBodyStateBytes;
  if (fit == 0 && removals_fit == 0) fit = 1;  // a budget below one body must not mean never
  was_cut_ = budget < wanted && bodies_.size() > fit;
  if (bodies_.size() > fit) {
    deferred += bodies_.size() - fit;
    // A total order, so that the chosen set does not depend on the library's nth_element.
    std::nth_element(bodies_.begin(), bodies_.begin() + static_cast<std::ptrdiff_t>(fit), bodies_.end(),
                     [](const Candidate& a, const Candidate& b) {
                       return a.priority != b.priority ? a.priority > b.priority : a.index < b.index;
                     });
    bodies_.resize(fit);
    std::sort(bodies_.begin(), bodies_.end(),
              [](const Candidate& a, const Candidate& b) { return a.index < b.index; });
  }
  return static_cast<std::uint32_t>(deferred);
}

std::vector<SnapshotEncoder::Outgoing> SnapshotEncoder::pack(const SnapshotSource& source,
                                                             std::uint32_t deferred) {
  std::vector<Outgoing> out;
  auto const slots = source.slots();
  std::size_t room = 0;
  // Opens a new part when the present one cannot take `bytes` more.
  auto const part_with_room = [&](std::size_t bytes) -> std::size_t {
    if (out.empty() || room < bytes) {
      Outgoing& next = out.emplace_back();
      next.token = first_token_ + in_flight_.size();
      next.part.serial = serial_;
      next.part.tick = source.tick();
      next.part.baseline = baseline_;
      next.part.deferred = deferred;
      if (has_ropes_to_say_) next.part.deferred_ropes = ropes_.deferred();
      in_flight_.push_back({serial_, false, {}, {}});
      room = kPartBytes;
    }
    room -= bytes;
    return out.size() - 1;
  };
  auto const part_with_room_for_rope = [&](std::size_t bytes) {
    bool const has_ropes =
        !out.empty() && (!out.back().part.ropes.empty() || !out.back().part.removed_ropes.empty());
    return part_with_room(has_ropes && room >= bytes ? bytes : bytes + kRopeSectionBytes);
  };
  auto const pack_ropes = [&] {
    RopeSource const& from = source.ropes();
    for (std::uint32_t const index : ropes_.removals()) {
      out[part_with_room_for_rope(kRemovalBytes)].part.removed_ropes.push_back(from.slots()[index].id);
      in_flight_.back().ropes.push_back(index);
      ropes_.note_sent(from, index, serial_, 1, true);
    }
    for (std::uint32_t const index : ropes_.ropes()) {
      auto const& slices = from.slots()[index].slices;
      for (const std::vector<std::byte>& slice : slices) {
        auto& bytes = out[part_with_room_for_rope(slice.size())].part.ropes;
        bytes.insert(bytes.end(), slice.begin(), slice.end());
        in_flight_.back().ropes.push_back(index);
      }
      ropes_.note_sent(from, index, serial_, static_cast<std::uint32_t>(slices.size()), false);
    }
  };
  auto const mark_sent = [&](std::uint32_t index, bool removal) {
    Slot& slot = slots_[index];
    slot.sent_revision = revision_of(slots[index]);
    slot.sent_serial = serial_;
    slot.priority = 0;
    slot.delivery = Delivery::kInFlight;
    slot.sent_removal = removal;
    in_flight_.back().indices.push_back(index);
  };
  for (std::uint32_t const index : removals_) {
    std::size_t const at = part_with_room(kRemovalBytes);
    out[at].part.removed.push_back(slots[index].state.id);
    mark_sent(index, true);
  }
  for (const Candidate& body : bodies_) {
    std::optional<MoverInput> const input = wants_.movers ? slots[body.index].input : std::nullopt;
    std::size_t const at = input ? part_with_room(kBodyStateBytes + kMoverInputBytes + kMoverSectionBytes)
                                 : part_with_room(kBodyStateBytes);
    out[at].part.bodies.push_back(slots[body.index].state);
    if (input) out[at].part.movers.push_back(*input);
    mark_sent(body.index, false);
  }
  if (has_ropes_to_say_) pack_ropes();
  if (out.empty()) (void)part_with_room(0);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].part.part = static_cast<std::uint16_t>(i);
    out[i].part.part_count = static_cast<std::uint16_t>(out.size());
  }
  return out;
}

std::vector<SnapshotEncoder::Outgoing> SnapshotEncoder::encode(const SnapshotSource& source,
                                                               const SnapshotWants& wants,
                                                               std::size_t bytes_max) {
  was_cut_ = false;
  wants_ = wants;
  gather(source);
  has_ropes_to_say_ = wants.ropes && source.ropes().is_listed() && ropes_.choose(source.ropes());
  bool const idle = bodies_.empty() && removals_.empty() && !has_ropes_to_say_;
  if (idle && serial_ != 0 && ++idle_calls_ < kIdleSnapshots) return {};
  idle_calls_ = 0;
  std::uint32_t const deferred = select(source, bytes_max);
  ++serial_;
  auto out = pack(source, deferred);
  tallies_.push_back({serial_, static_cast<std::uint32_t>(out.size()), false});
  if (tallies_.size() > kSnapshotAgeMax) tallies_.pop_front();
  while (in_flight_.size() > kPartsInFlightMax) settle(first_token_, false);
  return out;
}

void SnapshotEncoder::restart() {
  first_token_ += in_flight_.size();
  in_flight_.clear();
  tallies_.clear();
  slots_.clear();
  ropes_.restart();
  baseline_ = 0;
  idle_calls_ = kIdleSnapshots;  // the first snapshot goes out even when it is empty
  joining_ = true;
}

void SnapshotEncoder::settle(std::uint64_t token, bool delivered) {
  if (token < first_token_ || token - first_token_ >= in_flight_.size()) return;
  PartInFlight& part = in_flight_[static_cast<std::size_t>(token - first_token_)];
  if (part.settled) return;
  part.settled = true;
  for (std::uint32_t const index : part.indices) {
    Slot& slot = slots_[index];
    if (slot.sent_serial != part.serial) continue;  // something newer is under way
    if (!delivered) {
      slot.delivery = Delivery::kLost;
    } else if (slot.sent_removal) {
      std::uint64_t const revision = slot.sent_revision;
      slot = {};
      slot.sent_revision = revision;
    } else {
      slot.delivery = Delivery::kDelivered;
    }
  }
  for (std::uint32_t const index : part.ropes) ropes_.settle(index, part.serial, delivered);
  track_baseline(part.serial, delivered);
  while (!in_flight_.empty() && in_flight_.front().settled) {
    in_flight_.pop_front();
    ++first_token_;
  }
}

void SnapshotEncoder::track_baseline(std::uint32_t serial, bool delivered) {
  if (tallies_.empty() || serial < tallies_.front().serial) return;
  Tally& tally = tallies_[serial - tallies_.front().serial];
  TAKT_ASSERT(tally.serial == serial && tally.outstanding > 0);
  --tally.outstanding;
  if (!delivered) tally.lost_any = true;
  if (tally.outstanding == 0 && !tally.lost_any && serial > baseline_) baseline_ = serial;
}

bool SnapshotEncoder::is_settled(const SnapshotSource& source) const noexcept {
  auto const slots = source.slots();
  if (serial_ == 0 || (wants_.ropes && source.ropes().is_listed() && !ropes_.is_settled(source.ropes())))
    return false;
  for (std::size_t index = 0; index < slots.size(); ++index) {
    if (index >= slots_.size()) {
      if (slots[index].present) return false;
      continue;
    }
    Slot const& slot = slots_[index];
    if (is_dirty(slot, slots[index]) || slot.delivery == Delivery::kInFlight ||
        slot.delivery == Delivery::kLost)
      return false;
  }
  return true;
}

}  // namespace takt::protocol
