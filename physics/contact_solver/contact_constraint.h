// What the contact solver works on beside SolverBody: ContactBlock, W contacts of one colour side by side
// (structure of arrays). The kernels (contact_kernels.h) are written once over a lane type; the width never
// changes a bit, because contacts of a block share no body that moves and each lane does exactly the scalar
// work.
//
// A contact: one friction constraint with two tangents and a twist at the manifold's centre, and up to four
// normal rows. Errors are linear in the shifts of the tick: separation + J (shift), the same Jacobian as the
// velocity row, which keeps round shapes exact while they roll. Source: E. Catto, Solver2D (2024), soft step;
// CONSTRAINTS.md 1.9, 1.10.
//
// What the contacts of one block of several lanes hand over before the first pass of a tick and take back
// after its last: the work on contacts that is not solving (prepare_contacts_simd.h,
// prepare_contacts_ifma.h), done for all lanes at once. One lane, bodies with locked axes and large numbers
// in fixed point go through contact_lane() and its like in prepare_contacts.h, which define the result.
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
  Real slop[W];  ///< m; at a larger separation the row only keeps the shapes from meeting within the substep
  Mass<Real> mass[W];     ///< effective, kg; 0 = no row here
  Real impulse[W];        ///< N s a substep, >= 0
  Real total_impulse[W];  ///< of this tick, N s: the sum of what its substeps ended with
};

/// W contacts. Lanes past the last contact have body 0 and mass 0.
template <class Real, int W>
struct alignas(64) ContactBlock {
  std::uint32_t body_a[W];
  std::uint32_t body_b[W];
  std::uint32_t writes_a;  ///< bit per lane: body a moves under impulses
  std::uint32_t writes_b;
  std::uint32_t row_count;  ///< the most of its lanes
  // Of several lanes of fixed mode only:
  std::uint16_t points;  ///< two bits per lane: its points less one
  std::uint8_t filled;   ///< so many lanes, the first, hold a contact
  bool is_small;         ///< what is constant in it is within what fixed_lanes_ifma.h asks for
  alignas(16) Real normal[3][W];
  Real tangent[3][W];  ///< the first; the second is normal x tangent
  Mass<Real> inverse_mass_a[W];
  Mass<Real> inverse_mass_b[W];
  InertiaLanes<Real, W> inverse_inertia_a;  ///< world
  InertiaLanes<Real, W> inverse_inertia_b;
  Real r_a[3][W];  ///< of the friction centre from each body's centre of mass, m
  Real r_b[3][W];
  Mass<Real> tangent_mass[3][W];  ///< inverse of the 2 x 2 tangent matrix: 11, 12, 22
  Real tangent_impulse[2][W];
  Mass<Real> twist_mass[W];
  Real twist_impulse[W];
  Real twist_radius[W];  ///< m; mean distance of the points from the centre
  Real friction[W];
  Real bias_rate[W];          ///< 1/s
  Real restitution_speed[W];  ///< m/s; rows that close faster bounce (restitution_solver.h) and are left
                              ///< alone here
  Real mass_scale[W];
  Real impulse_scale[W];
  Real relax_impulse_scale[W];     ///< impulse scale of all rows in the relax pass
  Real friction_impulse_scale[W];  ///< impulse scale of friction and twist in the biased pass
  Real anchor_rate[W];             ///< 1/s: bias rate of friction and twist in the biased pass
  Real anchor_offset[2][W];        ///< m at the tick's start, along the tangents
  Real twist_offset[W];            ///< rad
  ContactRows<Real, W> rows[4];
};

/// The normal row of a soft material's contact: lambda = max(0, -(J v + (beta / h) C) / (K + gamma)), lambda
/// the whole impulse (CONSTRAINTS 1.3, 1.4).
template <class Real, int W>
struct SpringRows {
  Mass<Real> mass[W];            ///< 1 / (K + gamma), kg
  Real spring_impulse_scale[W];  ///< gamma / (K + gamma)
  Real bias[W];  ///< m/s, (beta / h) C of where the substep began, at most 0; above 0 the surfaces did not
                 ///< touch there and the row does nothing
};

