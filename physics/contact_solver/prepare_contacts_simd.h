// The work of a tick on contacts that is not solving, W at a time: what follows from their points and bodies
// before the first pass, and what they remember after the last. Each lane does what contact_lane(),
// measure_normal_velocity() and update_friction_anchor() do, in their order. Included only by float_lanes.h;
// internal linkage for the reason given in contact_kernels.h.
#pragma once

#include "physics/base/solver_constants.h"
#include "physics/contact_solver/contact_constraint.h"
#include "physics/contact_solver/contact_kernels.h"

namespace takt {
namespace {  // NOLINT: internal linkage on purpose

template <class L>
inline V3<typename L::V> chosen(typename L::M mask, const V3<typename L::V>& a, const V3<typename L::V>& b) {
  return {L::select(mask, a.x, b.x), L::select(mask, a.y, b.y), L::select(mask, a.z, b.z)};
}
template <class L>
inline typename L::V length_lanes(const V3<typename L::V>& v) {
  return L::square_root(dot_lanes<L>(v, v));
}
template <class L>
inline typename L::V reciprocal_lanes(typename L::V v) {
  return L::select(L::above(v, L::set(0)), L::set(1) / v, L::set(0));
}
/// A unit vector across a unit normal.
template <class L>
inline V3<typename L::V> tangent_lanes(const V3<typename L::V>& n) {
  using V = typename L::V;
  V const zero = L::set(0);
  auto const use_x = L::above(L::set_real(static_cast<float>(kTangentFromX)), L::absolute(n.x));
  V3<V> const across{L::select(use_x, zero, -n.z), L::select(use_x, n.z, zero), L::select(use_x, -n.y, n.x)};
  V const size = length_lanes<L>(across);
  return {across.x / size, across.y / size, across.z / size};
}

/// What the bodies of W contacts resist with. The sides' inertias stay in memory: there are more than
/// registers.
template <class L>
struct PairLanes {
  using V = typename L::V;
  const Block<L>& block;
  V linear;

