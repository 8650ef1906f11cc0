// EightFixedMassLanes is EightFixedLanes (fixed_lanes_ifma.h) with the operations that prepare_contacts.h
// needs for effective masses. Scaled8 is eight Scaled numbers (mantissa and exponent) in AVX-512 lanes, in
// which inverse masses are summed. Inertia8 and Rotated8 are tensors and their products. Every operation
// rounds as the scalar operation of Scaled (fixed.h). Scaled8 has no division: sums are stored and inverted
// outside. Only contact_kernels_ifma.cpp includes this header. All functions are in an unnamed namespace,
// because the code is compiled once per instruction set (vector_lanes.h).
#pragma once

#include "physics/simd/fixed_lanes_ifma.h"

namespace takt {
namespace {  // NOLINT: internal linkage on purpose

inline constexpr int kMantissaBits = 62;

/// mantissa x 2^exponent, 62 bits and a sign. Zero is (0, 0).
struct Scaled8 {
  __m512i mantissa;
  __m512i exponent;
};

[[gnu::always_inline]] inline __m512i negated(__m512i value, __mmask8 lanes) {
  return _mm512_mask_sub_epi64(value, lanes, _mm512_setzero_si512(), value);
}
/// From a magnitude of 62 bits, or 2^62 after a carry, with its sign and exponent.
[[gnu::always_inline]] inline Scaled8 signed_of(__m512i magnitude, __mmask8 negative, __m512i exponent) {
  __mmask8 const carried = _mm512_cmpeq_epi64_mask(magnitude, all_lanes(1ll << kMantissaBits));
  magnitude = _mm512_mask_srli_epi64(magnitude, carried, magnitude, 1);
  exponent = _mm512_mask_add_epi64(exponent, carried, exponent, all_lanes(1));
  return {negated(magnitude, negative),
          _mm512_maskz_mov_epi64(_mm512_test_epi64_mask(magnitude, magnitude), exponent)};
}
[[gnu::always_inline]] inline __m512i bits_above(__m512i value) { return _mm512_lzcnt_epi64(value); }

/// (upper x 2^52 + lower) x 2^exponent, rounded to 62 bits, half to even. upper has 63 bits and a sign, lower
/// 52 bits.
[[gnu::always_inline]] inline Scaled8 normalised(__m512i upper, __m512i lower, __m512i exponent) {
  __m512i const one = all_lanes(1);
  __m512i const low = all_lanes(kLow52);
  __mmask8 const negative = _mm512_movepi64_mask(upper);
  __mmask8 const unpacked = _mm512_testn_epi64_mask(lower, lower);
  __m512i const flipped = _mm512_xor_si512(upper, all_lanes(-1));
  upper = _mm512_mask_mov_epi64(upper, negative, _mm512_mask_add_epi64(flipped, unpacked, flipped, one));
  lower = _mm512_and_si512(negated(lower, negative), low);

  // 62 bits from the top: all of upper and the high bits of lower; `down` bits of lower are rounded off.
  __m512i const down = _mm512_sub_epi64(all_lanes(54), bits_above(upper));
  __m512i const up = _mm512_sub_epi64(all_lanes(52), down);
  __m512i const shifted = _mm512_sllv_epi64(upper, up);
  __m512i const odd = _mm512_and_si512(_mm512_add_epi64(shifted, _mm512_srlv_epi64(lower, down)), one);
  __m512i const half = _mm512_sllv_epi64(one, _mm512_sub_epi64(down, one));
  __mmask8 const rounds = _mm512_cmpgt_epi64_mask(down, _mm512_setzero_si512());
  __m512i const carried =
      _mm512_mask_add_epi64(lower, rounds, lower, _mm512_sub_epi64(_mm512_add_epi64(half, odd), one));
  __m512i magnitude = _mm512_add_epi64(shifted, _mm512_srlv_epi64(carried, down));
  __m512i moved = down;
  // 63 bits in upper: one of them and all of lower are rounded off.
  __mmask8 const wide = _mm512_cmpeq_epi64_mask(down, all_lanes(53));
  if (wide != 0) magnitude = _mm512_mask_mov_epi64(magnitude, wide, rounded_above(upper, lower, one));
  // Fewer than 62 bits in all: shift up, no rounding.
  __mmask8 const few = _mm512_movepi64_mask(down);
  if (few != 0) {
    __m512i const all = _mm512_add_epi64(_mm512_slli_epi64(upper, 52), lower);
    __m512i const free = _mm512_sub_epi64(bits_above(all), all_lanes(2));
    magnitude = _mm512_mask_sllv_epi64(magnitude, few, all, free);
    moved = _mm512_mask_sub_epi64(moved, few, _mm512_setzero_si512(), free);
  }
  return signed_of(magnitude, negative, _mm512_add_epi64(exponent, moved));
}

/// From raw values below 2^62.
[[gnu::always_inline]] inline Scaled8 scaled_of(Word8 v) {
  __m512i const magnitude = _mm512_abs_epi64(v.raw);
  __m512i const free = _mm512_sub_epi64(bits_above(magnitude), all_lanes(2));
  return signed_of(_mm512_sllv_epi64(magnitude, free), _mm512_movepi64_mask(v.raw),
                   _mm512_sub_epi64(all_lanes(-32), free));
}

[[gnu::always_inline]] inline Scaled8 operator*(const Scaled8& a, const Scaled8& b) {
  __m512i const zero = _mm512_setzero_si512();
  __m512i const x = _mm512_abs_epi64(a.mantissa);
  __m512i const y = _mm512_abs_epi64(b.mantissa);
  __m512i const x_upper = _mm512_srli_epi64(x, 52);
  __m512i const y_upper = _mm512_srli_epi64(y, 52);
  // Three words of 52 bits; the highest has 20 bits.
  __m512i const lowest = _mm512_madd52lo_epu64(zero, x, y);
  __m512i middle =
      _mm512_madd52lo_epu64(_mm512_madd52lo_epu64(_mm512_madd52hi_epu64(zero, x, y), x_upper, y), x, y_upper);
  __m512i highest = _mm512_madd52lo_epu64(
      _mm512_madd52hi_epu64(_mm512_madd52hi_epu64(zero, x_upper, y), x, y_upper), x_upper, y_upper);
  highest = _mm512_add_epi64(highest, _mm512_srli_epi64(middle, 52));
  middle = _mm512_and_si512(middle, all_lanes(kLow52));
  // Two mantissas of 62 bits give 123 or 124: 9 or 10 of the middle word are rounded off.
  __m512i const max = _mm512_add_epi64(_mm512_slli_epi64(highest, 42), _mm512_srli_epi64(middle, 10));
  __mmask8 const longer = _mm512_cmpge_epi64_mask(max, all_lanes(1ll << (kMantissaBits - 1)));
  __m512i const down = _mm512_mask_mov_epi64(all_lanes(9), longer, all_lanes(10));
  __m512i const upper = _mm512_sllv_epi64(highest, _mm512_sub_epi64(all_lanes(52), down));
  __m512i const magnitude = _mm512_add_epi64(upper, rounded_above(middle, lowest, down));
  __mmask8 const negative = _mm512_movepi64_mask(_mm512_xor_si512(a.mantissa, b.mantissa));
  __m512i const exponent =
      _mm512_add_epi64(_mm512_add_epi64(a.exponent, b.exponent), _mm512_add_epi64(down, all_lanes(52)));
  return signed_of(magnitude, negative, exponent);
}

[[gnu::always_inline]] inline Scaled8 operator+(const Scaled8& a, const Scaled8& b) {
  __mmask8 const swapped = _mm512_cmplt_epi64_mask(a.exponent, b.exponent);
  Scaled8 const large{_mm512_mask_mov_epi64(a.mantissa, swapped, b.mantissa),
                      _mm512_mask_mov_epi64(a.exponent, swapped, b.exponent)};
  __m512i const small = _mm512_mask_mov_epi64(b.mantissa, swapped, a.mantissa);
  __m512i const between =
      _mm512_sub_epi64(large.exponent, _mm512_mask_mov_epi64(b.exponent, swapped, a.exponent));
  __m512i const upper = _mm512_add_epi64(large.mantissa, _mm512_srav_epi64(small, between));
  // Bits of the smaller one below the last place of the larger one. Bits past 52 are kept as one sticky bit.
  __m512i const below = _mm512_or_si512(_mm512_sllv_epi64(small, _mm512_sub_epi64(all_lanes(52), between)),
                                        _mm512_srlv_epi64(small, _mm512_sub_epi64(between, all_lanes(52))));
  __m512i const lost = _mm512_sllv_epi64(small, _mm512_sub_epi64(all_lanes(116), between));
  __m512i const kept = _mm512_and_si512(below, all_lanes(kLow52));
  __m512i const lower = _mm512_mask_or_epi64(kept, _mm512_test_epi64_mask(lost, lost), kept, all_lanes(1));
  Scaled8 const sum = normalised(upper, lower, _mm512_sub_epi64(large.exponent, all_lanes(52)));

  __mmask8 const no_a = _mm512_testn_epi64_mask(a.mantissa, a.mantissa);
  __mmask8 const no_b = _mm512_testn_epi64_mask(b.mantissa, b.mantissa);
  __mmask8 const far = _mm512_cmpgt_epi64_mask(between, all_lanes(63));
  auto const chosen = [&](__m512i of_sum, __m512i of_large, __m512i of_a, __m512i of_b) {
    __m512i const apart = _mm512_mask_mov_epi64(of_sum, far, of_large);
    return _mm512_mask_mov_epi64(_mm512_mask_mov_epi64(apart, no_b, of_a), no_a, of_b);
  };
  return {chosen(sum.mantissa, large.mantissa, a.mantissa, b.mantissa),
          chosen(sum.exponent, large.exponent, a.exponent, b.exponent)};
}

[[gnu::always_inline]] inline Scaled8 load_scaled(const Scaled (&from)[8]) {
  __m512i const first = _mm512_loadu_si512(from);
  __m512i const second = _mm512_loadu_si512(from + 4);
  __m512i const exponent =
      _mm512_permutex2var_epi64(first, _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15), second);
  return {_mm512_permutex2var_epi64(first, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), second),
          _mm512_srai_epi64(_mm512_slli_epi64(exponent, 32), 32)};
}
[[gnu::always_inline]] inline void store_scaled(Scaled (&to)[8], const Scaled8& v) {
  __m512i const exponent = _mm512_and_si512(v.exponent, all_lanes(0xffffffffll));
  _mm512_storeu_si512(
      to, _mm512_permutex2var_epi64(v.mantissa, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), exponent));
  _mm512_storeu_si512(
      to + 4, _mm512_permutex2var_epi64(v.mantissa, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), exponent));
}

