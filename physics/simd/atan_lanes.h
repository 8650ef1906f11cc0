// angle_of() computes the angles of W points (y, x) in lanes of doubles, for batched joint trees. Each lane
// has the bits of the scalar angle_of() (atan_table.h), because integers decide every bit. SIMD code exists
// for eight lanes with AVX-512 DQ; otherwise, and where find_angles() cannot decide, the scalar function
// computes lane by lane. All functions are in an unnamed namespace, because the code is compiled once per
// instruction set (vector_lanes.h).
#pragma once

#include <iterator>

#include "physics/math/atan_table.h"
#include "physics/simd/double_lanes.h"

namespace takt {
namespace {  // NOLINT: internal linkage on purpose

template <int W>
struct AtanLanes {
  using V = typename DoubleVectors<W>::V;
  using M = typename DoubleVectors<W>::M;
  typedef unsigned long long U __attribute__((vector_size(W * 8)));

  /// A signed or unsigned number of 128 bits.
  struct Wide {
    U high;
    U low;
  };

  static V to_doubles(M of) { return __builtin_convertvector(of, V); }
  static M to_integers(V of) { return __builtin_convertvector(of, M); }
  static M select(M mask, M a, M b) { return mask ? a : b; }
  static M magnitude(M of) { return select(of < 0, -of, of); }

