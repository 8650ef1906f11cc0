#include "physics/joints/point_joint_layout.h"

#include <algorithm>

#include "takt/core/assert.h"

namespace takt {

void PointJointLayout::build(std::span<const BatchedPointJoint> joints,
                             std::span<const std::uint32_t> special, std::size_t body_count,
                             std::uint32_t lanes) {
  TAKT_ASSERT(lanes > 0);
  lanes_ = lanes;
  special_.assign(joints.size(), 0);
  TAKT_ASSERT(special.empty() || special.back() < joints.size());
  TAKT_VALIDATE(std::is_sorted(special.begin(), special.end()));
  for (std::uint32_t const joint : special) special_[joint] = 1;
  masks_.assign(body_count, 0);
  colours_.resize(joints.size());
  auto const body_or_none = [&](std::uint32_t body) {
    TAKT_ASSERT(body < body_count);
    return body != 0 ? body : kNoBody;
  };
  auto const pair_at = [&](std::size_t i) {
    return ColouredPair{body_or_none(joints[i].moving_a), body_or_none(joints[i].moving_b)};
  };
  colour_pairs(joints.size(), pair_at, masks_, colours_);
  layout_ = assign_to_blocks(
      joints.size(), lanes, [this](std::size_t i) { return colours_[i]; },
      [this](std::size_t i) { return special_[i] != 0; }, order_, ranges_);
  slots_.resize(joints.size());
  for (std::uint32_t slot = 0; slot < order_.size(); ++slot) {
    if (order_[slot] != kEmptyLane) slots_[order_[slot]] = slot;
  }
  TAKT_VALIDATE(is_valid(joints));
}

bool PointJointLayout::is_valid(std::span<const BatchedPointJoint> joints) {
  std::fill(masks_.begin(), masks_.end(), ranges_.size());  // by body: the last range that it was found in
  for (std::size_t range = 0; range < ranges_.size(); ++range) {
    if (ranges_[range].end > block_count()) return false;
    for (std::size_t slot = ranges_[range].first * lanes_; slot < ranges_[range].end * lanes_; ++slot) {
      if (order_[slot] == kEmptyLane) continue;
      const BatchedPointJoint& joint = joints[order_[slot]];
      for (std::uint32_t const body : {joint.moving_a, joint.moving_b}) {
        if (body != 0 && masks_[body] == range) return false;
        masks_[body] = range;
      }
    }
  }
  for (std::uint32_t i = 0; i < joints.size(); ++i) {
    if (slots_[i] >= order_.size() || order_[slots_[i]] != i) return false;
    if ((slots_[i] / lanes_ >= first_special()) != (special_[i] != 0)) return false;
  }
  return true;
}

}  // namespace takt
