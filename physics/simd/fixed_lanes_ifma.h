// EightFixedLanes is the contact kernels' lane type for eight Fixed numbers, by AVX-512 and its 52-bit
// integer products (IFMA). Only contact_kernels_ifma.cpp uses it, through scaled_lanes_ifma.h. All functions
// are in an unnamed namespace (vector_lanes.h). No inline function of Fixed or Scaled is called, because
// those have external linkage.
//
// Values are int64 in Q31.32. Sums are not checked for overflow, and products use 52 bits of each factor. The
// result has the bits of Fixed as long as nothing saturates and every factor is small:
//   * constants of the block are within the bounds of fixed_lanes_ifma_bounds.h (ContactBlock::is_small);
//   * Watch checks every computed factor against 2^45, before anything but lanes uses it;
//   * factors without a check are sums and unit multiples of checked values, and stay below 2^48.
// The largest products are a gap x the substep rate and an anchor offset x its rate, both below 2^61. A mass
// x a value is below 2^62 above its split. So no sum reaches 2^63. A block whose Watch is out of range is
// left as it was and solved lane by lane (fixed_lane_fallback.h), which also counts the overflows.
#pragma once

#include <immintrin.h>
#include <cstdint>

#include "physics/simd/fixed_lanes_ifma_bounds.h"
#include "physics/simd/inertia_lanes.h"
#include "physics/simd/vector_lanes.h"
#include "takt/core/assert.h"

namespace takt {

namespace {  // NOLINT: internal linkage on purpose

struct Word8 {
  __m512i raw;
};
[[gnu::always_inline]] inline Word8 operator+(Word8 a, Word8 b) { return {_mm512_add_epi64(a.raw, b.raw)}; }
[[gnu::always_inline]] inline Word8 operator-(Word8 a, Word8 b) { return {_mm512_sub_epi64(a.raw, b.raw)}; }

[[gnu::always_inline]] inline __m512i all_lanes(long long value) { return _mm512_set1_epi64(value); }
inline constexpr long long kLow52 = (1ll << 52) - 1;

/// An exact sum of products of signed numbers below 2^51: high x 2^52 + low; high modulo 2^64, low below 2^52
/// x the number of products.
struct ProductSum {
  __m512i low = _mm512_setzero_si512();
  __m512i high = _mm512_setzero_si512();
  __m512i excess =
      _mm512_setzero_si512();  ///< to subtract from high: IFMA reads a negative factor as 2^52 more

  [[gnu::always_inline]] void add(Word8 a, Word8 b) {
    low = _mm512_madd52lo_epu64(low, a.raw, b.raw);
    high = _mm512_madd52hi_epu64(high, a.raw, b.raw);
    excess = _mm512_mask_add_epi64(excess, _mm512_movepi64_mask(a.raw), excess, b.raw);
    excess = _mm512_mask_add_epi64(excess, _mm512_movepi64_mask(b.raw), excess, a.raw);
  }
  /// The sum in Q31.32, rounded half to even.
  [[gnu::always_inline]] [[nodiscard]] Word8 rounded() const {
    __m512i const odd = _mm512_and_si512(_mm512_srli_epi64(low, 32), all_lanes(1));
    __m512i const carried = _mm512_add_epi64(_mm512_add_epi64(low, all_lanes(0x7fffffff)), odd);
    return {_mm512_add_epi64(_mm512_slli_epi64(_mm512_sub_epi64(high, excess), 20),
                             _mm512_srli_epi64(carried, 32))};
  }
};
[[gnu::always_inline]] inline Word8 operator*(Word8 a, Word8 b) {
  ProductSum sum;
  sum.add(a, b);
  return sum.rounded();
}

/// A mantissa split in two: upper x 2^cut + lower / 2^(52 - cut); lower has 52 bits and no sign.
struct CutMantissa {
  __m512i upper;
  __m512i lower;
};
template <int Cut>
[[gnu::always_inline]] inline CutMantissa cut_at(__m512i mantissa) {
  return {_mm512_srai_epi64(mantissa, Cut),
          _mm512_and_si512(_mm512_slli_epi64(mantissa, 52 - Cut), all_lanes(kLow52))};
}

/// An exact sum of mantissa x number: upper x 2^cut + lower / 2^(52 - cut).
struct MantissaSum {
  __m512i upper = _mm512_setzero_si512();
  __m512i lower = _mm512_setzero_si512();

