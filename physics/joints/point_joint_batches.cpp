#include "physics/joints/point_joint_batches.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "physics/base/parallel_for.h"
#include "physics/base/solver_constants.h"
#include "physics/constraints/motion_locks.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

template <class N, std::size_t W>
void set_lane(N (&to)[3][W], std::size_t lane, Vec3<double> v) noexcept {
  to[0][lane] = static_cast<N>(v.x);
  to[1][lane] = static_cast<N>(v.y);
  to[2][lane] = static_cast<N>(v.z);
}
template <class N, std::size_t W>
Vec3<double> lane_of(const N (&from)[3][W], std::size_t lane) noexcept {
  return {static_cast<double>(from[0][lane]), static_cast<double>(from[1][lane]),
          static_cast<double>(from[2][lane])};
}
template <class N, std::size_t W>
void set_sym_lane(N (&to)[6][W], std::size_t lane, const SymMat64& m) noexcept {
  for (std::size_t i = 0; i < 6; ++i) to[i][lane] = static_cast<N>(m[i]);
}

/// The tensor is a multiple of the identity and no axis is locked.
bool is_spherical(const SymMat64& inverse_inertia, std::uint8_t locked_axes) noexcept {
  const SymMat64& m = inverse_inertia;
  return locked_axes == 0 && m[0] == m[1] && m[0] == m[2] && m[3] == 0.0 && m[4] == 0.0 && m[5] == 0.0;
}

template <class Part>
Part& part_at(std::byte* parts, std::size_t index) noexcept {
  return *std::launder(reinterpret_cast<Part*>(parts + index * sizeof(Part)));
}

}  // namespace

template <class Real>
template <class Body>
auto PointJointBatches<Real>::with_width(const Body& body) const {
  if constexpr (std::is_same_v<Real, float>) {
    switch (lanes_) {
      case 4: return body(std::integral_constant<int, 4>{});
      case 8: return body(std::integral_constant<int, 8>{});
      case 16: return body(std::integral_constant<int, 16>{});
      default: break;
    }
  }
  return body(std::integral_constant<int, 1>{});
}

/// Joints with a body that needs its full tensor. The tension of last tick's impulses turns a body back by at
/// most their moment (geometric_stiffness.h).
template <class Real>
void PointJointBatches<Real>::find_special(const WorldState<Real>& state, const JointBodies<Real>& bodies,
                                           double substep_s, std::span<const std::uint32_t> other_bodies) {
  moments_.assign(bodies.bodies.size(), 0.0);
  for (const BatchedPointJoint& joint : joints_) {
    const JointRecord& record = state.joints[joint.index];
    double const impulse = length(Vec3<double>{record.impulses[0], record.impulses[1], record.impulses[2]});
    moments_[joint.moving_a] +=
        impulse * length(record.frame_a.position_m - to_double(state.bodies[record.body_a].local_center));
    moments_[joint.moving_b] +=
        impulse * length(record.frame_b.position_m - to_double(state.bodies[record.body_b].local_center));
  }
  spherical_.assign(bodies.bodies.size(), 1);
  for (std::size_t i = 1; i < bodies.bodies.size(); ++i) {
    if (!bodies.moving[i].dynamic) continue;
    SymMat64 const inverse = to_sym_mat64(state.bodies[bodies.moving[i].index].inverse_inertia);
    TAKT_ASSERT(bodies.moving[i].index < state.bodies.capacity());
    bool const taut = !(substep_s * moments_[i] * inverse[0] <= kMaxSwingRate * kMaxSwingRate);
    spherical_[i] = !taut && is_spherical(inverse, bodies.masses[i].locked_axes) ? 1 : 0;
  }
  for (std::uint32_t const body : other_bodies) {
    TAKT_ASSERT(body < spherical_.size());
    if (body != 0) spherical_[body] = 0;
  }
  special_.clear();
  for (std::uint32_t i = 0; i < joints_.size(); ++i) {
    if (spherical_[joints_[i].moving_a] == 0 || spherical_[joints_[i].moving_b] == 0) special_.push_back(i);
  }
}

