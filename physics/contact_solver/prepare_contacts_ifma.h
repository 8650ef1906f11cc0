// What follows from the points and bodies of eight contacts of fixed mode before the first pass of a tick:
// what contact_lane() and measure_normal_velocity() do, in their order, but for the divisions of masses.
// Included only by contact_kernels_ifma.cpp.
#pragma once

#include "physics/base/solver_constants.h"
#include "physics/contact_solver/contact_constraint.h"
#include "physics/contact_solver/contact_kernels.h"
#include "physics/simd/scaled_lanes_ifma.h"

namespace takt {
namespace {  // NOLINT: internal linkage on purpose

[[gnu::always_inline]] inline V3<Word8> chosen(__mmask8 mask, const V3<Word8>& a, const V3<Word8>& b) {
  using L = EightFixedLanes;
  return {L::select(mask, a.x, b.x), L::select(mask, a.y, b.y), L::select(mask, a.z, b.z)};
}

/// A unit vector across a normal whose parts are known to be those of one. Lanes with a normal of zero get
/// what no one reads.
[[gnu::always_inline]] inline V3<Word8> tangent_eight(const V3<Word8>& n, __mmask8 full) {
  using L = EightFixedLanes;
  constexpr std::int64_t kFromX = Fixed(kTangentFromX).raw();
  Word8 const zero = L::set(0);
  __mmask8 const use_x = _mm512_cmplt_epi64_mask(_mm512_abs_epi64(n.x.raw), all_lanes(kFromX));
  V3<Word8> const across{L::select(use_x, zero, zero - n.z), L::select(use_x, n.z, zero),
                         L::select(use_x, zero - n.y, n.x)};
  Word8 const size = L::select(full, length_eight(across), L::set(1));
  return {divided_eight(across.x, size), divided_eight(across.y, size), divided_eight(across.z, size)};
}

struct PairMass8 {
  Inertia8 a;
  Inertia8 b;
  Scaled8 linear;

