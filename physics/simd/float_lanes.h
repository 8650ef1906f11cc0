// ScalarLanes and WideLanes<W> are the lane types with which float mode instantiates the kernels of contacts
// and batched point joints. WideLanes (4, 8 or 16 lanes) uses the compilers' vector extension. The flags of
// the including file decide whether it becomes SSE, AVX, AVX-512, NEON or plain code. No operation is
// estimated or fused, and minimum and maximum are comparisons: every lane does the scalar arithmetic and gets
// its bits. vector_lanes.h lists the functions of a lane type. All functions are in an unnamed namespace,
// because the code is compiled once per instruction set (vector_lanes.h).
#pragma once

#if defined(__SSE__)
#include <immintrin.h>
#endif

#include <utility>

#include "physics/base/solver_constants.h"
#include "physics/simd/inertia_lanes.h"
#include "physics/simd/vector_lanes.h"
#include "takt/core/assert.h"
#include "takt/physics/vector.h"

namespace takt {
namespace {  // NOLINT: internal linkage on purpose

/// Operations shared by ScalarLanes and WideLanes. V is W floats, M the result of a comparison. The derived
/// class `Lanes` gives square_root(V).
template <class Lanes, class Value, class Mask, int W>
struct FloatLanes {
  static constexpr int kWidth = W;
  static constexpr float kMinPivot = kMinPivotInLanes;
  static constexpr float kMinLockedFraction = static_cast<float>(takt::kMinLockedFraction);
  using Watch = NoWatch;
  using Real = float;
  using Number = float;
  using V = Value;
  using M = Mask;
  using MassV = V;
  struct InertiaV {
    V m[6];
  };
  template <class Body>
  using Row = float (Body::*)[4];

  static V load(const float (&from)[W]) {
    V v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
  }
  static void store(float (&to)[W], V v) { __builtin_memcpy(to, &v, sizeof v); }
  static V set(int value) { return V{} + static_cast<float>(value); }
  static V set_real(float value) { return V{} + value; }
  static MassV load_mass(const float (&from)[W]) { return load(from); }
  static InertiaV load_inertia(const InertiaLanes<float, W>& from) {
    InertiaV m;
    for (int i = 0; i < 6; ++i) m.m[i] = load(from.m[i]);
    return m;
  }
  static constexpr bool has_saturated() { return false; }
  /// The value of one lane.
  static double value_of(V v, [[maybe_unused]] int lane) {
    TAKT_VALIDATE(lane >= 0 && lane < W);
    if constexpr (W == 1) {
      return static_cast<double>(v);
    } else {
      return static_cast<double>(v[lane]);
    }
  }
  static V multiply(MassV mass, V v) { return mass * v; }
  static V3<V> multiply_inertia(const InertiaV& m, const V3<V>& v) {
    auto const& e = m.m;
    return {e[0] * v.x + e[3] * v.y + e[4] * v.z, e[3] * v.x + e[1] * v.y + e[5] * v.z,
            e[4] * v.x + e[5] * v.y + e[2] * v.z};
  }
  static V dot(V a0, V b0, V a1, V b1, V a2, V b2) { return a0 * b0 + a1 * b1 + a2 * b2; }
  static V determinant(V a, V b, V c, V d) { return a * b - c * d; }
  static M above(V a, V b) { return a > b; }
  static M both(M a, M b) { return a & b; }
  /// True if the work of these lanes can be skipped. Lanes side by side never branch.
  static bool none([[maybe_unused]] M mask) {
    if constexpr (W == 1) return !mask;
    return false;
  }
  static V select(M mask, V a, V b) { return mask ? a : b; }
  static V maximum(V a, V b) { return a < b ? b : a; }
  static V absolute(V v) { return v < V{} ? -v : v; }
  static V negate(V v) { return -v; }
  static V divide(V a, V b) { return a / b; }
  static V length(const V3<V>& v) { return Lanes::square_root(dot(v.x, v.x, v.y, v.y, v.z, v.z)); }
  /// 0 for a finite number, else NaN.
  static V non_finite(V v) { return v - v; }
  /// Scales (x, y) down to length `limit` in lanes in which it is longer.
  static void clamp_to_cone(V& x, V& y, V limit) {
    V const size = Lanes::square_root(x * x + y * y);
    V const scale = limit / size;
    M const over = size > limit;
    x = over ? x * scale : x;
    y = over ? y * scale : y;
  }
  static void clamp_to_ball(V& x, V& y, V& z, V limit) {
    V const size = Lanes::square_root(x * x + y * y + z * z);
    V const scale = limit / size;
    M const over = size > limit;
    x = over ? x * scale : x;
    y = over ? y * scale : y;
    z = over ? z * scale : z;
  }