template <class Real>
void PointJointBatches<Real>::prepare(const WorldState<Real>& state, const JointBodies<Real>& bodies,
                                      const JointTick& tick, std::span<const std::uint32_t> other_bodies) {
  TAKT_ASSERT(tick.substep_s > 0.0);
  kernels_ = &point_joint_kernels<Real>(tick.lanes, joints_.size());
  lanes_ = kernels_->lanes;
  SoftRow const row = Softness::frequency(kBatchHertzPerSubstepRate / tick.substep_s, kBatchDampingRatio)
                          .row(tick.substep_s, 1.0);
  double const kept = 1.0 / (1.0 + row.gamma);
  parameters_ = {static_cast<N>(row.bias_rate), static_cast<N>(kBatchPushMax),
                 static_cast<N>(0.5 * tick.substep_s), static_cast<N>(kept),
                 static_cast<N>(kept * row.gamma)};
  find_special(state, bodies, tick.substep_s, other_bodies);
  layout_.build(joints_, special_, bodies.bodies.size(), lanes_);
  with_width([&](auto width) {
    constexpr int kWidth = decltype(width)::value;
    std::size_t const block_count = layout_.block_count();
    std::size_t const first_special = layout_.first_special();
    memory_ = {blocks_.reserve(block_count * sizeof(PointJointBlock<N, kWidth>)),
               frames_.reserve(block_count * sizeof(PointJointFrames<N, kWidth>)),
               tensors_.reserve((block_count - first_special) * sizeof(PointJointTensors<N, kWidth>)),
               first_special};
    parallel_for(bodies.pool, block_count, std::max<std::size_t>(1, kContactGrain / kWidth),
                 [&](std::size_t first, std::size_t end, std::uint32_t) {
                   for (std::size_t i = first; i < end; ++i) pack_block<kWidth>(state, bodies, i);
                 });
  });
}

template <class Real>
template <int W>
void PointJointBatches<Real>::pack_block(const WorldState<Real>& state, const JointBodies<Real>& bodies,
                                         std::size_t index) {
  auto& block = *::new (static_cast<void*>(memory_.blocks + index * sizeof(PointJointBlock<N, W>)))
                    PointJointBlock<N, W>{};
  auto& frames = *::new (static_cast<void*>(memory_.frames + index * sizeof(PointJointFrames<N, W>)))
                     PointJointFrames<N, W>{};
  bool const special = index >= memory_.first_special;
  PointJointTensors<N, W>* tensors = nullptr;
  if (special)
    tensors = ::new (static_cast<void*>(memory_.tensors +
                                        (index - memory_.first_special) * sizeof(PointJointTensors<N, W>)))
        PointJointTensors<N, W>{};
  for (std::size_t lane = 0; lane < W; ++lane) {
    std::uint32_t const joint_index = layout_.order()[index * W + lane];
    TAKT_ASSERT(joint_index == kEmptyLane || joint_index < joints_.size());
    if (joint_index == kEmptyLane) break;
    const BatchedPointJoint& joint = joints_[joint_index];
    const JointRecord& record = state.joints[joint.index];
    const BodyRecord<Real>& a = state.bodies[record.body_a];
    const BodyRecord<Real>& b = state.bodies[record.body_b];
    Quat<double> const rotation_a = to_double(a.motion.rotation);
    Vec3<double> const local_a = record.frame_a.position_m - to_double(a.local_center);
    Vec3<double> const local_b = record.frame_b.position_m - to_double(b.local_center);
    set_lane(frames.local_a, lane, joint.body_a != 0 ? local_a : rotate(rotation_a, local_a));
    set_lane(frames.local_b, lane,
             joint.body_b != 0 ? local_b : rotate(to_double(b.motion.rotation), local_b));
    set_lane(frames.delta_center, lane, relative<double>(b.motion.center, a.motion.center));
    Vec3<double> const impulse{record.impulses[0], record.impulses[1], record.impulses[2]};
    set_lane(block.impulse, lane, to_matrix(rotation_a * record.frame_a.rotation) * impulse);
    block.body_a[lane] = joint.body_a;
    block.body_b[lane] = joint.body_b;
    auto const bit = std::uint32_t{1} << lane;
    block.writes_a |= joint.moving_a != 0 ? bit : 0u;
    block.writes_b |= joint.moving_b != 0 ? bit : 0u;
    auto const set_masses = [&](std::uint32_t moving, const BodyRecord<Real>& body, N(&mass)[W],
                                N(&inertia)[W]) {
      if (moving == 0) return;
      mass[lane] = static_cast<N>(to_double(bodies.masses[moving].inverse_mass));
      inertia[lane] = static_cast<N>(to_sym_mat64(body.inverse_inertia)[0]);
    };
    set_masses(joint.moving_a, a, block.inverse_mass_a, block.inverse_inertia_a);
    set_masses(joint.moving_b, b, block.inverse_mass_b, block.inverse_inertia_b);
    if (!special) continue;
    auto const along_axes = [&](std::uint32_t moving, double inverse) {
      return moving != 0
                 ? free_linear(bodies.masses[moving].locked_axes, Vec3<double>{inverse, inverse, inverse})
                 : Vec3<double>{};
    };
    set_lane(tensors->inverse_mass_a, lane,
             along_axes(joint.moving_a, static_cast<double>(block.inverse_mass_a[lane])));
    set_lane(tensors->inverse_mass_b, lane,
             along_axes(joint.moving_b, static_cast<double>(block.inverse_mass_b[lane])));
  }
}

