#include "physics/constraints/motion_locks.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

// Indices of a symmetric matrix's entries in xx, yy, zz, xy, xz, yz.
constexpr std::size_t kAxisIndex[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
constexpr std::uint8_t kAngular[3] = {kLockAngularX, kLockAngularY, kLockAngularZ};

/// Removes axis k: A - A_k A_k^T / A_kk, the Schur complement, is the inverse of A^-1 without row and column
/// k.
template <class Entries, class Divide>
void take_out(Entries& a, std::size_t k, Divide divide) {
  auto const pivot = a[kAxisIndex[k][k]];
  Entries const before = a;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = i; j < 3; ++j) {
      if (i == k || j == k || !(pivot > 0)) continue;
      a[kAxisIndex[i][j]] =
          before[kAxisIndex[i][j]] - divide(before[kAxisIndex[i][k]], before[kAxisIndex[j][k]], pivot);
    }
  }
  for (std::size_t i = 0; i < 3; ++i) a[kAxisIndex[i][k]] = 0;
  TAKT_VALIDATE(a[k] == 0);  // the diagonal comes first
}

}  // namespace

FloatSymMat with_locks(FloatSymMat inverse, std::uint8_t locked) noexcept {
  for (std::size_t k = 0; k < 3; ++k) {
    if ((locked & kAngular[k]) != 0)
      take_out(inverse.m, k, [](float a, float b, float pivot) { return a * b / pivot; });
  }
  return inverse;
}

FixedSymMat with_locks(FixedSymMat inverse, std::uint8_t locked) noexcept {
  for (std::size_t k = 0; k < 3; ++k) {
    if ((locked & kAngular[k]) == 0) continue;
    take_out(inverse.mantissa, k, [](std::int64_t a, std::int64_t b, std::int64_t pivot) {
      return detail::divide_product(a, b, pivot);
    });
  }
  return inverse;
}

}  // namespace takt
