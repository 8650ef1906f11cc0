// ContactBlock is a constraint block of the contact solver: W contacts side by side (structure of arrays).
// Contacts of a block have no body in common that impulses move. Each lane does exactly the scalar work, so
// the width W never changes a bit. ContactExtras has the additional data of a block with soft materials,
// rolling resistance, surface velocities or locked axes. ContactKernels is the table of the functions that
// prepare, solve and store blocks of one width; contact_kernels() selects a table. contact_kernels.h has the
// passes, as templates over a lane type. ContactTask and ContactParameters are the inputs of a table's
// functions; ContactStaging is the scratch of one block.
//
// A contact has one friction constraint at the manifold's centre, with two tangents and a twist about the
// normal, and up to four normal rows. The separation of a normal row is linear: separation at the tick's
// start + J (displacement since then), J the Jacobian of the velocity row. The linear form keeps rolling
// round shapes exact. Source: E. Catto, Solver2D (2024), soft step; CONSTRAINTS.md 1.9, 1.10.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "physics/constraints/graph_colouring.h"
#include "physics/constraints/softness.h"
#include "physics/constraints/solver_body.h"
#include "physics/contacts/prepared_contact.h"
#include "physics/math/mass.h"
#include "physics/simd/inertia_lanes.h"

namespace takt {

/// One normal row for each of W contacts.
template <class Real, int W>
struct ContactRows {
  Real ra_cross_n[3][W];  ///< r_a x normal, m
  Real rb_cross_n[3][W];  ///< r_b x normal, m
  Real separation[W];     ///< at the tick's start, m
  Real slop[W];           ///< m; above it the row is speculative: it only prevents contact within the substep
  Mass<Real> mass[W];     ///< effective, kg; 0 = the row has no effect
  Real impulse[W];        ///< N s a substep, >= 0
  Real total_impulse[W];  ///< N s: sum over the tick of the impulses after each relax pass
};

/// W contacts. Lanes without a contact have body 0, and masses of 0.
template <class Real, int W>
struct alignas(64) ContactBlock {
  std::uint32_t body_a[W];
  std::uint32_t body_b[W];
  std::uint32_t writes_a;  ///< bit per lane: body a moves under impulses
  std::uint32_t writes_b;
  std::uint32_t row_count;  ///< maximum over the lanes
  // Eight lanes of fixed mode only:
  std::uint16_t points;           ///< two bits per lane: point count - 1
  std::uint8_t filled;            ///< number of lanes with a contact: the first lanes
  bool is_small;                  ///< all constants are within the bounds of fixed_lanes_ifma_bounds.h
  alignas(16) Real normal[3][W];  ///< unit, from a to b, world
  Real tangent[3][W];             ///< t1, unit; t2 = normal x t1
  Mass<Real> inverse_mass_a[W];   ///< 1/kg; 0 = impulses do not move a
  Mass<Real> inverse_mass_b[W];
  InertiaLanes<Real, W> inverse_inertia_a;  ///< 1/(kg m^2), world
  InertiaLanes<Real, W> inverse_inertia_b;
  Real r_a[3][W];  ///< lever arms of the manifold's centre, m
  Real r_b[3][W];
  Mass<Real> tangent_mass[3][W];  ///< kg: inverse of the 2 x 2 tangent matrix: 11, 12, 22
  Real tangent_impulse[2][W];     ///< N s a substep, along t1 and t2
  Mass<Real> twist_mass[W];       ///< kg m^2; 0 for a single point
  Real twist_impulse[W];          ///< N m s a substep, about the normal
  Real twist_radius[W];           ///< m; mean distance of the points from the centre
  Real friction[W];               ///< coefficient, 0 or above
  Real bias_rate[W];              ///< 1/s
  /// m/s, below 0. A row whose velocity is below it keeps its impulse: the contact bounces in the next
  /// substep (restitution_solver.h).
  Real restitution_speed[W];
  Real mass_scale[W];  ///< of normal rows in the biased pass (ContactSoftness)
  Real impulse_scale[W];
  Real relax_impulse_scale[W];     ///< impulse scale of all rows in the relax pass
  Real friction_impulse_scale[W];  ///< impulse scale of friction and twist in the biased pass
  Real anchor_rate[W];             ///< 1/s: bias rate of friction and twist in the biased pass
  Real anchor_offset[2][W];        ///< from the friction anchor at the tick's start, m, along tangents
  Real twist_offset[W];            ///< likewise about the normal, rad
  ContactRows<Real, W> rows[4];
};

/// The normal row of a contact of a soft material: lambda = max(0, -(J v + (beta / h) C) / (K + gamma)). v is
/// the velocity without lambda, the whole impulse of the substep (CONSTRAINTS 1.3, 1.4).
template <class Real, int W>
struct SpringRows {
  Mass<Real> mass[W];            ///< 1 / (K + gamma), kg
  Real spring_impulse_scale[W];  ///< gamma / (K + gamma); gamma is that of the material x point count
  /// m/s, (beta / h) C at the substep's biased pass; above 0 = no overlap then, the row is inactive.
  Real bias[W];
};

/// Extra data of special contacts: rolling resistance, surface velocities, locked axes, soft materials.
/// Special blocks come after all others and have kernel instances of their own, so plain contacts pay
/// nothing.
template <class Real, int W>
struct alignas(64) ContactExtras {
  Real slide[2][W];                 ///< PreparedContact::slide along the tangents, m/s
  Real rolling_reach[W];            ///< m: maximum rolling torque / normal force; 0 = no rolling resistance
  Mass<Real> rolling_mass[6][W];    ///< inverse of the sum of both inverse inertias: xx, yy, zz, xy, xz, yz
  Real rolling_impulse[3][W];       ///< N m s a substep, world
  Mass<Real> inverse_mass_a[3][W];  ///< 1/kg along the world's axes; 0 where locked
  Mass<Real> inverse_mass_b[3][W];
  std::uint32_t springs;  ///< bit per lane: soft material
  Real spring[W];         ///< 1 for a soft material, else 0
  Real spring_rate[W];    ///< 1/s, beta / h
  Real soft_depth[W];     ///< m: PreparedContact::soft_depth
  SpringRows<Real, W> spring_rows[4];
};

/// Constants of one tick, from WorldDef and the substep. The last three have the softness of contacts by
/// kind; `soft_joined` precedes the others.
template <class Real>
struct ContactParameters {
  Real inverse_substep{};             ///< 1/s
  Real push_max{};                    ///< maximum speed of the correction of overlaps, m/s
  Real restitution_threshold{};       ///< closing speed below which a contact does not bounce, m/s
  ContactSoftness<Real> soft;         ///< two bodies that move under impulses
  ContactSoftness<Real> soft_joined;  ///< two such bodies that joints connect, directly or through others
  ContactSoftness<Real> soft_static;  ///< one body is static or kinematic
};

/// 64-byte aligned memory of ContactKernels::block_bytes for each block, and of extra_bytes for each block
/// from first_special on. The memory belongs to the caller (ContactSolver).
struct BlockMemory {
  std::byte* blocks = nullptr;
  std::byte* extras = nullptr;
  std::size_t first_special = 0;
};

/// Source of the blocks and destination of their results. Masses and bodies are indexed by solver index.
template <class Real>
struct ContactTask {
  std::span<const std::uint32_t>
      order;  ///< contact index by lane of all blocks, or kEmptyLane (graph_colouring.h)
  std::span<PreparedContact<Real>> contacts;
  std::span<const SolverMass<Real>> masses;
  std::span<const SolverBody<Real>> bodies;
};

/// The kernels of one lane width.
template <class Real>
struct ContactKernels {
  std::uint32_t lanes = 1;
  std::size_t block_bytes = 0;
  std::size_t extra_bytes = 0;
  // The functions work on blocks [first, end); `self` is this table. Several threads may call one function at
  // once for ranges of one colour, or in fill and store_impulses for any ranges without a common block.
  /// prepare_blocks() of contact_blocks.h, before the first pass.
  void (*fill)(const ContactKernels& self, const BlockMemory& memory, std::size_t first, std::size_t end,
               const ContactTask<Real>& task, const ContactParameters<Real>& parameters) = nullptr;
  /// store_block_impulses() of contact_blocks.h, after the last pass.
  std::uint32_t (*store_impulses)(const ContactKernels& self, const BlockMemory& memory, std::size_t first,
                                  std::size_t end, const ContactTask<Real>& task) = nullptr;
  // One block in lanes, with its ContactStaging of the same width (prepare_contacts.h, store_impulses.h).
  // Both return false when a value is out of the lanes' range. Null in the table of eight lanes of fixed mode
  // on a CPU without AVX-512 IFMA.
  bool (*prepare_lanes)(std::byte* block, void* staging, const SolverBody<Real>* bodies) = nullptr;
  bool (*store_lanes)(std::byte* block, void* staging, const SolverBody<Real>* bodies) = nullptr;
  // One Gauss-Seidel pass each, over blocks that are all special or all plain.
  void (*warm_start)(const BlockMemory& memory, std::size_t first, std::size_t end,
                     SolverBody<Real>* bodies) = nullptr;
  void (*solve)(const BlockMemory& memory, std::size_t first, std::size_t end, SolverBody<Real>* bodies,
                const ContactParameters<Real>& parameters, bool use_bias) = nullptr;
};

/// Returns the kernels of a width: 1, 4, 8 or 16, or 0 for the widest that this CPU runs well with
/// `contact_count` contacts. Few contacts leave wide blocks mostly empty. On a CPU without the instructions
/// portable code gives the requested width. Fixed mode has widths 1 and 8: requests of 1 and 4 give 1, of 8
/// and 16 give 8. The table lives as long as the program.
template <class Real>
[[nodiscard]] const ContactKernels<Real>& contact_kernels(std::uint32_t lanes,
                                                          std::size_t contact_count) noexcept;

/// Staging buffer of one block: the parts of W contacts that prepare_block() and store_block() read and write
/// beside the block. Lanes without a contact are 0.
template <class Real, int W>
struct alignas(64) ContactStaging {
  // Inputs of both.
  Real anchor_offset[3][W];  ///< m, world; store_block() updates it
  // Inputs of prepare_block().
  Real positions[4][3][W];  ///< contact points from a's centre of mass, world axes, m
  Real point_count[W];
  Real point_fraction[W];       ///< 1 / point_count
  Real delta_center[3][W];      ///< b's centre of mass - a's, m
  Real friction_impulse[3][W];  ///< N s, world; store_block() writes it
  // Outputs of prepare_block().
  Real normal_velocity[W];  ///< of the fastest closing point, m/s: below 0, or 0 if none closes
  Real hit_point[W];        ///< index of the fastest point
  // Inputs of store_block(), which updates the first two.
  Real twist_offset[W];   ///< rad
  Real total_impulse[W];  ///< N s
  Real anchored[W];       ///< 1 = both bodies move under impulses and PreparedContact::slide is 0, else 0
  // Output of store_block().
  Real non_finite[W];  ///< 0 when all values are finite, else NaN
};

}  // namespace takt
