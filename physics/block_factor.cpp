#include "physics/block_factor.h"

#include <algorithm>

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
  sizes_.push_back(size);
  first_rows_.push_back(rows_);
  rows_ += size;
  upper_.insert(upper_.end(), upper.begin(), upper.end());
  first_upper_.push_back(static_cast<std::uint32_t>(upper_.size()));
}

void BlockPattern::finish() {
  own_.resize(sizes_.size());
  below_.resize(upper_.size());
  for (std::uint32_t node = 0; node < nodes(); ++node) {
    own_[node] = entries_;
    entries_ += std::size_t{sizes_[node]} * sizes_[node];
    for (std::uint32_t k = first_upper_[node]; k < first_upper_[node + 1]; ++k) {
      below_[k] = entries_;
      entries_ += std::size_t{sizes_[node]} * sizes_[upper_[k]];
    }
  }
}

std::uint32_t BlockPattern::find(std::uint32_t node, std::uint32_t other) const noexcept {
  auto const later = upper(node);
  auto const place = std::find(later.begin(), later.end(), other);
  TAKT_ASSERT(place != later.end());
  return static_cast<std::uint32_t>(place - later.begin());
}

void BlockFactor::factor(const BlockPattern& pattern, std::span<const double> matrix, double least) {
  blocks_.assign(matrix.begin(), matrix.end());
  given_.clear();
  for (std::uint32_t node = 0; node < pattern.nodes(); ++node) {
    for (std::uint32_t r = 0; r < pattern.size(node); ++r) given_.push_back(matrix[pattern.own(node) + std::size_t{r} * pattern.size(node) + r]);
  }
  for (std::uint32_t node = 0; node < pattern.nodes(); ++node) {
    std::size_t const n = pattern.size(node);
    double* const own = blocks_.data() + pattern.own(node);
    // Own block: L D L^T row by row, D inverted on the diagonal.
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        double sum = own[i * n + j];
        for (std::size_t k = 0; k < j; ++k) sum -= own[i * n + k] * own[k * n + j];  // above the diagonal: D L^T
        own[j * n + i] = sum;
        own[i * n + j] = sum * own[j * n + j];
      }
      double pivot = own[i * n + i];
      for (std::size_t k = 0; k < i; ++k) pivot -= own[i * n + k] * own[k * n + i];
      own[i * n + i] = pivot > least * given_[pattern.first_row(node) + i] ? 1.0 / pivot : 0.0;
    }
    // Blocks below: B = X L^T, so X = B L^-T = L_below D; then what they take from one another.
    auto const upper = pattern.upper(node);
    for (std::uint32_t k = 0; k < upper.size(); ++k) {
      double* const block = blocks_.data() + pattern.below(node, k);
      for (std::size_t r = 0; r < pattern.size(upper[k]); ++r) {
        for (std::size_t j = 0; j < n; ++j) {
          double sum = block[r * n + j];
          for (std::size_t i = 0; i < j; ++i) sum -= block[r * n + i] * own[j * n + i];
          block[r * n + j] = sum;
        }
      }
    }
    for (std::uint32_t k = 0; k < upper.size(); ++k) {
      double* const block = blocks_.data() + pattern.below(node, k);
      std::size_t const rows = pattern.size(upper[k]);
      scaled_.assign(block, block + rows * n);
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t j = 0; j < n; ++j) block[r * n + j] = scaled_[r * n + j] * own[j * n + j];
      }
      // Own block of the k-th, then those of the ones after it; `block` holds L, the others still L D.
      double* const target = blocks_.data() + pattern.own(upper[k]);
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < rows; ++c) {
          double sum = 0.0;
          for (std::size_t j = 0; j < n; ++j) sum += block[r * n + j] * scaled_[c * n + j];
          target[r * rows + c] -= sum;
        }
      }
      for (std::uint32_t m = k + 1; m < upper.size(); ++m) {
        const double* const other = blocks_.data() + pattern.below(node, m);
        double* const between = blocks_.data() + pattern.below(upper[k], pattern.find(upper[k], upper[m]));
        for (std::size_t r = 0; r < pattern.size(upper[m]); ++r) {
          for (std::size_t c = 0; c < rows; ++c) {
            double sum = 0.0;
            for (std::size_t j = 0; j < n; ++j) sum += other[r * n + j] * block[c * n + j];
            between[r * rows + c] -= sum;
          }
        }
      }
    }
  }
}

void BlockFactor::solve(const BlockPattern& pattern, std::span<double> values) const {
  for (std::uint32_t node = 0; node < pattern.nodes(); ++node) {
    std::size_t const n = pattern.size(node);
    const double* const own = blocks_.data() + pattern.own(node);
    double* const x = values.data() + pattern.first_row(node);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) x[i] -= own[i * n + j] * x[j];
    }
    auto const upper = pattern.upper(node);
    for (std::uint32_t k = 0; k < upper.size(); ++k) {
      const double* const block = blocks_.data() + pattern.below(node, k);
      double* const y = values.data() + pattern.first_row(upper[k]);
      for (std::size_t r = 0; r < pattern.size(upper[k]); ++r) {
        for (std::size_t j = 0; j < n; ++j) y[r] -= block[r * n + j] * x[j];
      }
    }
  }
  for (std::uint32_t node = pattern.nodes(); node-- > 0;) {
    std::size_t const n = pattern.size(node);
    const double* const own = blocks_.data() + pattern.own(node);
    double* const x = values.data() + pattern.first_row(node);
    for (std::size_t i = 0; i < n; ++i) x[i] *= own[i * n + i];
    auto const upper = pattern.upper(node);
    for (std::uint32_t k = 0; k < upper.size(); ++k) {
      const double* const block = blocks_.data() + pattern.below(node, k);
      const double* const y = values.data() + pattern.first_row(upper[k]);
      for (std::size_t r = 0; r < pattern.size(upper[k]); ++r) {
        for (std::size_t j = 0; j < n; ++j) x[j] -= block[r * n + j] * y[r];
      }
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t j = i + 1; j < n; ++j) x[i] -= own[j * n + i] * x[j];
    }
  }
}

void BlockFactor::solve_node(const BlockPattern& pattern, std::uint32_t node, std::span<double> values) const {
  std::size_t const n = pattern.size(node);
  const double* const own = blocks_.data() + pattern.own(node);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) values[i] -= own[i * n + j] * values[j];
  }
  for (std::size_t i = n; i-- > 0;) {
    values[i] *= own[i * n + i];
    for (std::size_t j = i + 1; j < n; ++j) values[i] -= own[j * n + i] * values[j];
  }
}

}  // namespace takt
