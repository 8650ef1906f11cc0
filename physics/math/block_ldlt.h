// BlockFactor computes and applies the block L D L^T factorisation of a symmetric positive definite matrix of
// small dense blocks. BlockPattern describes the blocks. Node i couples only with the later nodes upper(i),
// and those couple with one another (a perfect elimination order), so factoring causes no fill. A chain or a
// tree of joints, ordered from its leaves, costs O(nodes). Binary64 with a fixed order of operations gives
// the same bits on every machine. The caller supplies the order and the meaning of the rows: JointEquality
// (order of elimination_forest.h), or row_solver.cpp (one dense block).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace takt {

/// Block pattern of the matrix. Node i has size(i) rows. Its column holds a square block of its own, then one
/// block for each later node of upper(i), in their order.
class BlockPattern {
 public:
  void clear() noexcept;
  /// Adds node nodes() with `size` rows. `upper`: ascending later nodes, to be added afterwards.
  void add_node(std::uint32_t size, std::span<const std::uint32_t> upper);
  /// Call once after the last node: the sizes of all blocks are final only then.
  void finish();

  [[nodiscard]] std::uint32_t nodes() const noexcept { return static_cast<std::uint32_t>(sizes_.size()); }
  [[nodiscard]] std::uint32_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t entries() const noexcept { return entries_; }
  [[nodiscard]] std::uint32_t size(std::uint32_t node) const noexcept { return sizes_[node]; }
  [[nodiscard]] std::uint32_t first_row(std::uint32_t node) const noexcept { return first_rows_[node]; }
  [[nodiscard]] std::span<const std::uint32_t> upper(std::uint32_t node) const noexcept {
    return std::span(upper_).subspan(first_upper_[node], first_upper_[node + 1] - first_upper_[node]);
  }
  /// Offset of the node's own block, row-major, size(node) x size(node).
  [[nodiscard]] std::size_t own(std::uint32_t node) const noexcept { return own_[node]; }
  /// Offset of the block of the k-th node of upper(node): size of that node rows x size(node) columns.
  [[nodiscard]] std::size_t below(std::uint32_t node, std::uint32_t k) const noexcept {
    return below_[first_upper_[node] + k];
  }
  /// Index of `other` within upper(node); asserted to exist.
  [[nodiscard]] std::uint32_t find(std::uint32_t node, std::uint32_t other) const noexcept;

  // As factor_nodes() and solve_nodes() of block_ldlt_steps.h read a pattern:
  [[nodiscard]] std::uint32_t upper_count(std::uint32_t node) const noexcept {
    return first_upper_[node + 1] - first_upper_[node];
  }
  [[nodiscard]] std::uint32_t upper_node(std::uint32_t node, std::uint32_t k) const noexcept {
    return upper_[first_upper_[node] + k];
  }
  /// Offset of the block between `node` and a later node that it couples with.
  [[nodiscard]] std::size_t between(std::uint32_t node, std::uint32_t later) const noexcept {
    return below(node, find(node, later));
  }
  /// The largest size of a node.
  [[nodiscard]] std::uint32_t max_size() const noexcept { return max_size_; }

 private:
  std::vector<std::uint32_t> sizes_;
  std::vector<std::uint32_t> first_rows_;
  std::vector<std::uint32_t> first_upper_{0};
  std::vector<std::uint32_t> upper_;
  std::vector<std::size_t> own_;
  std::vector<std::size_t> below_;
  std::uint32_t rows_ = 0;
  std::uint32_t max_size_ = 0;
  std::size_t entries_ = 0;
};

class BlockFactor {
 public:
  /// Memory for the blocks of `pattern`. The caller fills in the matrix (all blocks of a node before factor()
  /// reaches it), and factor() works in place. Values left by a pattern of equal size stay.
  [[nodiscard]] std::span<double> blocks(const BlockPattern& pattern);
  /// Factors nodes first to end; none of them may couple with a node outside. A row whose pivot is not above
  /// `min` times its own diagonal is redundant: its impulse becomes 0.
  void factor(const BlockPattern& pattern, std::uint32_t first, std::uint32_t end, double min);
  /// Solves nodes first to end in place; none of them may couple with a node outside. `values` is indexed by
  /// first_row.
  void solve(const BlockPattern& pattern, std::uint32_t first, std::uint32_t end,
             std::span<double> values) const;
  /// Solves one node as if it coupled with no other; `values` holds its rows.
  void solve_node(const BlockPattern& pattern, std::uint32_t node, std::span<double> values) const;

 private:
  std::vector<double> blocks_;  ///< L below and strictly below the diagonal of own blocks, 1 / D on it
  std::vector<double> given_;   ///< scratch: the original diagonal
  std::vector<double> scaled_;  ///< scratch: a block before the division by D
};

}  // namespace takt
