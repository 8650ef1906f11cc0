// Kernels of the block L D L^T factorisation (block_ldlt.h) on small dense blocks. They serve one matrix in
// binary64 and several matrices in SIMD lanes (tree_batch_kernels.h), with one order of operations. N is a
// double or a vector of doubles with inverse_pivot(N, N). Internal linkage for the reason given in
// contact_kernels.h.
#pragma once

#include <cstddef>
#include <type_traits>

namespace takt {
namespace {  // NOLINT: internal linkage on purpose

/// 1 / pivot; 0 where the pivot is not above `min`.
inline double inverse_pivot(double pivot, double min) noexcept { return pivot > min ? 1.0 / pivot : 0.0; }

/// Calls body(n) with n as a compile-time constant for the sizes of common joints, so that its loops unroll.
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

/// Calls body(rows) with rows = n as a constant for square blocks, the common case.
template <class Size, class Body>
void for_rows(std::size_t rows, Size n, const Body& body) {
  if (rows == n) return body(n);
  body(rows);
}

/// Factors an own block: L D L^T row by row, D inverted on the diagonal.
template <class N, class Size>
void factor_own(N* own, Size n, const N* given, double min) noexcept {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      N sum = own[i * n + j];
      for (std::size_t k = 0; k < j; ++k)
        sum -= own[i * n + k] * own[k * n + j];  // above the diagonal: D L^T
      own[j * n + i] = sum;
      own[i * n + j] = sum * own[j * n + j];
    }
    N pivot = own[i * n + i];
    for (std::size_t k = 0; k < i; ++k) pivot -= own[i * n + k] * own[k * n + i];
    own[i * n + i] = inverse_pivot(pivot, min * given[i]);
  }
}

/// Solves a block below the diagonal: B = X L^T, so X = B L^-T = L_below D.
template <class N, class Rows, class Size>
void divide_below(N* block, Rows rows, const N* own, Size n) noexcept {
  for (std::size_t r = 0; r < rows; ++r, block += n) {
    for (std::size_t j = 1; j < n; ++j) {
      N sum = block[j];
      for (std::size_t i = 0; i < j; ++i) sum -= block[i] * own[j * n + i];
      block[j] = sum;
    }
  }
}

/// Copies a block L D to `scaled` and replaces it by L.
template <class N, class Rows, class Size>
void take_out_pivots(N* block, N* scaled, Rows rows, const N* own, Size n) noexcept {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t j = 0; j < n; ++j) {
      scaled[r * n + j] = block[r * n + j];
      block[r * n + j] = scaled[r * n + j] * own[j * n + j];
    }
  }
}

/// target (rows x columns) -= a b^T
template <class N, class Rows, class Columns, class Size>
void take_product(N* target, const N* a, Rows rows, const N* b, Columns columns, Size n) noexcept {
  for (std::size_t r = 0; r < rows; ++r, a += n) {
    const N* of_b = b;
    for (std::size_t c = 0; c < columns; ++c, of_b += n) {
      N sum = N(0.0);
      for (std::size_t j = 0; j < n; ++j) sum += a[j] * of_b[j];
      target[r * columns + c] -= sum;
    }
  }
}

/// y -= block x, and x -= block^T y
template <class N, class Rows, class Size>
void take_below(const N* block, Rows rows, const N* x, Size n, N* y) noexcept {
  for (std::size_t r = 0; r < rows; ++r, block += n) {
    N sum = y[r];
    for (std::size_t j = 0; j < n; ++j) sum -= block[j] * x[j];
    y[r] = sum;
  }
}
template <class N, class Rows, class Size>
void take_above(const N* block, Rows rows, const N* y, Size n, N* x) noexcept {
  for (std::size_t r = 0; r < rows; ++r, block += n) {
    for (std::size_t j = 0; j < n; ++j) x[j] -= block[j] * y[r];
  }
}

/// x = L^-1 x, x = D^-1 x and x = L^-T x of an own block.
template <class N, class Size>
void go_down(const N* own, Size n, N* x) noexcept {
  for (std::size_t i = 1; i < n; ++i) {
    N sum = x[i];
    for (std::size_t j = 0; j < i; ++j) sum -= own[i * n + j] * x[j];
    x[i] = sum;
  }
}
template <class N, class Size>
void take_pivots(const N* own, Size n, N* x) noexcept {
  for (std::size_t i = 0; i < n; ++i) x[i] *= own[i * n + i];
}
template <class N, class Size>
void go_up(const N* own, Size n, N* x) noexcept {
  for (std::size_t i = n; i-- > 0;) {
    N sum = x[i];
    for (std::size_t j = i + 1; j < n; ++j) sum -= own[j * n + i] * x[j];
    x[i] = sum;
  }
}

}  // namespace
}  // namespace takt
