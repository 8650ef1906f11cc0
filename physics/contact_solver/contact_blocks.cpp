#include "physics/contact_solver/contact_blocks.h"

#include <new>

#include "physics/base/solver_constants.h"
#include "physics/constraints/motion_locks.h"
#include "physics/contact_solver/fixed_lane_fallback.h"
#include "physics/math/is_finite.h"
#include "physics/simd/fixed_lanes.h"
#include "physics/simd/float_lanes.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

/// A closing speed that no contact reaches, m/s.
constexpr double kNeverMS = 1e6;

template <class Real>
using OneLane = std::conditional_t<std::is_same_v<Real, float>, ScalarLanes, FixedLanes>;

template <class Real, int W>
void set_lane(Real (&to)[3][W], std::size_t lane, Vec3<Real> v) noexcept {
  to[0][lane] = v.x;
  to[1][lane] = v.y;
  to[2][lane] = v.z;
}
template <class Real, int W>
Vec3<Real> lane_of(const Real (&from)[3][W], std::size_t lane) noexcept {
  return {from[0][lane], from[1][lane], from[2][lane]};
}

/// Calls body(lane, contact) for the contacts of one block.
template <class Real, int W, class Body>
void for_lanes(const ContactTask<Real>& task, std::size_t at, const Body& body) {
  for (std::size_t lane = 0; lane < W; ++lane) {
    std::uint32_t const index = task.order[at * W + lane];
    if (index != kEmptyLane) body(lane, task.contacts[index]);
  }
}

/// Prefetches the contacts of a block: they are scattered in memory.
template <class Real, int W>
void fetch_contacts(const ContactTask<Real>& task, std::size_t at) noexcept {
  if ((at + 1) * W > task.order.size()) return;
  for (std::size_t i = at * W; i < (at + 1) * W; ++i) {
    if (task.order[i] == kEmptyLane) continue;
    fetch_ahead(reinterpret_cast<const std::byte*>(&task.contacts[task.order[i]]),
                sizeof(PreparedContact<Real>));
  }
}

/// True if no body that moves under impulses stands in two lanes of the block.
template <class Real, int W>
[[maybe_unused]] bool bodies_are_disjoint(const ContactBlock<Real, W>& block) noexcept {
  std::uint32_t bodies[2 * W];
  int count = 0;
  for (int lane = 0; lane < W; ++lane) {
    if ((block.writes_a >> lane & 1u) != 0) bodies[count++] = block.body_a[lane];
    if ((block.writes_b >> lane & 1u) != 0) bodies[count++] = block.body_b[lane];
  }
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < i; ++j) {
      if (bodies[i] == bodies[j]) return false;
    }
  }
  return true;
}

