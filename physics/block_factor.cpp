#include "physics/block_factor.h"

#include <algorithm>
#include <type_traits>

#include "takt/core/assert.h"

namespace takt {

namespace {

/// body(n), n a constant for the sizes of the common joints, so that its loops unroll.
template <class Body>
void for_size(std::size_t n, const Body& body) {
  switch (n) {
    case 1: return body(std::integral_constant<std::size_t, 1>{});
    case 2: return body(std::integral_constant<std::size_t, 2>{});
    case 3: return body(std::integral_constant<std::size_t, 3>{});
    case 5: return body(std::integral_constant<std::size_t, 5>{});
    case 6: return body(std::integral_constant<std::size_t, 6>{});
    default: return body(n);
  }
}

/// The same where blocks are as high as wide more often than not: body(rows) with rows = n as a constant.
template <class Size, class Body>
void for_rows(std::size_t rows, Size n, const Body& body) {
  if (rows == n) return body(n);
  body(rows);
}

/// An own block: L D L^T row by row, D inverted on the diagonal.
template <class Size>
void factor_own(double* own, Size n, const double* given, double least) noexcept {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double sum = own[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= own[i * n + k] * own[k * n + j];  // above the diagonal: D L^T
      own[j * n + i] = sum;
      own[i * n + j] = sum * own[j * n + j];
    }
    double pivot = own[i * n + i];
    for (std::size_t k = 0; k < i; ++k) pivot -= own[i * n + k] * own[k * n + i];
    own[i * n + i] = pivot > least * given[i] ? 1.0 / pivot : 0.0;
  }
}

/// A block below: B = X L^T, so X = B L^-T = L_below D.
template <class Rows, class Size>
void divide_below(double* block, Rows rows, const double* own, Size n) noexcept {
  for (std::size_t r = 0; r < rows; ++r, block += n) {
    for (std::size_t j = 1; j < n; ++j) {
      double sum = block[j];
      for (std::size_t i = 0; i < j; ++i) sum -= block[i] * own[j * n + i];
      block[j] = sum;
    }
  }
}

/// target (rows x columns) -= a b^T
template <class Rows, class Columns, class Size>
void take_product(double* target, const double* a, Rows rows, const double* b, Columns columns, Size n) noexcept {
  for (std::size_t r = 0; r < rows; ++r, a += n) {
    const double* of_b = b;
    for (std::size_t c = 0; c < columns; ++c, of_b += n) {
      double sum = 0.0;
      for (std::size_t j = 0; j < n; ++j) sum += a[j] * of_b[j];
      target[r * columns + c] -= sum;
    }
  }
}

/// y -= block x, and x -= block^T y
template <class Rows, class Size>
void take_below(const double* block, Rows rows, const double* x, Size n, double* y) noexcept {
  for (std::size_t r = 0; r < rows; ++r, block += n) {
    double sum = y[r];
    for (std::size_t j = 0; j < n; ++j) sum -= block[j] * x[j];
    y[r] = sum;
  }
}
template <class Rows, class Size>
void take_above(const double* block, Rows rows, const double* y, Size n, double* x) noexcept {
  for (std::size_t r = 0; r < rows; ++r, block += n) {
    for (std::size_t j = 0; j < n; ++j) x[j] -= block[j] * y[r];
  }
}

/// x = L^-1 x and x = L^-T x of an own block.
template <class Size>
void go_down(const double* own, Size n, double* x) noexcept {
  for (std::size_t i = 1; i < n; ++i) {
    double sum = x[i];
    for (std::size_t j = 0; j < i; ++j) sum -= own[i * n + j] * x[j];
    x[i] = sum;
  }
}
template <class Size>
void go_up(const double* own, Size n, double* x) noexcept {
  for (std::size_t i = n; i-- > 0;) {
    double sum = x[i];
    for (std::size_t j = i + 1; j < n; ++j) sum -= own[j * n + i] * x[j];
    x[i] = sum;
  }
}

}  // namespace

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

std::span<double> BlockFactor::blocks(const BlockPattern& pattern) {
  blocks_.resize(pattern.entries());
  given_.resize(pattern.rows());
  return blocks_;
}

void BlockFactor::factor(const BlockPattern& pattern, std::uint32_t first, std::uint32_t end, double least) {
  for (std::uint32_t node = first; node < end; ++node) {
    std::size_t const n = pattern.size(node);
    const double* const own = blocks_.data() + pattern.own(node);
    for (std::size_t r = 0; r < n; ++r) given_[pattern.first_row(node) + r] = own[r * n + r];
  }
  for (std::uint32_t node = first; node < end; ++node) {
    for_size(pattern.size(node), [&](auto n) {
      double* const own = blocks_.data() + pattern.own(node);
      factor_own(own, n, given_.data() + pattern.first_row(node), least);
      auto const upper = pattern.upper(node);
      for (std::uint32_t k = 0; k < upper.size(); ++k) {
        for_rows(pattern.size(upper[k]), n, [&](auto rows) { divide_below(blocks_.data() + pattern.below(node, k), rows, own, n); });
      }
      for (std::uint32_t k = 0; k < upper.size(); ++k) {
        double* const block = blocks_.data() + pattern.below(node, k);
        for_rows(pattern.size(upper[k]), n, [&](auto rows) {
          if (scaled_.size() < rows * n) scaled_.resize(rows * n);
          double* const scaled = scaled_.data();
          for (std::size_t r = 0; r < rows; ++r) {
            for (std::size_t j = 0; j < n; ++j) {
              scaled[r * n + j] = block[r * n + j];
              block[r * n + j] = scaled[r * n + j] * own[j * n + j];
            }
          }
          // Own block of the k-th, then those of the ones after it; `block` holds L, the others still L D.
          take_product(blocks_.data() + pattern.own(upper[k]), block, rows, scaled, rows, n);
          for (std::uint32_t m = k + 1; m < upper.size(); ++m) {
            double* const between = blocks_.data() + pattern.below(upper[k], pattern.find(upper[k], upper[m]));
            take_product(between, blocks_.data() + pattern.below(node, m), std::size_t{pattern.size(upper[m])}, block, rows, n);
          }
        });
      }
    });
  }
}

void BlockFactor::solve(const BlockPattern& pattern, std::span<double> values) const {
  for (std::uint32_t node = 0; node < pattern.nodes(); ++node) {
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
  for (std::uint32_t node = pattern.nodes(); node-- > 0;) {
    for_size(pattern.size(node), [&](auto n) {
      const double* const own = blocks_.data() + pattern.own(node);
      double* const x = values.data() + pattern.first_row(node);
      for (std::size_t i = 0; i < n; ++i) x[i] *= own[i * n + i];
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

void BlockFactor::solve_node(const BlockPattern& pattern, std::uint32_t node, std::span<double> values) const {
  for_size(pattern.size(node), [&](auto n) {
    const double* const own = blocks_.data() + pattern.own(node);
    go_down(own, n, values.data());
    for (std::size_t i = 0; i < n; ++i) values[i] *= own[i * n + i];
    go_up(own, n, values.data());
  });
}

}  // namespace takt