  // Effective masses (prepare_contacts.h): sums of inverse masses are plain values. The tensors stay in
  // memory, because two of them do not fit the registers.
  using SumV = V;
  using RotatedV = V3<V>;
  static SumV load_sum(const float (&from)[W]) { return load(from); }
  static const InertiaLanes<float, W>& tensor(const InertiaLanes<float, W>& from) { return from; }
  static RotatedV rotate(const InertiaLanes<float, W>& tensor, const V3<V>& v) {
    return multiply_inertia(load_inertia(tensor), v);
  }
  static SumV dot_sum(const V3<V>& u, const RotatedV& v) { return dot(u.x, v.x, u.y, v.y, u.z, v.z); }
  /// 1 / k in the lanes of `where` that have k > 0, else 0.
  static void store_inverse(float (&to)[W], M where, SumV k) {
    V const inverse = select(k > V{}, set(1) / k, V{});
    store(to, select(where, inverse, V{}));
  }
  /// The inverse of the matrix (k11 k12; k12 k22) as 11, 12, 22; 0 in lanes in which the determinant is not
  /// above 0.
  static void store_inverse2(float (&to)[3][W], SumV k11, SumV k12, SumV k22) {
    V const determinant = k11 * k22 - k12 * k12;
    M const regular = determinant > V{};
    store(to[0], select(regular, k22 / determinant, V{}));
    store(to[1], select(regular, -(k12 / determinant), V{}));
    store(to[2], select(regular, k11 / determinant, V{}));
  }
};

struct ScalarLanes : FloatLanes<ScalarLanes, float, bool, 1> {
  static V load(const float (&from)[1]) { return from[0]; }
  static void store(float (&to)[1], V v) { to[0] = v; }
  static V load_mass(const float (&from)[1]) { return from[0]; }
  static V set(int value) { return static_cast<float>(value); }
  static V set_real(float value) { return value; }
  static bool both(bool a, bool b) { return a && b; }
  static V square_root(V v) { return __builtin_sqrtf(v); }
  template <class Body>
  [[gnu::always_inline]] static V3<V> gather(const Body* bodies, const std::uint32_t* index, Row<Body> row) {
    const float(&v)[4] = bodies[index[0]].*row;
    return {v[0], v[1], v[2]};
  }
  template <class Body>
  static Rotations<V> gather_rotation(const Body* moving, const std::uint32_t* index) {
    const Quat<float>& q = moving[index[0]].rotation;
    return {q.x, q.y, q.z, q.w};
  }
  template <class Body>
  [[gnu::always_inline]] static void scatter(Body* bodies, const std::uint32_t* index, std::uint32_t writes,
                                             Row<Body> row, const V3<V>& v) {
    if (writes == 0) return;
    float(&to)[4] = bodies[index[0]].*row;
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
  }
};

using Float4 = float __attribute__((vector_size(16)));
using Float8 = float __attribute__((vector_size(32)));
using Float16 = float __attribute__((vector_size(64)));

template <int W>
struct WideVector {
  typedef float V __attribute__((vector_size(W * 4)));
  typedef int M __attribute__((vector_size(W * 4)));
};

template <int W>
struct WideLanes : FloatLanes<WideLanes<W>, typename WideVector<W>::V, typename WideVector<W>::M, W> {
  static_assert(W == 4 || W == 8 || W == 16);
  using Base = FloatLanes<WideLanes<W>, typename WideVector<W>::V, typename WideVector<W>::M, W>;
  using V = typename Base::V;
  using M = typename Base::M;
  template <class Body>
  using Row = float (Body::*)[4];

  static V square_root(V v) {
#if defined(__SSE__)
    if constexpr (W == 4) return reinterpret_cast<V>(_mm_sqrt_ps(reinterpret_cast<__m128>(v)));
#if defined(__AVX__)
    if constexpr (W == 8) return reinterpret_cast<V>(_mm256_sqrt_ps(reinterpret_cast<__m256>(v)));
#endif
#if defined(__AVX512F__)
    if constexpr (W == 16)
      return reinterpret_cast<V>(
          _mm512_mask_sqrt_ps(reinterpret_cast<__m512>(v), 0xffff, reinterpret_cast<__m512>(v)));
#endif
#endif
    V root;
    for (int i = 0; i < W; ++i) root[i] = __builtin_sqrtf(v[i]);
    return root;
  }