/// Copies what prepare_block() reads from the block, and the row coefficients, into a lane.
template <class Real, int W>
void prepare_block_lane(ContactBlock<Real, W>& block, std::size_t lane, const PreparedContact<Real>& contact,
                        const ContactTask<Real>& task, const ContactParameters<Real>& parameters) {
  TAKT_ASSERT(contact.body_a < task.bodies.size() && contact.body_b < task.bodies.size());
  const Manifold<Real>& manifold = contact.manifold;
  TAKT_ASSERT(manifold.point_count >= 1 && manifold.point_count <= 4);
  TAKT_VALIDATE(!(contact.friction < Real(0)));
  auto const masses = task.masses;
  std::uint32_t const bit = 1u << lane;
  block.body_a[lane] = contact.body_a;
  block.body_b[lane] = contact.body_b;
  if (contact.dynamic_a) block.writes_a |= bit;
  if (contact.dynamic_b) block.writes_b |= bit;
  if (manifold.point_count > block.row_count) block.row_count = manifold.point_count;
  set_lane(block.normal, lane, manifold.normal);
  if (contact.dynamic_a) {
    block.inverse_mass_a[lane] = masses[contact.body_a].inverse_mass;
    set_inertia(block.inverse_inertia_a, static_cast<int>(lane), masses[contact.body_a].inverse_inertia);
  }
  if (contact.dynamic_b) {
    block.inverse_mass_b[lane] = masses[contact.body_b].inverse_mass;
    set_inertia(block.inverse_inertia_b, static_cast<int>(lane), masses[contact.body_b].inverse_inertia);
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
  // A surface with a velocity has no anchor to return to.
  block.anchor_rate[lane] = contact.slide == Vec3<Real>{} ? soft.anchor_rate : Real(0);
  block.twist_offset[lane] = contact.twist_offset;
  block.relax_impulse_scale[lane] = soft.relax_impulse_scale;
  block.friction_impulse_scale[lane] = soft.friction_impulse_scale;
  for (std::uint32_t i = 0; i < manifold.point_count; ++i) {
    ContactRows<Real, W>& row = block.rows[i];
    row.separation[lane] = manifold.points[i].separation;
    row.slop[lane] = contact.impulses[i] > Real(0) ? to_real<Real>(kLinearSlopM) : Real(0);
    row.impulse[lane] = contact.impulses[i];
  }
  if constexpr (kIsFixedWide<Real, W>) set_points(block, static_cast<int>(lane), manifold.point_count);
}

/// Clears the staging buffer of a block with empty lanes. Lanes are filled from the first on.
template <class Real, int W>
void clear_empty_lanes(ContactStaging<Real, W>& buffer, const ContactTask<Real>& task, std::size_t at) {
  if (task.order[at * W + W - 1] == kEmptyLane) buffer = {};
}

template <class Real, int W>
void stage_manifold(ContactStaging<Real, W>& buffer, std::size_t lane, const PreparedContact<Real>& contact) {
  const Manifold<Real>& manifold = contact.manifold;
  for (std::uint32_t i = 0; i < manifold.point_count; ++i)
    set_lane(buffer.positions[i], lane, manifold.points[i].position);
  buffer.point_count[lane] = Real(static_cast<int>(manifold.point_count));
  buffer.point_fraction[lane] = point_fraction<Real>(manifold.point_count);
  set_lane(buffer.delta_center, lane, contact.cached.delta_center);
  set_lane(buffer.friction_impulse, lane, contact.friction_impulse);
  set_lane(buffer.anchor_offset, lane, contact.anchor_offset);
}
template <class Real, int W>
void take_normal_velocity(PreparedContact<Real>& contact, const ContactStaging<Real, W>& buffer,
                          std::size_t lane) {
  contact.normal_velocity = buffer.normal_velocity[lane];
  contact.hit_point = static_cast<std::uint8_t>(to_double(buffer.hit_point[lane]));
  TAKT_ASSERT(contact.hit_point < contact.manifold.point_count);
}

template <class Real, int W>
void stage_history(ContactStaging<Real, W>& buffer, std::size_t lane, const PreparedContact<Real>& contact) {
  set_lane(buffer.anchor_offset, lane, contact.anchor_offset);
  buffer.twist_offset[lane] = contact.twist_offset;
  buffer.total_impulse[lane] = contact.total_impulse;
  bool const anchored = contact.dynamic_a && contact.dynamic_b && contact.slide == Vec3<Real>{};
  buffer.anchored[lane] = Real(anchored ? 1 : 0);
}
template <class Real, int W>
void take_history(PreparedContact<Real>& contact, const ContactStaging<Real, W>& buffer, std::size_t lane) {
  contact.friction_impulse = lane_of(buffer.friction_impulse, lane);
  contact.anchor_offset = lane_of(buffer.anchor_offset, lane);
  contact.twist_offset = buffer.twist_offset[lane];
  contact.total_impulse = buffer.total_impulse[lane];
  if (contact.total_impulse > Real(0)) contact.touching = true;
  // Contacts of a quarantined body may hold values that are not finite.
  if (buffer.non_finite[lane] == Real(0) && is_finite(contact.rolling_impulse)) return;
  contact.impulses = {};
  contact.friction_impulse = {};
  contact.twist_impulse = Real(0);
  contact.rolling_impulse = {};
  contact.anchor_offset = {};
  contact.twist_offset = Real(0);
  contact.total_impulse = Real(0);
}

/// Runs the lane kernels on a block, or the kernels of one lane on each of its contacts where they cannot:
/// stage(staging, lane, contact), run(kernels, block, staging) -> bool, take(contact, staging, lane).
template <class Real, int W, class Stage, class Run, class Take>
void run_lanes(const ContactKernels<Real>& self, ContactBlock<Real, W>& block,
               ContactStaging<Real, W>& staging, const ContactTask<Real>& task, std::size_t at,
               const Stage& buffer, const Run& run, const Take& take) {
  clear_empty_lanes(staging, task, at);
  for_lanes<Real, W>(task, at, [&](std::size_t lane, const PreparedContact<Real>& contact) {
    buffer(staging, lane, contact);
  });
  if (run(self, block, staging)) {
    for_lanes<Real, W>(
        task, at, [&](std::size_t lane, PreparedContact<Real>& contact) { take(contact, staging, lane); });
    return;
  }
  if constexpr (kIsFixedWide<Real, W>) {
    const ContactKernels<Real>& one_lane = contact_kernels<Real>(1, 0);
    for_lanes<Real, W>(task, at, [&](std::size_t lane, PreparedContact<Real>& contact) {
      BlockLane one(block, nullptr, static_cast<int>(lane));
      ContactStaging<Real, 1> one_staging{};
      buffer(one_staging, 0, contact);
      bool const done = run(one_lane, one.block, one_staging);
      TAKT_ASSERT(done);
      one.store_prepared(block, static_cast<int>(lane));
      take(contact, one_staging, 0);
    });
  } else {
    TAKT_ASSERT(false && "full-range lanes never refuse a block");
  }
}

/// Both bodies of a contact, with an inverse mass for each world axis: 0 where the axis is locked.
template <class Real>
class AxisMasses {
 public:
  AxisMasses(const PreparedContact<Real>& contact, std::span<const SolverMass<Real>> masses)
      : a_(contact.dynamic_a ? masses[contact.body_a] : kImmovable),
        b_(contact.dynamic_b ? masses[contact.body_b] : kImmovable) {}

  [[nodiscard]] Mass<Real> a(unsigned axis) const noexcept { return on_axis(a_, axis); }
  [[nodiscard]] Mass<Real> b(unsigned axis) const noexcept { return on_axis(b_, axis); }
  /// 1/m_a + 1/m_b without locks.
  [[nodiscard]] Mass<Real> free_linear() const noexcept { return a_.inverse_mass + b_.inverse_mass; }
  /// u . (M_a^-1 + M_b^-1) v along the axes that are free.
  [[nodiscard]] Mass<Real> linear(Vec3<Real> u, Vec3<Real> v) const noexcept {
    Mass<Real> const x = a(0) + b(0);
    Mass<Real> const y = a(1) + b(1);
    Mass<Real> const z = a(2) + b(2);
    return x * Mass<Real>(u.x * v.x) + y * Mass<Real>(u.y * v.y) + z * Mass<Real>(u.z * v.z);
  }
  [[nodiscard]] Mass<Real> angular(Vec3<Real> ua, Vec3<Real> va, Vec3<Real> ub,
                                   Vec3<Real> vb) const noexcept {
    return bilinear(ua, a_.inverse_inertia, va) + bilinear(ub, b_.inverse_inertia, vb);
  }
  [[nodiscard]] bool has_linear_locks() const noexcept {
    return has_linear(a_.locked_axes) || has_linear(b_.locked_axes);
  }

 private:
  static Mass<Real> on_axis(const SolverMass<Real>& body, unsigned axis) noexcept {
    return (body.locked_axes >> axis & 1u) != 0 ? Mass<Real>{} : body.inverse_mass;
  }
  static_assert(kLockLinearX == 1 && kLockLinearY == 2 && kLockLinearZ == 4);
  static constexpr SolverMass<Real> kImmovable{};

  const SolverMass<Real>& a_;
  const SolverMass<Real>& b_;
};

/// Replaces the effective masses of a contact whose bodies have locked axes. Rows along which the locks leave
/// less than kMinFreeFraction of the mobility get none.
template <class Real, int W>
void prepare_locked_masses(ContactBlock<Real, W>& block, std::size_t lane,
                           const PreparedContact<Real>& contact, std::span<const SolverMass<Real>> masses) {
  AxisMasses<Real> const pair(contact, masses);
  if (!pair.has_linear_locks()) return;
  auto const fraction_of = [](Mass<Real> k) { return k * Mass<Real>(to_real<Real>(kMinFreeFraction)); };
  Mass<Real> const min = fraction_of(pair.free_linear());
  Vec3<Real> const n = contact.manifold.normal;
  for (std::uint32_t i = 0; i < contact.manifold.point_count; ++i) {
    Vec3<Real> const ra_cross_n = lane_of(block.rows[i].ra_cross_n, lane);
    Vec3<Real> const rb_cross_n = lane_of(block.rows[i].rb_cross_n, lane);
    Mass<Real> const k = pair.linear(n, n) + pair.angular(ra_cross_n, ra_cross_n, rb_cross_n, rb_cross_n);
    block.rows[i].mass[lane] = is_positive(k - min) ? reciprocal_or_zero(k) : Mass<Real>{};
  }
  Vec3<Real> const t1 = lane_of(block.tangent, lane);
  Vec3<Real> const t2 = cross(n, t1);
  // Static bodies have no inertia; their lever arms may be long.
  Vec3<Real> const r_a = contact.dynamic_a ? lane_of(block.r_a, lane) : Vec3<Real>{};
  Vec3<Real> const r_b = contact.dynamic_b ? lane_of(block.r_b, lane) : Vec3<Real>{};
  Vec3<Real> const a1 = cross(r_a, t1);
  Vec3<Real> const a2 = cross(r_a, t2);
  Vec3<Real> const b1 = cross(r_b, t1);
  Vec3<Real> const b2 = cross(r_b, t2);
  Mass<Real> const k11 = pair.linear(t1, t1) + pair.angular(a1, a1, b1, b1);
  Mass<Real> const k22 = pair.linear(t2, t2) + pair.angular(a2, a2, b2, b2);
  Mass<Real> const k12 = pair.linear(t1, t2) + pair.angular(a1, a2, b1, b2);
  Mass<Real> inverse[3][1]{};
  if (is_positive(k11 * k22 - k12 * k12 - fraction_of(k11 * k22))) {
    OneLane<Real>::store_inverse2(inverse, k11, k12, k22);
  } else if (is_positive(k11 - k22)) {
    // One direction is (nearly) locked: only the other one is solved. It is a tangent, because the normals of
    // a planar body lie in its plane.
    if (is_positive(k11 - min)) inverse[0][0] = reciprocal_or_zero(k11);
  } else if (is_positive(k22 - min)) {
    inverse[2][0] = reciprocal_or_zero(k22);
  }
  for (std::size_t i = 0; i < 3; ++i) block.tangent_mass[i][lane] = inverse[i][0];
}

/// Rolling resistance, surface velocity and inverse masses per axis.
template <class Real, int W>
void prepare_extras(ContactExtras<Real, W>& extras, const ContactBlock<Real, W>& block, std::size_t lane,
                    const PreparedContact<Real>& contact, const AxisMasses<Real>& pair) {
  Vec3<Real> const t1 = lane_of(block.tangent, lane);
  extras.slide[0][lane] = dot(contact.slide, t1);
  extras.slide[1][lane] = dot(contact.slide, cross(contact.manifold.normal, t1));
  for (unsigned axis = 0; axis < 3; ++axis) {
    extras.inverse_mass_a[axis][lane] = pair.a(axis);
    extras.inverse_mass_b[axis][lane] = pair.b(axis);
  }
  extras.rolling_reach[lane] = contact.rolling_reach;
  set_lane(extras.rolling_impulse, lane, contact.rolling_impulse);
  if (!(contact.rolling_reach > Real(0))) return;
  Vec3<Real> const x{Real(1), Real(0), Real(0)};
  Vec3<Real> const y{Real(0), Real(1), Real(0)};
  Vec3<Real> const z{Real(0), Real(0), Real(1)};
  auto const entry = [&pair](Vec3<Real> u, Vec3<Real> v) { return pair.angular(u, v, u, v); };
  Mass<Real> k[6] = {entry(x, x), entry(y, y), entry(z, z), entry(x, y), entry(x, z), entry(y, z)};
  invert_free(k, Mass<Real>(Real(1)), Mass<Real>{});
  for (std::size_t i = 0; i < 6; ++i) extras.rolling_mass[i][lane] = k[i];
}

/// Spring rows of a contact with a soft material. The points share the spring: each has its part of the
/// stiffness and of the damping.
template <class Real, int W>
void prepare_springs(ContactExtras<Real, W>& extras, const ContactBlock<Real, W>& block, std::size_t lane,
                     const PreparedContact<Real>& contact, const AxisMasses<Real>& pair,
                     const ContactParameters<Real>& parameters) {
  extras.springs |= 1u << lane;
  extras.spring[lane] = Real(1);
  extras.soft_depth[lane] = contact.soft_depth;
  Vec3<Real> const n = contact.manifold.normal;
  Vec3<Real> const ra_cross_n = cross(lane_of(block.r_a, lane), n);
  Vec3<Real> const rb_cross_n = cross(lane_of(block.r_b, lane), n);
  // A frequency refers to the effective mass along the normal at the manifold's centre.
  double const inverse_mass =
      to_double(pair.linear(n, n) + pair.angular(ra_cross_n, ra_cross_n, rb_cross_n, rb_cross_n));
  if (!(inverse_mass > 0.0)) return;
  double const substep_s = 1.0 / to_double(parameters.inverse_substep);
  SoftRow softest;
  for (const Softness* const softness : {contact.soft_a, contact.soft_b}) {
    if (softness == nullptr) continue;
    SoftRow const row = softness->row(substep_s, inverse_mass);
    if (row.gamma >= softest.gamma) softest = row;
  }
  extras.spring_rate[lane] = to_real<Real>(softest.bias_rate);
  double const gamma = softest.gamma * static_cast<double>(contact.manifold.point_count);
  for (std::uint32_t i = 0; i < contact.manifold.point_count; ++i) {
    double const mass = to_double(block.rows[i].mass[lane]);
    if (!(mass > 0.0)) continue;
    extras.spring_rows[i].mass[lane] = to_mass<Real>(1.0 / (1.0 / mass + gamma));
    extras.spring_rows[i].spring_impulse_scale[lane] = to_real<Real>(gamma / (1.0 / mass + gamma));
  }
}

}  // namespace

