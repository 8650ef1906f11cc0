// prepare_block() fills the constants of a constraint block of W contacts once a tick, before the tick's
// first pass. The constants are lever arms, angular Jacobians, effective masses, tangents, and the closing
// velocity at the tick's start, which hit events report. prepare_block() also projects last tick's friction
// impulses and friction anchors (the points where a sticking contact holds) onto the new tangents, for warm
// starting. The code is one template over the lane type L. contact_blocks.cpp calls it through
// ContactKernels, with the contacts copied into the block and its staging buffer (ContactStaging). Parts for
// locked axes, rolling resistance, surface velocity and soft materials are not here: contact_blocks.cpp adds
// them afterwards, one contact at a time.
//
// Symbols: n normal, t1 and t2 tangents, r_a and r_b lever arms from the centres of mass. A linear row with
// direction d has the angular Jacobians r_a x d and r_b x d, and the effective mass 1 / K. The formula is K =
// 1/m_a + 1/m_b + (r_a x d) . I_a^-1 (r_a x d) + (r_b x d) . I_b^-1 (r_b x d) (CONSTRAINTS 1.9). The twist
// row has the angular terms alone.
#pragma once

#include "physics/base/solver_constants.h"
#include "physics/contact_solver/contact_kernels.h"

namespace takt {
namespace {  // NOLINT: internal linkage, see vector_lanes.h

/// A unit vector orthogonal to a unit normal: along n x (x axis), or n x (y axis) where |n.x| is at least
/// kTangentFromX.
template <class L>
inline V3<typename L::V> tangent_of(const V3<typename L::V>& n) {
  using V = typename L::V;
  constexpr auto kFromX = static_cast<typename L::Real>(kTangentFromX);
  V const zero = L::set(0);
  auto const use_x = L::above(L::set_real(kFromX), L::absolute(n.x));
  V3<V> const orthogonal{L::select(use_x, zero, L::negate(n.z)), L::select(use_x, n.z, zero),
                         L::select(use_x, L::negate(n.y), n.x)};
  V const size = L::length(orthogonal);
  return {L::divide(orthogonal.x, size), L::divide(orthogonal.y, size), L::divide(orthogonal.z, size)};
}

/// Inverse masses and inverse inertia tensors of the bodies of W contacts.
template <class L>
struct PairMass {
  using Vec = V3<typename L::V>;
  using Sum = typename L::SumV;
  using Tensor = decltype(L::tensor(Block<L>::inverse_inertia_a));
  Tensor a;
  Tensor b;
  Sum linear;  ///< 1/m_a + 1/m_b

  explicit PairMass(const Block<L>& block)
      : a(L::tensor(block.inverse_inertia_a)),
        b(L::tensor(block.inverse_inertia_b)),
        linear(L::load_sum(block.inverse_mass_a) + L::load_sum(block.inverse_mass_b)) {}