/// An inverse inertia tensor with its mantissas split for products.
struct Inertia8 {
  CutMantissa mantissa[6];
  __m512i exponent;

  explicit Inertia8(const InertiaLanes<Fixed, 8>& from) : exponent(_mm512_loadu_si512(from.exponent)) {
    for (int i = 0; i < 6; ++i) mantissa[i] = cut_at<kInertiaCut>(_mm512_loadu_si512(from.mantissa[i]));
  }
  /// A row of the tensor x v, for v below 2^45.
  [[gnu::always_inline]] [[nodiscard]] Scaled8 row(int xx, int xy, int xz, const V3<Word8>& v) const {
    MantissaSum sum;
    sum.add(mantissa[xx], v.x.raw);
    sum.add(mantissa[xy], v.y.raw);
    sum.add(mantissa[xz], v.z.raw);
    __m512i const upper = _mm512_add_epi64(sum.upper, _mm512_srli_epi64(sum.lower, 52));
    return normalised(upper, _mm512_and_si512(sum.lower, all_lanes(kLow52)),
                      _mm512_add_epi64(exponent, all_lanes(kInertiaCut - 52 - 32)));
  }
};

/// A tensor x v, for v below 2^45.
struct Rotated8 {
  Scaled8 x, y, z;
};
[[gnu::noinline]] inline void rotate_eight(const Inertia8& a, const V3<Word8>& v, Rotated8& out) {
  out = {a.row(0, 3, 4, v), a.row(3, 1, 5, v), a.row(4, 5, 2, v)};
}
/// u . (A v) as bilinear() of mass.h; u below 2^62.
[[gnu::noinline]] inline Scaled8 dot_eight(const V3<Word8>& u, const Rotated8& rotated) {
  return scaled_of(u.x) * rotated.x + scaled_of(u.y) * rotated.y + scaled_of(u.z) * rotated.z;
}

