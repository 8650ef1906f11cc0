// FixedLanes and DoubleLanes are the lane types with which fixed mode instantiates the kernels, both one lane
// wide. FixedLanes serves contacts in Q31.32; DoubleLanes serves batched point joints in binary64
// (docs/adr/0012). Eight lanes for contacts are in fixed_lanes_ifma.h. vector_lanes.h lists the functions of
// a lane type. All functions are in an unnamed namespace, because the code is compiled once per instruction
// set (vector_lanes.h).
#pragma once

#include "physics/base/solver_constants.h"
#include "physics/simd/inertia_lanes.h"
#include "physics/simd/vector_lanes.h"
#include "takt/core/assert.h"
#include "takt/physics/vector.h"

namespace takt {
namespace {  // NOLINT: internal linkage on purpose

struct FixedLanes {
  static constexpr int kWidth = 1;
  using Watch = NoWatch;
  using Real = Fixed;
  using V = Fixed;
  using MassV = Scaled;
  using InertiaV = FixedSymMat;

  static V load(const Fixed (&from)[1]) { return from[0]; }
  static void store(Fixed (&to)[1], V v) { to[0] = v; }
  static V set(int value) { return Fixed(value); }
  static V set_real(Fixed value) { return value; }
  /// True if this thread has counted a saturation since the last take_fixed_overflow_count().
  static bool has_saturated() { return fixed_overflow_count() != 0; }
  /// The value of one lane.
  static double value_of(V v, [[maybe_unused]] int lane) {
    TAKT_VALIDATE(lane == 0);
    return v.to_double();
  }
  static MassV load_mass(const Scaled (&from)[1]) { return from[0]; }
  static InertiaV load_inertia(const InertiaLanes<Fixed, 1>& from) { return from.m[0]; }
  [[gnu::always_inline]] static V multiply(const MassV& mass, V v) { return mass * v; }
  [[gnu::always_inline]] static V3<V> multiply_inertia(const InertiaV& m, const V3<V>& v) {
    Vec3<Fixed> const product = m * Vec3<Fixed>{v.x, v.y, v.z};
    return {product.x, product.y, product.z};
  }
  [[gnu::always_inline]] static V dot(V a0, V b0, V a1, V b1, V a2, V b2) {
    return fixed_dot3(a0, b0, a1, b1, a2, b2);
  }
  static V determinant(V a, V b, V c, V d) { return fixed_dot2(a, b, -c, d); }
  static bool above(V a, V b) { return a > b; }
  static V select(bool mask, V a, V b) { return mask ? a : b; }
  static V maximum(V a, V b) { return a < b ? b : a; }
  static bool both(bool a, bool b) { return a && b; }
  /// True if the work of these lanes can be skipped.
  static bool none(bool mask) { return !mask; }
  static V absolute(V v) { return takt::absolute(v); }
  static V negate(V v) { return -v; }
  static V divide(V a, V b) { return a / b; }
  static V length(const V3<V>& v) { return fixed_length3(v.x, v.y, v.z); }
  static V non_finite(V) { return {}; }  // every Fixed is finite
  /// A test without a square root: true only if the length of (x, y, z) is not above `limit`; false decides
  /// nothing. The margin of 2^-40 is far above the rounding of binary64.
  static bool surely_within(V x, V y, V z, V limit) {
    auto const wide = [](V v) { return static_cast<double>(v.raw()); };
    double const max = wide(limit);
    return max >= 0.0 &&
           wide(x) * wide(x) + wide(y) * wide(y) + wide(z) * wide(z) <= max * max * (1.0 - 0x1p-40);
  }
  /// Scales (x, y), or (x, y, z), down to length `limit`.
  static void clamp_to_cone(V& x, V& y, V limit) {
    V z;
    clamp_to_ball(x, y, z, limit);
  }
  static void clamp_to_ball(V& x, V& y, V& z, V limit) {
    if (surely_within(x, y, z, limit)) return;
    V const size = fixed_length3(x, y, z);
    if (!(size > limit)) return;
    if (size == Fixed(0)) return;  // a limit below 0 from saturated impulses: avoid a division by zero
    // multiply before dividing: limit / size alone would lose bits of small impulses
    x = Fixed::from_raw(detail::divide_product(x.raw(), limit.raw(), size.raw()));
    y = Fixed::from_raw(detail::divide_product(y.raw(), limit.raw(), size.raw()));
    z = Fixed::from_raw(detail::divide_product(z.raw(), limit.raw(), size.raw()));
  }
  template <class Body>
  using Row = Fixed (Body::*)[4];
  template <class Body>
  [[gnu::always_inline]] static V3<V> gather(const Body* bodies, const std::uint32_t* index, Row<Body> row) {
    const Fixed(&v)[4] = bodies[index[0]].*row;
    return {v[0], v[1], v[2]};
  }
  template <class Body>
  [[gnu::always_inline]] static void scatter(Body* bodies, const std::uint32_t* index, std::uint32_t writes,
                                             Row<Body> row, const V3<V>& v) {
    if (writes == 0) return;
    Fixed(&to)[4] = bodies[index[0]].*row;
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
  }

