// Laying prepared contacts into blocks of W: work of once a tick, the same arithmetic for every width.
#pragma once

#include <new>

#include "physics/base/solver_constants.h"
#include "physics/contact_solver/contact_constraint.h"
#include "physics/contact_solver/fixed_lane_fallback.h"

namespace takt {

/// Faster than anything closes, m/s.
inline constexpr double kNeverMS = 1e6;

/// What a contact's lane holds, computed once for any width.
template <class Real>
struct ContactLane {
  Vec3<Real> tangent;
  Vec3<Real> r_a;
  Vec3<Real> r_b;
  Mass<Real> tangent_mass[3]{};
  Real tangent_impulse[2]{};
  Real anchor_offset[2]{};
  Mass<Real> twist_mass{};
  Real twist_radius{};
  struct Row {
    Vec3<Real> ra_cross_n;
    Vec3<Real> rb_cross_n;
    Mass<Real> mass{};
  } rows[4];
};
template <class Real>
[[nodiscard]] ContactLane<Real> contact_lane(const PreparedContact<Real>& contact,
                                             std::span<const SolverMass<Real>> masses);

/// The inverse of the tangents' matrix, which is regular: 11, 12, 22.
template <class Real>
void invert_tangents(Mass<Real> k11, Mass<Real> k12, Mass<Real> k22, Mass<Real> determinant,
                     Mass<Real> (&out)[3]) noexcept {
  out[0] = k22 / determinant;
  out[1] = -(k12 / determinant);
  out[2] = k11 / determinant;
}
/// Makes masses of the sums that prepare_contacts_ifma.h leaves in a block.
void divide_masses(FixedBlock& block, int lane, std::uint32_t point_count) noexcept;

/// What a lane of springs holds; rows of no mass stay so.
template <class Real>
struct SpringLane {
  Real rate{};
  struct Row {
    Mass<Real> mass{};
    Real spring_impulse_scale{};
  } rows[4];
};
/// Of a contact of soft materials.
template <class Real>
[[nodiscard]] SpringLane<Real> spring_lane(const PreparedContact<Real>& contact,
                                           const ContactLane<Real>& values,
                                           std::span<const SolverMass<Real>> masses,
                                           const ContactParameters<Real>& parameters);

template <class Real, int W>
void set_lane(Real (&to)[3][W], int lane, Vec3<Real> v) noexcept {
  to[0][lane] = v.x;
  to[1][lane] = v.y;
  to[2][lane] = v.z;
}
/// Lays what a contact says itself into its lane.
template <class Real, int W>
void prepare_lane(ContactBlock<Real, W>& block, int lane, const PreparedContact<Real>& contact,
                  std::span<const SolverMass<Real>> masses, const ContactParameters<Real>& parameters) {
  std::uint32_t const bit = 1u << static_cast<unsigned>(lane);
  block.body_a[lane] = contact.body_a;
  block.body_b[lane] = contact.body_b;
  if (contact.dynamic_a) block.writes_a |= bit;
  if (contact.dynamic_b) block.writes_b |= bit;
  const Manifold<Real>& manifold = contact.manifold;
  if (manifold.point_count > block.row_count) block.row_count = manifold.point_count;
  set_lane(block.normal, lane, manifold.normal);
  if (contact.dynamic_a) {
    block.inverse_mass_a[lane] = masses[contact.body_a].inverse_mass;
    set_inertia(block.inverse_inertia_a, lane, masses[contact.body_a].inverse_inertia);
  }
  if (contact.dynamic_b) {
    block.inverse_mass_b[lane] = masses[contact.body_b].inverse_mass;
    set_inertia(block.inverse_inertia_b, lane, masses[contact.body_b].inverse_inertia);
  }
  block.twist_impulse[lane] = contact.twist_impulse;
  block.friction[lane] = contact.friction;
  ContactSoftness<Real> const& soft = contact.joined                           ? parameters.soft_joined
                                      : contact.dynamic_a && contact.dynamic_b ? parameters.soft
                                                                               : parameters.soft_static;
  block.bias_rate[lane] = soft.bias_rate;
  block.restitution_speed[lane] =
      contact.restitution > Real(0) ? -parameters.restitution_threshold : to_real<Real>(-kNeverMS);
  block.mass_scale[lane] = soft.mass_scale;
  block.impulse_scale[lane] = soft.impulse_scale;
  block.anchor_rate[lane] = contact.slide == Vec3<Real>{}
                                ? soft.anchor_rate
                                : Real(0);  // a running surface has no place to be drawn back to
  block.twist_offset[lane] = contact.twist_offset;
  block.relax_impulse_scale[lane] = soft.relax_impulse_scale;
  block.friction_impulse_scale[lane] = soft.friction_impulse_scale;
  for (std::uint32_t i = 0; i < manifold.point_count; ++i) {
    ContactRows<Real, W>& row = block.rows[i];
    row.separation[lane] = manifold.points[i].separation;
    row.slop[lane] = contact.impulses[i] > Real(0) ? to_real<Real>(kLinearSlopM) : Real(0);
    row.impulse[lane] = contact.impulses[i];
  }
  if constexpr (kIsOneByOne<Real, W>) set_points(block, lane, manifold.point_count);
}

/// Lays what was worked out for a contact into its lane.
template <class Real, int W>
void prepare_values(ContactBlock<Real, W>& block, int lane, const ContactLane<Real>& values,
                    std::uint32_t point_count) {
  set_lane(block.tangent, lane, values.tangent);
  set_lane(block.r_a, lane, values.r_a);
  set_lane(block.r_b, lane, values.r_b);
  for (int i = 0; i < 3; ++i) block.tangent_mass[i][lane] = values.tangent_mass[i];
  for (int i = 0; i < 2; ++i) block.tangent_impulse[i][lane] = values.tangent_impulse[i];
  for (int i = 0; i < 2; ++i) block.anchor_offset[i][lane] = values.anchor_offset[i];
  block.twist_mass[lane] = values.twist_mass;
  block.twist_radius[lane] = values.twist_radius;
  for (std::uint32_t i = 0; i < point_count; ++i) {
    ContactRows<Real, W>& row = block.rows[i];
    set_lane(row.ra_cross_n, lane, values.rows[i].ra_cross_n);
    set_lane(row.rb_cross_n, lane, values.rows[i].rb_cross_n);
    row.mass[lane] = values.rows[i].mass;
  }
}

/// What a contact's lane of extras holds.
template <class Real>
struct ExtraLane {
  Real slide[2]{};
  Mass<Real> rolling_mass[6]{};
  Mass<Real> inverse_mass_a[3]{};
  Mass<Real> inverse_mass_b[3]{};
};
template <class Real>
[[nodiscard]] ExtraLane<Real> extra_lane(const PreparedContact<Real>& contact, Vec3<Real> tangent,
                                         std::span<const SolverMass<Real>> masses);

template <class Real, int W>
void fill_extras(ContactExtras<Real, W>& extras, int lane, const PreparedContact<Real>& contact,
                 const ExtraLane<Real>& values) {
  for (int i = 0; i < 2; ++i) extras.slide[i][lane] = values.slide[i];
  extras.rolling_reach[lane] = contact.rolling_reach;
  for (int i = 0; i < 6; ++i) extras.rolling_mass[i][lane] = values.rolling_mass[i];
  for (int i = 0; i < 3; ++i) extras.inverse_mass_a[i][lane] = values.inverse_mass_a[i];
  for (int i = 0; i < 3; ++i) extras.inverse_mass_b[i][lane] = values.inverse_mass_b[i];
  set_lane(extras.rolling_impulse, lane, contact.rolling_impulse);
}
template <class Real, int W>
void fill_springs(ContactExtras<Real, W>& extras, int lane, const SpringLane<Real>& values,
                  std::uint32_t point_count) {
  extras.springs |= 1u << static_cast<unsigned>(lane);
  extras.spring[lane] = Real(1);
  extras.spring_rate[lane] = values.rate;
  for (std::uint32_t i = 0; i < point_count; ++i) {
    extras.spring_rows[i].mass[lane] = values.rows[i].mass;
    extras.spring_rows[i].spring_impulse_scale[lane] = values.rows[i].spring_impulse_scale;
  }
}

template <class Real, int W>
Vec3<Real> lane_of(const Real (&from)[3][W], std::size_t lane) noexcept {
  return {from[0][lane], from[1][lane], from[2][lane]};
}

/// What a spring is made from, as it stands in the block.
template <class Real, int W>
ContactLane<Real> spring_values(const ContactBlock<Real, W>& block, std::size_t lane) {
  ContactLane<Real> values;
  values.r_a = lane_of(block.r_a, lane);
  values.r_b = lane_of(block.r_b, lane);
  for (int i = 0; i < 4; ++i) values.rows[i].mass = block.rows[i].mass[lane];
  return values;
}

/// The contacts of one block. `body(lane, contact)`.
template <class Real, int W, class Body>
void for_lanes(const ContactTask<Real>& task, std::size_t at, const Body& body) {
  for (std::size_t lane = 0; lane < W; ++lane) {
    std::uint32_t const index = task.order[at * W + lane];
    if (index != kEmptyLane) body(static_cast<int>(lane), task.contacts[index]);
  }
}

/// Asks for the contacts of the next block: their places are scattered.
template <class Real, int W>
void fetch_contacts(const ContactTask<Real>& task, std::size_t at) noexcept {
  if ((at + 1) * W > task.order.size()) return;
  for (std::size_t i = at * W; i < (at + 1) * W; ++i) {
    if (task.order[i] == kEmptyLane) continue;
    const auto* const contact = reinterpret_cast<const std::byte*>(&task.contacts[task.order[i]]);
    for (std::size_t byte = 0; byte < sizeof(PreparedContact<Real>); byte += 64)
      __builtin_prefetch(contact + byte);
  }
}

/// How fast a contact's points approach at the tick's start.
template <class Real>
void measure_normal_velocity(PreparedContact<Real>& contact, const ContactLane<Real>& values,
                             std::span<const SolverBody<Real>> bodies) noexcept;

template <class Real, int W>
void work_out_lanes(ContactBlock<Real, W>& block, const ContactTask<Real>& task, std::size_t at) {
  for_lanes<Real, W>(task, at, [&](int lane, PreparedContact<Real>& contact) {
    ContactLane<Real> const values = contact_lane<Real>(contact, task.masses);
    prepare_values(block, lane, values, contact.manifold.point_count);
    measure_normal_velocity(contact, values, task.bodies);
  });
}

template <class Real, int W>
void fill_staging_lane(ContactStaging<Real, W>& stage, int lane, const PreparedContact<Real>& contact) {
  const Manifold<Real>& manifold = contact.manifold;
  for (std::uint32_t i = 0; i < manifold.point_count; ++i)
    set_lane(stage.positions[i], lane, manifold.points[i].position);
  stage.point_count[lane] =
      static_cast<std::remove_reference_t<decltype(stage.point_count[0])>>(manifold.point_count);
  stage.point_fraction[lane] = point_fraction<Real>(manifold.point_count);
  set_lane(stage.delta_center, lane, contact.cached.delta_center);
  set_lane(stage.friction_impulse, lane, contact.friction_impulse);
  set_lane(stage.anchor_offset, lane, contact.anchor_offset);
}

/// True when the lanes may work the block out together.
template <class Real, int W>
bool fill_staging(ContactStaging<Real, W>& stage, const ContactTask<Real>& task, std::size_t at) {
  if (task.order[at * W + W - 1] == kEmptyLane) stage = {};  // lanes are filled from the first on
  bool together = true;
  for_lanes<Real, W>(task, at, [&](int lane, const PreparedContact<Real>& contact) {
    fill_staging_lane(stage, lane, contact);
    together = together && !contact.locked;
  });
  return together;
}

template <class Real, int W>
void fill_blocks(const ContactKernels<Real>& self, const BlockMemory& memory, std::size_t first,
                 std::size_t end, const ContactTask<Real>& task, const ContactParameters<Real>& parameters) {
  using Block = ContactBlock<Real, W>;
  using Extras = ContactExtras<Real, W>;
  [[maybe_unused]] ContactStaging<Real, W> stage{};
  for (std::size_t at = first; at < end; ++at) {
    fetch_contacts<Real, W>(task, at + 1);
    std::byte* const slot = memory.blocks + at * sizeof(Block);
    Block& block = *new (slot) Block{};
    for_lanes<Real, W>(task, at, [&](int lane, const PreparedContact<Real>& contact) {
      prepare_lane(block, lane, contact, task.masses, parameters);
    });
    if constexpr (W == 1) {
      work_out_lanes(block, task, at);
    } else if (self.begin != nullptr && fill_staging(stage, task, at) &&
               self.begin(slot, &stage, task.bodies.data())) {
      for_lanes<Real, W>(task, at, [&](int lane, PreparedContact<Real>& contact) {
        contact.normal_velocity = stage.normal_velocity[lane];
        contact.hit_point = static_cast<std::uint8_t>(stage.hit_point[lane]);
        if constexpr (kIsOneByOne<Real, W>) divide_masses(block, lane, contact.manifold.point_count);
      });
    } else {
      work_out_lanes(block, task, at);
    }
    if constexpr (kIsOneByOne<Real, W>) block.is_small = has_small_numbers(block);
    if (at < memory.first_special) continue;
    Extras& extras = *new (memory.extras + (at - memory.first_special) * sizeof(Extras)) Extras{};
    for_lanes<Real, W>(task, at, [&](int lane, const PreparedContact<Real>& contact) {
      fill_extras<Real, W>(
          extras, lane, contact,
          extra_lane<Real>(contact, lane_of(block.tangent, static_cast<std::size_t>(lane)), task.masses));
      if (contact.soft_a == nullptr && contact.soft_b == nullptr) return;
      SpringLane<Real> const spring = spring_lane<Real>(
          contact, spring_values(block, static_cast<std::size_t>(lane)), task.masses, parameters);
      fill_springs<Real, W>(extras, lane, spring, contact.manifold.point_count);
    });
  }
}

}  // namespace takt