/// The length of a vector of values below 2^47, as fixed_length3: the integer nearest to the root.
[[gnu::always_inline]] inline Word8 length_eight(const V3<Word8>& v) {
  auto const square = [](Word8 x) {
    __m512d const wide = _mm512_cvtepi64_pd(x.raw);
    return _mm512_mul_pd(wide, wide);
  };
  auto const low_square = [](__m512i x) { return _mm512_mullo_epi64(x, x); };
  __m512d const sum = _mm512_add_pd(_mm512_add_pd(square(v.x), square(v.y)), square(v.z));
  __m512i const guess =
      _mm512_cvttpd_epi64(_mm512_add_pd(_mm512_mask_sqrt_pd(sum, 0xff, sum), _mm512_set1_pd(0.5)));
  // The guess is off by at most one. The remainder fits 64 bits although the squares do not.
  __m512i const squares =
      _mm512_add_epi64(_mm512_add_epi64(low_square(v.x.raw), low_square(v.y.raw)), low_square(v.z.raw));
  __m512i const rest = _mm512_sub_epi64(squares, low_square(guess));
  __m512i const more =
      _mm512_mask_add_epi64(guess, _mm512_cmpgt_epi64_mask(rest, guess), guess, all_lanes(1));
  __m512i const min = _mm512_sub_epi64(_mm512_setzero_si512(), guess);
  __mmask8 const less =
      static_cast<__mmask8>(_mm512_cmple_epi64_mask(rest, min) & _mm512_test_epi64_mask(guess, guess));
  return {_mm512_mask_sub_epi64(more, less, more, all_lanes(1))};
}

