// What JointSolver has built of equal trees goes into their blocks, lane by lane, and impulses and reactions come back.
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
constexpr std::size_t kBodyNumbers = 9;
static_assert(offsetof(RowBody, inverse_inertia) - offsetof(RowBody, inverse_mass) == 3 * sizeof(double));
static_assert(offsetof(TreeJoint<double>, inverse_mass_b) == kBodyNumbers * sizeof(double));
static_assert(offsetof(EqualityRow, error) == offsetof(TreeRow<double>, error) &&
              offsetof(EqualityRow, impulse) == offsetof(TreeRow<double>, impulse));
constexpr std::size_t kDirectionNumbers = 9;
static_assert(sizeof(JointDirection) == kDirectionNumbers * sizeof(double) && offsetof(BoundedRow, direction) == 0);
static_assert(offsetof(TreeBounded<double>, most) == sizeof(JointDirection));
static_assert(offsetof(BoundedRow, speed) - offsetof(BoundedRow, most) == sizeof(double));
static_assert(offsetof(BoundedRow, below_upper) - offsetof(BoundedRow, above_lower) == sizeof(double));

}  // namespace

/// Joint by joint, the lanes of each number at once.
template <class Real>
template <std::size_t W>
void EqualTrees<Real>::pack(const TreeSource& from, const Block& block, bool with_impulses) const {
  const TreePlan& plan = plan_of(block);
  auto const place = [&](std::size_t number) { return numbers_ + block.numbers + number * W; };
  auto const bytes = [](const auto& record) { return reinterpret_cast<const std::byte*>(&record); };
  for (std::uint32_t i = 0; i < plan.node_count; ++i) {
    const TreeNode& node = plan.nodes[i];
    std::array<const PreparedJoint*, W> joints{};
    std::array<const std::byte*, W> records{};
    for (std::uint32_t lane = 0; lane < W; ++lane) {
      NodeRange const nodes = trees_[sorted_[block.first_tree + std::min(lane, block.tree_count - 1)]].nodes;
      joints[lane] = &from.joints[from.held[nodes.first + i].joint];
      records[lane] = bytes(*joints[lane]);
    }
    double* const to_joint = place(plan.joints + i * kNumbersOf<TreeJoint>);
    lay<W>(records, offsetof(PreparedJoint, a) + offsetof(RowBody, inverse_mass), kBodyNumbers, to_joint);
    lay<W>(records, offsetof(PreparedJoint, b) + offsetof(RowBody, inverse_mass), kBodyNumbers, to_joint + kBodyNumbers * W);
    lay<W>(records, offsetof(PreparedJoint, arm_b), 3, to_joint + 2 * kBodyNumbers * W);
    std::size_t const row_end = with_impulses ? offsetof(TreeRow<double>, spin_a) : offsetof(TreeRow<double>, impulse);
    for (std::uint32_t r = 0; r < node.row_count; ++r) {
      for (std::size_t lane = 0; lane < W; ++lane) records[lane] = bytes(from.rows[joints[lane]->first_row + r]);
      lay<W>(records, 0, row_end / sizeof(double), place(plan.rows + (node.first_row + r) * kNumbersOf<TreeRow>));
    }
    for (std::uint32_t k = 0; k < node.bounded_count; ++k) {
      for (std::size_t lane = 0; lane < W; ++lane) records[lane] = bytes(from.bounded[joints[lane]->first_bounded + k]);
      bool const is_limit = plan.bounds[node.first_bounded + k].kind == TreeBoundKind::kLimit;
      double* const to = place(plan.bounded + (node.first_bounded + k) * kNumbersOf<TreeBounded>);
      lay<W>(records, 0, kDirectionNumbers, to);
      lay<W>(records, is_limit ? offsetof(BoundedRow, above_lower) : offsetof(BoundedRow, most), 2, to + kDirectionNumbers * W);
      if (with_impulses) lay<W>(records, offsetof(BoundedRow, impulse), 1, to + (kDirectionNumbers + 2) * W);
    }
  }
}

template <class Real>
void EqualTrees<Real>::take(const TreeSource& from, const Block& block, bool with_impulses) const {
  bool stale = false;
  for (std::uint32_t tree = block.first_tree; tree < block.first_tree + block.tree_count; ++tree) {
    NodeRange const nodes = trees_[sorted_[tree]].nodes;
    for (std::uint32_t node = nodes.first; node < nodes.end; ++node) stale = stale || from.held[node].is_stale;
  }
  if (!stale) return;
  switch (kernels_->lanes) {
    case 2: pack<2>(from, block, with_impulses); break;
    case 4: pack<4>(from, block, with_impulses); break;
    default: pack<8>(from, block, with_impulses); break;
  }
  kernels_->fill(plan_of(block), block_of(block));
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
      joint.force_sum += vector(place, offsetof(TreeJoint<double>, force));
      joint.torque_sum += vector(place, offsetof(TreeJoint<double>, torque));
    }
  }
}

#define TAKT_INSTANTIATE(Real)                                                                         \
  template void EqualTrees<Real>::take(const TreeSource&, const EqualTrees<Real>::Block&, bool) const; \
  template void EqualTrees<Real>::give_back(const TreeSource&, const EqualTrees<Real>::Block&) const;
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