  [[gnu::always_inline]] void add(const CutMantissa& m, __m512i v) {
    lower = _mm512_madd52lo_epu64(lower, m.lower, v);
    __m512i const high = _mm512_madd52hi_epu64(_mm512_mullo_epi64(m.upper, v), m.lower, v);
    upper = _mm512_add_epi64(upper, _mm512_mask_sub_epi64(high, _mm512_movepi64_mask(v), high, m.lower));
  }
};

/// Right shift of a product, counted from the split: above 0 the whole lower part is rounded off.
struct ShiftLanes {
  __m512i beyond;
  __mmask8 within;  ///< lanes with beyond <= 0

  ShiftLanes() = default;
  [[gnu::always_inline]] explicit ShiftLanes(__m512i bits)
      : beyond(bits), within(_mm512_cmple_epi64_mask(bits, _mm512_setzero_si512())) {}
};

/// Rounds half to even where the unit of the result is above the split: adds half a unit less one bit, and
/// that bit too when the floor is odd or the lower part is not zero.
[[gnu::always_inline]] inline __m512i rounded_above(__m512i upper, __m512i lower, __m512i beyond) {
  __m512i const half = _mm512_sllv_epi64(all_lanes(1), _mm512_sub_epi64(beyond, all_lanes(1)));
  __mmask8 const even = _mm512_testn_epi64_mask(_mm512_srav_epi64(upper, beyond), all_lanes(1));
  __mmask8 const at_or_below_half = static_cast<__mmask8>(even & _mm512_testn_epi64_mask(lower, lower));
  __m512i const sum = _mm512_add_epi64(upper, half);
  return _mm512_srav_epi64(_mm512_mask_sub_epi64(sum, at_or_below_half, sum, all_lanes(1)), beyond);
}

/// Rounds half to even where the unit is below the split. Results of 2^58 or more become 2^62, which no sum
/// can hide from Watch.
template <int Cut>
[[gnu::noinline]] __m512i rounded_below(__m512i upper, __m512i lower, __m512i beyond) {
  __m512i const up = _mm512_sub_epi64(_mm512_setzero_si512(), beyond);  // 0 to cut - 1
  __m512i const down = _mm512_add_epi64(beyond, all_lanes(52));         // of lower: 52 - up
  __m512i const floor = _mm512_add_epi64(_mm512_sllv_epi64(upper, up), _mm512_srlv_epi64(lower, down));
  __m512i const half = _mm512_sllv_epi64(all_lanes(1), _mm512_sub_epi64(down, all_lanes(1)));
  __m512i const odd = _mm512_and_si512(floor, all_lanes(1));
  __m512i const carried =
      _mm512_add_epi64(_mm512_add_epi64(lower, _mm512_sub_epi64(half, all_lanes(1))), odd);
  __m512i const result = _mm512_add_epi64(_mm512_sllv_epi64(upper, up), _mm512_srlv_epi64(carried, down));
  __m512i const rest = _mm512_srav_epi64(upper, _mm512_sub_epi64(all_lanes(58), up));
  __mmask8 const large =
      _mm512_test_epi64_mask(_mm512_xor_si512(rest, _mm512_srai_epi64(upper, 63)), all_lanes(-1));
  return _mm512_mask_mov_epi64(result, large, all_lanes(1ll << 62));
}

template <int Cut>
[[gnu::always_inline]] inline Word8 rounded(__m512i upper, __m512i lower, const ShiftLanes& shift) {
  __m512i const above = rounded_above(upper, lower, shift.beyond);
  if (shift.within == 0) [[likely]]
    return {above};
  return {_mm512_mask_mov_epi64(above, shift.within, rounded_below<Cut>(upper, lower, shift.beyond))};
}

struct EightFixedLanes {
  static constexpr int kWidth = 8;
  using Real = Fixed;
  using V = Word8;
  struct MassV {
    CutMantissa mantissa;
    ShiftLanes shift;
  };
  struct InertiaV {
    CutMantissa mantissa[6];
    ShiftLanes shift;
  };

