// Doubles<W> is W doubles side by side over the compilers' vector extension, for batched joint trees, inertia
// conditioning and gyroscopic terms in float mode. DoubleMask<W> is the result of a comparison. No operation
// is estimated or fused: every lane does the scalar arithmetic and gets its bits. All functions are in an
// unnamed namespace, because the code is compiled once per instruction set (vector_lanes.h).
#pragma once

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include <cstdint>

#include "takt/core/assert.h"

namespace takt {
namespace {  // NOLINT: internal linkage on purpose

template <int W>
struct DoubleVectors {
  typedef double V __attribute__((vector_size(W * 8), may_alias));
  typedef long long M __attribute__((vector_size(W * 8)));
  typedef float F __attribute__((vector_size(W * 4)));
};

/// Result of a comparison: a true lane has all bits set, a false lane none.
template <int W>
struct DoubleMask {
  typename DoubleVectors<W>::M m;
  friend DoubleMask operator|(const DoubleMask& a, const DoubleMask& b) { return {a.m | b.m}; }
  friend DoubleMask operator&(const DoubleMask& a, const DoubleMask& b) { return {a.m & b.m}; }
  friend DoubleMask operator!(const DoubleMask& a) { return {~a.m}; }
};

/// W doubles, which may alias an array of doubles. Kernels use W = 2, 4 and 8.
template <int W>
struct [[gnu::may_alias]] Doubles {
  static constexpr int kWidth = W;
  using V = typename DoubleVectors<W>::V;
  using Mask = DoubleMask<W>;
  V v{};

  Doubles() = default;
  explicit Doubles(double value) : v(V{} + value) {}
  explicit Doubles(V values) : v(values) {}
  double operator[](std::uint32_t lane) const {
    TAKT_VALIDATE(lane < W);
    return v[lane];
  }
  void set(std::uint32_t lane, double value) {
    TAKT_VALIDATE(lane < W);
    v[lane] = value;
  }

  friend Doubles operator+(const Doubles& a, const Doubles& b) { return Doubles(a.v + b.v); }
  friend Doubles operator-(const Doubles& a, const Doubles& b) { return Doubles(a.v - b.v); }
  friend Doubles operator-(const Doubles& a) { return Doubles(-a.v); }
  friend Doubles operator*(const Doubles& a, const Doubles& b) { return Doubles(a.v * b.v); }
  friend Doubles operator*(double a, const Doubles& b) { return Doubles(a * b.v); }
  friend Doubles operator/(const Doubles& a, const Doubles& b) { return Doubles(a.v / b.v); }
  Doubles& operator+=(const Doubles& b) { return *this = *this + b; }
  Doubles& operator-=(const Doubles& b) { return *this = *this - b; }
  Doubles& operator*=(const Doubles& b) { return *this = *this * b; }
  friend Mask operator>(const Doubles& a, const Doubles& b) { return {a.v > b.v}; }
  friend Mask operator<(const Doubles& a, const Doubles& b) { return {a.v < b.v}; }
  friend Mask operator<=(const Doubles& a, const Doubles& b) { return {a.v <= b.v}; }
  friend Mask operator!=(const Doubles& a, const Doubles& b) { return {a.v != b.v}; }
};

template <int W>
inline Doubles<W> select(const DoubleMask<W>& mask, const Doubles<W>& a, const Doubles<W>& b) {
  return Doubles<W>(mask.m ? a.v : b.v);
}
template <int W>
inline bool any(const DoubleMask<W>& mask) {
#if defined(__SSE2__)
  if constexpr (W == 2) return _mm_movemask_pd(reinterpret_cast<__m128d>(mask.m)) != 0;
#if defined(__AVX__)
  if constexpr (W == 4) return _mm256_movemask_pd(reinterpret_cast<__m256d>(mask.m)) != 0;
#endif
#if defined(__AVX512DQ__)
  if constexpr (W == 8) return _mm512_movepi64_mask(reinterpret_cast<__m512i>(mask.m)) != 0;
#endif
#endif
  long long found = 0;
  for (int i = 0; i < W; ++i) found |= mask.m[i];
  return found != 0;
}
template <int W>
inline Doubles<W> square_root(const Doubles<W>& of) {
#if defined(__SSE2__)
  if constexpr (W == 2)
    return Doubles<W>(reinterpret_cast<typename Doubles<W>::V>(_mm_sqrt_pd(reinterpret_cast<__m128d>(of.v))));
#if defined(__AVX__)
  if constexpr (W == 4)
    return Doubles<W>(
        reinterpret_cast<typename Doubles<W>::V>(_mm256_sqrt_pd(reinterpret_cast<__m256d>(of.v))));
#endif
#if defined(__AVX512F__)
  if constexpr (W == 8) {
    __m512d const v = reinterpret_cast<__m512d>(of.v);
    return Doubles<W>(reinterpret_cast<typename Doubles<W>::V>(_mm512_mask_sqrt_pd(v, 0xff, v)));
  }
#endif
#endif
  Doubles<W> root;
  for (int i = 0; i < W; ++i) root.v[i] = __builtin_sqrt(of.v[i]);
  return root;
}
/// Each lane rounded to binary32 and back.
template <int W>
inline Doubles<W> rounded(const Doubles<W>& of) {
  auto const narrow = __builtin_convertvector(of.v, typename DoubleVectors<W>::F);
  return Doubles<W>(__builtin_convertvector(narrow, typename Doubles<W>::V));
}
/// 1 / pivot, or 0 where the pivot is not above `min`.
template <int W>
inline Doubles<W> inverse_pivot(const Doubles<W>& pivot, const Doubles<W>& min) {
  return select(pivot > min, Doubles<W>(1.0) / pivot, Doubles<W>(0.0));
}
/// The nearest integer, ties away from zero, as the scalar function of joint_pose_steps.h. |value| must be
/// below 2^63.
template <int W>
inline Doubles<W> whole_of(const Doubles<W>& value) {
  using V = typename Doubles<W>::V;
  V const half = value.v < V{} ? V{} - 0.5 : V{} + 0.5;
  return Doubles<W>(
      __builtin_convertvector(__builtin_convertvector(value.v + half, typename DoubleVectors<W>::M), V));
}
// In the order of the scalar functions of takt/physics/vector.h.
template <int W>
inline Doubles<W> dot2(const Doubles<W>& a0, const Doubles<W>& b0, const Doubles<W>& a1,
                       const Doubles<W>& b1) {
  return a0 * b0 + a1 * b1;
}
template <int W>
inline Doubles<W> dot3(const Doubles<W>& a0, const Doubles<W>& b0, const Doubles<W>& a1, const Doubles<W>& b1,
                       const Doubles<W>& a2, const Doubles<W>& b2) {
  return a0 * b0 + a1 * b1 + a2 * b2;
}
template <int W>
inline Doubles<W> dot4(const Doubles<W>& a0, const Doubles<W>& b0, const Doubles<W>& a1, const Doubles<W>& b1,
                       const Doubles<W>& a2, const Doubles<W>& b2, const Doubles<W>& a3,
                       const Doubles<W>& b3) {
  return (a0 * b0 + a1 * b1) + (a2 * b2 + a3 * b3);
}

}  // namespace
}  // namespace takt
