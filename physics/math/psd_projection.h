// add_positive_part() projects a symmetric 3x3 matrix onto its positive semidefinite part and adds the result
// to another matrix. The function processes one matrix in binary64 or several in SIMD lanes (double_lanes.h),
// with one order of operations. Inertia conditioning uses add_positive_part() (geometric_stiffness.h).
// select(), any() and square_root() for doubles also serve other templates over doubles and lanes
// (joint_row_steps.h, gyroscope_steps.h). All functions are in an unnamed namespace, because the code is
// compiled once per instruction set (vector_lanes.h).
#pragma once

namespace takt {

namespace {  // NOLINT: internal linkage on purpose

inline double select(bool which, double a, double b) noexcept { return which ? a : b; }
inline bool any(bool which) noexcept { return which; }
inline double square_root(double of) noexcept { return __builtin_sqrt(of); }

/// Adds to `to` the part of `m` (order xx, yy, zz, xy, xz, yz) with positive eigenvalues. Returns a bool, or
/// a mask of lanes: true where an eigenvalue is positive. The method is Jacobi rotations with six iterations.
/// Each iteration doubles the number of correct digits, about three at first.
template <class N>
auto add_positive_part(N (&to)[6], const N (&m)[6]) noexcept {
  constexpr int kIterations = 6;
  N const zero = N(0.0);
  N const one = N(1.0);
  N a[3][3] = {{m[0], m[3], m[4]}, {m[3], m[1], m[5]}, {m[4], m[5], m[2]}};
  N axes[3][3] = {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}};  // columns
  constexpr int kPairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
  for (int i = 0; i < kIterations; ++i) {
    for (const int(&pair)[2] : kPairs) {
      int const p = pair[0];
      int const q = pair[1];
      auto const turns = a[p][q] != zero;
      if (!any(turns)) continue;
      N const half = N(0.5) * (a[q][q] - a[p][p]) / a[p][q];
      N const size = select(half < zero, -half, half) + square_root(half * half + one);
      N const tangent = select(half < zero, N(-1.0), one) / size;
      N const cosine = one / square_root(tangent * tangent + one);
      N const sine = tangent * cosine;
      auto const turn = [&](N& of_p, N& of_q) {
        N const was_p = of_p;
        N const was_q = of_q;
        of_p = select(turns, cosine * was_p - sine * was_q, was_p);
        of_q = select(turns, sine * was_p + cosine * was_q, was_q);
      };
      for (int k = 0; k < 3; ++k) turn(a[k][p], a[k][q]);
      for (int k = 0; k < 3; ++k) turn(a[p][k], a[q][k]);
      for (auto& row : axes) turn(row[p], row[q]);
    }
  }
  for (int i = 0; i < 3; ++i) {
    N const& weight = a[i][i];
    auto const counts = weight > zero;
    N const& x = axes[0][i];
    N const& y = axes[1][i];
    N const& z = axes[2][i];
    N const outer[6] = {weight * x * x, weight * y * y, weight * z * z,
                        weight * x * y, weight * x * z, weight * y * z};
    for (int k = 0; k < 6; ++k) to[k] = select(counts, to[k] + outer[k], to[k]);
  }
  return (a[0][0] > zero) | (a[1][1] > zero) | (a[2][2] > zero);
}

}  // namespace
}  // namespace takt