  /// Range check: whether all checked values are below 2^45 in magnitude.
  class Watch {
   public:
    template <class... Values>
    [[gnu::always_inline]] void check(const Values&... values) {
      (note(values), ...);
    }
    /// Checks that n is a unit vector in the lanes of `used`. Its largest component is then above 1/2.
    [[gnu::always_inline]] void check_unit(const V3<V>& n, __mmask8 used) {
      __m512i const largest = _mm512_max_epi64(
          _mm512_max_epi64(_mm512_abs_epi64(n.x.raw), _mm512_abs_epi64(n.y.raw)), _mm512_abs_epi64(n.z.raw));
      auto const is_unit = static_cast<__mmask8>(_mm512_cmple_epi64_mask(largest, all_lanes(kMaxUnit)) &
                                                 _mm512_cmpgt_epi64_mask(largest, all_lanes(1ll << 31)));
      bits_ = _mm512_mask_mov_epi64(bits_, static_cast<__mmask8>(used & ~is_unit), all_lanes(-1));
    }
    [[gnu::always_inline]] [[nodiscard]] bool in_range() const {
      return _mm512_test_epi64_mask(bits_, all_lanes(~kMaxFactor)) == 0;
    }

   private:
    [[gnu::always_inline]] void note(Word8 v) {
      constexpr int kOrXor = 0xf6;  // first | (second ^ third)
      bits_ = _mm512_ternarylogic_epi64(bits_, v.raw, _mm512_srai_epi64(v.raw, 63), kOrXor);
    }
    [[gnu::always_inline]] void note(const V3<V>& v) { check(v.x, v.y, v.z); }
    [[gnu::always_inline]] void note(const Motion<V>& motion) { check(motion.linear, motion.angular); }
    __m512i bits_ = _mm512_setzero_si512();
  };

