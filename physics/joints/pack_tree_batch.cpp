// Packs the data that last for a tick into the blocks of batched trees, lane by lane, and unpacks
// revolutions, impulses and reactions.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "physics/joints/tree_batches.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

/// Interleaves `count` numbers of each of W records, from `offset` bytes on, into `to`.
template <std::size_t W>
void pack_value(const std::array<const std::byte*, W>& from, std::size_t offset, std::size_t count,
                double* to) noexcept {
  for (std::size_t i = 0; i < count; ++i, offset += sizeof(double)) {
    for (std::size_t lane = 0; lane < W; ++lane)
      std::memcpy(to + i * W + lane, from[lane] + offset, sizeof(double));
  }
}

using LimitData = LimitRowOf<double, kMaxJointRows>;
using TreeLimitData = TreeLimitRow<double>;
static_assert(offsetof(LimitData, impulse) == offsetof(TreeLimitData, impulse));
static_assert(offsetof(LimitData, upper_gap_or_speed) - offsetof(LimitData, lower_gap_or_max) ==
              sizeof(double));
static_assert(offsetof(LimitInputOf<double>, upper) == sizeof(double));
static_assert(offsetof(TreeJoint<double>, frames) == 0);

}  // namespace

/// Joint by joint, the lanes of each number at once.
template <class Real>
template <std::size_t W>
void TreeBatches<Real>::pack(const TreeSource& source, const Block& block) const {
  const TreePlan& plan = plan_of(block);
  auto const address = [&](std::size_t part, std::size_t offset_bytes) {
    return numbers_ + block.numbers + (part + offset_bytes / sizeof(double)) * W;
  };
  auto const bytes = [](const auto& record) { return reinterpret_cast<const std::byte*>(&record); };
  std::fill_n(address(plan.bodies, 0), std::size_t{plan.body_count} * kNumbersOf<TreeBody> * W, 0.0);
  for (std::uint32_t i = 0; i < plan.node_count; ++i) {
    const TreeNode& node = plan.nodes[i];
    std::array<const PreparedJoint*, W> joints{};
    std::array<const std::byte*, W> records{};
    auto const gather = [&](const auto& record_of) {
      for (std::size_t lane = 0; lane < W; ++lane) records[lane] = bytes(record_of(*joints[lane]));
    };
    for (std::uint32_t lane = 0; lane < W; ++lane) {
      NodeRange const nodes = shapes_.nodes(block.first_tree + std::min(lane, block.tree_count - 1));
      joints[lane] = &source.prepared[source.joints[nodes.first + i].joint];
      TAKT_ASSERT(joints[lane]->row_count == node.row_count && joints[lane]->limit_count == node.limit_count);
    }
    std::uint32_t const to_joint = plan.joints + i * kNumbersOf<TreeJoint>;
    gather([](const PreparedJoint& joint) -> const auto& { return joint.frames; });
    pack_value<W>(records, 0, kNumbersOf<JointFramesOf>, address(to_joint, 0));
    gather([](const PreparedJoint& joint) -> const auto& { return joint.revolutions; });
    pack_value<W>(records, 0, 2, address(to_joint, offsetof(TreeJoint<double>, revolutions)));
    std::fill_n(address(to_joint, offsetof(TreeJoint<double>, force_sum)), 6 * W, 0.0);
    if (node.moves_a) {
      gather([](const PreparedJoint& joint) -> const auto& { return joint.a.inverse_mass; });
      pack_value<W>(records, 0, 3, address(plan.bodies + node.body_a * kNumbersOf<TreeBody>, 0));
    }
    if (node.moves_b) {
      gather([](const PreparedJoint& joint) -> const auto& { return joint.b.inverse_mass; });
      pack_value<W>(records, 0, 3, address(plan.bodies + node.body_b * kNumbersOf<TreeBody>, 0));
    }
    for (std::uint32_t r = 0; r < node.row_count; ++r) {
      gather([&](const PreparedJoint& joint) -> const auto& {
        return source.rows[joint.first_row + r].impulse;
      });
      pack_value<W>(records, 0, 1,
                    address(plan.rows + (node.first_row + r) * kNumbersOf<EqualityRowOf>,
                            offsetof(EqualityRowOf<double>, impulse)));
    }
    for (std::uint32_t k = 0; k < node.limit_count; ++k) {
      std::uint32_t const limit = node.first_limit + k;
      std::uint32_t const to_row = plan.limit_rows + limit * kNumbersOf<TreeLimitRow>;
      auto const row = [&](const PreparedJoint& joint) -> const LimitRow& {
        return source.limits[joint.first_limit + k];
      };
      gather([&](const PreparedJoint& joint) -> const auto& { return row(joint).impulse; });
      pack_value<W>(records, 0, 1, address(to_row, offsetof(TreeLimitData, impulse)));
      gather([&](const PreparedJoint& joint) -> const auto& { return row(joint).input; });
      pack_value<W>(records, 0, 2, address(plan.limit_inputs + limit * kNumbersOf<LimitInputOf>, 0));
      if (plan.limits[limit].kind == TreeLimitKind::kLimit) continue;  // kernels compute its gaps
      gather([&](const PreparedJoint& joint) -> const auto& { return row(joint).lower_gap_or_max; });
      pack_value<W>(records, 0, 2, address(to_row, offsetof(TreeLimitData, lower_gap_or_max)));
    }
  }
}

