// What the joints of equal trees are and remember goes into their blocks, lane by lane, and turns, impulses and reactions come back.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "physics/equal_trees.h"

namespace takt {
namespace {

/// `count` numbers of each of W records, from `offset` bytes on, side by side at `to`.
template <std::size_t W>
void lay(const std::array<const std::byte*, W>& from, std::size_t offset, std::size_t count, double* to) noexcept {
  for (std::size_t i = 0; i < count; ++i, offset += sizeof(double)) {
    for (std::size_t lane = 0; lane < W; ++lane) std::memcpy(to + i * W + lane, from[lane] + offset, sizeof(double));
  }
}

// What is laid in one run is in the same order on both sides.
constexpr std::size_t kFrameNumbers = 4 * 4 + 3 * 3;
static_assert(offsetof(PreparedJoint, between) + sizeof(Vec3<double>) - offsetof(PreparedJoint, rotation_a) == kFrameNumbers * sizeof(double));
static_assert(offsetof(TreeJoint<double>, turns) == kFrameNumbers * sizeof(double));
static_assert(offsetof(BoundedRow, speed) - offsetof(BoundedRow, most) == sizeof(double));
static_assert(offsetof(TreeBounded<double>, below_upper) - offsetof(TreeBounded<double>, most) == sizeof(double));
static_assert(offsetof(BoundedRow, upper) - offsetof(BoundedRow, lower) == sizeof(double));
static_assert(offsetof(TreeGiven<double>, upper) - offsetof(TreeGiven<double>, lower) == sizeof(double));

}  // namespace

/// Joint by joint, the lanes of each number at once.
template <class Real>
template <std::size_t W>
void EqualTrees<Real>::pack(const TreeSource& from, const Block& block) const {
  const TreePlan& plan = plan_of(block);
  auto const place = [&](std::size_t part, std::size_t offset_bytes) {
    return numbers_ + block.numbers + (part + offset_bytes / sizeof(double)) * W;
  };
  auto const bytes = [](const auto& record) { return reinterpret_cast<const std::byte*>(&record); };
  std::fill_n(place(plan.bodies, 0), std::size_t{plan.body_count} * kNumbersOf<TreeBody> * W, 0.0);
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
    lay<W>(records, offsetof(PreparedJoint, rotation_a), kFrameNumbers, place(joint, 0));
    lay<W>(records, offsetof(PreparedJoint, turns), 2, place(joint, offsetof(TreeJoint<double>, turns)));
    std::fill_n(place(joint, offsetof(TreeJoint<double>, force_sum)), 6 * W, 0.0);
    auto const lay_mass = [&](std::uint32_t body, std::size_t offset) {
      lay<W>(records, offset + offsetof(RowBody, inverse_mass), 3, place(plan.bodies + body * kNumbersOf<TreeBody>, 0));
    };
    if (node.moves_a) lay_mass(node.body_a, offsetof(PreparedJoint, a));
    if (node.moves_b) lay_mass(node.body_b, offsetof(PreparedJoint, b));
    for (std::uint32_t r = 0; r < node.row_count; ++r) {
      for (std::size_t lane = 0; lane < W; ++lane) records[lane] = bytes(from.rows[joints[lane]->first_row + r]);
      lay<W>(records, offsetof(EqualityRow, impulse), 1,
             place(plan.rows + (node.first_row + r) * kNumbersOf<TreeRow>, offsetof(TreeRow<double>, impulse)));
    }
    for (std::uint32_t k = 0; k < node.bounded_count; ++k) {
      std::uint32_t const bound = node.first_bounded + k;
      std::uint32_t const to = plan.bounded + bound * kNumbersOf<TreeBounded>;
      for (std::size_t lane = 0; lane < W; ++lane) records[lane] = bytes(from.bounded[joints[lane]->first_bounded + k]);
      lay<W>(records, offsetof(BoundedRow, impulse), 1, place(to, offsetof(TreeBounded<double>, impulse)));
      lay<W>(records, offsetof(BoundedRow, lower), 2, place(plan.givens + bound * kNumbersOf<TreeGiven>, 0));
      if (plan.bounds[bound].kind == TreeBoundKind::kLimit) continue;  // how far it is from its bounds is found in lanes
      lay<W>(records, offsetof(BoundedRow, most), 2, place(to, offsetof(TreeBounded<double>, most)));
    }
  }
}

template <class Real>
void EqualTrees<Real>::take(const TreeSource& from, const Block& block) const {
  switch (kernels_->lanes) {
    case 2: pack<2>(from, block); break;
    case 4: pack<4>(from, block); break;
    default: pack<8>(from, block); break;
  }
}

template <class Real>
void EqualTrees<Real>::give_back(const TreeSource& from, const Block& block) const {
  const TreePlan& plan = plan_of(block);
  for (std::uint32_t lane = 0; lane < block.tree_count; ++lane) {
    NodeRange const nodes = trees_[sorted_[block.first_tree + lane]].nodes;
    auto const number = [&](std::size_t place, std::size_t offset_bytes) {
      return numbers_[block.numbers + (place + offset_bytes / sizeof(double)) * kernels_->lanes + lane];
    };
    auto const vector = [&](std::size_t place, std::size_t offset_bytes) {
      return Vec3<double>{number(place, offset_bytes), number(place + 1, offset_bytes), number(place + 2, offset_bytes)};
    };
    for (std::uint32_t i = 0; i < plan.node_count; ++i) {
      const TreeNode& node = plan.nodes[i];
      PreparedJoint& joint = from.joints[from.held[nodes.first + i].joint];
      for (std::uint32_t r = 0; r < node.row_count; ++r) {
        from.rows[joint.first_row + r].impulse = number(plan.rows + (node.first_row + r) * kNumbersOf<TreeRow>, offsetof(TreeRow<double>, impulse));
      }
      for (std::uint32_t k = 0; k < node.bounded_count; ++k) {
        from.bounded[joint.first_bounded + k].impulse =
            number(plan.bounded + (node.first_bounded + k) * kNumbersOf<TreeBounded>, offsetof(TreeBounded<double>, impulse));
      }
      std::uint32_t const place = plan.joints + i * kNumbersOf<TreeJoint>;
      joint.force_sum = vector(place, offsetof(TreeJoint<double>, force_sum));
      joint.torque_sum = vector(place, offsetof(TreeJoint<double>, torque_sum));
      joint.turns = {number(place, offsetof(TreeJoint<double>, turns)), number(place + 1, offsetof(TreeJoint<double>, turns))};
    }
  }
}

#define TAKT_INSTANTIATE(Real)                                                                   \
  template void EqualTrees<Real>::take(const TreeSource&, const EqualTrees<Real>::Block&) const; \
  template void EqualTrees<Real>::give_back(const TreeSource&, const EqualTrees<Real>::Block&) const;
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