  [[gnu::always_inline]] static V load(const Fixed (&from)[8]) { return {_mm512_loadu_si512(from)}; }
  [[gnu::always_inline]] static void store(Fixed (&to)[8], V v) { _mm512_storeu_si512(to, v.raw); }
  [[gnu::always_inline]] static V set(int value) {
    return {all_lanes(static_cast<long long>(value) * (1ll << 32))};
  }
  [[gnu::always_inline]] static V set_real(const Fixed& value) {
    long long raw = 0;
    __builtin_memcpy(&raw, &value, sizeof raw);
    return {all_lanes(raw)};
  }
  static constexpr bool has_saturated() { return false; }
  /// The value of one lane.
  static double value_of(V v, int lane) {
    TAKT_VALIDATE(lane >= 0 && lane < kWidth);
    return static_cast<double>(v.raw[lane]) * 0x1p-32;
  }
  [[gnu::always_inline]] static MassV load_mass(const Scaled (&from)[8]) {
    // mantissa, exponent, mantissa, exponent ...
    static_assert(sizeof(Scaled) == 16);
    __m512i const first = _mm512_loadu_si512(from);
    __m512i const second = _mm512_loadu_si512(from + 4);
    __m512i const mantissa =
        _mm512_permutex2var_epi64(first, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), second);
    __m512i const exponent =
        _mm512_permutex2var_epi64(first, _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15), second);
    __m512i const beyond =
        _mm512_sub_epi64(all_lanes(-kMassCut), _mm512_srai_epi64(_mm512_slli_epi64(exponent, 32), 32));
    // Products are below 2^62 above the split: larger shifts round them to zero.
    auto const nothing = static_cast<__mmask8>(_mm512_cmpgt_epi64_mask(beyond, all_lanes(62)) |
                                               _mm512_testn_epi64_mask(mantissa, mantissa));
    TAKT_VALIDATE(static_cast<__mmask8>(~nothing & _mm512_cmple_epi64_mask(beyond, all_lanes(-kMassCut))) ==
                  0);
    return {cut_at<kMassCut>(_mm512_mask_mov_epi64(mantissa, nothing, _mm512_setzero_si512())),
            ShiftLanes(_mm512_mask_mov_epi64(beyond, nothing, all_lanes(1)))};
  }
  [[gnu::always_inline]] static InertiaV load_inertia(const InertiaLanes<Fixed, 8>& from) {
    __m512i const beyond = _mm512_sub_epi64(all_lanes(-kInertiaCut), _mm512_loadu_si512(from.exponent));
    __m512i any = _mm512_setzero_si512();
    for (auto const& mantissa : from.mantissa) any = _mm512_or_si512(any, _mm512_loadu_si512(mantissa));
    InertiaV inertia;  // not zeroed: this is the innermost loop
    __m512i const shift = _mm512_mask_mov_epi64(beyond, _mm512_testn_epi64_mask(any, any), all_lanes(1));
    TAKT_VALIDATE(_mm512_cmple_epi64_mask(shift, all_lanes(-kInertiaCut)) == 0);
    TAKT_VALIDATE(_mm512_cmpgt_epi64_mask(shift, all_lanes(-kInertiaCut - kMinInertiaExponent)) == 0);
    inertia.shift = ShiftLanes(shift);
    for (int i = 0; i < 6; ++i)
      inertia.mantissa[i] = cut_at<kInertiaCut>(_mm512_loadu_si512(from.mantissa[i]));
    return inertia;
  }
  [[gnu::always_inline]] static V multiply(const MassV& mass, V v) {
    MantissaSum sum;
    sum.add(mass.mantissa, v.raw);
    return rounded<kMassCut>(sum.upper, sum.lower, mass.shift);
  }
  [[gnu::always_inline]] static V multiply_row(const InertiaV& m, int xx, int xy, int xz, const V3<V>& v) {
    MantissaSum sum;
    sum.add(m.mantissa[xx], v.x.raw);
    sum.add(m.mantissa[xy], v.y.raw);
    sum.add(m.mantissa[xz], v.z.raw);
    __m512i const upper = _mm512_add_epi64(sum.upper, _mm512_srli_epi64(sum.lower, 52));
    return rounded<kInertiaCut>(upper, _mm512_and_si512(sum.lower, all_lanes(kLow52)), m.shift);
  }
  [[gnu::always_inline]] static V3<V> multiply_inertia(const InertiaV& m, const V3<V>& v) {
    return {multiply_row(m, 0, 3, 4, v), multiply_row(m, 3, 1, 5, v), multiply_row(m, 4, 5, 2, v)};
  }
  [[gnu::always_inline]] static V dot(V a0, V b0, V a1, V b1, V a2, V b2) {
    ProductSum sum;
    sum.add(a0, b0);
    sum.add(a1, b1);
    sum.add(a2, b2);
    return sum.rounded();
  }
  [[gnu::always_inline]] static V determinant(V a, V b, V c, V d) {
    ProductSum sum;
    sum.add(a, b);
    sum.add(set(0) - c, d);
    return sum.rounded();
  }
  [[gnu::always_inline]] static __mmask8 above(V a, V b) { return _mm512_cmpgt_epi64_mask(a.raw, b.raw); }
  [[gnu::always_inline]] static V select(__mmask8 mask, V a, V b) {
    return {_mm512_mask_mov_epi64(b.raw, mask, a.raw)};
  }
  [[gnu::always_inline]] static __mmask8 both(__mmask8 a, __mmask8 b) { return static_cast<__mmask8>(a & b); }
  static constexpr bool none(__mmask8) { return false; }
  [[gnu::always_inline]] static V maximum(V a, V b) { return {_mm512_max_epi64(a.raw, b.raw)}; }
  [[gnu::always_inline]] static V absolute(V v) { return {_mm512_abs_epi64(v.raw)}; }
  [[gnu::always_inline]] static V negate(V v) { return set(0) - v; }
  [[gnu::always_inline]] static V non_finite(V) { return set(0); }
  /// As FixedLanes: lanes that are surely inside the cone stay, the others are clamped one by one.
  [[gnu::always_inline]] static void clamp_to_cone(V& x, V& y, V limit) {
    __m512d const wide_x = _mm512_cvtepi64_pd(x.raw);
    __m512d const wide_y = _mm512_cvtepi64_pd(y.raw);
    __m512d const max = _mm512_cvtepi64_pd(limit.raw);
    __m512d const square = _mm512_add_pd(_mm512_mul_pd(wide_x, wide_x), _mm512_mul_pd(wide_y, wide_y));
    __m512d const bound = _mm512_mul_pd(_mm512_mul_pd(max, max), _mm512_set1_pd(1.0 - 0x1p-40));
    unsigned const unsure = static_cast<unsigned>(_mm512_cmp_pd_mask(square, bound, _CMP_NLE_UQ) |
                                                  _mm512_movepi64_mask(limit.raw));
    if (unsure != 0) clamp_each(x, y, limit, unsure);
  }
  [[gnu::noinline]] static void clamp_each(V& x, V& y, V limit, unsigned lanes) {
    TAKT_VALIDATE(lanes != 0 && lanes >> 8 == 0);
    std::int64_t xs[8];
    std::int64_t ys[8];
    std::int64_t limits[8];
    _mm512_storeu_si512(xs, x.raw);
    _mm512_storeu_si512(ys, y.raw);
    _mm512_storeu_si512(limits, limit.raw);
    for (unsigned left = lanes; left != 0; left &= left - 1) {
      auto const lane = static_cast<unsigned>(__builtin_ctz(left));
      clamp_to_cone_raw(xs[lane], ys[lane], limits[lane]);
    }
    x.raw = _mm512_loadu_si512(xs);
    y.raw = _mm512_loadu_si512(ys);
  }

