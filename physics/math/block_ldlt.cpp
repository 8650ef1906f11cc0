#include "physics/math/block_ldlt.h"

#include <algorithm>

#include "physics/math/block_ldlt_steps.h"
#include "takt/core/assert.h"

namespace takt {

void BlockPattern::clear() noexcept {
  sizes_.clear();
  first_rows_.clear();
  first_upper_.assign(1, 0);
  upper_.clear();
  own_.clear();
  below_.clear();
  rows_ = 0;
  max_size_ = 0;
  entries_ = 0;
}

void BlockPattern::add_node(std::uint32_t size, std::span<const std::uint32_t> upper) {
  TAKT_ASSERT(upper.empty() || upper.front() > nodes());
  TAKT_VALIDATE(std::is_sorted(upper.begin(), upper.end()));
  sizes_.push_back(size);
  first_rows_.push_back(rows_);
  rows_ += size;
  max_size_ = std::max(max_size_, size);
  upper_.insert(upper_.end(), upper.begin(), upper.end());
  first_upper_.push_back(static_cast<std::uint32_t>(upper_.size()));
}

void BlockPattern::finish() {
  TAKT_ASSERT(own_.empty());
  own_.resize(sizes_.size());
  below_.resize(upper_.size());
  for (std::uint32_t node = 0; node < nodes(); ++node) {
    own_[node] = entries_;
    entries_ += std::size_t{sizes_[node]} * sizes_[node];
    for (std::uint32_t k = first_upper_[node]; k < first_upper_[node + 1]; ++k) {
      TAKT_ASSERT(upper_[k] < nodes());
      below_[k] = entries_;
      entries_ += std::size_t{sizes_[node]} * sizes_[upper_[k]];
    }
  }
}

std::uint32_t BlockPattern::find(std::uint32_t node, std::uint32_t other) const noexcept {
  auto const later = upper(node);
  auto const index = std::find(later.begin(), later.end(), other);
  TAKT_ASSERT(index != later.end());
  return static_cast<std::uint32_t>(index - later.begin());
}

std::span<double> BlockFactor::blocks(const BlockPattern& pattern) {
  blocks_.resize(pattern.entries());
  pivots_.resize(std::size_t{3} * pattern.rows());
  scaled_.resize(std::size_t{pattern.max_size()} * pattern.max_size());
  return blocks_;
}

void BlockFactor::factor(const BlockPattern& pattern, std::uint32_t first, std::uint32_t end, double min) {
  TAKT_ASSERT(first <= end && end <= pattern.nodes() && min >= 0.0);
  TAKT_ASSERT(blocks_.size() == pattern.entries() && pivots_.size() == std::size_t{3} * pattern.rows());
  double* const scale = pivots_.data();
  factor_nodes(pattern, first, end, min, blocks_.data(),
               PivotScratch<double>{scale, scale + pattern.rows(), scale + 2 * pattern.rows()},
               scaled_.data());
}

void BlockFactor::solve(const BlockPattern& pattern, std::uint32_t first, std::uint32_t end,
                        std::span<double> values) const {
  TAKT_ASSERT(first <= end && end <= pattern.nodes() && values.size() >= pattern.rows());
  solve_nodes(pattern, first, end, blocks_.data(), values.data());
}

void BlockFactor::solve_node(const BlockPattern& pattern, std::uint32_t node,
                             std::span<double> values) const {
  TAKT_ASSERT(node < pattern.nodes() && values.size() >= pattern.size(node));
  solve_block(blocks_.data() + pattern.own(node), pattern.size(node), values.data());
}

}  // namespace takt
