// Kernels of PointJointBlock: rows, warm start and passes of batched point joints, written once over a lane
// type L (float_lanes.h, fixed_lanes.h). A point joint (ball and socket) is one 3 x 3 block. Its impulse is
// -K^-1 (velocity of b's anchor relative to a's anchor), by sequential impulses (docs/CONSTRAINTS.md 2.3,
// 2.4). point_joint_kernels_of() returns the table of all kernels of one lane type. Only joint_kernels_*.cpp
// include this header, each compiled for one instruction set. All functions are in an unnamed namespace;
// vector_lanes.h has the reason.
#pragma once

#include "physics/joints/point_joint_block.h"
#include "physics/simd/vector_lanes.h"
#include "takt/core/assert.h"

namespace takt {
namespace {  // NOLINT: internal linkage on purpose

template <class L>
using PointBlock = PointJointBlock<typename L::Number, L::kWidth>;
template <class L>
using PointFrames = PointJointFrames<typename L::Number, L::kWidth>;
template <class L>
using PointTensors = PointJointTensors<typename L::Number, L::kWidth>;

/// Element `index` of an array of parts in raw memory.
template <class Part>
inline Part& part_at(std::byte* parts, std::size_t index) {
  return *__builtin_launder(reinterpret_cast<Part*>(parts + index * sizeof(Part)));
}

/// Symmetric 3 x 3 matrix in lanes.
template <class V>
struct Sym3 {
  V xx, yy, zz, xy, xz, yz;
};
template <class V>
inline V3<V> operator*(const Sym3<V>& m, const V3<V>& v) {
  return {m.xx * v.x + m.xy * v.y + m.xz * v.z, m.xy * v.x + m.yy * v.y + m.yz * v.z,
          m.xz * v.x + m.yz * v.y + m.zz * v.z};
}
template <class L>
inline Sym3<typename L::V> load_sym(const typename L::Number (&from)[6][L::kWidth]) {
  return {L::load(from[0]), L::load(from[1]), L::load(from[2]),
          L::load(from[3]), L::load(from[4]), L::load(from[5])};
}

/// Masses of one body of each of W joints. A special body has a full tensor and a mass per world axis.
template <class L, bool Special>
struct PointSide;
template <class L>
struct PointSide<L, false> {
  using V = typename L::V;
  V inverse_mass;
  V inverse_inertia;

  void apply_positive(Motion<V>& motion, const V3<V>& lever_arm, const V3<V>& impulse) const {
    motion.linear = motion.linear + impulse * inverse_mass;
    motion.angular = motion.angular + cross_lanes<L>(lever_arm, impulse) * inverse_inertia;
  }
  void apply_negative(Motion<V>& motion, const V3<V>& lever_arm, const V3<V>& impulse) const {
    motion.linear = motion.linear - impulse * inverse_mass;
    motion.angular = motion.angular - cross_lanes<L>(lever_arm, impulse) * inverse_inertia;
  }
  [[nodiscard]] V3<V> linear_mobility() const { return {inverse_mass, inverse_mass, inverse_mass}; }
  /// The body's part of K.
  [[nodiscard]] Sym3<V> mobility(const V3<V>& lever_arm) const {
    V const x = lever_arm.x * inverse_inertia;
    V const y = lever_arm.y * inverse_inertia;
    V const z = lever_arm.z * inverse_inertia;
    V const zero = L::set(0);
    return {inverse_mass + (y * lever_arm.y + z * lever_arm.z),
            inverse_mass + (x * lever_arm.x + z * lever_arm.z),
            inverse_mass + (x * lever_arm.x + y * lever_arm.y),
            zero - x * lever_arm.y,
            zero - x * lever_arm.z,
            zero - y * lever_arm.z};
  }
};
template <class L>
struct PointSide<L, true> {
  using V = typename L::V;
  V3<V> inverse_mass;
  Sym3<V> inverse_inertia;