  template <class Body>
  using Row = Fixed (Body::*)[4];
  // Four rows x y z w, twice, become lanes of x, of y and of z: two transposes of 4 x 4 side by side.
  template <class Body>
  [[gnu::always_inline]] static V3<V> gather(const Body* bodies, const std::uint32_t* index, Row<Body> row) {
    auto const rows = [&](unsigned lane) {
      __m512i const low = _mm512_castsi256_si512(
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bodies[index[lane]].*row)));
      return _mm512_inserti64x4(
          low, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bodies[index[lane + 4]].*row)), 1);
    };
    __m512i const a = rows(0);
    __m512i const b = rows(1);
    __m512i const c = rows(2);
    __m512i const d = rows(3);
    __m512i const xz_ab = _mm512_unpacklo_epi64(a, b);
    __m512i const xz_cd = _mm512_unpacklo_epi64(c, d);
    return {
        {_mm512_permutex2var_epi64(xz_ab, first_pairs(), xz_cd)},
        {_mm512_permutex2var_epi64(_mm512_unpackhi_epi64(a, b), first_pairs(), _mm512_unpackhi_epi64(c, d))},
        {_mm512_permutex2var_epi64(xz_ab, second_pairs(), xz_cd)}};
  }
  template <class Body>
  [[gnu::always_inline]] static void scatter(Body* bodies, const std::uint32_t* index, std::uint32_t writes,
                                             Row<Body> row, const V3<V>& v) {
    __m512i const zero = _mm512_setzero_si512();
    __m512i const xy_even = _mm512_unpacklo_epi64(v.x.raw, v.y.raw);
    __m512i const xy_odd = _mm512_unpackhi_epi64(v.x.raw, v.y.raw);
    __m512i const z_even = _mm512_unpacklo_epi64(v.z.raw, zero);
    __m512i const z_odd = _mm512_unpackhi_epi64(v.z.raw, zero);
    store_rows(bodies, index, writes, row, _mm512_permutex2var_epi64(xy_even, first_pairs(), z_even));
    store_rows(bodies, index + 1, writes >> 1u, row, _mm512_permutex2var_epi64(xy_odd, first_pairs(), z_odd));
    store_rows(bodies, index + 2, writes >> 2u, row,
               _mm512_permutex2var_epi64(xy_even, second_pairs(), z_even));
    store_rows(bodies, index + 3, writes >> 3u, row,
               _mm512_permutex2var_epi64(xy_odd, second_pairs(), z_odd));
  }

 private:
  [[gnu::always_inline]] static __m512i first_pairs() { return _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13); }
  [[gnu::always_inline]] static __m512i second_pairs() {
    return _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
  }
  /// Rows of lanes 0 and 4 of those that `index` begins with.
  template <class Body>
  [[gnu::always_inline]] static void store_rows(Body* bodies, const std::uint32_t* index,
                                                std::uint32_t writes, Row<Body> row, __m512i rows) {
    if ((writes & 1u) != 0)
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(bodies[index[0]].*row), _mm512_castsi512_si256(rows));
    if ((writes >> 4 & 1u) != 0)
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(bodies[index[4]].*row),
                          _mm512_extracti64x4_epi64(rows, 1));
  }
};

}  // namespace

}  // namespace takt