template <class Real>
void TreeBatches<Real>::pack_lanes(const TreeSource& source, const Block& block) const {
  switch (kernels_->lanes) {
    case 2: pack<2>(source, block); break;
    case 4: pack<4>(source, block); break;
    default: pack<8>(source, block); break;
  }
}

template <class Real>
void TreeBatches<Real>::unpack(const TreeSource& source, const Block& block) const {
  const TreePlan& plan = plan_of(block);
  for (std::uint32_t lane = 0; lane < block.tree_count; ++lane) {
    NodeRange const nodes = shapes_.nodes(block.first_tree + lane);
    auto const number = [&](std::size_t index, std::size_t offset_bytes) {
      return numbers_[block.numbers + (index + offset_bytes / sizeof(double)) * kernels_->lanes + lane];
    };
    auto const vector = [&](std::size_t index, std::size_t offset_bytes) {
      return Vec3<double>{number(index, offset_bytes), number(index + 1, offset_bytes),
                          number(index + 2, offset_bytes)};
    };
    for (std::uint32_t i = 0; i < plan.node_count; ++i) {
      const TreeNode& node = plan.nodes[i];
      std::uint32_t const prepared = source.joints[nodes.first + i].joint;
      PreparedJoint& joint = source.prepared[prepared];
      for (std::uint32_t r = 0; r < node.row_count; ++r) {
        source.rows[joint.first_row + r].impulse =
            number(plan.rows + (node.first_row + r) * kNumbersOf<EqualityRowOf>,
                   offsetof(EqualityRowOf<double>, impulse));
      }
      for (std::uint32_t k = 0; k < node.limit_count; ++k) {
        source.limits[joint.first_limit + k].impulse =
            number(plan.limit_rows + (node.first_limit + k) * kNumbersOf<TreeLimitRow>,
                   offsetof(TreeLimitData, impulse));
      }
      std::uint32_t const index = plan.joints + i * kNumbersOf<TreeJoint>;
      source.reactions[prepared] = {vector(index, offsetof(TreeJoint<double>, force_sum)),
                                    vector(index, offsetof(TreeJoint<double>, torque_sum))};
      joint.revolutions = {number(index, offsetof(TreeJoint<double>, revolutions)),
                           number(index + 1, offsetof(TreeJoint<double>, revolutions))};
    }
  }
}

#define TAKT_INSTANTIATE(Real)                                                                           \
  template void TreeBatches<Real>::pack_lanes(const TreeSource&, const TreeBatches<Real>::Block&) const; \
  template void TreeBatches<Real>::unpack(const TreeSource&, const TreeBatches<Real>::Block&) const;
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