  V angular(const V3<V>& ua, const V3<V>& va, const V3<V>& ub, const V3<V>& vb) const {
    return dot_lanes<L>(ua, L::multiply_inertia(L::load_inertia(block.inverse_inertia_a), va)) +
           dot_lanes<L>(ub, L::multiply_inertia(L::load_inertia(block.inverse_inertia_b), vb));
  }
};

/// Before the first pass: fills the block from what is in it (bodies, normal, masses, row count) and the
/// stage, and how fast the points approach.
template <class L>
bool begin_contacts(std::byte* memory, void* staged, const SolverBody<float>* bodies) {
  using V = typename L::V;
  auto& stage = *static_cast<ContactStaging<float, L::kWidth>*>(staged);
  auto& block = block_at<L>(memory, 0);
  V const zero = L::set(0);
  V const count = L::load(stage.point_count);
  V const share = L::load(stage.point_fraction);
  V3<V> const delta_center = load3<L>(stage.delta_center);
  V3<V> const n = load3<L>(block.normal);
  V3<V> center{zero, zero, zero};
  for (std::uint32_t r = 0; r < block.row_count; ++r) {
    auto const here = L::above(count, L::set(static_cast<int>(r)));
    center = chosen<L>(here, center + load3<L>(stage.positions[r]), center);
  }
  center = center * share;
  V3<V> const r_a = center;
  V3<V> const r_b = center - delta_center;
  store3<L>(block.r_a, r_a);
  store3<L>(block.r_b, r_b);

  PairLanes<L> const pair{block, L::load_mass(block.inverse_mass_a) + L::load_mass(block.inverse_mass_b)};
  Motion<V> const a = gather_motion<L>(bodies, block.body_a);
  Motion<V> const b = gather_motion<L>(bodies, block.body_b);
  V const along = dot_lanes<L>(n, b.linear - a.linear);
  V normal_velocity = zero;
  V hit_point = zero;
  V spread = zero;
  V3<V> const nothing{zero, zero, zero};
  for (std::uint32_t r = 0; r < block.row_count; ++r) {
    auto& row = block.rows[r];
    auto const here = L::above(count, L::set(static_cast<int>(r)));
    V3<V> const position = load3<L>(stage.positions[r]);
    V3<V> const ra_cross_n = cross_lanes<L>(position, n);
    V3<V> const rb_cross_n = cross_lanes<L>(position - delta_center, n);
    store3<L>(row.ra_cross_n, chosen<L>(here, ra_cross_n, nothing));
    store3<L>(row.rb_cross_n, chosen<L>(here, rb_cross_n, nothing));
    V const mass =
        reciprocal_lanes<L>(pair.linear + pair.angular(ra_cross_n, ra_cross_n, rb_cross_n, rb_cross_n));
    L::store(row.mass, L::select(here, mass, zero));
    spread = L::select(here, spread + length_lanes<L>(position - center), spread);
    V const closing = along + dot_lanes<L>(rb_cross_n, b.angular) - dot_lanes<L>(ra_cross_n, a.angular);
    auto const faster = L::both(here, L::above(normal_velocity, closing));
    normal_velocity = L::select(faster, closing, normal_velocity);
    hit_point = L::select(faster, L::set(static_cast<int>(r)), hit_point);
  }
  L::store(stage.normal_velocity, normal_velocity);
  L::store(stage.hit_point, hit_point);
  V const radius = spread * share;
  L::store(block.twist_radius, radius);

  auto const full = L::above(count, zero);
  V3<V> const t1 = chosen<L>(full, tangent_lanes<L>(n), nothing);
  V3<V> const t2 = cross_lanes<L>(n, t1);
  store3<L>(block.tangent, t1);
  V3<V> const a1 = cross_lanes<L>(r_a, t1);
  V3<V> const a2 = cross_lanes<L>(r_a, t2);
  V3<V> const b1 = cross_lanes<L>(r_b, t1);
  V3<V> const b2 = cross_lanes<L>(r_b, t2);
  V const k11 = pair.linear + pair.angular(a1, a1, b1, b1);
  V const k22 = pair.linear + pair.angular(a2, a2, b2, b2);
  V const k12 = pair.angular(a1, a2, b1, b2);
  V const determinant = k11 * k22 - k12 * k12;
  auto const regular = L::above(determinant, zero);
  L::store(block.tangent_mass[0], L::select(regular, k22 / determinant, zero));
  L::store(block.tangent_mass[1], L::select(regular, -(k12 / determinant), zero));
  L::store(block.tangent_mass[2], L::select(regular, k11 / determinant, zero));
  L::store(block.twist_mass,
           L::select(L::above(radius, zero), reciprocal_lanes<L>(pair.angular(n, n, n, n)), zero));
  V3<V> const friction = load3<L>(stage.friction_impulse);
  L::store(block.tangent_impulse[0], dot_lanes<L>(friction, t1));
  L::store(block.tangent_impulse[1], dot_lanes<L>(friction, t2));
  V3<V> const anchor_offset = load3<L>(stage.anchor_offset);
  L::store(block.anchor_offset[0], dot_lanes<L>(anchor_offset, t1));
  L::store(block.anchor_offset[1], dot_lanes<L>(anchor_offset, t2));
  return true;
}

/// 0 where all are finite, else not a number.
template <class L>
inline typename L::V doubt_of(const V3<typename L::V>& v) {
  return (v.x - v.x) + (v.y - v.y) + (v.z - v.z);
}

/// After the last pass: friction in world axes, what the contacts remember of shear, and whether all is
/// finite. The block itself stays.
template <class L>
void end_contacts(std::byte* memory, void* staged, const SolverBody<float>* bodies) {
  using V = typename L::V;
  auto const& block = block_at<L>(memory, 0);
  auto& stage = *static_cast<ContactStaging<float, L::kWidth>*>(staged);
  V const zero = L::set(0);
  V total = zero;
  V doubt = zero;
  V unpacked = L::load(stage.total_impulse);
  for (std::uint32_t r = 0; r < block.row_count; ++r) {
    V const impulse = L::load(block.rows[r].impulse);
    total = total + impulse;
    doubt = doubt + (impulse - impulse);
    unpacked = unpacked + L::load(block.rows[r].total_impulse);
  }
  L::store(stage.total_impulse, unpacked);
  V3<V> const n = load3<L>(block.normal);
  V3<V> const t1 = load3<L>(block.tangent);
  V3<V> const t2 = cross_lanes<L>(n, t1);
  V3<V> const friction = t1 * L::load(block.tangent_impulse[0]) + t2 * L::load(block.tangent_impulse[1]);
  store3<L>(stage.friction_impulse, friction);

  V3<V> const r_a = load3<L>(block.r_a);
  V3<V> const r_b = load3<L>(block.r_b);
  Motion<V> const a = gather_displacement<L>(bodies, block.body_a);
  Motion<V> const b = gather_displacement<L>(bodies, block.body_b);
  V const limit = L::load(block.friction) * total * L::set_real(static_cast<float>(kSlidingFraction));
  V3<V> const old = load3<L>(stage.anchor_offset);
  V3<V> const slid =
      old + ((b.linear + cross_lanes<L>(b.angular, r_b)) - (a.linear + cross_lanes<L>(a.angular, r_a)));
  V3<V> const held = chosen<L>(L::above(limit, length_lanes<L>(friction)), slid, old);
  V const radius = L::load(block.twist_radius);
  V const twist_impulse = L::load(block.twist_impulse);
  V const old_twist = L::load(stage.twist_offset);
  V const twisted = old_twist + dot_lanes<L>(n, b.angular - a.angular);
  V const twist =
      L::select(L::above(radius, zero),
                L::select(L::above(limit * radius, L::absolute(twist_impulse)), twisted, old_twist), zero);
  auto const loaded = L::both(L::above(total, zero), L::above(L::load(stage.anchored), zero));
  V3<V> const anchor_offset = chosen<L>(loaded, held - n * dot_lanes<L>(n, held), V3<V>{zero, zero, zero});
  V const twist_offset = L::select(loaded, twist, zero);
  store3<L>(stage.anchor_offset, anchor_offset);
  L::store(stage.twist_offset, twist_offset);
  L::store(stage.doubt, doubt + doubt_of<L>(friction) + doubt_of<L>(anchor_offset) +
                            doubt_of<L>({twist_impulse, twist_offset, zero}));
}

/// contact_kernels_of() with the lane-wide preparation and result pass.
template <class L>
ContactKernels<float> float_contact_kernels() {
  ContactKernels<float> table = contact_kernels_of<L>();
  table.begin = &begin_contacts<L>;
  table.end = &end_contacts<L>;
  return table;
}

}  // namespace
}  // namespace takt