/// What some contacts need beside their block: rolling resistance, surfaces that run, bodies that may not
/// move along some axes, soft materials. Blocks of such contacts stand behind all others and go through
/// kernels of their own, so the rest pays nothing for them.
template <class Real, int W>
struct alignas(64) ContactExtras {
  Real slide[2][W];               ///< velocity of b's surface over b less a's over a, along the tangents, m/s
  Real rolling_reach[W];          ///< m: the largest rolling torque / the normal force
  Mass<Real> rolling_mass[6][W];  ///< inverse of the sum of both inverse inertias: xx, yy, zz, xy, xz, yz
  Real rolling_impulse[3][W];     ///< N m s a substep, world
  Mass<Real> inverse_mass_a[3][W];  ///< 1/kg along the world's axes; 0 where locked
  Mass<Real> inverse_mass_b[3][W];
  std::uint32_t springs;  ///< bits: lanes of soft materials
  Real spring[W];         ///< 1 of a soft material, else 0
  Real spring_rate[W];    ///< 1/s, beta / h
  SpringRows<Real, W> spring_rows[4];
};

/// Constants of one step.
template <class Real>
struct ContactParameters {
  Real inverse_substep{};             ///< 1/s
  Real push_max{};                    ///< m/s
  Real restitution_threshold{};       ///< m/s
  ContactSoftness<Real> soft;         ///< between two bodies that move
  ContactSoftness<Real> soft_joined;  ///< between two bodies of a tree of joints
  ContactSoftness<Real> soft_static;  ///< against one that does not
};

/// 64-byte aligned memory of the blocks, block_bytes each, and of the extras of those from first_special on,
/// extra_bytes each.
struct BlockMemory {
  std::byte* blocks = nullptr;
  std::byte* extras = nullptr;
  std::size_t first_special = 0;
};

/// What blocks are filled from and read back to.
template <class Real>
struct ContactTask {
  std::span<const std::uint32_t> order;  ///< of all blocks (graph_colouring.h)
  std::span<PreparedContact<Real>> contacts;
  std::span<const SolverMass<Real>> masses;
  std::span<const SolverBody<Real>> bodies;
};

/// The loops for one lane width.
template <class Real>
struct ContactKernels {
  std::uint32_t lanes = 1;
  std::size_t block_bytes = 0;
  std::size_t extra_bytes = 0;
  // Each works on blocks [first, end). `self` is this table.
  /// Before the first pass. Notes in the contacts how fast they approach.
  void (*fill)(const ContactKernels& self, const BlockMemory& memory, std::size_t first, std::size_t end,
               const ContactTask<Real>& task, const ContactParameters<Real>& parameters) = nullptr;
  /// After the last: impulses, and what the contacts remember of the tick. Returns the number of points.
  std::uint32_t (*store_impulses)(const ContactKernels& self, const BlockMemory& memory, std::size_t first,
                                  std::size_t end, const ContactTask<Real>& task) = nullptr;
  // One block in lanes, with its ContactStaging of the same width (prepare_contacts.h, store_impulses.h).
  // Both return false when a value is out of the lanes' range. Null: no kernel of this width.
  bool (*prepare_lanes)(std::byte* block, void* staging, const SolverBody<Real>* bodies) = nullptr;
  bool (*store_lanes)(std::byte* block, void* staging, const SolverBody<Real>* bodies) = nullptr;
  // The next two take blocks that all have extras, or none.
  void (*warm_start)(const BlockMemory& memory, std::size_t first, std::size_t end,
                     SolverBody<Real>* bodies) = nullptr;
  void (*solve)(const BlockMemory& memory, std::size_t first, std::size_t end, SolverBody<Real>* bodies,
                const ContactParameters<Real>& parameters, bool use_bias) = nullptr;
};

/// The kernels of a width: 1, 4, 8 or 16, or 0 for the widest this CPU runs well with so many contacts: of
/// few, blocks of 16 would be mostly empty. A width that the CPU lacks falls back to portable code of that
/// width's blocks, so the choice is always honoured. Fixed mode has widths 1 and 8: below 8 it takes 1,
/// above 8.
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
  Real normal_velocity[W];  ///< of the fastest point, m/s; 0 or below
  Real hit_point[W];        ///< index of the fastest point
  // Inputs of store_block(), which updates the first two.
  Real twist_offset[W];   ///< rad
  Real total_impulse[W];  ///< N s
  Real anchored[W];       ///< 1 = both bodies move under impulses and no surface has a velocity, else 0
  // Output of store_block().
  Real non_finite[W];  ///< 0 when all values are finite, else NaN
};

}  // namespace takt
