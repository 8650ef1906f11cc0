// store_block() computes the results of a constraint block of W contacts, once after the last pass of a tick.
// The results are friction in world axes, friction anchor, twist offset (an anchor about the normal), total
// normal impulse, and a flag of non-finite values. The code is one template over the lane type L.
// store_block() writes to the block's staging buffer (ContactStaging), from which contact_blocks.cpp copies
// the results into the contacts; the block stays as it is. full_contact_kernels() makes the table
// ContactKernels of a lane type.
//
// The friction anchor is the point where sticking began, and the anchor offset is the displacement from
// there. Friction between two moving bodies is a spring to that point (docs/adr/0008). Under constant load a
// spring deflects by a fixed length; damping alone would creep without limit. While the contact sticks, the
// anchor offset grows by the tick's tangential displacement. A sliding contact, at the edge of its friction
// cone, keeps its offset. Contacts without load, against static or kinematic bodies or with a relative
// surface velocity have no anchor.
#pragma once

#include "physics/base/solver_constants.h"
#include "physics/contact_solver/contact_kernels.h"

namespace takt {
namespace {  // NOLINT: internal linkage, see vector_lanes.h

/// 0 where all components are finite, else NaN.
template <class L>
inline typename L::V non_finite3(const V3<typename L::V>& v) {
  return L::non_finite(v.x) + L::non_finite(v.y) + L::non_finite(v.z);
}

/// Anchor offsets of W contacts.
template <class V>
struct AnchorState {
  V3<V> offset;    ///< m, world
  V twist_offset;  ///< rad
};

/// The anchor offsets after the tick. `friction` is the friction impulse in world axes, `total` the sum of
/// the normal impulses, N s, of the last substep.
template <class L>
inline AnchorState<typename L::V> advance_anchor(const Block<L>& block,
                                                 const ContactStaging<typename L::Real, L::kWidth>& buffer,
                                                 const SolverBody<typename L::Real>* bodies,
                                                 const V3<typename L::V>& friction, typename L::V total,
                                                 typename L::Watch& watch) {
  using V = typename L::V;
  using Real = typename L::Real;
  constexpr auto kSliding = static_cast<Real>(kSlidingFraction);
  V const zero = L::set(0);
  AnchorState<V> const none{{zero, zero, zero}, zero};
  auto const anchored = L::both(L::above(total, zero), L::above(L::load(buffer.anchored), zero));
  if (L::none(anchored)) return none;
  V3<V> const n = load3<L>(block.normal);
  Motion<V> const a = gather_displacement<L>(bodies, block.body_a);
  Motion<V> const b = gather_displacement<L>(bodies, block.body_b);
  V const friction_limit = L::load(block.friction) * total;
  V3<V> const old_offset = load3<L>(buffer.anchor_offset);
  watch.check(a, b, friction_limit, old_offset);
  V const limit = friction_limit * L::set_real(kSliding);
  V3<V> offset = old_offset;
  auto const sticks = L::above(limit, L::length(friction));
  if (!L::none(sticks)) {
    V3<V> const r_a = load3<L>(block.r_a);
    V3<V> const r_b = load3<L>(block.r_b);
    offset = select3<L>(sticks,
                        old_offset + ((b.linear + cross_lanes<L>(b.angular, r_b)) -
                                      (a.linear + cross_lanes<L>(a.angular, r_a))),
                        old_offset);
    watch.check(offset);
  }
  V const radius = L::load(block.twist_radius);
  V twist_offset = zero;
  if (auto const has_radius = L::above(radius, zero); !L::none(has_radius)) {
    V const old_twist = L::load(buffer.twist_offset);
    auto const holds = L::above(limit * radius, L::absolute(L::load(block.twist_impulse)));
    V const twisted = L::none(holds) ? old_twist : old_twist + dot_lanes<L>(n, b.angular - a.angular);
    twist_offset = L::select(has_radius, L::select(holds, twisted, old_twist), zero);
    watch.check(old_twist);
  }
  return {select3<L>(anchored, offset - n * dot_lanes<L>(n, offset), none.offset),
          L::select(anchored, twist_offset, zero)};
}

/// Computes the results of one block into the staging buffer, a ContactStaging of L's width. Returns false
/// when a value is out of the lanes' range: the caller must then process the block lane by lane.
template <class L>
bool store_block(std::byte* memory, void* staging, const SolverBody<typename L::Real>* bodies) {
  using V = typename L::V;
  auto const& block = block_at<L>(memory, 0);
  auto& buffer = *static_cast<ContactStaging<typename L::Real, L::kWidth>*>(staging);
  TAKT_VALIDATE(block.row_count <= 4);
  typename L::Watch watch;
  V total = L::set(0);
  V total_impulse = L::load(buffer.total_impulse);
  V non_finite = L::set(0);
  watch.check(total_impulse);
  for (std::uint32_t r = 0; r < block.row_count; ++r) {
    V const impulse = L::load(block.rows[r].impulse);
    V const row_total = L::load(block.rows[r].total_impulse);
    watch.check(impulse, row_total);
    total = total + impulse;
    total_impulse = total_impulse + row_total;
    non_finite = non_finite + L::non_finite(impulse);
  }
  V const along1 = L::load(block.tangent_impulse[0]);
  V const along2 = L::load(block.tangent_impulse[1]);
  V const twist = L::load(block.twist_impulse);
  watch.check(total, along1, along2, twist);
  V3<V> const t1 = load3<L>(block.tangent);
  V3<V> const t2 = cross_lanes<L>(load3<L>(block.normal), t1);
  V3<V> const friction = t1 * along1 + t2 * along2;
  watch.check(friction);
  AnchorState<V> const anchor = advance_anchor<L>(block, buffer, bodies, friction, total, watch);
  if (!watch.in_range()) return false;
  L::store(buffer.total_impulse, total_impulse);
  store3<L>(buffer.friction_impulse, friction);
  store3<L>(buffer.anchor_offset, anchor.offset);
  L::store(buffer.twist_offset, anchor.twist_offset);
  L::store(buffer.non_finite, non_finite + non_finite3<L>(friction) + non_finite3<L>(anchor.offset) +
                                  L::non_finite(twist) + L::non_finite(anchor.twist_offset));
  return true;
}

/// contact_kernels_of() with the two lane kernels of this header and prepare_contacts.h.
template <class L>
ContactKernels<typename L::Real> full_contact_kernels() {
  ContactKernels<typename L::Real> table = contact_kernels_of<L>();
  table.prepare_lanes = &prepare_block<L>;
  table.store_lanes = &store_block<L>;
  return table;
}

}  // namespace
}  // namespace takt
