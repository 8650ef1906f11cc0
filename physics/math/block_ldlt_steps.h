// factor_nodes() and solve_nodes() are the loops of the block L D L^T factorisation (block_ldlt.h).
// factor_block() and solve_block() serve one block. All four serve one matrix in binary64 (block_ldlt.cpp)
// and several matrices in SIMD lanes (tree_matrix_kernels.h), with one order of operations. N is a double or
// a vector of doubles with inverse_pivot(N, N). All functions are in an unnamed namespace, because the code
// is compiled once per instruction set (vector_lanes.h).
//
// A row is redundant where its pivot is not above the pivot's rounding error. Computed L and D are the exact
// factors of A + E, |E_ij| <= (n + 10) u s_i s_j, with n rows, unit roundoff u and s_i^2 = A_ii (Higham,
// Accuracy and Stability of Numerical Algorithms, 2nd ed. 2002, theorem 10.5; kEntryRoundings has the 10).
// To first order E changes pivot i by w^T E w, w being row i of L^-1 (lemma 10.10). So the error is at most
// (n + 10) u (sum |w_k| s_k)^2. An impulse v / d along w changes the kinetic energy by
// v^2 (d_exact - 2 d) / (2 d^2). That is not positive while d_exact <= 2 d, which holds for a pivot d above
// its error: such a row cannot add energy. A recurrence over |L| or L^2 in place of w ignores that paths
// cancel. It overestimates the error by a factor that grows exponentially along a chain. The bound holds in
// both modes, because both factor in binary64. It takes J and M^-1 as exact: impulses act through the same
// ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "physics/math/psd_projection.h"

namespace takt {
namespace {  // NOLINT: internal linkage on purpose

/// Unit roundoff of binary64, the numbers of the factor in both modes.
inline constexpr double kUnitRoundoff = 0x1p-53;
/// Rounding errors in an entry of J M^-1 J^T: 3 for M^-1 J, 3 for a dot product, 3 for the sum of two bodies'
/// linear and angular parts and the compliance, 1 for the inverse mass.
inline constexpr double kEntryRoundings = 10.0;

/// Scratch of the factor, one number per row.
template <class N>
struct PivotScratch {
  N* scale = nullptr;     ///< s: root of the original diagonal
  N* probe = nullptr;     ///< y of L y = +-s, of which factor_own() chooses the signs
  N* response = nullptr;  ///< w of pivot_error_bound()

