// factor_nodes() and solve_nodes() are the loops of the block L D L^T factorisation (block_ldlt.h).
// factor_own() and solve_block() serve one block. All four serve one matrix in binary64 (block_ldlt.cpp) and
// several matrices in SIMD lanes (tree_matrix_kernels.h), with one order of operations. N is a double or a
// vector of doubles with inverse_pivot(N, N). All functions are in an unnamed namespace, because the code is
// compiled once per instruction set (vector_lanes.h).
#pragma once

#include <cstddef>
#include <cstdint>
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

/// Calls body(n), which may be a constant, for square blocks, and body(rows) for others.
template <class Size, class Body>
void for_rows(std::size_t rows, Size n, const Body& body) {
  if (rows == n) return body(n);
  body(rows);
}

/// Calls body(copy of values) and copies the values back. The copy stays in registers where n is a constant:
/// numbers that were just stored one by one stall a load of several.
template <class N, class Size, class Body>
[[gnu::always_inline]] inline void in_registers(N* values, Size n, const Body& body) noexcept {
  if constexpr (std::is_same_v<Size, std::size_t>) {
    body(values);
  } else {
    N copy[Size::value];
    for (std::size_t i = 0; i < n; ++i) copy[i] = values[i];
    body(copy);
    for (std::size_t i = 0; i < n; ++i) values[i] = copy[i];
  }
}

/// Factors an own block, n x n, row-major, in place: L below the diagonal, 1 / D on it, D L^T above it.
/// `given` is the original diagonal; a pivot not above `min` x its entry gives 0 for 1 / D.
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

/// Replaces a block B below the diagonal (rows x n) by B L^-T = L_below D, with L of the factored own block.
template <class N, class Rows, class Size>
void divide_below(N* block, Rows rows, const N* own, Size n) noexcept {
  for (std::size_t r = 0; r < rows; ++r, block += n) {
    in_registers(block, n, [&](N* row) {
      for (std::size_t j = 1; j < n; ++j) {
        N sum = row[j];
        for (std::size_t i = 0; i < j; ++i) sum -= row[i] * own[j * n + i];
        row[j] = sum;
      }
    });
  }
}

/// Copies a block L D to `scaled`, and replaces the block by L.
template <class N, class Rows, class Size>
void take_out_pivots(N* block, N* scaled, Rows rows, const N* own, Size n) noexcept {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t j = 0; j < n; ++j) {
      scaled[r * n + j] = block[r * n + j];
      block[r * n + j] = scaled[r * n + j] * own[j * n + j];
    }
  }
}

/// target (rows x columns) -= a b^T, with a (rows x n) and b (columns x n).
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

/// take_below() computes y -= block x, take_above() x -= block^T y.
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

/// go_down() computes x = L^-1 x, take_pivots() x = D^-1 x, go_up() x = L^-T x, with a factored own block.
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

/// x = (L D L^T)^-1 x, with one factored own block of `size` rows.
template <class N>
void solve_block(const N* own, std::size_t size, N* x) noexcept {
  for_size(size, [&](auto n) {
    in_registers(x, n, [&](N* values) {
      go_down(own, n, values);
      take_pivots(own, n, values);
      go_up(own, n, values);
    });
  });
}

/// Factors the blocks of nodes [first, end) in place, as BlockFactor::factor() does. `diagonal` (by row) and
/// `scaled` (one block of the largest size) are scratch. A Pattern has the functions of BlockPattern; offsets
/// count in N.
template <class Pattern, class N>
void factor_nodes(const Pattern& pattern, std::uint32_t first, std::uint32_t end, double min, N* blocks,
                  N* diagonal, N* scaled) noexcept {
  for (std::uint32_t node = first; node < end; ++node) {
    std::size_t const n = pattern.size(node);
    const N* const own = blocks + pattern.own(node);
    for (std::size_t r = 0; r < n; ++r) diagonal[pattern.first_row(node) + r] = own[r * n + r];
  }
  for (std::uint32_t node = first; node < end; ++node) {
    for_size(pattern.size(node), [&](auto n) {
      N* const own = blocks + pattern.own(node);
      factor_own(own, n, diagonal + pattern.first_row(node), min);
      std::uint32_t const count = pattern.upper_count(node);
      for (std::uint32_t k = 0; k < count; ++k) {
        for_rows(pattern.size(pattern.upper_node(node, k)), n,
                 [&](auto rows) { divide_below(blocks + pattern.below(node, k), rows, own, n); });
      }
      for (std::uint32_t k = 0; k < count; ++k) {
        std::uint32_t const upper = pattern.upper_node(node, k);
        N* const block = blocks + pattern.below(node, k);
        for_rows(pattern.size(upper), n, [&](auto rows) {
          take_out_pivots(block, scaled, rows, own, n);
          // Updates the own block of the k-th node, then the blocks of later ones. `block` holds L, the
          // others still hold L D.
          take_product(blocks + pattern.own(upper), block, rows, scaled, rows, n);
          for (std::uint32_t m = k + 1; m < count; ++m) {
            std::uint32_t const later = pattern.upper_node(node, m);
            take_product(blocks + pattern.between(upper, later), blocks + pattern.below(node, m),
                         std::size_t{pattern.size(later)}, block, rows, n);
          }
        });
      }
    });
  }
}

/// Solves nodes [first, end) with their factored blocks; `values` is indexed by first_row.
template <class Pattern, class N>
void solve_nodes(const Pattern& pattern, std::uint32_t first, std::uint32_t end, const N* blocks,
                 N* values) noexcept {
  for (std::uint32_t node = first; node < end; ++node) {
    for_size(pattern.size(node), [&](auto n) {
      in_registers(values + pattern.first_row(node), n, [&](N* x) {
        go_down(blocks + pattern.own(node), n, x);
        for (std::uint32_t k = 0; k < pattern.upper_count(node); ++k) {
          std::uint32_t const upper = pattern.upper_node(node, k);
          for_rows(pattern.size(upper), n, [&](auto rows) {
            take_below(blocks + pattern.below(node, k), rows, x, n, values + pattern.first_row(upper));
          });
        }
      });
    });
  }
  for (std::uint32_t node = end; node-- > first;) {
    for_size(pattern.size(node), [&](auto n) {
      const N* const own = blocks + pattern.own(node);
      in_registers(values + pattern.first_row(node), n, [&](N* x) {
        take_pivots(own, n, x);
        for (std::uint32_t k = 0; k < pattern.upper_count(node); ++k) {
          std::uint32_t const upper = pattern.upper_node(node, k);
          for_rows(pattern.size(upper), n, [&](auto rows) {
            take_above(blocks + pattern.below(node, k), rows, values + pattern.first_row(upper), n, x);
          });
        }
        go_up(own, n, x);
      });
    });
  }
}

}  // namespace
}  // namespace takt