template <class Real, int W>
void prepare_blocks(const ContactKernels<Real>& self, const BlockMemory& memory, std::size_t first,
                    std::size_t end, const ContactTask<Real>& task,
                    const ContactParameters<Real>& parameters) {
  using Block = ContactBlock<Real, W>;
  using Extras = ContactExtras<Real, W>;
  TAKT_ASSERT(end * W <= task.order.size() && task.masses.size() == task.bodies.size());
  ContactStaging<Real, W> staging{};
  auto const run = [&task](const ContactKernels<Real>& kernels, auto& block, auto& buffer) {
    return kernels.prepare_lanes != nullptr &&
           kernels.prepare_lanes(reinterpret_cast<std::byte*>(&block), &buffer, task.bodies.data());
  };
  for (std::size_t at = first; at < end; ++at) {
    fetch_contacts<Real, W>(task, at + 1);
    Block& block = *new (memory.blocks + at * sizeof(Block)) Block{};
    bool has_locks = false;
    for_lanes<Real, W>(task, at, [&](std::size_t lane, const PreparedContact<Real>& contact) {
      prepare_block_lane(block, lane, contact, task, parameters);
      has_locks = has_locks || contact.locked;
    });
    TAKT_VALIDATE(bodies_are_disjoint(block));
    run_lanes(
        self, block, staging, task, at,
        [](auto& buffer, std::size_t lane, const PreparedContact<Real>& contact) {
          stage_manifold(buffer, lane, contact);
        },
        run,
        [](PreparedContact<Real>& contact, const auto& buffer, std::size_t lane) {
          take_normal_velocity(contact, buffer, lane);
        });
    if (has_locks) {
      for_lanes<Real, W>(task, at, [&](std::size_t lane, const PreparedContact<Real>& contact) {
        if (contact.locked) prepare_locked_masses(block, lane, contact, task.masses);
      });
    }
    if constexpr (kIsFixedWide<Real, W>) block.is_small = has_small_numbers(block);
    if (at < memory.first_special) continue;
    Extras& extras = *new (memory.extras + (at - memory.first_special) * sizeof(Extras)) Extras{};
    for_lanes<Real, W>(task, at, [&](std::size_t lane, const PreparedContact<Real>& contact) {
      AxisMasses<Real> const pair(contact, task.masses);
      prepare_extras(extras, block, lane, contact, pair);
      if (contact.soft_a != nullptr || contact.soft_b != nullptr)
        prepare_springs(extras, block, lane, contact, pair, parameters);
    });
  }
}