  [[nodiscard]] PivotScratch at(std::size_t row) const noexcept {
    return {scale + row, probe + row, response + row};
  }
};

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

/// Prepares the scratch of the n rows of an own block.
template <class N, class Size>
void begin_pivots(const N* own, Size n, const PivotScratch<N>& rows) noexcept {
  for (std::size_t r = 0; r < n; ++r) {
    N const given = own[r * n + r];
    rows.scale[r] = square_root(select(given > N(0.0), given, N(0.0)));
    rows.probe[r] = N(0.0);
  }
}

/// Factors an own block, n x n, row-major, in place: L below the diagonal, 1 / D on it, D L^T above it.
/// begin_pivots() and, for each earlier node, take_out_pivots() have prepared `rows`. A row gets 0 for 1 / D
/// where its pivot is not above `min` x its original diagonal and error_bound(row). That bound is computed
/// only for a pivot that is not above `min` x the probe's square: the probe estimates sum |w| s, and never
/// exceeds it (Cline, Moler, Stewart and Wilkinson 1979).
template <class N, class Size, class ErrorBound>
void factor_own(N* own, Size n, const PivotScratch<N>& rows, double min,
                const ErrorBound& error_bound) noexcept {
  for (std::size_t i = 0; i < n; ++i) {
    N probe = rows.probe[i];
    for (std::size_t j = 0; j < i; ++j) {
      N sum = own[i * n + j];
      for (std::size_t k = 0; k < j; ++k)
        sum -= own[i * n + k] * own[k * n + j];  // above the diagonal: D L^T
      own[j * n + i] = sum;
      N const l = sum * own[j * n + j];
      own[i * n + j] = l;
      probe -= l * rows.probe[j];
    }
    N const scale = rows.scale[i];
    probe += select(probe < N(0.0), -scale, scale);
    rows.probe[i] = probe;
    N pivot = own[i * n + i];
    for (std::size_t k = 0; k < i; ++k) pivot -= own[i * n + k] * own[k * n + i];
    N needed = min * (probe * probe);
    auto const is_sound = pivot > needed;
    if (any(!is_sound)) {
      N bound = min * (scale * scale);
      if (any((pivot > bound) & !is_sound)) {
        N const error = error_bound(i);
        bound = select(error > bound, error, bound);
      }
      needed = select(is_sound, needed, bound);
    }
    own[i * n + i] = inverse_pivot(pivot, needed);
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

/// Copies a block L D to `scaled`, and replaces the block by L. Adds the part of its columns to the probes of
/// its rows.
template <class N, class Rows, class Size>
void take_out_pivots(N* block, N* scaled, Rows rows, const N* own, Size n, const N* probe,
                     N* upper_probe) noexcept {
  for (std::size_t r = 0; r < rows; ++r) {
    N sum = upper_probe[r];
    for (std::size_t j = 0; j < n; ++j) {
      scaled[r * n + j] = block[r * n + j];
      N const l = scaled[r * n + j] * own[j * n + j];
      block[r * n + j] = l;
      sum -= l * probe[j];
    }
    upper_probe[r] = sum;
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

/// w of one row within its own block: w_row = 1, and L^T w = 0 in the rows before it.
template <class N>
void respond_own(const N* own, std::size_t n, std::size_t row, N* w) noexcept {
  w[row] = N(1.0);
  for (std::size_t r = row; r-- > 0;) {
    N sum = N(0.0);
    for (std::size_t m = r + 1; m <= row; ++m) sum -= own[m * n + r] * w[m];
    w[r] = sum;
  }
}

/// (count + kEntryRoundings) u (sum |w| s)^2 over `count` rows, the last of which has the pivot.
template <class N>
[[nodiscard]] N error_of(const N* w, const N* scale, std::size_t count) noexcept {
  N sum = N(0.0);
  for (std::size_t r = 0; r < count; ++r) sum += select(w[r] < N(0.0), -w[r], w[r]) * scale[r];
  return (static_cast<double>(count) + kEntryRoundings) * kUnitRoundoff * (sum * sum);
}

/// Bound of the rounding error of the pivot of row `row` of `node`, from the factors of the nodes from
/// `first` on. It costs a solve, and few pivots need it.
template <class Pattern, class N>
[[nodiscard, gnu::noinline]] N pivot_error_bound(const Pattern& pattern, std::uint32_t first,
                                                 std::uint32_t node, std::size_t row, const N* blocks,
                                                 const PivotScratch<N>& rows) noexcept {
  N* const response = rows.response;
  respond_own(blocks + pattern.own(node), pattern.size(node), row, response + pattern.first_row(node));
  for (std::uint32_t earlier = node; earlier-- > first;) {
    std::size_t const n = pattern.size(earlier);
    N* const w = response + pattern.first_row(earlier);
    for (std::size_t r = 0; r < n; ++r) w[r] = N(0.0);
    for (std::uint32_t k = 0; k < pattern.upper_count(earlier); ++k) {
      std::uint32_t const upper = pattern.upper_node(earlier, k);
      if (upper > node) continue;
      std::size_t const count = upper < node ? std::size_t{pattern.size(upper)} : row + 1;
      take_above(blocks + pattern.below(earlier, k), count, response + pattern.first_row(upper), n, w);
    }
    go_up(blocks + pattern.own(earlier), n, w);
  }
  std::size_t const first_row = pattern.first_row(first);
  return error_of(response + first_row, rows.scale + first_row,
                  pattern.first_row(node) + row + 1 - first_row);
}

/// Factors one block as if its node coupled with no other.
template <class N>
void factor_block(N* own, std::size_t size, const PivotScratch<N>& rows, double min) noexcept {
  for_size(size, [&](auto n) {
    begin_pivots(own, n, rows);
    factor_own(own, n, rows, min, [&](std::size_t row) {
      respond_own(own, size, row, rows.response);
      return error_of(rows.response, rows.scale, row + 1);
    });
  });
}

/// Factors the blocks of nodes [first, end) in place, as BlockFactor::factor() does. `rows` (by row) and
/// `scaled` (one block of the largest size) are scratch. A Pattern has the functions of BlockPattern; offsets
/// count in N.
template <class Pattern, class N>
void factor_nodes(const Pattern& pattern, std::uint32_t first, std::uint32_t end, double min, N* blocks,
                  const PivotScratch<N>& rows, N* scaled) noexcept {
  for (std::uint32_t node = first; node < end; ++node)
    begin_pivots(blocks + pattern.own(node), std::size_t{pattern.size(node)},
                 rows.at(pattern.first_row(node)));
  for (std::uint32_t node = first; node < end; ++node) {
    for_size(pattern.size(node), [&](auto n) {
      N* const own = blocks + pattern.own(node);
      PivotScratch<N> const own_rows = rows.at(pattern.first_row(node));
      factor_own(own, n, own_rows, min,
                 [&](std::size_t row) { return pivot_error_bound(pattern, first, node, row, blocks, rows); });
      std::uint32_t const count = pattern.upper_count(node);
      for (std::uint32_t k = 0; k < count; ++k) {
        for_rows(pattern.size(pattern.upper_node(node, k)), n,
                 [&](auto upper_rows) { divide_below(blocks + pattern.below(node, k), upper_rows, own, n); });
      }
      for (std::uint32_t k = 0; k < count; ++k) {
        std::uint32_t const upper = pattern.upper_node(node, k);
        N* const block = blocks + pattern.below(node, k);
        for_rows(pattern.size(upper), n, [&](auto upper_rows) {
          take_out_pivots(block, scaled, upper_rows, own, n, own_rows.probe,
                          rows.probe + pattern.first_row(upper));
          // Updates the own block of the k-th node, then the blocks of later ones. `block` holds L, the
          // others still hold L D.
          take_product(blocks + pattern.own(upper), block, upper_rows, scaled, upper_rows, n);
          for (std::uint32_t m = k + 1; m < count; ++m) {
            std::uint32_t const later = pattern.upper_node(node, m);
            take_product(blocks + pattern.between(upper, later), blocks + pattern.below(node, m),
                         std::size_t{pattern.size(later)}, block, upper_rows, n);
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