  /// Of the same direction on both sides of the tensors.
  [[nodiscard]] Scaled8 angular(const V3<Word8>& va, const V3<Word8>& vb) const {
    Turned8 rotated_a;
    Turned8 rotated_b;
    rotate_eight(a, va, rotated_a);
    rotate_eight(b, vb, rotated_b);
    return dot_eight(va, rotated_a) + dot_eight(vb, rotated_b);
  }
};

/// Fills the block from what is in it (bodies, normal, masses, row count) and the stage; masses as sums that
/// are still to be divided, and those of the tangents as k11, k12, k22. False where that would take numbers
/// that the lanes do not know.
inline bool begin_eight(std::byte* memory, void* staged, const SolverBody<Fixed>* bodies) {
  using L = EightFixedLanes;
  using V = Word8;
  auto& stage = *static_cast<ContactStaging<Fixed, 8>*>(staged);
  auto& block = block_at<L>(memory, 0);
  L::Watch watch;
  V const zero = L::set(0);
  __m512i const count = _mm512_loadu_si512(stage.point_count);
  auto const reaches = [&count](std::uint32_t r) { return _mm512_cmpgt_epi64_mask(count, all_lanes(r)); };
  V const share = L::load(stage.point_fraction);
  V3<V> const delta_center = load3<L>(stage.delta_center);
  V3<V> const n = load3<L>(block.normal);
  __m512i const largest = _mm512_max_epi64(
      _mm512_max_epi64(_mm512_abs_epi64(n.x.raw), _mm512_abs_epi64(n.y.raw)), _mm512_abs_epi64(n.z.raw));
  // Of unit vectors the largest part is above a half, and then so is what lies across the axis they have
  // least of.
  __mmask8 const full = reaches(0);
  auto const is_unit = static_cast<__mmask8>(_mm512_cmple_epi64_mask(largest, all_lanes(kMaxUnit)) &
                                             _mm512_cmpgt_epi64_mask(largest, all_lanes(1ll << 31)));
  if ((full & static_cast<__mmask8>(~is_unit)) != 0) return false;

  V3<V> center{zero, zero, zero};
  for (std::uint32_t r = 0; r < block.row_count; ++r) {
    V3<V> const position = load3<L>(stage.positions[r]);
    watch.check(position);
    center = chosen(reaches(r), center + position, center);
  }
  watch.check(center, delta_center);
  center = center * share;
  V3<V> const r_a = center;
  V3<V> const r_b = center - delta_center;
  store3<L>(block.r_a, r_a);
  store3<L>(block.r_b, r_b);

  PairMass8 const pair{Inertia8(block.inverse_inertia_a), Inertia8(block.inverse_inertia_b),
                       load_scaled(block.inverse_mass_a) + load_scaled(block.inverse_mass_b)};
  Motion<V> const a = gather_motion<L>(bodies, block.body_a);
  Motion<V> const b = gather_motion<L>(bodies, block.body_b);
  watch.check(a, b);
  V const along = dot_lanes<L>(n, b.linear - a.linear);
  V normal_velocity = zero;
  __m512i hit_point = _mm512_setzero_si512();
  V spread = zero;
  V3<V> const nothing{zero, zero, zero};
  for (std::uint32_t r = 0; r < block.row_count; ++r) {
    auto& row = block.rows[r];
    __mmask8 const here = reaches(r);
    V3<V> const position = load3<L>(stage.positions[r]);
    V3<V> const ra_cross_n = chosen(here, cross_lanes<L>(position, n), nothing);
    V3<V> const rb_cross_n = chosen(here, cross_lanes<L>(position - delta_center, n), nothing);
    watch.check(ra_cross_n, rb_cross_n);
    store3<L>(row.ra_cross_n, ra_cross_n);
    store3<L>(row.rb_cross_n, rb_cross_n);
    Scaled8 const mass = pair.linear + pair.angular(ra_cross_n, rb_cross_n);
    store_scaled(row.mass,
                 {_mm512_maskz_mov_epi64(here, mass.mantissa), _mm512_maskz_mov_epi64(here, mass.exponent)});
    spread = L::select(here, spread + length_eight(position - center), spread);
    V const closing = along + dot_lanes<L>(rb_cross_n, b.angular) - dot_lanes<L>(ra_cross_n, a.angular);
    auto const faster = static_cast<__mmask8>(here & L::above(normal_velocity, closing));
    normal_velocity = L::select(faster, closing, normal_velocity);
    hit_point = _mm512_mask_mov_epi64(hit_point, faster, all_lanes(r));
  }
  L::store(stage.normal_velocity, normal_velocity);
  _mm512_storeu_si512(stage.hit_point, hit_point);
  watch.check(spread);
  L::store(block.twist_radius, spread * share);

  V3<V> const t1 = chosen(full, tangent_eight(n, full), nothing);
  V3<V> const t2 = cross_lanes<L>(n, t1);
  store3<L>(block.tangent, t1);
  V3<V> const a1 = cross_lanes<L>(r_a, t1);
  V3<V> const a2 = cross_lanes<L>(r_a, t2);
  V3<V> const b1 = cross_lanes<L>(r_b, t1);
  V3<V> const b2 = cross_lanes<L>(r_b, t2);
  watch.check(a1, a2, b1, b2);
  Turned8 rotated_a;
  Turned8 rotated_b;
  rotate_eight(pair.a, a2, rotated_a);
  rotate_eight(pair.b, b2, rotated_b);
  store_scaled(block.tangent_mass[0], pair.linear + pair.angular(a1, b1));
  store_scaled(block.tangent_mass[1], dot_eight(a1, rotated_a) + dot_eight(b1, rotated_b));
  store_scaled(block.tangent_mass[2], pair.linear + (dot_eight(a2, rotated_a) + dot_eight(b2, rotated_b)));
  store_scaled(block.twist_mass, pair.angular(n, n));
  V3<V> const friction = load3<L>(stage.friction_impulse);
  V3<V> const anchor_offset = load3<L>(stage.anchor_offset);
  watch.check(friction, anchor_offset);
  L::store(block.tangent_impulse[0], dot_lanes<L>(friction, t1));
  L::store(block.tangent_impulse[1], dot_lanes<L>(friction, t2));
  L::store(block.anchor_offset[0], dot_lanes<L>(anchor_offset, t1));
  L::store(block.anchor_offset[1], dot_lanes<L>(anchor_offset, t2));
  return watch.in_range();
}

}  // namespace
}  // namespace takt