template <class Real, int W>
std::uint32_t store_block_impulses(const ContactKernels<Real>& self, const BlockMemory& memory,
                                   std::size_t first, std::size_t end, const ContactTask<Real>& task) {
  using Block = ContactBlock<Real, W>;
  using Extras = ContactExtras<Real, W>;
  TAKT_ASSERT(end * W <= task.order.size());
  ContactStaging<Real, W> staging{};
  auto const run = [&task](const ContactKernels<Real>& kernels, auto& block, auto& buffer) {
    return kernels.store_lanes != nullptr &&
           kernels.store_lanes(reinterpret_cast<std::byte*>(&block), &buffer, task.bodies.data());
  };
  std::uint32_t points = 0;
  for (std::size_t at = first; at < end; ++at) {
    fetch_contacts<Real, W>(task, at + 1);
    Block& block = *std::launder(reinterpret_cast<Block*>(memory.blocks + at * sizeof(Block)));
    for_lanes<Real, W>(task, at, [&](std::size_t lane, PreparedContact<Real>& contact) {
      for (std::uint32_t p = 0; p < contact.manifold.point_count; ++p)
        contact.impulses[p] = block.rows[p].impulse[lane];
      contact.twist_impulse = block.twist_impulse[lane];
      points += contact.manifold.point_count;
      if (at < memory.first_special) return;
      const Extras& extras = *std::launder(
          reinterpret_cast<const Extras*>(memory.extras + (at - memory.first_special) * sizeof(Extras)));
      contact.rolling_impulse = lane_of(extras.rolling_impulse, lane);
    });
    run_lanes(
        self, block, staging, task, at,
        [](auto& buffer, std::size_t lane, const PreparedContact<Real>& contact) {
          stage_history(buffer, lane, contact);
        },
        run,
        [](PreparedContact<Real>& contact, const auto& buffer, std::size_t lane) {
          take_history(contact, buffer, lane);
        });
  }
  return points;
}

#define TAKT_INSTANTIATE(Real, W)                                                                       \
  template void prepare_blocks<Real, W>(const ContactKernels<Real>&, const BlockMemory&, std::size_t,   \
                                        std::size_t, const ContactTask<Real>&,                          \
                                        const ContactParameters<Real>&);                                \
  template std::uint32_t store_block_impulses<Real, W>(const ContactKernels<Real>&, const BlockMemory&, \
                                                       std::size_t, std::size_t, const ContactTask<Real>&);
TAKT_INSTANTIATE(float, 1)
TAKT_INSTANTIATE(float, 4)
TAKT_INSTANTIATE(float, 8)
TAKT_INSTANTIATE(float, 16)
TAKT_INSTANTIATE(Fixed, 1)
TAKT_INSTANTIATE(Fixed, kFixedLanes)
#undef TAKT_INSTANTIATE

}  // namespace takt
