// BlockFactor computes and applies the block L D L^T factorisation of a symmetric positive definite matrix of
// small dense blocks. BlockPattern describes the blocks. Node i couples with the later nodes upper(i) only,
// and the nodes of upper(i) couple with one another. This is a perfect elimination order, so factoring causes
// no fill. A chain or a tree of joints, ordered from its leaves, costs O(nodes). Binary64 with a fixed order
// of operations gives the same bits on every machine. The caller supplies the order and the meaning of the
// rows: JointEquality (order of elimination_forest.h), or row_solver.cpp (one dense block).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace takt {

/// Block pattern of the matrix. Node i has size(i) rows. The column of node i holds its own square block,
/// then one block for each later node of upper(i), in their order. Offsets count doubles in the memory of
/// BlockFactor::blocks() and are valid after finish().
class BlockPattern {
 public:
  /// Removes all nodes.
  void clear() noexcept;
  /// Adds a node with the index nodes() and `size` rows. `upper` has indices of later nodes, ascending, which
  /// are added afterwards.
  void add_node(std::uint32_t size, std::span<const std::uint32_t> upper);
  /// Computes the offsets of all blocks. Call it once, after the last node.
  void finish();

  /// Number of nodes; rows() of all nodes, entries() of all blocks.
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

  // The next four functions are those that factor_nodes() and solve_nodes() of block_ldlt_steps.h read.
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
  /// Returns memory for the blocks of `pattern`, valid until the next call. The caller writes the matrix (all
  /// blocks of a node before factor() of that node), and factor() replaces it by the factors. The memory is
  /// not cleared.
  [[nodiscard]] std::span<double> blocks(const BlockPattern& pattern);
  /// Factors nodes [first, end), none of which couples with a node outside. blocks(pattern) must have been
  /// called. A row whose pivot is not above `min` (0 or more) times its original diagonal, or not above the
  /// bound of its rounding error (block_ldlt_steps.h), is redundant: the solution is 0 there.
  void factor(const BlockPattern& pattern, std::uint32_t first, std::uint32_t end, double min);
  /// Solves factored nodes [first, end), none of which couples with a node outside. `values` is indexed by
  /// first_row() and has the right side before, the solution after.
  void solve(const BlockPattern& pattern, std::uint32_t first, std::uint32_t end,
             std::span<double> values) const;
  /// Solves one factored node as if it coupled with no other. `values` has the rows of the node only, the
  /// right side before, the solution after.
  void solve_node(const BlockPattern& pattern, std::uint32_t node, std::span<double> values) const;

 private:
  std::vector<double> blocks_;  ///< L below and strictly below the diagonal of own blocks, 1 / D on it
  std::vector<double> pivots_;  ///< scratch by row: PivotScratch
  std::vector<double> scaled_;  ///< scratch: a block before the division by D
};

}  // namespace takt
