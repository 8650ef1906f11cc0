// warm_start_blocks() and solve_blocks() are the passes of the contact solver over a range of constraint
// blocks: the warm start, and one Gauss-Seidel iteration. The code is one template over the lane type L, a
// SIMD vector with one number of each contact (vector_lanes.h lists its operations). contact_kernels_of()
// enters the passes in the table ContactKernels, through which ContactSolver calls them in each substep.
// Fixed mode's eight lanes (contact_kernels_ifma.cpp) call warm_start_block() and solve_block() for one block
// at a time.
//
// Only contact_kernels_*.cpp include this header, also through prepare_contacts.h and store_impulses.h. Each
// of these files is compiled for one instruction set. Source: E. Catto, Solver2D (2024), soft step;
// CONSTRAINTS.md 1.9.
#pragma once

#include "physics/contact_solver/contact_constraint.h"
#include "physics/simd/vector_lanes.h"
#include "takt/core/assert.h"

namespace takt {
namespace {  // NOLINT: internal linkage, see vector_lanes.h

/// Inverse masses of body a or b of W contacts. Special blocks have an inverse mass for each world axis.
/// apply_positive() and apply_negative() add an impulse or its opposite to the velocities.
template <class L, bool Special>
struct Side {
  using V = typename L::V;
  typename L::MassV inverse_mass[Special ? 3 : 1];
  typename L::InertiaV inverse_inertia;

