#include "physics/contact_solver/block_assignment.h"

#include <algorithm>

#include "takt/core/assert.h"

namespace takt {

void BlockAssignment::assign(std::span<const ContactBodies> contacts, std::size_t solver_body_count,
                             std::uint32_t lanes) {
  std::size_t const count = contacts.size();
  colour_masks_.assign(solver_body_count, 0);
  colours_.resize(count);
  auto const pair_at = [&](std::size_t i) { return contacts[i].pushed; };
  colour_pairs(count, pair_at, colour_masks_, colours_);

  auto const colour_at = [&](std::size_t i) { return colours_[i]; };
  auto const is_special = [&](std::size_t i) { return contacts[i].special; };
  layout_ = assign_to_blocks(count, lanes, colour_at, is_special, order_, ranges_);
  TAKT_VALIDATE(are_disjoint(contacts, solver_body_count, lanes));
}

/// No moving body stands twice in one range, and every contact with a moving body stands in one lane.
bool BlockAssignment::are_disjoint(std::span<const ContactBodies> contacts, std::size_t solver_body_count,
                                   std::uint32_t lanes) {
  range_of_body_.assign(solver_body_count, ranges_.size());
  std::size_t assigned = 0;
  for (std::size_t range = 0; range < ranges_.size(); ++range) {
    for (std::size_t i = ranges_[range].first * lanes; i < ranges_[range].end * lanes; ++i) {
      if (order_[i] == kEmptyLane) continue;
      ++assigned;
      ColouredPair const pair = contacts[order_[i]].pushed;
      for (std::uint32_t const body : {pair.body_a, pair.body_b}) {
        if (body == kNoBody) continue;
        if (range_of_body_[body] == range) return false;
        range_of_body_[body] = range;
      }
    }
  }
  auto const has_lane = [](std::uint32_t contact) { return contact != kEmptyLane; };
  return assigned == static_cast<std::size_t>(std::count_if(order_.begin(), order_.end(), has_lane));
}

}  // namespace takt
