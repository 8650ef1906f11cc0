// Laying prepared contacts into blocks of W and reading their impulses back: scalar work, once a tick, the same arithmetic for every width.
#pragma once

#include <new>

#include "physics/contact_block.h"
#include "physics/tuning.h"

namespace takt {

/// Faster than anything closes, m/s.
inline constexpr double kNeverMS = 1e6;

/// What a contact's lane holds, computed once for any width.
template <class Real>
struct ContactLane {
  Vec3<Real> tangent;
  Vec3<Real> arm_a;
  Vec3<Real> arm_b;
  Mass<Real> tangent_mass[3]{};
  Real tangent_impulse[2]{};
  Real shear[2]{};
  Mass<Real> twist_mass{};
  Real twist_radius{};
  struct Row {
    Vec3<Real> turn_a;
    Vec3<Real> turn_b;
    Mass<Real> mass{};
  } rows[4];
};
template <class Real>
[[nodiscard]] ContactLane<Real> contact_lane(const PreparedContact<Real>& contact, std::span<const SolverMass<Real>> masses);

/// What a lane of springs holds; rows of no mass stay so.
template <class Real>
struct SpringLane {
  Real rate{};
  struct Row {
    Mass<Real> mass{};
    Real leak{};
  } rows[4];
};
/// Of a contact of soft materials.
template <class Real>
[[nodiscard]] SpringLane<Real> spring_lane(const PreparedContact<Real>& contact, const ContactLane<Real>& values,
                                           std::span<const SolverMass<Real>> masses, const ContactParameters<Real>& parameters);

template <class Real, int W>
void set_lane(Real (&to)[3][W], int lane, Vec3<Real> v) noexcept {
  to[0][lane] = v.x;
  to[1][lane] = v.y;
  to[2][lane] = v.z;
}
template <int W>
void set_inertia(InertiaLanes<float, W>& to, int lane, const FloatSymMat& m) noexcept {
  for (std::size_t i = 0; i < 6; ++i) to.m[i][lane] = m.m[i];
}
template <int W>
void set_inertia(InertiaLanes<Fixed, W>& to, int lane, const FixedSymMat& m) noexcept {
  to.m[lane] = m;
}

template <class Real, int W>
void fill_lane(ContactBlock<Real, W>& block, int lane, const PreparedContact<Real>& contact, const ContactLane<Real>& values,
               std::span<const SolverMass<Real>> masses, const ContactParameters<Real>& parameters) {
  std::uint32_t const bit = 1u << static_cast<unsigned>(lane);
  block.body_a[lane] = contact.body_a;
  block.body_b[lane] = contact.body_b;
  if (contact.dynamic_a) block.writes_a |= bit;
  if (contact.dynamic_b) block.writes_b |= bit;
  const Manifold<Real>& manifold = contact.manifold;
  if (manifold.point_count > block.row_count) block.row_count = manifold.point_count;
  set_lane(block.normal, lane, manifold.normal);
  set_lane(block.tangent, lane, values.tangent);
  if (contact.dynamic_a) {
    block.inverse_mass_a[lane] = masses[contact.body_a].inverse_mass;
    set_inertia(block.inverse_inertia_a, lane, masses[contact.body_a].inverse_inertia);
  }
  if (contact.dynamic_b) {
    block.inverse_mass_b[lane] = masses[contact.body_b].inverse_mass;
    set_inertia(block.inverse_inertia_b, lane, masses[contact.body_b].inverse_inertia);
  }
  set_lane(block.arm_a, lane, values.arm_a);
  set_lane(block.arm_b, lane, values.arm_b);
  for (int i = 0; i < 3; ++i) block.tangent_mass[i][lane] = values.tangent_mass[i];
  for (int i = 0; i < 2; ++i) block.tangent_impulse[i][lane] = values.tangent_impulse[i];
  block.twist_mass[lane] = values.twist_mass;
  block.twist_impulse[lane] = contact.twist_impulse;
  block.twist_radius[lane] = values.twist_radius;
  block.friction[lane] = contact.friction;
  ContactSoftness<Real> const& soft = contact.joined                           ? parameters.soft_joined
                                      : contact.dynamic_a && contact.dynamic_b ? parameters.soft
                                                                               : parameters.soft_static;
  block.bias_rate[lane] = soft.bias_rate;
  block.blow_below[lane] = contact.restitution > Real(0) ? -parameters.restitution_threshold : to_real<Real>(-kNeverMS);
  block.mass_scale[lane] = soft.mass_scale;
  block.impulse_scale[lane] = soft.impulse_scale;
  block.shear_rate[lane] = contact.slide == Vec3<Real>{} ? soft.shear_rate : Real(0);  // a running surface has no place to be drawn back to
  for (int i = 0; i < 2; ++i) block.shear[i][lane] = values.shear[i];
  block.twist_shear[lane] = contact.twist_shear;
  block.relax_leak[lane] = soft.relax_leak;
  block.friction_leak[lane] = soft.friction_leak;
  for (std::uint32_t i = 0; i < manifold.point_count; ++i) {
    ContactRows<Real, W>& row = block.rows[i];
    set_lane(row.turn_a, lane, values.rows[i].turn_a);
    set_lane(row.turn_b, lane, values.rows[i].turn_b);
    row.separation[lane] = manifold.points[i].separation;
    row.free_above[lane] = contact.impulses[i] > Real(0) ? to_real<Real>(kLinearSlopM) : Real(0);
    row.mass[lane] = values.rows[i].mass;
    row.impulse[lane] = contact.impulses[i];
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
[[nodiscard]] ExtraLane<Real> extra_lane(const PreparedContact<Real>& contact, Vec3<Real> tangent, std::span<const SolverMass<Real>> masses);

template <class Real, int W>
void fill_extras(ContactExtras<Real, W>& extras, int lane, const PreparedContact<Real>& contact, const ExtraLane<Real>& values) {
  for (int i = 0; i < 2; ++i) extras.slide[i][lane] = values.slide[i];
  extras.rolling_reach[lane] = contact.rolling_reach;
  for (int i = 0; i < 6; ++i) extras.rolling_mass[i][lane] = values.rolling_mass[i];
  for (int i = 0; i < 3; ++i) extras.inverse_mass_a[i][lane] = values.inverse_mass_a[i];
  for (int i = 0; i < 3; ++i) extras.inverse_mass_b[i][lane] = values.inverse_mass_b[i];
  set_lane(extras.rolling_impulse, lane, contact.rolling_impulse);
}
template <class Real, int W>
void fill_springs(ContactExtras<Real, W>& extras, int lane, const SpringLane<Real>& values, std::uint32_t point_count) {
  extras.springs |= 1u << static_cast<unsigned>(lane);
  extras.spring[lane] = Real(1);
  extras.spring_rate[lane] = values.rate;
  for (std::uint32_t i = 0; i < point_count; ++i) {
    extras.spring_rows[i].mass[lane] = values.rows[i].mass;
    extras.spring_rows[i].leak[lane] = values.rows[i].leak;
  }
}

template <class Real, int W>
void fill_blocks(const BlockMemory& memory, std::size_t first, std::size_t end, std::span<const std::uint32_t> order,
                 std::span<const PreparedContact<Real>> contacts, std::span<const SolverMass<Real>> masses,
                 const ContactParameters<Real>& parameters) {
  using Block = ContactBlock<Real, W>;
  using Extras = ContactExtras<Real, W>;
  for (std::size_t at = first; at < end; ++at) {
    Block* const block = new (memory.blocks + at * sizeof(Block)) Block{};
    Extras* const extras = at < memory.first_special ? nullptr : new (memory.extras + (at - memory.first_special) * sizeof(Extras)) Extras{};
    for (int lane = 0; lane < W; ++lane) {
      std::uint32_t const index = order[at * W + static_cast<std::size_t>(lane)];
      if (index == kNoContact) continue;
      const PreparedContact<Real>& contact = contacts[index];
      ContactLane<Real> const values = contact_lane(contact, masses);
      fill_lane<Real, W>(*block, lane, contact, values, masses, parameters);
      if (extras == nullptr) continue;
      fill_extras<Real, W>(*extras, lane, contact, extra_lane(contact, values.tangent, masses));
      if (contact.soft_a == nullptr && contact.soft_b == nullptr) continue;
      fill_springs<Real, W>(*extras, lane, spring_lane(contact, values, masses, parameters), contact.manifold.point_count);
    }
  }
}

template <class Real, int W>
void read_back_blocks(const BlockMemory& memory, std::size_t first, std::size_t end, std::span<const std::uint32_t> order,
                      std::span<PreparedContact<Real>> contacts) {
  using Block = ContactBlock<Real, W>;
  for (std::size_t i = first * W; i < end * W; ++i) {
    if (order[i] == kNoContact) continue;
    std::size_t const at = i / W;
    const Block& block = *std::launder(reinterpret_cast<const Block*>(memory.blocks + at * sizeof(Block)));
    std::size_t const lane = i % W;
    PreparedContact<Real>& contact = contacts[order[i]];
    for (std::uint32_t p = 0; p < contact.manifold.point_count; ++p) {
      contact.impulses[p] = block.rows[p].impulse[lane];
      contact.total_impulse = contact.total_impulse + block.rows[p].total_impulse[lane];
    }
    if (contact.total_impulse > Real(0)) contact.touching = true;
    Vec3<Real> const t1{block.tangent[0][lane], block.tangent[1][lane], block.tangent[2][lane]};
    Vec3<Real> const t2 = cross(contact.manifold.normal, t1);
    contact.friction_impulse = t1 * block.tangent_impulse[0][lane] + t2 * block.tangent_impulse[1][lane];
    contact.twist_impulse = block.twist_impulse[lane];
    if (at < memory.first_special) continue;
    using Extras = ContactExtras<Real, W>;
    const Extras& extras = *std::launder(reinterpret_cast<const Extras*>(memory.extras + (at - memory.first_special) * sizeof(Extras)));
    contact.rolling_impulse = {extras.rolling_impulse[0][lane], extras.rolling_impulse[1][lane], extras.rolling_impulse[2][lane]};
  }
}

}  // namespace takt