  [[nodiscard]] V3<V> linear_mobility() const { return inverse_mass; }
  [[nodiscard]] V3<V> linear_change(const V3<V>& impulse) const {
    return {inverse_mass.x * impulse.x, inverse_mass.y * impulse.y, inverse_mass.z * impulse.z};
  }
  void apply_positive(Motion<V>& motion, const V3<V>& lever_arm, const V3<V>& impulse) const {
    motion.linear = motion.linear + linear_change(impulse);
    motion.angular = motion.angular + inverse_inertia * cross_lanes<L>(lever_arm, impulse);
  }
  void apply_negative(Motion<V>& motion, const V3<V>& lever_arm, const V3<V>& impulse) const {
    motion.linear = motion.linear - linear_change(impulse);
    motion.angular = motion.angular - inverse_inertia * cross_lanes<L>(lever_arm, impulse);
  }
  [[nodiscard]] Sym3<V> mobility(const V3<V>& lever_arm) const {
    V const zero = L::set(0);
    V3<V> const x = cross_lanes<L>(inverse_inertia * V3<V>{zero, lever_arm.z, zero - lever_arm.y}, lever_arm);
    V3<V> const y = cross_lanes<L>(inverse_inertia * V3<V>{zero - lever_arm.z, zero, lever_arm.x}, lever_arm);
    V3<V> const z = cross_lanes<L>(inverse_inertia * V3<V>{lever_arm.y, zero - lever_arm.x, zero}, lever_arm);
    return {inverse_mass.x + x.x, inverse_mass.y + y.y, inverse_mass.z + z.z, y.x, z.x, z.y};
  }
};

template <class L, bool Special>
struct PointSides {
  PointSide<L, Special> a;
  PointSide<L, Special> b;
};
template <class L, bool Special>
inline PointSides<L, Special> sides_of(const PointJointMemory& memory, std::size_t index,
                                       const PointBlock<L>& block) {
  if constexpr (Special) {
    auto const& tensors = part_at<PointTensors<L>>(memory.tensors, index - memory.first_special);
    return {{load3<L>(tensors.inverse_mass_a), load_sym<L>(tensors.inverse_inertia_a)},
            {load3<L>(tensors.inverse_mass_b), load_sym<L>(tensors.inverse_inertia_b)}};
  } else {
    return {{L::load(block.inverse_mass_a), L::load(block.inverse_inertia_a)},
            {L::load(block.inverse_mass_b), L::load(block.inverse_inertia_b)}};
  }
}

/// 1 / pivot; 0 for a pivot that is not above `min`.
template <class L>
inline typename L::V pivot_of(const typename L::V& pivot, const typename L::V& min) {
  return L::select(L::above(pivot, min), L::set(1) / pivot, L::set(0));
}

/// The inverse of K by L D L^T; redundant directions get no impulse. `mass` is the linear part of K's
/// diagonal. Along a locked axis only rotation moves the anchors: such a direction is excluded when its
/// mobility is below kMinLockedFraction of the trace, as it is for a lever arm nearly parallel to the axis.
template <class L>
inline Sym3<typename L::V> inverse_of(const Sym3<typename L::V>& k, const V3<typename L::V>& mass) {
  using V = typename L::V;
  V const zero = L::set(0);
  V const of_locked = (k.xx + k.yy + k.zz) * L::set_real(L::kMinLockedFraction);
  V const ratio = L::set_real(L::kMinPivot);
  auto const min = [&](const V& along, const V& diagonal) {
    return L::select(L::above(along, zero), diagonal * ratio, of_locked);
  };
  V const d0 = pivot_of<L>(k.xx, min(mass.x, k.xx));
  V const l10 = k.xy * d0;
  V const l20 = k.xz * d0;
  V const d1 = pivot_of<L>(k.yy - l10 * k.xy, min(mass.y, k.yy));
  V const below = k.yz - l10 * k.xz;
  V const l21 = below * d1;
  V const d2 = pivot_of<L>((k.zz - l20 * k.xz) - l21 * below, min(mass.z, k.zz));
  V const m20 = l10 * l21 - l20;  // of L^-1, with -l10 and -l21
  return {(d0 + l10 * l10 * d1) + m20 * m20 * d2,
          d1 + l21 * l21 * d2,
          d2,
          zero - (l10 * d1 + m20 * l21 * d2),
          m20 * d2,
          zero - l21 * d2};
}

/// q v q*.
template <class L>
inline V3<typename L::V> rotated_lanes(const Rotations<typename L::V>& q, const V3<typename L::V>& v) {
  V3<typename L::V> const u{q.x, q.y, q.z};
  V3<typename L::V> const t = cross_lanes<L>(u, v) * L::set(2);
  return v + t * q.w + cross_lanes<L>(u, t);
}

/// Lever arms and inverse of K of W joints.
template <class L>
struct PointRow {
  V3<typename L::V> r_a;
  V3<typename L::V> r_b;
  Sym3<typename L::V> mass;
};

/// Computes the rows from the bodies' poses and stores them in the block.
template <class L, bool Special>
inline PointRow<L> compute_point_row(PointBlock<L>& block, const PointFrames<L>& frames,
                                     const PointSides<L, Special>& sides,
                                     const PointJointBodies<typename L::Real>& bodies,
                                     const PointJointParameters<typename L::Number>& parameters) {
  using V = typename L::V;
  using Body = SolverBody<typename L::Real>;
  V3<V> const delta_a = L::gather(bodies.bodies, block.body_a, &Body::delta_position);
  V3<V> const delta_b = L::gather(bodies.bodies, block.body_b, &Body::delta_position);
  V3<V> const anchor_a =
      rotated_lanes<L>(L::gather_rotation(bodies.moving, block.body_a), load3<L>(frames.local_a));
  V3<V> const r_b =
      rotated_lanes<L>(L::gather_rotation(bodies.moving, block.body_b), load3<L>(frames.local_b));
  V3<V> const error = (load3<L>(frames.delta_center) + (delta_b - delta_a)) + (r_b - anchor_a);
  V3<V> const r_a = anchor_a + error;
  V const rate = L::set_real(parameters.drift_rate);
  V const max = L::set_real(parameters.drift_velocity_max);
  V const min = L::set(0) - max;
  auto const clamped = [&](V v) {
    V const below = L::select(L::above(v, max), max, v);
    return L::select(L::above(min, below), min, below);
  };
  Sym3<V> const of_a = sides.a.mobility(r_a);
  Sym3<V> const of_b = sides.b.mobility(r_b);
  V3<V> const straight = sides.a.linear_mobility() + sides.b.linear_mobility();
  Sym3<V> const mass = inverse_of<L>({of_a.xx + of_b.xx, of_a.yy + of_b.yy, of_a.zz + of_b.zz,
                                      of_a.xy + of_b.xy, of_a.xz + of_b.xz, of_a.yz + of_b.yz},
                                     straight);
  store3<L>(block.r_a, r_a);
  store3<L>(block.r_b, r_b);
  store3<L>(block.drift_velocity,
            {clamped(error.x * rate), clamped(error.y * rate), clamped(error.z * rate)});
  L::store(block.mass[0], mass.xx);
  L::store(block.mass[1], mass.yy);
  L::store(block.mass[2], mass.zz);
  L::store(block.mass[3], mass.xy);
  L::store(block.mass[4], mass.xz);
  L::store(block.mass[5], mass.yz);
  return {r_a, r_b, mass};
}

/// Calls body(block, index) for each block and prefetches the next block.
template <class L, class Body>
inline void for_point_blocks(const PointJointMemory& memory, std::size_t first, std::size_t end,
                             const Body& body) {
  TAKT_VALIDATE(first <= end);
  for (std::size_t i = first; i < end; ++i) {
    if (i + 1 < end) fetch_ahead(memory.blocks + (i + 1) * sizeof(PointBlock<L>), sizeof(PointBlock<L>));
    body(part_at<PointBlock<L>>(memory.blocks, i), i);
  }
}

template <class L, bool Special>
void compute_point_joint_rows(const PointJointMemory& memory, std::size_t first, std::size_t end,
                              const PointJointBodies<typename L::Real>& bodies,
                              const PointJointParameters<typename L::Number>& parameters) {
  for_point_blocks<L>(memory, first, end, [&](PointBlock<L>& block, std::size_t i) {
    (void)compute_point_row<L, Special>(block, part_at<PointFrames<L>>(memory.frames, i),
                                        sides_of<L, Special>(memory, i, block), bodies, parameters);
  });
}

template <class L, bool Special>
void warm_start_point_joints(const PointJointMemory& memory, std::size_t first, std::size_t end,
                             const PointJointBodies<typename L::Real>& bodies,
                             const PointJointParameters<typename L::Number>&) {
  using V = typename L::V;
  for_point_blocks<L>(memory, first, end, [&](PointBlock<L>& block, std::size_t i) {
    PointSides<L, Special> const sides = sides_of<L, Special>(memory, i, block);
    Motion<V> a = gather_motion<L>(bodies.bodies, block.body_a);
    Motion<V> b = gather_motion<L>(bodies.bodies, block.body_b);
    V3<V> const impulse = load3<L>(block.impulse);
    sides.a.apply_negative(a, load3<L>(block.r_a), impulse);
    sides.b.apply_positive(b, load3<L>(block.r_b), impulse);
    scatter_motion<L>(bodies.bodies, block.body_a, block.writes_a, a);
    scatter_motion<L>(bodies.bodies, block.body_b, block.writes_b, b);
  });
}

/// Mean velocity of the anchor over a substep: the chord of its arc as rotated() of moving_body.h integrates
/// it, instead of the tangent. With the tangent, joints at the tip of a whipping sheet separate by twice as
/// much.
template <class L>
inline V3<typename L::V> mean_velocity(const Motion<typename L::V>& motion,
                                       const V3<typename L::V>& lever_arm,
                                       const typename L::V& half_substep) {
  using V = typename L::V;
  V3<V> const half_rotation = motion.angular * half_substep;
  V3<V> const along = cross_lanes<L>(motion.angular, lever_arm);
  V const kept =
      L::set(1) / (L::set(1) + (half_rotation.x * half_rotation.x + half_rotation.y * half_rotation.y +
                                half_rotation.z * half_rotation.z));
  return motion.linear + (along + cross_lanes<L>(half_rotation, along)) * kept;
}

enum class PointPass { kBiased, kComputeRows, kRigid, kLast };

template <class L, bool Special, PointPass Of>
void solve_point_joints(const PointJointMemory& memory, std::size_t first, std::size_t end,
                        const PointJointBodies<typename L::Real>& bodies,
                        const PointJointParameters<typename L::Number>& parameters) {
  using V = typename L::V;
  for_point_blocks<L>(memory, first, end, [&](PointBlock<L>& block, std::size_t i) {
    PointSides<L, Special> const sides = sides_of<L, Special>(memory, i, block);
    PointRow<L> row;
    if constexpr (Of == PointPass::kComputeRows) {
      row = compute_point_row<L, Special>(block, part_at<PointFrames<L>>(memory.frames, i), sides, bodies,
                                          parameters);
    } else {
      row = {load3<L>(block.r_a), load3<L>(block.r_b), load_sym<L>(block.mass)};
    }
    Motion<V> a = gather_motion<L>(bodies.bodies, block.body_a);
    Motion<V> b = gather_motion<L>(bodies.bodies, block.body_b);
    V3<V> velocity;
    if constexpr (Of == PointPass::kBiased) {
      V const half = L::set_real(parameters.half_substep);
      velocity = (mean_velocity<L>(b, row.r_b, half) - mean_velocity<L>(a, row.r_a, half)) +
                 load3<L>(block.drift_velocity);
    } else {
      velocity =
          (b.linear + cross_lanes<L>(b.angular, row.r_b)) - (a.linear + cross_lanes<L>(a.angular, row.r_a));
    }
    V3<V> const old = load3<L>(block.impulse);
    V3<V> const nothing{L::set(0), L::set(0), L::set(0)};
    V3<V> change = nothing - row.mass * velocity;
    if constexpr (Of == PointPass::kBiased)
      change = change * L::set_real(parameters.mass_scale) - old * L::set_real(parameters.impulse_scale);
    V3<V> const now = old + change;
    store3<L>(block.impulse, now);
    if constexpr (Of == PointPass::kLast) {
      auto& sum = part_at<PointFrames<L>>(memory.frames, i).force_sum;
      store3<L>(sum, load3<L>(sum) + now);
    }
    sides.a.apply_negative(a, row.r_a, change);
    sides.b.apply_positive(b, row.r_b, change);
    scatter_motion<L>(bodies.bodies, block.body_a, block.writes_a, a);
    scatter_motion<L>(bodies.bodies, block.body_b, block.writes_b, b);
  });
}

/// Calls the kernel for special blocks or for plain blocks.
template <class L, auto Plain, auto Special>
void either(const PointJointMemory& memory, std::size_t first, std::size_t end,
            const PointJointBodies<typename L::Real>& bodies,
            const PointJointParameters<typename L::Number>& parameters) {
  TAKT_VALIDATE(first >= memory.first_special || end <= memory.first_special);
  (first >= memory.first_special ? Special : Plain)(memory, first, end, bodies, parameters);
}

template <class L>
PointJointKernels<typename L::Real> point_joint_kernels_of() {
  return {L::kWidth,
          &either<L, &compute_point_joint_rows<L, false>, &compute_point_joint_rows<L, true>>,
          &either<L, &warm_start_point_joints<L, false>, &warm_start_point_joints<L, true>>,
          &either<L, &solve_point_joints<L, false, PointPass::kBiased>,
                  &solve_point_joints<L, true, PointPass::kBiased>>,
          &either<L, &solve_point_joints<L, false, PointPass::kComputeRows>,
                  &solve_point_joints<L, true, PointPass::kComputeRows>>,
          &either<L, &solve_point_joints<L, false, PointPass::kRigid>,
                  &solve_point_joints<L, true, PointPass::kRigid>>,
          &either<L, &solve_point_joints<L, false, PointPass::kLast>,
                  &solve_point_joints<L, true, PointPass::kLast>>};
}

}  // namespace
}  // namespace takt