/// a / b, half to even, for |a| <= 1 + 2^-12 and b from 0.5 to 2.
[[gnu::always_inline]] inline Word8 divided_eight(Word8 a, Word8 b) {
  __m512i const magnitude = _mm512_abs_epi64(a.raw);
  __m512d const ratio = _mm512_div_pd(_mm512_cvtepi64_pd(magnitude), _mm512_cvtepi64_pd(b.raw));
  __m512i const guess = _mm512_cvttpd_epi64(_mm512_mul_pd(ratio, _mm512_set1_pd(0x1p32)));
  // The guess is the floor or a neighbour: the remainder decides which, and how to round.
  __m512i const rest = _mm512_sub_epi64(_mm512_slli_epi64(magnitude, 32), _mm512_mullo_epi64(guess, b.raw));
  __mmask8 const above = _mm512_movepi64_mask(rest);
  __mmask8 const below = _mm512_cmpge_epi64_mask(rest, b.raw);
  __m512i floor = _mm512_mask_sub_epi64(guess, above, guess, all_lanes(1));
  floor = _mm512_mask_add_epi64(floor, below, floor, all_lanes(1));
  __m512i left = _mm512_mask_add_epi64(rest, above, rest, b.raw);
  left = _mm512_mask_sub_epi64(left, below, left, b.raw);
  __m512i const twice = _mm512_add_epi64(left, left);
  __mmask8 const more = _mm512_cmpgt_epi64_mask(twice, b.raw);
  __mmask8 const tie = static_cast<__mmask8>(_mm512_cmpeq_epi64_mask(twice, b.raw) &
                                             _mm512_test_epi64_mask(floor, all_lanes(1)));
  __m512i const rounded =
      _mm512_mask_add_epi64(floor, static_cast<__mmask8>(more | tie), floor, all_lanes(1));
  return {negated(rounded, _mm512_movepi64_mask(a.raw))};
}

/// EightFixedLanes with the operations of prepare_contacts.h. Divisions of Scaled have no lanes: the stores
/// of inverses store the sums, for invert_masses() of contact_blocks.h.
struct EightFixedMassLanes : EightFixedLanes {
  using SumV = Scaled8;
  using RotatedV = Rotated8;
  [[gnu::always_inline]] static V length(const V3<V>& v) { return length_eight(v); }
  [[gnu::always_inline]] static V divide(V a, V b) { return divided_eight(a, b); }
  [[gnu::always_inline]] static SumV load_sum(const Scaled (&from)[8]) { return load_scaled(from); }
  [[gnu::always_inline]] static Inertia8 tensor(const InertiaLanes<Fixed, 8>& from) { return Inertia8(from); }
  [[gnu::always_inline]] static RotatedV rotate(const Inertia8& tensor, const V3<V>& v) {
    RotatedV rotated;
    rotate_eight(tensor, v, rotated);
    return rotated;
  }
  [[gnu::always_inline]] static SumV dot_sum(const V3<V>& u, const RotatedV& v) { return dot_eight(u, v); }
  [[gnu::always_inline]] static void store_inverse(Scaled (&to)[8], __mmask8 where, const SumV& k) {
    store_scaled(to, {_mm512_maskz_mov_epi64(where, k.mantissa), _mm512_maskz_mov_epi64(where, k.exponent)});
  }
  [[gnu::always_inline]] static void store_inverse2(Scaled (&to)[3][8], const SumV& k11, const SumV& k12,
                                                    const SumV& k22) {
    store_scaled(to[0], k11);
    store_scaled(to[1], k12);
    store_scaled(to[2], k22);
  }
};

}  // namespace
}  // namespace takt
