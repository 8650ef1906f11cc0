// L D L^T of a symmetric positive definite matrix of small dense blocks whose nodes form a forest of cliques:
// node i couples with later nodes upper(i) only, and all of those couple with one another (a perfect
// elimination order), so that factoring fills nothing in. A chain or a tree of joints taken from its leaves
// costs O(nodes). Binary64 with a fixed order of operations: the same bits on every machine. It does not find
// the order (elimination_forest.h) nor know what the numbers are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace takt {

/// Which blocks there are. Node i has size(i) rows; its column holds a square block for itself and a block
/// for each later node of upper(i), in their order.
class BlockPattern {
 public:
  void clear() noexcept;
  /// Adds node nodes(). `upper`: ascending nodes after it, to be added later.
  void add_node(std::uint32_t size, std::span<const std::uint32_t> upper);
  /// Call once after the last node: sizes of blocks are known only then.
  void finish();

  [[nodiscard]] std::uint32_t nodes() const noexcept { return static_cast<std::uint32_t>(sizes_.size()); }
  [[nodiscard]] std::uint32_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t entries() const noexcept { return entries_; }
  [[nodiscard]] std::uint32_t size(std::uint32_t node) const noexcept { return sizes_[node]; }
  [[nodiscard]] std::uint32_t first_row(std::uint32_t node) const noexcept { return first_rows_[node]; }
  [[nodiscard]] std::span<const std::uint32_t> upper(std::uint32_t node) const noexcept {
    return std::span(upper_).subspan(first_upper_[node], first_upper_[node + 1] - first_upper_[node]);
  }
  /// Place of node's own block, row after row, size(node) x size(node).
  [[nodiscard]] std::size_t own(std::uint32_t node) const noexcept { return own_[node]; }
  /// Place of the block of the k-th of upper(node): size(upper) rows of size(node).
  [[nodiscard]] std::size_t below(std::uint32_t node, std::uint32_t k) const noexcept {
    return below_[first_upper_[node] + k];
  }
  /// Which of upper(node) is `other`; asserted to be one.
  [[nodiscard]] std::uint32_t find(std::uint32_t node, std::uint32_t other) const noexcept;

 private:
  std::vector<std::uint32_t> sizes_;
  std::vector<std::uint32_t> first_rows_;
  std::vector<std::uint32_t> first_upper_{0};
  std::vector<std::uint32_t> upper_;
  std::vector<std::size_t> own_;
  std::vector<std::size_t> below_;
  std::uint32_t rows_ = 0;
  std::size_t entries_ = 0;
};

class BlockFactor {
 public:
  /// Room for the blocks of `pattern`, to be filled with the matrix (all of a node's before factor() comes to
  /// it) and factored in place. What a pattern of the same size left there stays.
  [[nodiscard]] std::span<double> blocks(const BlockPattern& pattern);
  /// Factors nodes first to end, of which none couples with one outside. Rows whose pivot is not above
  /// `least` times their own diagonal say nothing new: they get no impulse.
  void factor(const BlockPattern& pattern, std::uint32_t first, std::uint32_t end, double min);
  /// Solves nodes first to end in place, of which none couples with one outside; values by first_row.
  void solve(const BlockPattern& pattern, std::uint32_t first, std::uint32_t end,
             std::span<double> values) const;
  /// One node by itself, as if it coupled with none; `values` of its rows.
  void solve_node(const BlockPattern& pattern, std::uint32_t node, std::span<double> values) const;

 private:
  std::vector<double> blocks_;  ///< L below and strictly below the diagonal of own blocks, 1 / D on it
  std::vector<double> given_;   ///< scratch: the diagonal as it was given
  std::vector<double> scaled_;  ///< scratch: a block before it is divided by D
};

}  // namespace takt
