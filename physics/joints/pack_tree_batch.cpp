// What the joints of equal trees are and remember goes into their blocks, lane by lane, and turns, impulses
// and reactions come back.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "physics/joints/tree_batches.h"

namespace takt {
namespace {

/// `count` numbers of each of W records, from `offset` bytes on, side by side at `to`.
template <std::size_t W>
void pack_value(const std::array<const std::byte*, W>& from, std::size_t offset, std::size_t count,
                double* to) noexcept {
  for (std::size_t i = 0; i < count; ++i, offset += sizeof(double)) {
    for (std::size_t lane = 0; lane < W; ++lane)
      std::memcpy(to + i * W + lane, from[lane] + offset, sizeof(double));
  }
}

// What is laid in one run is in the same order on both sides.
constexpr std::size_t kFrameNumbers = 4 * 4 + 3 * 3;
static_assert(offsetof(PreparedJoint, delta_center) + sizeof(Vec3<double>) -
                  offsetof(PreparedJoint, rotation_a) ==
              kFrameNumbers * sizeof(double));
static_assert(offsetof(TreeJoint<double>, revolutions) == kFrameNumbers * sizeof(double));
static_assert(offsetof(LimitRow, speed) - offsetof(LimitRow, max) == sizeof(double));
static_assert(offsetof(TreeLimits<double>, below_upper) - offsetof(TreeLimits<double>, max) ==
              sizeof(double));
static_assert(offsetof(LimitRow, upper) - offsetof(LimitRow, lower) == sizeof(double));
static_assert(offsetof(TreeGiven<double>, upper) - offsetof(TreeGiven<double>, lower) == sizeof(double));

}  // namespace

/// Joint by joint, the lanes of each number at once.
template <class Real>
template <std::size_t W>
void TreeBatches<Real>::pack(const TreeSource& from, const Block& block) const {
  const TreePlan& plan = plan_of(block);
  auto const lane_address = [&](std::size_t part, std::size_t offset_bytes) {
    return numbers_ + block.numbers + (part + offset_bytes / sizeof(double)) * W;
  };
  auto const bytes = [](const auto& record) { return reinterpret_cast<const std::byte*>(&record); };
  std::fill_n(lane_address(plan.bodies, 0), std::size_t{plan.body_count} * kNumbersOf<TreeBody> * W, 0.0);
  for (std::uint32_t i = 0; i < plan.node_count; ++i) {
    const TreeNode& node = plan.nodes[i];
    std::array<const PreparedJoint*, W> joints{};
    std::array<const std::byte*, W> records{};
    for (std::uint32_t lane = 0; lane < W; ++lane) {
      NodeRange const nodes = trees_[sorted_[block.first_tree + std::min(lane, block.tree_count - 1)]].nodes;
      joints[lane] = &from.joints[from.held[nodes.first + i].joint];
      records[lane] = bytes(*joints[lane]);
    }
    std::uint32_t const joint = plan.joints + i * kNumbersOf<TreeJoint>;
    pack_value<W>(records, offsetof(PreparedJoint, rotation_a), kFrameNumbers, lane_address(joint, 0));
    pack_value<W>(records, offsetof(PreparedJoint, revolutions), 2,
                  lane_address(joint, offsetof(TreeJoint<double>, revolutions)));
    std::fill_n(lane_address(joint, offsetof(TreeJoint<double>, force_sum)), 6 * W, 0.0);
    auto const pack_mass = [&](std::uint32_t body, std::size_t offset) {
      pack_value<W>(records, offset + offsetof(RowBody, inverse_mass), 3,
                    lane_address(plan.bodies + body * kNumbersOf<TreeBody>, 0));
    };
    if (node.moves_a) pack_mass(node.body_a, offsetof(PreparedJoint, a));
    if (node.moves_b) pack_mass(node.body_b, offsetof(PreparedJoint, b));
    for (std::uint32_t r = 0; r < node.row_count; ++r) {
      for (std::size_t lane = 0; lane < W; ++lane)
        records[lane] = bytes(from.rows[joints[lane]->first_row + r]);
      pack_value<W>(records, offsetof(EqualityRow, impulse), 1,
                    lane_address(plan.rows + (node.first_row + r) * kNumbersOf<TreeRow>,
                                 offsetof(TreeRow<double>, impulse)));
    }
    for (std::uint32_t k = 0; k < node.limit_count; ++k) {
      std::uint32_t const bound = node.first_limit + k;
      std::uint32_t const to = plan.limited + bound * kNumbersOf<TreeLimits>;
      for (std::size_t lane = 0; lane < W; ++lane)
        records[lane] = bytes(from.limited[joints[lane]->first_limit + k]);
      pack_value<W>(records, offsetof(LimitRow, impulse), 1,
                    lane_address(to, offsetof(TreeLimits<double>, impulse)));
      pack_value<W>(records, offsetof(LimitRow, lower), 2,
                    lane_address(plan.givens + bound * kNumbersOf<TreeGiven>, 0));
      if (plan.bounds[bound].kind == TreeBoundKind::kLimit)
        continue;  // how far it is from its bounds is found in lanes
      pack_value<W>(records, offsetof(LimitRow, max), 2, lane_address(to, offsetof(TreeLimits<double>, max)));
    }
  }
}

template <class Real>
void TreeBatches<Real>::take(const TreeSource& from, const Block& block) const {
  switch (kernels_->lanes) {
    case 2: pack<2>(from, block); break;
    case 4: pack<4>(from, block); break;
    default: pack<8>(from, block); break;
  }
}

template <class Real>
void TreeBatches<Real>::give_back(const TreeSource& from, const Block& block) const {
  const TreePlan& plan = plan_of(block);
  for (std::uint32_t lane = 0; lane < block.tree_count; ++lane) {
    NodeRange const nodes = trees_[sorted_[block.first_tree + lane]].nodes;
    auto const number = [&](std::size_t index, std::size_t offset_bytes) {
      return numbers_[block.numbers + (index + offset_bytes / sizeof(double)) * kernels_->lanes + lane];
    };
    auto const vector = [&](std::size_t index, std::size_t offset_bytes) {
      return Vec3<double>{number(index, offset_bytes), number(index + 1, offset_bytes),
                          number(index + 2, offset_bytes)};
    };
    for (std::uint32_t i = 0; i < plan.node_count; ++i) {
      const TreeNode& node = plan.nodes[i];
      PreparedJoint& joint = from.joints[from.held[nodes.first + i].joint];
      for (std::uint32_t r = 0; r < node.row_count; ++r) {
        from.rows[joint.first_row + r].impulse = number(
            plan.rows + (node.first_row + r) * kNumbersOf<TreeRow>, offsetof(TreeRow<double>, impulse));
      }
      for (std::uint32_t k = 0; k < node.limit_count; ++k) {
        from.limited[joint.first_limit + k].impulse =
            number(plan.limited + (node.first_limit + k) * kNumbersOf<TreeLimits>,
                   offsetof(TreeLimits<double>, impulse));
      }
      std::uint32_t const index = plan.joints + i * kNumbersOf<TreeJoint>;
      joint.force_sum = vector(index, offsetof(TreeJoint<double>, force_sum));
      joint.torque_sum = vector(index, offsetof(TreeJoint<double>, torque_sum));
      joint.revolutions = {number(index, offsetof(TreeJoint<double>, revolutions)),
                           number(index + 1, offsetof(TreeJoint<double>, revolutions))};
    }
  }
}

#define TAKT_INSTANTIATE(Real)                                                                     \
  template void TreeBatches<Real>::take(const TreeSource&, const TreeBatches<Real>::Block&) const; \
  template void TreeBatches<Real>::give_back(const TreeSource&, const TreeBatches<Real>::Block&) const;
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