  /// u_a . va + u_b . vb, where va = I_a^-1 v_a and vb = I_b^-1 v_b are results of L::rotate(). angular() is
  /// v_a . I_a^-1 v_a + v_b . I_b^-1 v_b.
  static Sum dot(const Vec& ua, const typename L::RotatedV& va, const Vec& ub,
                 const typename L::RotatedV& vb) {
    return L::dot_sum(ua, va) + L::dot_sum(ub, vb);
  }
  [[nodiscard]] Sum angular(const Vec& va, const Vec& vb) const {
    return dot(va, L::rotate(a, va), vb, L::rotate(b, vb));
  }
};

/// Prepares the friction constraint at the manifold's centre: tangents, the inverse of their 2 x 2 mass
/// matrix, and the twist mass. Impulses and anchor offsets of the last tick are projected onto the tangents.
template <class L>
inline void prepare_friction(Block<L>& block, const ContactStaging<typename L::Real, L::kWidth>& buffer,
                             const PairMass<L>& pair, const V3<typename L::V>& n, typename L::Watch& watch) {
  using V = typename L::V;
  V const zero = L::set(0);
  auto const used = L::above(L::load(buffer.point_count), zero);
  V3<V> const r_a = load3<L>(block.r_a);
  V3<V> const r_b = load3<L>(block.r_b);
  V3<V> const t1 = select3<L>(used, tangent_of<L>(n), V3<V>{zero, zero, zero});
  V3<V> const t2 = cross_lanes<L>(n, t1);
  store3<L>(block.tangent, t1);
  V3<V> const a1 = cross_lanes<L>(r_a, t1);
  V3<V> const a2 = cross_lanes<L>(r_a, t2);
  V3<V> const b1 = cross_lanes<L>(r_b, t1);
  V3<V> const b2 = cross_lanes<L>(r_b, t2);
  watch.check(a1, a2, b1, b2);
  auto const rotated_a2 = L::rotate(pair.a, a2);
  auto const rotated_b2 = L::rotate(pair.b, b2);
  L::store_inverse2(block.tangent_mass, pair.linear + pair.angular(a1, b1),
                    pair.dot(a1, rotated_a2, b1, rotated_b2),
                    pair.linear + pair.dot(a2, rotated_a2, b2, rotated_b2));
  auto const has_radius = L::above(L::load(block.twist_radius), zero);
  L::store_inverse(block.twist_mass, has_radius,
                   L::none(has_radius) ? typename L::SumV{} : pair.angular(n, n));
  V3<V> const friction = load3<L>(buffer.friction_impulse);
  V3<V> const anchor_offset = load3<L>(buffer.anchor_offset);
  watch.check(friction, anchor_offset);
  L::store(block.tangent_impulse[0], dot_lanes<L>(friction, t1));
  L::store(block.tangent_impulse[1], dot_lanes<L>(friction, t2));
  L::store(block.anchor_offset[0], dot_lanes<L>(anchor_offset, t1));
  L::store(block.anchor_offset[1], dot_lanes<L>(anchor_offset, t2));
}

/// Prepares one block from its bodies, normals, inverse masses and row count, and from the inputs of the
/// staging buffer, a ContactStaging of L's width. Returns false when a value is out of the lanes' range: the
/// caller must then prepare the block lane by lane.
template <class L>
bool prepare_block(std::byte* memory, void* staging, const SolverBody<typename L::Real>* bodies) {
  using V = typename L::V;
  auto& buffer = *static_cast<ContactStaging<typename L::Real, L::kWidth>*>(staging);
  auto& block = block_at<L>(memory, 0);
  TAKT_VALIDATE(block.row_count <= 4);
  typename L::Watch watch;
  V const zero = L::set(0);
  V3<V> const zeros{zero, zero, zero};
  V const count = L::load(buffer.point_count);
  V const fraction = L::load(buffer.point_fraction);
  V3<V> const delta_center = load3<L>(buffer.delta_center);
  V3<V> const n = load3<L>(block.normal);
  watch.check_unit(n, L::above(count, zero));
  V3<V> center = zeros;
  for (std::uint32_t r = 0; r < block.row_count; ++r) {
    V3<V> const position = load3<L>(buffer.positions[r]);
    watch.check(position);
    center = select3<L>(L::above(count, L::set(static_cast<int>(r))), center + position, center);
  }
  watch.check(center, delta_center);
  center = center * fraction;
  store3<L>(block.r_a, center);
  store3<L>(block.r_b, center - delta_center);

  PairMass<L> const pair(block);
  Motion<V> const a = gather_motion<L>(bodies, block.body_a);
  Motion<V> const b = gather_motion<L>(bodies, block.body_b);
  watch.check(a, b);
  V const vn_linear = dot_lanes<L>(n, b.linear - a.linear);
  V normal_velocity = zero;
  V hit_point = zero;
  V distance_sum = zero;
  for (std::uint32_t r = 0; r < block.row_count; ++r) {
    auto& row = block.rows[r];
    auto const has_row = L::above(count, L::set(static_cast<int>(r)));
    V3<V> const position = load3<L>(buffer.positions[r]);
    V3<V> const ra_cross_n = select3<L>(has_row, cross_lanes<L>(position, n), zeros);
    V3<V> const rb_cross_n = select3<L>(has_row, cross_lanes<L>(position - delta_center, n), zeros);
    watch.check(ra_cross_n, rb_cross_n);
    store3<L>(row.ra_cross_n, ra_cross_n);
    store3<L>(row.rb_cross_n, rb_cross_n);
    L::store_inverse(row.mass, has_row, pair.linear + pair.angular(ra_cross_n, rb_cross_n));
    distance_sum = L::select(has_row, distance_sum + L::length(position - center), distance_sum);
    V const vn = vn_linear + dot_lanes<L>(rb_cross_n, b.angular) - dot_lanes<L>(ra_cross_n, a.angular);
    auto const faster = L::both(has_row, L::above(normal_velocity, vn));
    normal_velocity = L::select(faster, vn, normal_velocity);
    hit_point = L::select(faster, L::set(static_cast<int>(r)), hit_point);
  }
  L::store(buffer.normal_velocity, normal_velocity);
  L::store(buffer.hit_point, hit_point);
  watch.check(distance_sum);
  L::store(block.twist_radius, distance_sum * fraction);
  prepare_friction<L>(block, buffer, pair, n, watch);
  return watch.in_range();
}

}  // namespace
}  // namespace takt
