// Kernels of PointJointBlock, written once over a lane type L (float_lanes.h, fixed_lanes.h). Included only
// by joint_kernels_*.cpp; internal linkage: see vector_lanes.h. A point joint (ball and socket) is one 3 x 3
// block: impulse = -K^-1 (velocity of b's anchor over a's), sequential impulses (CONSTRAINTS 2.3, 2.4).
#pragma once

#include "physics/joints/point_joint_block.h"
#include "physics/simd/vector_lanes.h"

namespace takt {
namespace {  // NOLINT: internal linkage on purpose

template <class L>
using BallBlock = PointJointBlock<typename L::Number, L::kWidth>;
template <class L>
using BallFrames = PointJointFrames<typename L::Number, L::kWidth>;
template <class L>
using BallTensors = PointJointTensors<typename L::Number, L::kWidth>;

template <class Part>
inline Part& part_at(std::byte* parts, std::size_t index) {
  return *__builtin_launder(reinterpret_cast<Part*>(parts + index * sizeof(Part)));
}

/// Symmetric: xx, yy, zz, xy, xz, yz.
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

/// How one body of each of W balls answers impulses.
template <class L, bool Special>
struct BallSide;
template <class L>
struct BallSide<L, false> {
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
  /// Its part of K.
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
struct BallSide<L, true> {
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
struct BallSides {
  BallSide<L, Special> a;
  BallSide<L, Special> b;
};
template <class L, bool Special>
inline BallSides<L, Special> sides_of(const PointJointMemory& memory, std::size_t index,
                                      const BallBlock<L>& block) {
  if constexpr (Special) {
    auto const& tensors = part_at<BallTensors<L>>(memory.tensors, index - memory.first_special);
    return {{load3<L>(tensors.inverse_mass_a), load_sym<L>(tensors.inverse_inertia_a)},
            {load3<L>(tensors.inverse_mass_b), load_sym<L>(tensors.inverse_inertia_b)}};
  } else {
    return {{L::load(block.inverse_mass_a), L::load(block.inverse_inertia_a)},
            {L::load(block.inverse_mass_b), L::load(block.inverse_inertia_b)}};
  }
}

/// 1 / a pivot; 0 where it is not above `least`.
template <class L>
inline typename L::V pivot_of(const typename L::V& pivot, const typename L::V& min) {
  return L::select(L::above(pivot, min), L::set(1) / pivot, L::set(0));
}

/// The inverse by L D L^T of K, but for directions of which nothing is left that others do not say, along
/// which there is no impulse. `mass`: what of its diagonal is along a straight line. Where that is locked,
/// turning alone moves the anchors, and what little it does about a nearly parallel arm is not asked for.
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

/// What follows from where the bodies are.
template <class L>
struct PlacedBall {
  V3<typename L::V> r_a;
  V3<typename L::V> r_b;
  Sym3<typename L::V> mass;
};

/// Works it out and keeps it in the block.
template <class L, bool Special>
inline PlacedBall<L> placed_ball(BallBlock<L>& block, const BallFrames<L>& frames,
                                 const BallSides<L, Special>& sides,
                                 const PointJointBodies<typename L::Real>& at,
                                 const PointJointParameters<typename L::Number>& parameters) {
  using V = typename L::V;
  using Body = SolverBody<typename L::Real>;
  V3<V> const delta_a = L::gather(at.bodies, block.body_a, &Body::delta_position);
  V3<V> const delta_b = L::gather(at.bodies, block.body_b, &Body::delta_position);
  V3<V> const anchor_a =
      rotated_lanes<L>(L::gather_rotation(at.moving, block.body_a), load3<L>(frames.local_a));
  V3<V> const r_b = rotated_lanes<L>(L::gather_rotation(at.moving, block.body_b), load3<L>(frames.local_b));
  V3<V> const apart = (load3<L>(frames.delta_center) + (delta_b - delta_a)) + (r_b - anchor_a);
  V3<V> const r_a = anchor_a + apart;
  V const rate = L::set_real(parameters.drift_rate);
  V const max = L::set_real(parameters.push_max);
  V const min = L::set(0) - max;
  auto const locked = [&](V v) {
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
  store3<L>(block.push, {locked(apart.x * rate), locked(apart.y * rate), locked(apart.z * rate)});
  L::store(block.mass[0], mass.xx);
  L::store(block.mass[1], mass.yy);
  L::store(block.mass[2], mass.zz);
  L::store(block.mass[3], mass.xy);
  L::store(block.mass[4], mass.xz);
  L::store(block.mass[5], mass.yz);
  return {r_a, r_b, mass};
}

/// body(block, its place) for each block; the next is asked for: blocks are many and pass once through the
/// cache.
template <class L, class Body>
inline void for_balls(const PointJointMemory& memory, std::size_t first, std::size_t end, const Body& body) {
  for (std::size_t i = first; i < end; ++i) {
    if (i + 1 < end) fetch_ahead(memory.blocks + (i + 1) * sizeof(BallBlock<L>), sizeof(BallBlock<L>));
    body(part_at<BallBlock<L>>(memory.blocks, i), i);
  }
}

template <class L, bool Special>
void compute_point_joint_rows(const PointJointMemory& memory, std::size_t first, std::size_t end,
                              const PointJointBodies<typename L::Real>& at,
                              const PointJointParameters<typename L::Number>& parameters) {
  for_balls<L>(memory, first, end, [&](BallBlock<L>& block, std::size_t i) {
    (void)placed_ball<L, Special>(block, part_at<BallFrames<L>>(memory.frames, i),
                                  sides_of<L, Special>(memory, i, block), at, parameters);
  });
}

template <class L, bool Special>
void warm_start_balls(const PointJointMemory& memory, std::size_t first, std::size_t end,
                      const PointJointBodies<typename L::Real>& at,
                      const PointJointParameters<typename L::Number>&) {
  using V = typename L::V;
  for_balls<L>(memory, first, end, [&](BallBlock<L>& block, std::size_t i) {
    BallSides<L, Special> const sides = sides_of<L, Special>(memory, i, block);
    Motion<V> a = gather_motion<L>(at.bodies, block.body_a);
    Motion<V> b = gather_motion<L>(at.bodies, block.body_b);
    V3<V> const impulse = load3<L>(block.impulse);
    sides.a.apply_negative(a, load3<L>(block.r_a), impulse);
    sides.b.apply_positive(b, load3<L>(block.r_b), impulse);
    scatter_motion<L>(at.bodies, block.body_a, block.writes_a, a);
    scatter_motion<L>(at.bodies, block.body_b, block.writes_b, b);
  });
}

/// What moving_body.h's turned() makes of a spin in a substep, per second: the point's way from where it is
/// to where it will be, and not along its tangent. Without the bend balls on the tip of a sheet that cracks
/// like a whip come apart by twice as much.
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

enum class BallPass { kBiased, kPlacing, kRigid, kLast };

template <class L, bool Special, BallPass Of>
void solve_balls(const PointJointMemory& memory, std::size_t first, std::size_t end,
                 const PointJointBodies<typename L::Real>& at,
                 const PointJointParameters<typename L::Number>& parameters) {
  using V = typename L::V;
  for_balls<L>(memory, first, end, [&](BallBlock<L>& block, std::size_t i) {
    BallSides<L, Special> const sides = sides_of<L, Special>(memory, i, block);
    PlacedBall<L> ball;
    if constexpr (Of == BallPass::kPlacing) {
      ball = placed_ball<L, Special>(block, part_at<BallFrames<L>>(memory.frames, i), sides, at, parameters);
    } else {
      ball = {load3<L>(block.r_a), load3<L>(block.r_b), load_sym<L>(block.mass)};
    }
    Motion<V> a = gather_motion<L>(at.bodies, block.body_a);
    Motion<V> b = gather_motion<L>(at.bodies, block.body_b);
    V3<V> velocity;
    if constexpr (Of == BallPass::kBiased) {
      V const half = L::set_real(parameters.half_substep);
      velocity =
          (mean_velocity<L>(b, ball.r_b, half) - mean_velocity<L>(a, ball.r_a, half)) + load3<L>(block.push);
    } else {
      velocity =
          (b.linear + cross_lanes<L>(b.angular, ball.r_b)) - (a.linear + cross_lanes<L>(a.angular, ball.r_a));
    }
    V3<V> const old = load3<L>(block.impulse);
    V3<V> const nothing{L::set(0), L::set(0), L::set(0)};
    V3<V> change = nothing - ball.mass * velocity;
    if constexpr (Of == BallPass::kBiased)
      change = change * L::set_real(parameters.mass_scale) - old * L::set_real(parameters.impulse_scale);
    V3<V> const now = old + change;
    store3<L>(block.impulse, now);
    if constexpr (Of == BallPass::kLast) {
      auto& sum = part_at<BallFrames<L>>(memory.frames, i).force_sum;
      store3<L>(sum, load3<L>(sum) + now);
    }
    sides.a.apply_negative(a, ball.r_a, change);
    sides.b.apply_positive(b, ball.r_b, change);
    scatter_motion<L>(at.bodies, block.body_a, block.writes_a, a);
    scatter_motion<L>(at.bodies, block.body_b, block.writes_b, b);
  });
}

/// Of the loop for special blocks or for others.
template <class L, auto Plain, auto Special>
void either(const PointJointMemory& memory, std::size_t first, std::size_t end,
            const PointJointBodies<typename L::Real>& at,
            const PointJointParameters<typename L::Number>& parameters) {
  (first >= memory.first_special ? Special : Plain)(memory, first, end, at, parameters);
}

template <class L>
PointJointKernels<typename L::Real> point_joint_kernels_of() {
  return {L::kWidth,
          &either<L, &compute_point_joint_rows<L, false>, &compute_point_joint_rows<L, true>>,
          &either<L, &warm_start_balls<L, false>, &warm_start_balls<L, true>>,
          &either<L, &solve_balls<L, false, BallPass::kBiased>, &solve_balls<L, true, BallPass::kBiased>>,
          &either<L, &solve_balls<L, false, BallPass::kPlacing>, &solve_balls<L, true, BallPass::kPlacing>>,
          &either<L, &solve_balls<L, false, BallPass::kRigid>, &solve_balls<L, true, BallPass::kRigid>>,
          &either<L, &solve_balls<L, false, BallPass::kLast>, &solve_balls<L, true, BallPass::kLast>>};
}

}  // namespace
}  // namespace takt