  [[gnu::always_inline]] V3<V> linear_change(const V3<V>& impulse) const {
    return {L::multiply(inverse_mass[0], impulse.x), L::multiply(inverse_mass[Special ? 1 : 0], impulse.y),
            L::multiply(inverse_mass[Special ? 2 : 0], impulse.z)};
  }
  [[gnu::always_inline]] void apply_positive(Motion<V>& motion, const V3<V>& impulse,
                                             const V3<V>& angular_impulse) const {
    motion.linear = motion.linear + linear_change(impulse);
    motion.angular = motion.angular + L::multiply_inertia(inverse_inertia, angular_impulse);
  }
  [[gnu::always_inline]] void apply_negative(Motion<V>& motion, const V3<V>& impulse,
                                             const V3<V>& angular_impulse) const {
    motion.linear = motion.linear - linear_change(impulse);
    motion.angular = motion.angular - L::multiply_inertia(inverse_inertia, angular_impulse);
  }
};

template <class L>
using Block = ContactBlock<typename L::Real, L::kWidth>;
template <class L>
using Extras = ContactExtras<typename L::Real, L::kWidth>;

/// side_a() and side_b() load the inverse masses of a block. `extras` is null for plain blocks, in all
/// functions of this header.
template <class L, bool Special>
inline Side<L, Special> side_a(const Block<L>& block, const Extras<L>* extras) {
  if constexpr (Special) {
    auto const& m = extras->inverse_mass_a;
    return {{L::load_mass(m[0]), L::load_mass(m[1]), L::load_mass(m[2])},
            L::load_inertia(block.inverse_inertia_a)};
  } else {
    return {{L::load_mass(block.inverse_mass_a)}, L::load_inertia(block.inverse_inertia_a)};
  }
}
template <class L, bool Special>
inline Side<L, Special> side_b(const Block<L>& block, const Extras<L>* extras) {
  if constexpr (Special) {
    auto const& m = extras->inverse_mass_b;
    return {{L::load_mass(m[0]), L::load_mass(m[1]), L::load_mass(m[2])},
            L::load_inertia(block.inverse_inertia_b)};
  } else {
    return {{L::load_mass(block.inverse_mass_b)}, L::load_inertia(block.inverse_inertia_b)};
  }
}

/// True if a block or extras at this address may be loaded lane row by lane row.
template <class T>
[[maybe_unused]] inline bool is_aligned(const std::byte* at) {
  return at != nullptr && reinterpret_cast<std::uintptr_t>(at) % alignof(T) == 0;
}

/// Block `index` of the memory.
template <class L>
inline Block<L>& block_at(std::byte* blocks, std::size_t index) {
  TAKT_VALIDATE(is_aligned<Block<L>>(blocks));
  // The builtin, not std::launder: inline functions of the library have external linkage.
  return *__builtin_launder(reinterpret_cast<Block<L>*>(blocks + index * sizeof(Block<L>)));
}

/// Extras of block `index`; null for plain blocks. A special block has an index from first_special on.
template <class L, bool Special>
inline Extras<L>* extras_at(const BlockMemory& memory, std::size_t index) {
  if constexpr (!Special) return nullptr;
  TAKT_VALIDATE(index >= memory.first_special && is_aligned<Extras<L>>(memory.extras));
  return __builtin_launder(
      reinterpret_cast<Extras<L>*>(memory.extras + (index - memory.first_special) * sizeof(Extras<L>)));
}

/// True if blocks [first, end) are all special or all plain.
inline bool is_one_kind(const BlockMemory& memory, std::size_t first, std::size_t end) {
  return first <= end && (first >= memory.first_special || end <= memory.first_special);
}

/// Adds the block's impulses of the last tick or substep to the bodies' velocities. Returns false and leaves
/// the bodies as they are when a value is out of the lanes' range.
template <class L, bool Special>
[[gnu::always_inline]] inline bool warm_start_block(Block<L>& block, Extras<L>* extras,
                                                    SolverBody<typename L::Real>* bodies) {
  using V = typename L::V;
  typename L::Watch watch;
  Motion<V> a = gather_motion<L>(bodies, block.body_a);
  Motion<V> b = gather_motion<L>(bodies, block.body_b);
  V3<V> const n = load3<L>(block.normal);
  V3<V> const t1 = load3<L>(block.tangent);
  V3<V> const t2 = cross_lanes<L>(n, t1);
  TAKT_VALIDATE(block.row_count >= 1 && block.row_count <= 4);
  V const along1 = L::load(block.tangent_impulse[0]);
  V const along2 = L::load(block.tangent_impulse[1]);
  V const twist_impulse = L::load(block.twist_impulse);
  V total = L::load(block.rows[0].impulse);
  watch.check(along1, along2, twist_impulse, total);
  V3<V> const friction = t1 * along1 + t2 * along2;
  V3<V> const twist = n * twist_impulse;
  V3<V> angular_a =
      cross_lanes<L>(load3<L>(block.r_a), friction) + twist + load3<L>(block.rows[0].ra_cross_n) * total;
  V3<V> angular_b =
      cross_lanes<L>(load3<L>(block.r_b), friction) + twist + load3<L>(block.rows[0].rb_cross_n) * total;
  for (std::uint32_t r = 1; r < block.row_count; ++r) {
    V const impulse = L::load(block.rows[r].impulse);
    watch.check(impulse);
    total = total + impulse;
    angular_a = angular_a + load3<L>(block.rows[r].ra_cross_n) * impulse;
    angular_b = angular_b + load3<L>(block.rows[r].rb_cross_n) * impulse;
  }
  if constexpr (Special) {
    V3<V> const rolling = load3<L>(extras->rolling_impulse);
    angular_a = angular_a + rolling;
    angular_b = angular_b + rolling;
  }
  V3<V> const linear = friction + n * total;
  watch.check(a, b, linear, angular_a, angular_b);
  side_a<L, Special>(block, extras).apply_negative(a, linear, angular_a);
  side_b<L, Special>(block, extras).apply_positive(b, linear, angular_b);
  watch.check(a, b);
  if (!watch.in_range()) return false;
  scatter_motion<L>(bodies, block.body_a, block.writes_a, a);
  scatter_motion<L>(bodies, block.body_b, block.writes_b, b);
  return true;
}

template <class L, bool Special>
void warm_start_each(const BlockMemory& memory, std::size_t first, std::size_t end,
                     SolverBody<typename L::Real>* bodies) {
  for (std::size_t i = first; i < end; ++i) {
    auto& block = block_at<L>(memory.blocks, i);
    if (i + 1 < end) fetch_ahead(memory.blocks + (i + 1) * sizeof block, sizeof block);
    (void)warm_start_block<L, Special>(block, extras_at<L, Special>(memory, i), bodies);
  }
}

/// Warm start of blocks [first, end), all special or all plain.
template <class L>
void warm_start_blocks(const BlockMemory& memory, std::size_t first, std::size_t end,
                       SolverBody<typename L::Real>* bodies) {
  TAKT_ASSERT(is_one_kind(memory, first, end));
  if (first >= memory.first_special) {
    warm_start_each<L, true>(memory, first, end, bodies);
  } else {
    warm_start_each<L, false>(memory, first, end, bodies);
  }
}

/// Rolling resistance: an angular impulse against the relative angular velocity, clamped to rolling_reach x
/// `total`, the sum of the normal impulses.
template <class L>
inline void solve_rolling(Extras<L>& extras, typename L::V total, typename L::V spring_impulse_scale,
                          const Side<L, true>& side_of_a, const Side<L, true>& side_of_b,
                          Motion<typename L::V>& a, Motion<typename L::V>& b) {
  using V = typename L::V;
  V const mass_scale = L::set(1) - spring_impulse_scale;
  V3<V> const spin = (b.angular - a.angular) * mass_scale;
  auto const& m = extras.rolling_mass;
  auto const multiply = [&m](int k, V v) { return L::multiply(L::load_mass(m[k]), v); };
  V3<V> const old = load3<L>(extras.rolling_impulse);
  V3<V> now{
      old.x -
          (multiply(0, spin.x) + multiply(3, spin.y) + multiply(4, spin.z) + spring_impulse_scale * old.x),
      old.y -
          (multiply(3, spin.x) + multiply(1, spin.y) + multiply(5, spin.z) + spring_impulse_scale * old.y),
      old.z -
          (multiply(4, spin.x) + multiply(5, spin.y) + multiply(2, spin.z) + spring_impulse_scale * old.z)};
  L::clamp_to_ball(now.x, now.y, now.z, L::load(extras.rolling_reach) * total);
  L::store(extras.rolling_impulse[0], now.x);
  L::store(extras.rolling_impulse[1], now.y);
  L::store(extras.rolling_impulse[2], now.z);
  V3<V> const change = now - old;
  a.angular = a.angular - L::multiply_inertia(side_of_a.inverse_inertia, change);
  b.angular = b.angular + L::multiply_inertia(side_of_b.inverse_inertia, change);
}

/// True if |(x, y)| <= limit in every lane, up to rounding. NaN passes, and everything after a saturation.
template <class L>
[[maybe_unused]] bool is_in_cone(typename L::V x, typename L::V y, typename L::V limit) {
  if (L::has_saturated()) return true;
  for (int lane = 0; lane < L::kWidth; ++lane) {
    double const along_x = L::value_of(x, lane);
    double const along_y = L::value_of(y, lane);
    double const max = L::value_of(limit, lane) * (1.0 + 1e-5) + 1e-9;
    if (max >= 0.0 && along_x * along_x + along_y * along_y > max * max) return false;
  }
  return true;
}

/// Friction and twist at the manifold's centre, clamped to the cone of the accumulated normal impulses.
/// Between two dynamic bodies both are springs, as normal rows are. The biased pass scales their impulses and
/// has a bias towards the anchor; the relax pass is rigid. Without the impulse scale warm-started friction
/// keeps tall walls swaying; without the anchor an arch creeps apart (adr/0008). Between bodies that joints
/// connect both passes scale the impulses, without an anchor. Against static and kinematic bodies both passes
/// are rigid. delta_a and delta_b are displacements since the tick's start.
template <class L, bool UseBias, bool Special>
inline void solve_friction(Block<L>& block, Extras<L>* extras, const Side<L, Special>& side_of_a,
                           const Side<L, Special>& side_of_b, const V3<typename L::V>& n,
                           const Motion<typename L::V>& delta_a, const Motion<typename L::V>& delta_b,
                           Motion<typename L::V>& a, Motion<typename L::V>& b, typename L::Watch& watch) {
  using V = typename L::V;
  V const spring_impulse_scale =
      UseBias ? L::load(block.friction_impulse_scale) : L::load(block.relax_impulse_scale);
  V const mass_scale = L::set(1) - spring_impulse_scale;
  V total = L::load(block.rows[0].impulse);
  for (std::uint32_t r = 1; r < block.row_count; ++r) total = total + L::load(block.rows[r].impulse);
  watch.check(total);
  V const limit = L::load(block.friction) * total;
  watch.check(limit);
  if constexpr (Special) solve_rolling<L>(*extras, total, spring_impulse_scale, side_of_a, side_of_b, a, b);

  // Twist is solved before the tangents: both rotate the bodies about the normal, and the row that is solved
  // last contributes most.
  V spin = dot_lanes<L>(b.angular - a.angular, n);
  if constexpr (UseBias)
    spin = spin + L::load(block.anchor_rate) *
                      (L::load(block.twist_offset) + dot_lanes<L>(delta_b.angular - delta_a.angular, n));
  V const old_twist = L::load(block.twist_impulse);
  watch.check(spin, old_twist);
  V const max_twist = limit * L::load(block.twist_radius);
  V new_twist = old_twist - (L::multiply(L::load_mass(block.twist_mass), mass_scale * spin) +
                             spring_impulse_scale * old_twist);
  watch.check(new_twist);
  new_twist = L::select(L::above(new_twist, max_twist), max_twist, new_twist);
  new_twist = L::select(L::above(L::set(0) - max_twist, new_twist), L::set(0) - max_twist, new_twist);
  L::store(block.twist_impulse, new_twist);
  V3<V> const twist = n * (new_twist - old_twist);
  a.angular = a.angular - L::multiply_inertia(side_of_a.inverse_inertia, twist);
  b.angular = b.angular + L::multiply_inertia(side_of_b.inverse_inertia, twist);
  watch.check(a.angular, b.angular);

  V3<V> const t1 = load3<L>(block.tangent);
  V3<V> const t2 = cross_lanes<L>(n, t1);
  V3<V> const r_a = load3<L>(block.r_a);
  V3<V> const r_b = load3<L>(block.r_b);
  V3<V> const slip =
      (b.linear + cross_lanes<L>(b.angular, r_b)) - (a.linear + cross_lanes<L>(a.angular, r_a));
  watch.check(slip);
  V along1 = dot_lanes<L>(slip, t1);
  V along2 = dot_lanes<L>(slip, t2);
  if constexpr (UseBias) {
    V3<V> const displacement = (delta_b.linear + cross_lanes<L>(delta_b.angular, r_b)) -
                               (delta_a.linear + cross_lanes<L>(delta_a.angular, r_a));
    watch.check(displacement);
    V const rate = L::load(block.anchor_rate);
    along1 = along1 + rate * (L::load(block.anchor_offset[0]) + dot_lanes<L>(displacement, t1));
    along2 = along2 + rate * (L::load(block.anchor_offset[1]) + dot_lanes<L>(displacement, t2));
  }
  if constexpr (Special) {
    along1 = along1 + L::load(extras->slide[0]);
    along2 = along2 + L::load(extras->slide[1]);
  }
  watch.check(along1, along2);
  V const slip1 = mass_scale * along1;
  V const slip2 = mass_scale * along2;
  V const old1 = L::load(block.tangent_impulse[0]);
  V const old2 = L::load(block.tangent_impulse[1]);
  watch.check(old1, old2);
  auto const m12 = L::load_mass(block.tangent_mass[1]);
  V new1 = old1 - (L::multiply(L::load_mass(block.tangent_mass[0]), slip1) + L::multiply(m12, slip2) +
                   spring_impulse_scale * old1);
  V new2 = old2 - (L::multiply(m12, slip1) + L::multiply(L::load_mass(block.tangent_mass[2]), slip2) +
                   spring_impulse_scale * old2);
  watch.check(new1, new2);
  if (watch.in_range()) {
    L::clamp_to_cone(new1, new2, limit);
    TAKT_VALIDATE(is_in_cone<L>(new1, new2, limit));
  }
  L::store(block.tangent_impulse[0], new1);
  L::store(block.tangent_impulse[1], new2);
  V3<V> const impulse = t1 * (new1 - old1) + t2 * (new2 - old2);
  V3<V> const angular_a = cross_lanes<L>(r_a, impulse);
  V3<V> const angular_b = cross_lanes<L>(r_b, impulse);
  watch.check(impulse, angular_a, angular_b);
  side_of_a.apply_negative(a, impulse, angular_a);
  side_of_b.apply_positive(b, impulse, angular_b);
  watch.check(a, b);
}

/// The accumulated impulse of a soft material's row: that of a spring and damper if the surfaces overlapped
/// at the substep's biased pass, else 0. The row closes no gap: a fast body sinks in by at most one substep's
/// displacement before the spring acts. The relax pass keeps the bias of the biased pass. An overlapping row
/// with vn, the relative normal velocity, below `restitution_speed` keeps its impulse.
template <class L, bool UseBias>
inline typename L::V spring_impulse(const Extras<L>& extras, SpringRows<typename L::Real, L::kWidth>& row,
                                    typename L::V separation, typename L::V vn,
                                    typename L::V restitution_speed, typename L::V old) {
  using V = typename L::V;
  V const zero = L::set(0);
  V bias = L::load(row.bias);
  if constexpr (UseBias) {
    bias = L::select(L::above(separation, zero), L::set(1), L::load(extras.spring_rate) * separation);
    L::store(row.bias, bias);
  }
  V const unclamped =
      old - (L::multiply(L::load_mass(row.mass), vn + bias) + L::load(row.spring_impulse_scale) * old);
  V const impulse = L::select(L::above(restitution_speed, vn), old, L::maximum(unclamped, zero));
  return L::select(L::above(bias, zero), zero, impulse);
}

/// The accumulated impulse that keeps a soft material from being deeper than its soft depth: that of a rigid
/// row at that depth. `deeper` is separation + soft depth, m: below 0 beyond that depth.
template <class L, bool UseBias>
inline typename L::V impulse_at_soft_depth(const Block<L>& block, typename L::MassV mass,
                                           typename L::V deeper, typename L::V vn, typename L::V old,
                                           typename L::V inverse_substep, typename L::V min_bias) {
  using V = typename L::V;
  V const zero = L::set(0);
  V push_out = zero;
  if constexpr (UseBias) push_out = L::maximum(L::load(block.bias_rate) * deeper, min_bias);
  V const bias = L::select(L::above(deeper, zero), deeper * inverse_substep, push_out);
  V const unclamped = old - L::multiply(mass, vn + bias);
  return L::select(L::above(L::load(block.restitution_speed), vn), old, L::maximum(unclamped, zero));
}

/// One Gauss-Seidel iteration of a block: rolling, twist, tangents, then normal rows. Returns false when a
/// value is out of the lanes' range: the bodies stay as they are, and the caller restores the block's
/// impulses.
template <class L, bool UseBias, bool Special>
[[gnu::always_inline]] inline bool solve_block(Block<L>& block, Extras<L>* extras,
                                               SolverBody<typename L::Real>* bodies,
                                               const ContactParameters<typename L::Real>& parameters) {
  using V = typename L::V;
  typename L::Watch watch;
  V const zero = L::set(0);
  V const one = L::set(1);
  V const inverse_substep = L::set_real(parameters.inverse_substep);
  V const min_bias = zero - L::set_real(parameters.push_max);
  Motion<V> a = gather_motion<L>(bodies, block.body_a);
  Motion<V> b = gather_motion<L>(bodies, block.body_b);
  Motion<V> const delta_a = gather_displacement<L>(bodies, block.body_a);
  Motion<V> const delta_b = gather_displacement<L>(bodies, block.body_b);
  watch.check(a, b, delta_a, delta_b);
  V3<V> const n = load3<L>(block.normal);
  V const linear_displacement = dot_lanes<L>(n, delta_b.linear - delta_a.linear);
  Side<L, Special> const side_of_a = side_a<L, Special>(block, extras);
  Side<L, Special> const side_of_b = side_b<L, Special>(block, extras);
  solve_friction<L, UseBias, Special>(block, extras, side_of_a, side_of_b, n, delta_a, delta_b, a, b, watch);
  for (std::uint32_t r = 0; r < block.row_count; ++r) {
    auto& row = block.rows[r];
    V3<V> const ra_cross_n = load3<L>(row.ra_cross_n);
    V3<V> const rb_cross_n = load3<L>(row.rb_cross_n);
    V const separation =
        L::load(row.separation) + (linear_displacement + (dot_lanes<L>(rb_cross_n, delta_b.angular) -
                                                          dot_lanes<L>(ra_cross_n, delta_a.angular)));
    watch.check(separation);
    // Within the slop a row is soft, above it speculative: it lets the gap close within the substep.
    auto const speculative = L::above(separation, L::load(row.slop));
    V bias = separation * inverse_substep;
    V mass_scale = one;
    V impulse_scale = zero;
    if constexpr (UseBias) {
      bias = L::select(speculative, bias, L::maximum(L::load(block.bias_rate) * separation, min_bias));
      mass_scale = L::select(speculative, one, L::load(block.mass_scale));
      impulse_scale = L::select(speculative, zero, L::load(block.impulse_scale));
    } else {
      bias = L::select(speculative, bias, zero);
      impulse_scale = L::select(speculative, zero, L::load(block.relax_impulse_scale));
      mass_scale = one - impulse_scale;
    }
    // relative normal velocity at the contact point
    V const vn = dot_lanes<L>(n, b.linear - a.linear) +
                 (dot_lanes<L>(rb_cross_n, b.angular) - dot_lanes<L>(ra_cross_n, a.angular));
    V const velocity_error = vn + bias;
    V const old = L::load(row.impulse);
    watch.check(velocity_error, old);
    // incremental normal impulse
    V const unclamped =
        old - (L::multiply(L::load_mass(row.mass), mass_scale * velocity_error) + impulse_scale * old);
    watch.check(unclamped);
    // clamp the accumulated impulse
    V now = L::select(L::above(L::load(block.restitution_speed), vn), old, L::maximum(unclamped, zero));
    if constexpr (Special) {
      if (extras->springs != 0) {
        V const soft = spring_impulse<L, UseBias>(*extras, extras->spring_rows[r], separation, vn,
                                                  L::load(block.restitution_speed), old);
        now = L::select(L::above(L::load(extras->spring), zero), soft, now);
        V const depth = L::load(extras->soft_depth);
        V const deeper = separation + depth;
        watch.check(deeper);
        V const limit = impulse_at_soft_depth<L, UseBias>(block, L::load_mass(row.mass), deeper, vn, old,
                                                          inverse_substep, min_bias);
        watch.check(limit);
        now = L::select(L::above(depth, zero), L::maximum(now, limit), now);
      }
    }
    L::store(row.impulse, now);
    if constexpr (!UseBias) {  // the substep ends with its relax pass
      V const total_impulse = L::load(row.total_impulse);
      watch.check(total_impulse);
      L::store(row.total_impulse, total_impulse + now);
    }
    V const delta = now - old;
    V3<V> const linear = n * delta;
    V3<V> const angular_a = ra_cross_n * delta;
    V3<V> const angular_b = rb_cross_n * delta;
    watch.check(angular_a, angular_b);
    side_of_a.apply_negative(a, linear, angular_a);
    side_of_b.apply_positive(b, linear, angular_b);
    watch.check(a, b);
  }
  if (!watch.in_range()) return false;
  scatter_motion<L>(bodies, block.body_a, block.writes_a, a);
  scatter_motion<L>(bodies, block.body_b, block.writes_b, b);
  return true;
}

template <class L, bool UseBias, bool Special>
void solve_blocks_with(const BlockMemory& memory, std::size_t first, std::size_t end,
                       SolverBody<typename L::Real>* bodies,
                       const ContactParameters<typename L::Real>& parameters) {
  for (std::size_t i = first; i < end; ++i) {
    auto& block = block_at<L>(memory.blocks, i);
    if (i + 1 < end) fetch_ahead(memory.blocks + (i + 1) * sizeof block, sizeof block);
    (void)solve_block<L, UseBias, Special>(block, extras_at<L, Special>(memory, i), bodies, parameters);
  }
}

/// One pass over blocks [first, end), all special or all plain: biased, or the relax pass.
template <class L>
void solve_blocks(const BlockMemory& memory, std::size_t first, std::size_t end,
                  SolverBody<typename L::Real>* bodies, const ContactParameters<typename L::Real>& parameters,
                  bool use_bias) {
  TAKT_ASSERT(is_one_kind(memory, first, end));
  bool const special = first >= memory.first_special;
  if (use_bias) {
    if (special) {
      solve_blocks_with<L, true, true>(memory, first, end, bodies, parameters);
    } else {
      solve_blocks_with<L, true, false>(memory, first, end, bodies, parameters);
    }
  } else if (special) {
    solve_blocks_with<L, false, true>(memory, first, end, bodies, parameters);
  } else {
    solve_blocks_with<L, false, false>(memory, first, end, bodies, parameters);
  }
}

/// The kernel table of lane type L, without prepare_lanes, store_lanes and the block loops of
/// contact_blocks.cpp, which are built once for the baseline CPU.
template <class L>
ContactKernels<typename L::Real> contact_kernels_of() {
  ContactKernels<typename L::Real> table;
  table.lanes = L::kWidth;
  table.block_bytes = sizeof(Block<L>);
  table.extra_bytes = sizeof(Extras<L>);
  table.warm_start = &warm_start_blocks<L>;
  table.solve = &solve_blocks<L>;
  return table;
}

}  // namespace
}  // namespace takt