  // Effective masses (prepare_contacts.h): sums of inverse masses are Scaled.
  using SumV = Scaled;
  struct RotatedV {
    Scaled x, y, z;
  };
  static SumV load_sum(const Scaled (&from)[1]) { return from[0]; }
  static const FixedSymMat& tensor(const InertiaLanes<Fixed, 1>& from) { return from.m[0]; }
  static RotatedV rotate(const FixedSymMat& tensor, const V3<V>& v) {
    auto const wide = detail::multiply_wide(tensor, {v.x, v.y, v.z});
    int const exponent = tensor.exponent - 32;
    return {Scaled::normalised(wide.x, exponent), Scaled::normalised(wide.y, exponent),
            Scaled::normalised(wide.z, exponent)};
  }
  static SumV dot_sum(const V3<V>& u, const RotatedV& v) {
    return Scaled(u.x) * v.x + Scaled(u.y) * v.y + Scaled(u.z) * v.z;
  }
  static void store_inverse(Scaled (&to)[1], bool where, SumV k) {
    to[0] = where ? reciprocal_or_zero(k) : Scaled{};
  }
  static void store_inverse2(Scaled (&to)[3][1], SumV k11, SumV k12, SumV k22) {
    Scaled const determinant = k11 * k22 - k12 * k12;
    bool const regular = is_positive(determinant);
    to[0][0] = regular ? k22 / determinant : Scaled{};
    to[1][0] = regular ? -(k12 / determinant) : Scaled{};
    to[2][0] = regular ? k11 / determinant : Scaled{};
  }
};

/// Binary64 lanes for point joints of fixed mode; the other joints use binary64 too (docs/adr/0012). A body's
/// velocity is rounded to Fixed after each joint.
struct DoubleLanes {
  static constexpr int kWidth = 1;
  static constexpr double kMinPivot = takt::kMinPivot;
  static constexpr double kMinLockedFraction = takt::kMinLockedFraction;
  using Real = Fixed;
  using Number = double;
  using V = double;

  static V load(const double (&from)[1]) { return from[0]; }
  static void store(double (&to)[1], V v) { to[0] = v; }
  static V set(int value) { return static_cast<double>(value); }
  static V set_real(double value) { return value; }
  static V determinant(V a, V b, V c, V d) { return a * b - c * d; }
  static bool above(V a, V b) { return a > b; }
  static V select(bool mask, V a, V b) { return mask ? a : b; }
  template <class Body>
  using Row = Fixed (Body::*)[4];
  template <class Body>
  [[gnu::always_inline]] static V3<V> gather(const Body* bodies, const std::uint32_t* index, Row<Body> row) {
    const Fixed(&v)[4] = bodies[index[0]].*row;
    return {v[0].to_double(), v[1].to_double(), v[2].to_double()};
  }
  template <class Body>
  static Rotations<V> gather_rotation(const Body* moving, const std::uint32_t* index) {
    const Quat<Fixed>& q = moving[index[0]].rotation;
    return {q.x.to_double(), q.y.to_double(), q.z.to_double(), q.w.to_double()};
  }
  template <class Body>
  [[gnu::always_inline]] static void scatter(Body* bodies, const std::uint32_t* index, std::uint32_t writes,
                                             Row<Body> row, const V3<V>& v) {
    if (writes == 0) return;
    Fixed(&to)[4] = bodies[index[0]].*row;
    to[0] = Fixed(v.x);
    to[1] = Fixed(v.y);
    to[2] = Fixed(v.z);
  }
};

}  // namespace
}  // namespace takt