  static Float4 four_at(const float* from) {
    Float4 v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
  }
  /// Loads the four values at at(i) for lanes i = first, first + 4, ... side by side. The fours are joined in
  /// registers: a wide load would stall on recent narrow stores.
  template <class At>
  [[gnu::always_inline]] static V rows_from(const At& at, unsigned first) {
    if constexpr (W == 4) {
      return four_at(at(first));
    } else if constexpr (W == 8) {
      return joined(four_at(at(first)), four_at(at(first + 4)));
    } else {
      return joined(joined(four_at(at(first)), four_at(at(first + 4))),
                    joined(four_at(at(first + 8)), four_at(at(first + 12))));
    }
  }
  static Float8 joined(Float4 a, Float4 b) { return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7); }
  static Float16 joined(Float8 a, Float8 b) {
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  }
  /// Shuffles each group of four lanes: indices 0 to 3 select from a, 4 to 7 from b.
  template <int First, int Second, int Third, int Fourth>
  static V shuffled(V a, V b) {
    auto const lane_of = [](int lane) {
      int const pattern[4] = {First, Second, Third, Fourth};
      int const from = pattern[lane % 4];
      return (from < 4 ? from : W + from - 4) + lane / 4 * 4;
    };
    return [&]<int... Lane>(std::integer_sequence<int, Lane...>) {
      return __builtin_shufflevector(a, b, lane_of(Lane)...);
    }
    (std::make_integer_sequence<int, W>{});
  }
  static V low_mixed(V a, V b) { return shuffled<0, 4, 1, 5>(a, b); }
  static V high_mixed(V a, V b) { return shuffled<2, 6, 3, 7>(a, b); }
  static V low_halves(V a, V b) { return shuffled<0, 1, 4, 5>(a, b); }
  static V high_halves(V a, V b) { return shuffled<2, 3, 6, 7>(a, b); }
  // Four rows x y z w become four lanes of x, of y, of z and of w: a 4 x 4 transpose, W / 4 times.
  template <class Body>
  [[gnu::always_inline]] static V3<V> gather(const Body* bodies, const std::uint32_t* index, Row<Body> row) {
    auto const at = [&](unsigned lane) -> const float* { return bodies[index[lane]].*row; };
    V const a = rows_from(at, 0);
    V const b = rows_from(at, 1);
    V const c = rows_from(at, 2);
    V const d = rows_from(at, 3);
    V const xy_ab = low_mixed(a, b);
    V const xy_cd = low_mixed(c, d);
    return {low_halves(xy_ab, xy_cd), high_halves(xy_ab, xy_cd),
            low_halves(high_mixed(a, b), high_mixed(c, d))};
  }
  template <class Body>
  static Rotations<V> gather_rotation(const Body* moving, const std::uint32_t* index) {
    auto const at = [&](unsigned lane) { return &moving[index[lane]].rotation.x; };
    V const a = rows_from(at, 0);
    V const b = rows_from(at, 1);
    V const c = rows_from(at, 2);
    V const d = rows_from(at, 3);
    V const xy_ab = low_mixed(a, b);
    V const xy_cd = low_mixed(c, d);
    V const zw_ab = high_mixed(a, b);
    V const zw_cd = high_mixed(c, d);
    return {low_halves(xy_ab, xy_cd), high_halves(xy_ab, xy_cd), low_halves(zw_ab, zw_cd),
            high_halves(zw_ab, zw_cd)};
  }
  template <class Body>
  static void store_rows(Body* bodies, const std::uint32_t* index, std::uint32_t writes, Row<Body> row, V v) {
    float rows[W];
    __builtin_memcpy(rows, &v, sizeof v);
    for (unsigned lane = 0; lane < W; lane += 4) {
      if ((writes >> lane & 1u) != 0) __builtin_memcpy(bodies[index[lane]].*row, rows + lane, 16);
    }
  }
  template <class Body>
  [[gnu::always_inline]] static void scatter(Body* bodies, const std::uint32_t* index, std::uint32_t writes,
                                             Row<Body> row, const V3<V>& v) {
    V const xy_low = low_mixed(v.x, v.y);
    V const xy_high = high_mixed(v.x, v.y);
    V const z_low = low_mixed(v.z, V{});
    V const z_high = high_mixed(v.z, V{});
    store_rows(bodies, index, writes, row, low_halves(xy_low, z_low));
    store_rows(bodies, index + 1, writes >> 1u, row, high_halves(xy_low, z_low));
    store_rows(bodies, index + 2, writes >> 2u, row, low_halves(xy_high, z_high));
    store_rows(bodies, index + 3, writes >> 3u, row, high_halves(xy_high, z_high));
  }
};

}  // namespace
}  // namespace takt
