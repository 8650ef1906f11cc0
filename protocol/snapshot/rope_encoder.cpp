#include "protocol/snapshot/rope_encoder.h"

#include <algorithm>

namespace takt::protocol {

bool RopeEncoder::is_dirty(const Slot& slot, const RopeSource::Slot& source) noexcept {
  bool const outdated = slot.sent_revision != source.revision || slot.delivery == Delivery::kLost;
  // Gone: the client must hear of it only if it was ever told of a rope here.
  return outdated && (source.present || slot.delivery != Delivery::kUnsent);
}

bool RopeEncoder::choose(const RopeSource& source) {
  auto const slots = source.slots();
  if (slots_.size() < slots.size()) slots_.resize(slots.size());
  chosen_.clear();
  removals_.clear();
  for (std::uint32_t index = 0; index < slots.size(); ++index) {
    if (!is_dirty(slots_[index], slots[index])) continue;
    if (!slots[index].present) {
      removals_.push_back(index);
      continue;
    }
    ++slots_[index].priority;
    chosen_.push_back(index);
  }
  auto const budget = static_cast<std::ptrdiff_t>(budget_);
  credit_ = std::min(credit_ + budget, budget);
  std::ranges::sort(chosen_, [this](std::uint32_t a, std::uint32_t b) {
    return slots_[a].priority != slots_[b].priority ? slots_[a].priority > slots_[b].priority : a < b;
  });
  std::size_t fit = 0;
  for (; fit < chosen_.size() && credit_ > 0; ++fit)
    credit_ -= static_cast<std::ptrdiff_t>(slots[chosen_[fit]].bytes);
  deferred_ = static_cast<std::uint32_t>(chosen_.size() - fit);
  chosen_.resize(fit);
  std::ranges::sort(chosen_);
  return !chosen_.empty() || !removals_.empty() ||
         deferred_ > 0;  // that ropes wait is worth saying: the client must not take them to rest
}

void RopeEncoder::note_sent(const RopeSource& source, std::uint32_t index, std::uint32_t serial,
                            std::uint32_t pieces, bool removal) {
  Slot& slot = slots_[index];
  slot.sent_revision = source.slots()[index].revision;
  slot.sent_serial = serial;
  slot.priority = 0;
  slot.outstanding = pieces;
  slot.delivery = Delivery::kInFlight;
  slot.sent_removal = removal;
}

void RopeEncoder::settle(std::uint32_t index, std::uint32_t serial, bool delivered) {
  if (index >= slots_.size()) return;
  Slot& slot = slots_[index];
  if (slot.sent_serial != serial || slot.delivery != Delivery::kInFlight)
    return;  // something newer is under way, or a piece was lost already
  if (!delivered) {
    slot.delivery = Delivery::kLost;
  } else if (--slot.outstanding == 0) {
    if (slot.sent_removal) {
      std::uint64_t const revision = slot.sent_revision;
      slot = {};
      slot.sent_revision = revision;
    } else {
      slot.delivery = Delivery::kDelivered;
    }
  }
}

void RopeEncoder::send_again() {
  for (Slot& slot : slots_) {
    if (slot.delivery == Delivery::kUnsent) continue;
    slot.delivery = Delivery::kLost;
    slot.sent_serial = 0;  // what is under way no longer matters
  }
}

void RopeEncoder::restart() {
  slots_.clear();
  chosen_.clear();
  removals_.clear();
  deferred_ = 0;
  credit_ = 0;
}

bool RopeEncoder::is_settled(const RopeSource& source) const noexcept {
  auto const slots = source.slots();
  for (std::size_t index = 0; index < slots.size(); ++index) {
    if (index >= slots_.size()) {
      if (slots[index].present) return false;
      continue;
    }
    Slot const& slot = slots_[index];
    if (is_dirty(slot, slots[index]) || slot.delivery == Delivery::kInFlight) return false;
  }
  return true;
}

}  // namespace takt::protocol
