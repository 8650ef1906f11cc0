// Balls and sockets of sheets, W of one colour side by side (structure of arrays): what the kernels of
// point_joint_kernels.h work on, in lanes of float in float mode and one at a time in binary64 in fixed mode.
// The width never changes a bit, because those of a block share no body that moves and each lane does exactly
// the scalar work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "physics/constraints/moving_body.h"
#include "physics/constraints/solver_body.h"
#include "takt/physics/fixed.h"

namespace takt {

/// What balls of a weave are computed in.
template <class Real>
using PointJointNumber = std::conditional_t<std::is_same_v<Real, float>, float, double>;

/// W balls as the passes see them. Lanes past the last have body 0 and masses 0.
template <class N, int W>
struct alignas(64) PointJointBlock {
  std::uint32_t body_a[W];  ///< the solver's places
  std::uint32_t body_b[W];
  std::uint32_t writes_a;  ///< bit per lane: body a moves under impulses
  std::uint32_t writes_b;
  alignas(16) N impulse[3][W];  ///< on b, N s a substep, world
  N r_a[3][W];                  ///< of the point where b's anchor is, m: both bodies are pushed there
  N r_b[3][W];
  N push[3][W];  ///< the velocity with which drift is taken back, m/s
  N mass[6][W];  ///< inverse of K (CONSTRAINTS 2.4): xx, yy, zz, xy, xz, yz, kg
  N inverse_mass_a[W];
  N inverse_mass_b[W];
  N inverse_inertia_a[W];  ///< the same about every axis, 1/(kg m^2)
  N inverse_inertia_b[W];
};

/// What is needed only where bodies have moved, and what is left of a tick.
template <class N, int W>
struct alignas(64) PointJointFrames {
  N local_a[3]
           [W];  ///< of the anchor from the centre of mass, m: body frame; of what is not the solver's, world
  N local_b[3][W];
  N delta_center[3][W];  ///< b's centre - a's at the tick's start, m
  N force_sum[3][W];     ///< on b, N s: of what the tick's substeps ended with
};

/// Of balls whose bodies resist otherwise than a free ball does. Blocks of such stand behind all others.
template <class N, int W>
struct alignas(64) PointJointTensors {
  N inverse_mass_a[3][W];  ///< 1/kg along the world's axes; 0 where locked
  N inverse_mass_b[3][W];
  N inverse_inertia_a[6][W];  ///< xx, yy, zz, xy, xz, yz, world
  N inverse_inertia_b[6][W];
};

/// Blocks, frames of all and tensors of those from first_special on.
struct PointJointMemory {
  std::byte* blocks = nullptr;
  std::byte* frames = nullptr;
  std::byte* tensors = nullptr;
  std::size_t first_special = 0;
};

template <class Real>
struct PointJointBodies {
  SolverBody<Real>* bodies = nullptr;
  const MovingBody<Real>* moving = nullptr;
};

/// Constants of a tick.
template <class N>
struct PointJointParameters {
  N drift_rate{};    ///< 1/s: of the soft row in the biased pass (CONSTRAINTS 1.9)
  N push_max{};      ///< m/s
  N half_substep{};  ///< s
  N mass_scale{};    ///< of the same row
  N impulse_scale{};
};

/// The loops for one lane width, each over blocks [first, end) that are all special, or none.
template <class Real>
struct PointJointKernels {
  using Parameters = PointJointParameters<PointJointNumber<Real>>;
  using Pass = void (*)(const PointJointMemory& memory, std::size_t first, std::size_t end,
                        const PointJointBodies<Real>& at, const Parameters& parameters);
  std::uint32_t lanes = 1;
  Pass compute_rows = nullptr;            ///< arms and matrices from where the bodies are
  Pass warm_start = nullptr;              ///< last substep's impulses
  Pass solve_biased = nullptr;            ///< soft, taking drift back
  Pass compute_rows_and_solve = nullptr;  ///< without bias, as the next two
  Pass solve = nullptr;
  Pass solve_last = nullptr;  ///< adds up what the substep ends with
};

/// The kernels of a width: 1, 4, 8 or 16, or 0 for the widest that this CPU runs well with `count` joints.
/// Fixed mode has one width, 1.
template <class Real>
[[nodiscard]] const PointJointKernels<Real>& point_joint_kernels(std::uint32_t lanes,
                                                                 std::size_t count) noexcept;

}  // namespace takt