template <class Real>
void PointJointBatches<Real>::set_tensors(const std::vector<SymMat64>& inverse_inertias) {
  with_width([&](auto width) {
    constexpr int kWidth = decltype(width)::value;
    for (std::uint32_t const i : special_) {
      std::size_t const lane = layout_.slot_of(i) % kWidth;
      auto& tensors = part_at<PointJointTensors<N, kWidth>>(
          memory_.tensors, layout_.slot_of(i) / kWidth - memory_.first_special);
      set_sym_lane(tensors.inverse_inertia_a, lane, inverse_inertias[joints_[i].moving_a]);
      set_sym_lane(tensors.inverse_inertia_b, lane, inverse_inertias[joints_[i].moving_b]);
    }
  });
}

/// Colour after colour; threads share the blocks of a colour.
template <class Real>
void PointJointBatches<Real>::run(const JointBodies<Real>& bodies, Pass pass) {
  std::size_t const grain = std::max<std::size_t>(1, kSolveGrain / lanes_);
  for (const BlockRange& range : layout_.ranges()) {
    parallel_for(bodies.pool, range.end - range.first, grain,
                 [&](std::size_t first, std::size_t end, std::uint32_t) {
                   pass(memory_, range.first + first, range.first + end,
                        {bodies.bodies.data(), bodies.moving.data()}, parameters_);
                 });
  }
}

template <class Real>
void PointJointBatches<Real>::compute_rows(const JointBodies<Real>& bodies, bool only_special) {
  if (!only_special) return run(bodies, kernels_->compute_rows);
  kernels_->compute_rows(memory_, memory_.first_special, layout_.block_count(),
                         {bodies.bodies.data(), bodies.moving.data()}, parameters_);
}

template <class Real>
void PointJointBatches<Real>::warm_start(const JointBodies<Real>& bodies) {
  run(bodies, kernels_->warm_start);
}

template <class Real>
void PointJointBatches<Real>::solve(const JointBodies<Real>& bodies) {
  for (int iteration = 0; iteration < kBatchBiasedIterations; ++iteration)
    run(bodies, kernels_->solve_biased);
}

template <class Real>
void PointJointBatches<Real>::relax(const JointBodies<Real>& bodies) {
  run(bodies, kernels_->compute_rows_and_solve);
  for (int iteration = 2; iteration < kBatchRelaxIterations; ++iteration) run(bodies, kernels_->solve);
  run(bodies, kernels_->solve_last);
}

template <class Real>
BatchTension PointJointBatches<Real>::tension_of(std::uint32_t joint) const {
  return with_width([&](auto width) {
    constexpr int kWidth = decltype(width)::value;
    std::size_t const lane = layout_.slot_of(joint) % kWidth;
    auto const& block = part_at<PointJointBlock<N, kWidth>>(memory_.blocks, layout_.slot_of(joint) / kWidth);
    return BatchTension{lane_of(block.r_a, lane), lane_of(block.r_b, lane), lane_of(block.impulse, lane)};
  });
}

template <class Real>
BatchReaction PointJointBatches<Real>::reaction_of(std::uint32_t joint) const {
  return with_width([&](auto width) {
    constexpr int kWidth = decltype(width)::value;
    std::size_t const slot = layout_.slot_of(joint);
    auto const& block = part_at<PointJointBlock<N, kWidth>>(memory_.blocks, slot / kWidth);
    auto const& frames = part_at<PointJointFrames<N, kWidth>>(memory_.frames, slot / kWidth);
    return BatchReaction{lane_of(block.impulse, slot % kWidth), lane_of(frames.force_sum, slot % kWidth)};
  });
}

template class PointJointBatches<float>;
template class PointJointBatches<Fixed>;

}  // namespace takt
