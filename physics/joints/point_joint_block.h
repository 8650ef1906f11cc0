// PointJointBlock has W batched point joints of one colour side by side (structure of arrays);
// PointJointFrames and PointJointTensors have the rest of their data. PointJointKernels is the table of
// functions that solve blocks of one lane width, for PointJointBatches. Float mode uses 1, 4, 8 or 16 float
// lanes; fixed mode solves one joint at a time in binary64. The lane width never changes a bit: the joints of
// a block share no moving body, and a lane runs the scalar operations (point_joint_kernels.h).
//
//   constraint   C = x_b + r_b - (x_a + r_a') = 0
//   velocity     J v = (v_b + w_b x r_b) - (v_a + w_a x r_a)
//   impulse      lambda -= mass_scale K^-1 (J v + b C) + impulse_scale lambda   (biased pass)
//                lambda -= K^-1 J v                                             (relax pass)
//   K            m_a^-1 + m_b^-1 - [r_a]x I_a^-1 [r_a]x - [r_b]x I_b^-1 [r_b]x
// Symbols are those of point_joint_rows.h; b is drift_rate, and |b C| is at most drift_velocity_max per axis.
// In the biased pass J v has the anchors' mean velocities over the substep (mean_velocity()).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "physics/constraints/moving_body.h"
#include "physics/constraints/solver_body.h"
#include "takt/physics/fixed.h"

namespace takt {

/// Number type of batched point joints.
template <class Real>
using PointJointNumber = std::conditional_t<std::is_same_v<Real, float>, float, double>;

/// Data of the passes. A lane without a joint has body 0, and inverse masses and inertias of 0.
template <class N, int W>
struct alignas(64) PointJointBlock {
  std::uint32_t body_a[W];  ///< solver indices
  std::uint32_t body_b[W];
  std::uint32_t writes_a;  ///< bit per lane: body a moves under impulses
  std::uint32_t writes_b;
  alignas(16) N impulse[3][W];  ///< on b, N s a substep, world
  N r_a[3][W];                  ///< from a's centre to b's anchor, m, world
  N r_b[3][W];
  N drift_velocity[3][W];  ///< b C, clamped, m/s, world
  N mass[6][W];            ///< inverse of K (CONSTRAINTS 2.4): xx, yy, zz, xy, xz, yz, kg
  N inverse_mass_a[W];     ///< 1/kg; 0 for a body that does not move under impulses
  N inverse_mass_b[W];
  N inverse_inertia_a[W];  ///< of a spherical tensor, 1/(kg m^2); unused in special blocks
  N inverse_inertia_b[W];
};

/// Data that rows are computed from, and the reaction of the tick.
template <class N, int W>
struct alignas(64) PointJointFrames {
  N local_a[3][W];  ///< anchor from the centre of mass, m: body frame; static body: world axes
  N local_b[3][W];
  N delta_center[3][W];  ///< centre of b - centre of a at the tick's start, m
  N force_sum[3][W];     ///< on b, N s: sum of the final impulses of the substeps
};

/// Masses of special joints (PointJointBatches::special()). Blocks of special joints are behind all others.
template <class N, int W>
struct alignas(64) PointJointTensors {
  N inverse_mass_a[3][W];  ///< 1/kg along the world's axes; 0 where locked
  N inverse_mass_b[3][W];
  N inverse_inertia_a[6][W];  ///< xx, yy, zz, xy, xz, yz, world
  N inverse_inertia_b[6][W];
};

/// Arrays of PointJointBlock and PointJointFrames, one per block, and of PointJointTensors, one per block
/// from first_special on. PointJointBatches owns the memory.
struct PointJointMemory {
  std::byte* blocks = nullptr;
  std::byte* frames = nullptr;
  std::byte* tensors = nullptr;
  std::size_t first_special = 0;
};

/// Arrays of bodies by solver index.
template <class Real>
struct PointJointBodies {
  SolverBody<Real>* bodies = nullptr;
  const MovingBody<Real>* moving = nullptr;
};

/// Constants of a tick.
template <class N>
struct PointJointParameters {
  N drift_rate{};          ///< 1/s: of the soft row in the biased pass (CONSTRAINTS 1.9)
  N drift_velocity_max{};  ///< m/s
  N half_substep{};        ///< s
  N mass_scale{};          ///< of that row, dimensionless, as the next
  N impulse_scale{};
};

/// The kernels of one lane width. Each runs over blocks [first, end), which are all special or all plain.
template <class Real>
struct PointJointKernels {
  using Parameters = PointJointParameters<PointJointNumber<Real>>;
  using Pass = void (*)(const PointJointMemory& memory, std::size_t first, std::size_t end,
                        const PointJointBodies<Real>& bodies, const Parameters& parameters);
  std::uint32_t lanes = 1;
  Pass compute_rows = nullptr;            ///< lever arms and K^-1 from the bodies' poses
  Pass warm_start = nullptr;              ///< applies the impulses of the last substep
  Pass solve_biased = nullptr;            ///< soft, corrects drift
  Pass compute_rows_and_solve = nullptr;  ///< rigid, without bias, as the next two
  Pass solve = nullptr;
  Pass solve_last = nullptr;  ///< also adds the impulses to force_sum
};

/// Returns the kernels of a width: 1, 4, 8 or 16, or 0 for the widest that this CPU runs well with `count`
/// joints. Fixed mode has one width, 1, and ignores both arguments. The table lives as long as the program.
template <class Real>
[[nodiscard]] const PointJointKernels<Real>& point_joint_kernels(std::uint32_t lanes,
                                                                 std::size_t count) noexcept;

}  // namespace takt
