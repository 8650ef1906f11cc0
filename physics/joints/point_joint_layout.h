// PointJointLayout assigns batched point joints (BatchedPointJoint) to colours, blocks and lanes. Joints of
// one colour have no moving body in common, so SIMD lanes and several threads can solve a colour with the
// same bits. A joint for which none of the 64 colours is free is solved by itself. Special joints need full
// inertia tensors (point_joint_batches.h) and are in blocks behind all others. PointJointBatches builds the
// layout once a tick, as a pure function of the joints in id order, the special ones, and the lane width.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/constraints/graph_colouring.h"

namespace takt {

/// A point joint of a colour batch.
struct BatchedPointJoint {
  std::uint32_t index = 0;   ///< in the joint pool
  std::uint32_t body_a = 0;  ///< solver index
  std::uint32_t body_b = 0;
  std::uint32_t moving_a = 0;  ///< solver index when the body moves under impulses, else 0
  std::uint32_t moving_b = 0;
};

class PointJointLayout {
 public:
  /// Replaces the layout. `special`: ascending indices of special joints. Solver indices are below
  /// `body_count`, and `lanes` is above 0 (both asserted).
  void build(std::span<const BatchedPointJoint> joints, std::span<const std::uint32_t> special,
             std::size_t body_count, std::uint32_t lanes);

  /// Joint (index in the span of build()) by slot (block x lanes + lane), or kEmptyLane.
  [[nodiscard]] const std::vector<std::uint32_t>& order() const noexcept { return order_; }
  /// Slot by joint.
  [[nodiscard]] std::uint32_t slot_of(std::uint32_t joint) const noexcept { return slots_[joint]; }
  /// Ranges of blocks in the order of solving. Blocks of one range may be solved in any order or
  /// concurrently.
  [[nodiscard]] const std::vector<BlockRange>& ranges() const noexcept { return ranges_; }
  [[nodiscard]] std::size_t block_count() const noexcept { return order_.size() / lanes_; }
  /// Index of the first block of special joints; block_count() if there is none.
  [[nodiscard]] std::size_t first_special() const noexcept { return layout_.first_special; }

 private:
  /// True when no moving body is twice in a range and each joint has its own slot. Overwrites masks_.
  [[nodiscard]] bool is_valid(std::span<const BatchedPointJoint> joints);

  std::vector<std::uint8_t> colours_;  ///< by joint
  std::vector<std::uint64_t> masks_;   ///< scratch: colours used, by solver index
  std::vector<std::uint8_t> special_;  ///< scratch: by joint
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> slots_;
  std::vector<BlockRange> ranges_;
  BlockLayout layout_;
  std::uint32_t lanes_ = 1;
};

}  // namespace takt
