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
  entries_ = 0;
}

void BlockPattern::add_node(std::uint32_t size, std::span<const std::uint32_t> upper) {
  TAKT_ASSERT(size > 0);
  TAKT_ASSERT(upper.empty() || upper.front() > nodes());
  TAKT_VALIDATE(std::is_sorted(upper.begin(), upper.end()));
  sizes_.push_back(size);
  first_rows_.push_back(rows_);
  rows_ += size;
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
  given_.resize(pattern.rows());
  return blocks_;
}

void BlockFactor::factor(const BlockPattern& pattern, std::uint32_t first, std::uint32_t end, double min) {
  TAKT_ASSERT(first <= end && end <= pattern.nodes() && min >= 0.0);
  TAKT_ASSERT(blocks_.size() == pattern.entries() && given_.size() == pattern.rows());
  for (std::uint32_t node = first; node < end; ++node) {
    std::size_t const n = pattern.size(node);
    const double* const own = blocks_.data() + pattern.own(node);
    for (std::size_t r = 0; r < n; ++r) given_[pattern.first_row(node) + r] = own[r * n + r];
  }
  for (std::uint32_t node = first; node < end; ++node) {
    for_size(pattern.size(node), [&](auto n) {
      double* const own = blocks_.data() + pattern.own(node);
      factor_own(own, n, given_.data() + pattern.first_row(node), min);
      auto const upper = pattern.upper(node);
      for (std::uint32_t k = 0; k < upper.size(); ++k) {
        for_rows(pattern.size(upper[k]), n,
                 [&](auto rows) { divide_below(blocks_.data() + pattern.below(node, k), rows, own, n); });
      }
      for (std::uint32_t k = 0; k < upper.size(); ++k) {
        double* const block = blocks_.data() + pattern.below(node, k);
        for_rows(pattern.size(upper[k]), n, [&](auto rows) {
          if (scaled_.size() < rows * n) scaled_.resize(rows * n);
          double* const scaled = scaled_.data();
          take_out_pivots(block, scaled, rows, own, n);
          // Updates the own block of the k-th node, then the blocks of later ones. `block` holds L, the
          // others still hold L D.
          take_product(blocks_.data() + pattern.own(upper[k]), block, rows, scaled, rows, n);
          for (std::uint32_t m = k + 1; m < upper.size(); ++m) {
            double* const between =
                blocks_.data() + pattern.below(upper[k], pattern.find(upper[k], upper[m]));
            take_product(between, blocks_.data() + pattern.below(node, m),
                         std::size_t{pattern.size(upper[m])}, block, rows, n);
          }
        });
      }
    });
  }
}

void BlockFactor::solve(const BlockPattern& pattern, std::uint32_t first, std::uint32_t end,
                        std::span<double> values) const {
  TAKT_ASSERT(first <= end && end <= pattern.nodes() && values.size() >= pattern.rows());
  for (std::uint32_t node = first; node < end; ++node) {
    for_size(pattern.size(node), [&](auto n) {
      double* const x = values.data() + pattern.first_row(node);
      go_down(blocks_.data() + pattern.own(node), n, x);
      auto const upper = pattern.upper(node);
      for (std::uint32_t k = 0; k < upper.size(); ++k) {
        const double* const block = blocks_.data() + pattern.below(node, k);
        double* const y = values.data() + pattern.first_row(upper[k]);
        for_rows(pattern.size(upper[k]), n, [&](auto rows) { take_below(block, rows, x, n, y); });
      }
    });
  }
  for (std::uint32_t node = end; node-- > first;) {
    for_size(pattern.size(node), [&](auto n) {
      const double* const own = blocks_.data() + pattern.own(node);
      double* const x = values.data() + pattern.first_row(node);
      take_pivots(own, n, x);
      auto const upper = pattern.upper(node);
      for (std::uint32_t k = 0; k < upper.size(); ++k) {
        const double* const block = blocks_.data() + pattern.below(node, k);
        const double* const y = values.data() + pattern.first_row(upper[k]);
        for_rows(pattern.size(upper[k]), n, [&](auto rows) { take_above(block, rows, y, n, x); });
      }
      go_up(own, n, x);
    });
  }
}

void BlockFactor::solve_node(const BlockPattern& pattern, std::uint32_t node,
                             std::span<double> values) const {
  TAKT_ASSERT(node < pattern.nodes() && values.size() >= pattern.size(node));
  for_size(pattern.size(node), [&](auto n) {
    const double* const own = blocks_.data() + pattern.own(node);
    go_down(own, n, values.data());
    take_pivots(own, n, values.data());
    go_up(own, n, values.data());
  });
}

}  // namespace takt