  /// The raw Fixed value of a double, rounded half to even as Fixed rounds. |value| is below 2^30.
  static M raw_of(V value) {
    V const scaled = value * 0x1p32;
    M const unpacked = to_integers(scaled);
    V const twice = (scaled - to_doubles(unpacked)) * 2.0;
    M const half = to_integers(twice);
    M const tie_to_even = (to_doubles(half) == twice) & ((unpacked & 1) == 0);
    return unpacked + (half & ~tie_to_even);
  }
  static Wide product(M a, M b) {
    U const low_a = U(a) & 0xffffffffu;
    U const low_b = U(b) & 0xffffffffu;
    U const high_a = U(a) >> 32;
    U const high_b = U(b) >> 32;
    U const low = low_a * low_b;
    U const first = low_a * high_b;
    U const second = high_a * low_b;
    U const middle = (low >> 32) + (first & 0xffffffffu) + (second & 0xffffffffu);
    return {high_a * high_b + (first >> 32) + (second >> 32) + (middle >> 32),
            (middle << 32) | (low & 0xffffffffu)};
  }
  /// a b in Q62, rounded towards minus infinity; b >= 0.
  static M multiply_q62(M a, M b) {
    Wide const wide = product(a, b);
    U const high = wide.high - (U(a < 0) & U(b));
    return M((high << 2) | (wide.low >> 62));
  }
  static M floor_of(V value) {
    M const cut = to_integers(value);
    return select(to_doubles(cut) > value, cut - 1, cut);
  }
  /// floor(num 2^62 / den), num <= den < 2^33: an estimate in doubles, then the exact remainder. The
  /// remainder is below 2^43, so rounding cannot carry its quotient across an integer.
  static M ratio_q62(M num, M den) {
    TAKT_VALIDATE(!any(DoubleMask<W>{(num < 0) | (num > den) | (den == 0)}));
    V const of = to_doubles(den);
    M const near = to_integers(to_doubles(num) / of * 0x1p62);
    M const remainder = M((U(num) << 62) - U(near) * U(den));
    return near + floor_of(to_doubles(remainder) / of);
  }
  /// quotient_q65(difference, 2^65 + q k) for 0 <= difference: an estimate in doubles, then the exact
  /// remainder. Clears `sure` where the quotient is too close to an integer for doubles to decide.
  static M quotient_q65(M difference, M q, M k, M& sure) {
    V const scale = to_doubles(k) * (to_doubles(q) * 0x1p-65) + 1.0;
    M const near = to_integers(to_doubles(difference) / scale);
    Wide const taken = product(near * k, q);
    U const high = U(difference - near) * 2u - taken.high - (U(taken.low != 0) & 1u);
    U const low = 0u - taken.low;
    V const remainder = (to_doubles(M(high)) * 0x1p64 + (to_doubles(M(low >> 1)) * 2.0)) * 0x1p-65 / scale;
    M const unpacked = floor_of(remainder);
    V const fraction = remainder - to_doubles(unpacked);
    M const exact = M((high | low) == 0);
    sure = exact | (k == 0) | ((fraction > 0x1p-30) & (fraction < 1.0 - 0x1p-30));
    return select(k == 0, difference, select(exact, near, near + unpacked));
  }
  /// atan(k / 8) in Q61, k = 0 to 8.
  static M eighths_of(M k) {
    TAKT_VALIDATE(!any(DoubleMask<W>{(k < 0) | (k >= static_cast<long long>(std::size(kAtanEighths)))}));
#if defined(__AVX512F__)
    if constexpr (W == 8) {
      __m512i const last = _mm512_set1_epi64(kAtanEighths[8]);
      return reinterpret_cast<M>(
          _mm512_permutex2var_epi64(_mm512_loadu_si512(kAtanEighths), reinterpret_cast<__m512i>(k), last));
    }
#endif
    M eighths{};
    for (int lane = 0; lane < W; ++lane) eighths[lane] = kAtanEighths[k[lane]];
    return eighths;
  }
  /// atan(num / den) in Q61, 0 <= num <= den; `sure` as in quotient_q65().
  static M atan_of_ratio(M num, M den, M& sure) {
    M const q = ratio_q62(num, den);
    M const k = (q + (1ll << 58)) >> 59;
    M const difference = q - (k << 59);
    M const size = quotient_q65(magnitude(difference), q, k, sure);
    M const d = select(difference < 0, -size, size);
    Wide const square = product(size, size);
    M const w = M((square.high << 10) | (square.low >> 54));
    M sum = M{} + kAtan[std::size(kAtan) - 1];
    for (std::size_t i = std::size(kAtan) - 1; i-- > 0;) sum = multiply_q62(sum, w) + kAtan[i];
    return eighths_of(k) + (multiply_q62(d, sum) >> 1);
  }
  /// Angles as raw Fixed values. (0, 0) is not allowed.
  static M angle_raw(M y, M x, M& sure) {
    M const height = magnitude(y);
    M const width = magnitude(x);
    M const steep = height > width;
    M angle = atan_of_ratio(select(steep, width, height), select(steep, height, width), sure);
    angle = select(steep, kHalfPiQ61 - angle, angle);
    angle = select(x < 0, kPiQ61 - angle, angle);
    angle = select(y < 0, -angle, angle);
    // Shift right by 29 bits, half to even.
    TAKT_VALIDATE(!any(DoubleMask<W>{magnitude(angle) > kPiQ61}));
    return (angle + ((1ll << 28) - 1) + ((angle >> 29) & 1)) >> 29;
  }
};

/// Computes the angles of W points, rad. Returns false when a component is outside (-1.5, 1.5), a point
/// rounds to (0, 0), or a quotient needs exact integer division. `angles` is then undefined, and the caller
/// computes the angles one by one.
template <int W>
bool find_angles(const Doubles<W>& y, const Doubles<W>& x, Doubles<W>& angles) {
  using Lanes = AtanLanes<W>;
  using M = typename Lanes::M;
  M const inside = (y.v < 1.5) & (y.v > -1.5) & (x.v < 1.5) & (x.v > -1.5);
  if (any(DoubleMask<W>{~inside})) return false;
  M const raw_y = Lanes::raw_of(y.v);
  M const raw_x = Lanes::raw_of(x.v);
  if (any(DoubleMask<W>{(raw_y | raw_x) == 0})) return false;
  M sure{};
  M const raw = Lanes::angle_raw(raw_y, raw_x, sure);
  angles = Doubles<W>(Lanes::to_doubles(raw) * 0x1p-32);
  return !any(DoubleMask<W>{~sure});
}

/// The angles of W points from the x axis, rad, with the bits of the scalar angle_of().
template <int W>
Doubles<W> angle_of(const Doubles<W>& y, const Doubles<W>& x) {
  Doubles<W> angles;
#if defined(__AVX512DQ__)  // 64-bit products: without them the scalar function is faster
  if constexpr (W == 8) {
    if (find_angles(y, x, angles)) return angles;
  }
#endif
  for (std::uint32_t lane = 0; lane < W; ++lane) angles.set(lane, takt::angle_of(y[lane], x[lane]));
  return angles;
}

}  // namespace
}  // namespace takt
