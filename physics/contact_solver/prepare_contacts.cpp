#include "physics/contact_solver/prepare_contacts.h"

#include "physics/constraints/motion_locks.h"

namespace takt {
namespace {

// A unit vector across a unit normal: the axis that the normal has least of gives the plane.
template <class Real>
Vec3<Real> tangent_of(Vec3<Real> n) noexcept {
  bool const use_x = absolute(n.x) < to_real<Real>(kTangentFromX);
  Vec3<Real> const across = use_x ? Vec3<Real>{Real(0), n.z, -n.y} : Vec3<Real>{-n.z, Real(0), n.x};
  Real const size = length(across);
  return {across.x / size, across.y / size, across.z / size};
}

/// 1/kg along an axis of the world.
template <class Real>
Mass<Real> axis_mass(const SolverMass<Real>& body, unsigned axis) noexcept {
  return (body.locked_axes >> axis & 1u) != 0 ? Mass<Real>{} : body.inverse_mass;
}
static_assert(kLockLinearX == 1 && kLockLinearY == 2 && kLockLinearZ == 4);

// K = 1/m_a + 1/m_b + u_a . I_a^-1 v_a + u_b . I_b^-1 v_b, without the linear part when the directions
// differ.
template <class Real>
struct PairMass {
  const SolverMass<Real>& a;
  const SolverMass<Real>& b;

  [[nodiscard]] bool locked() const noexcept {
    return has_linear(a.locked_axes) || has_linear(b.locked_axes);
  }
  [[nodiscard]] Mass<Real> linear() const noexcept { return a.inverse_mass + b.inverse_mass; }
  /// u M^-1 v along the axes that are free.
  [[nodiscard]] Mass<Real> linear(Vec3<Real> u, Vec3<Real> v) const noexcept {
    Mass<Real> const x = axis_mass(a, 0) + axis_mass(b, 0);
    Mass<Real> const y = axis_mass(a, 1) + axis_mass(b, 1);
    Mass<Real> const z = axis_mass(a, 2) + axis_mass(b, 2);
    return x * Mass<Real>(u.x * v.x) + y * Mass<Real>(u.y * v.y) + z * Mass<Real>(u.z * v.z);
  }
  [[nodiscard]] Mass<Real> angular(Vec3<Real> ua, Vec3<Real> va, Vec3<Real> ub,
                                   Vec3<Real> vb) const noexcept {
    return bilinear(ua, a.inverse_inertia, va) + bilinear(ub, b.inverse_inertia, vb);
  }
};

}  // namespace

template <class Real>
ContactLane<Real> contact_lane(const PreparedContact<Real>& contact,
                               std::span<const SolverMass<Real>> masses) {
  ContactLane<Real> lane;
  static const SolverMass<Real> kImmovable{};
  PairMass<Real> const pair{contact.dynamic_a ? masses[contact.body_a] : kImmovable,
                            contact.dynamic_b ? masses[contact.body_b] : kImmovable};
  const Manifold<Real>& manifold = contact.manifold;
  Vec3<Real> const n = manifold.normal;

  Real const share = point_fraction<Real>(manifold.point_count);
  Vec3<Real> const center = manifold_center(manifold);
  lane.r_a = center;
  lane.r_b = center - contact.cached.delta_center;

  bool const locked = pair.locked();
  auto const fraction_of = [](Mass<Real> unpacked) {
    return unpacked * Mass<Real>(to_real<Real>(kMinFreeFraction));
  };
  Real spread(0);
  for (std::uint32_t i = 0; i < manifold.point_count; ++i) {
    auto& row = lane.rows[i];
    Vec3<Real> const r_a = manifold.points[i].position;
    Vec3<Real> const r_b = r_a - contact.cached.delta_center;
    row.ra_cross_n = cross(r_a, n);
    row.rb_cross_n = cross(r_b, n);
    Mass<Real> const turning = pair.angular(row.ra_cross_n, row.ra_cross_n, row.rb_cross_n, row.rb_cross_n);
    if (!locked) {
      row.mass = reciprocal_or_zero(pair.linear() + turning);
    } else if (Mass<Real> const k = pair.linear(n, n) + turning;
               is_positive(k - fraction_of(pair.linear()))) {
      row.mass = reciprocal_or_zero(k);
    }
    spread += length(r_a - center);
  }
  lane.twist_radius = spread * share;

  lane.tangent = tangent_of(n);
  Vec3<Real> const t1 = lane.tangent;
  Vec3<Real> const t2 = cross(n, t1);
  Vec3<Real> const a1 = cross(lane.r_a, t1);
  Vec3<Real> const a2 = cross(lane.r_a, t2);
  Vec3<Real> const b1 = cross(lane.r_b, t1);
  Vec3<Real> const b2 = cross(lane.r_b, t2);
  Mass<Real> const k11 = (locked ? pair.linear(t1, t1) : pair.linear()) + pair.angular(a1, a1, b1, b1);
  Mass<Real> const k22 = (locked ? pair.linear(t2, t2) : pair.linear()) + pair.angular(a2, a2, b2, b2);
  Mass<Real> const k12 =
      locked ? pair.linear(t1, t2) + pair.angular(a1, a2, b1, b2) : pair.angular(a1, a2, b1, b2);
  Mass<Real> const determinant = k11 * k22 - k12 * k12;
  bool const flat = locked && !is_positive(determinant - fraction_of(k11 * k22));
  if (flat) {  // one direction is locked, or as good as: the other alone. It is a tangent, since normals lie
               // in the plane of a planar body
    Mass<Real> const min = fraction_of(pair.linear());
    if (is_positive(k11 - k22)) {
      if (is_positive(k11 - min)) lane.tangent_mass[0] = reciprocal_or_zero(k11);
    } else if (is_positive(k22 - min)) {
      lane.tangent_mass[2] = reciprocal_or_zero(k22);
    }
  } else if (is_positive(determinant)) {
    invert_tangents<Real>(k11, k12, k22, determinant, lane.tangent_mass);
  }
  if (lane.twist_radius > Real(0)) lane.twist_mass = reciprocal_or_zero(pair.angular(n, n, n, n));
  lane.tangent_impulse[0] = dot(contact.friction_impulse, t1);
  lane.tangent_impulse[1] = dot(contact.friction_impulse, t2);
  lane.anchor_offset[0] = dot(contact.anchor_offset, t1);
  lane.anchor_offset[1] = dot(contact.anchor_offset, t2);
  return lane;
}

void divide_masses(FixedBlock& block, int lane, std::uint32_t point_count) noexcept {
  for (std::uint32_t r = 0; r < point_count; ++r)
    block.rows[r].mass[lane] = reciprocal_or_zero(block.rows[r].mass[lane]);
  Scaled const k11 = block.tangent_mass[0][lane];
  Scaled const k12 = block.tangent_mass[1][lane];
  Scaled const k22 = block.tangent_mass[2][lane];
  Scaled masses[3]{};
  Scaled const determinant = k11 * k22 - k12 * k12;
  if (is_positive(determinant)) invert_tangents<Fixed>(k11, k12, k22, determinant, masses);
  for (int i = 0; i < 3; ++i) block.tangent_mass[i][lane] = masses[i];
  block.twist_mass[lane] =
      block.twist_radius[lane] > Fixed(0) ? reciprocal_or_zero(block.twist_mass[lane]) : Scaled{};
}

template <class Real>
SpringLane<Real> spring_lane(const PreparedContact<Real>& contact, const ContactLane<Real>& values,
                             std::span<const SolverMass<Real>> masses,
                             const ContactParameters<Real>& parameters) {
  SpringLane<Real> lane;
  static const SolverMass<Real> kImmovable{};
  PairMass<Real> const pair{contact.dynamic_a ? masses[contact.body_a] : kImmovable,
                            contact.dynamic_b ? masses[contact.body_b] : kImmovable};
  Vec3<Real> const n = contact.manifold.normal;
  Vec3<Real> const ra_cross_n = cross(values.r_a, n);
  Vec3<Real> const rb_cross_n = cross(values.r_b, n);
  // What a frequency is of: the mass that a push along the normal at the manifold's centre finds.
  double const inverse_mass =
      to_double(pair.linear(n, n) + pair.angular(ra_cross_n, ra_cross_n, rb_cross_n, rb_cross_n));
  if (!(inverse_mass > 0.0)) return lane;
  double const substep_s = 1.0 / to_double(parameters.inverse_substep);
  SoftRow softest;
  for (const Softness* const softness : {contact.soft_a, contact.soft_b}) {
    if (softness == nullptr) continue;
    SoftRow const row = softness->row(substep_s, inverse_mass);
    if (row.gamma >= softest.gamma) softest = row;
  }
  lane.rate = to_real<Real>(softest.bias_rate);
  // The points share the spring: each has its part of the stiffness and of the damping.
  double const gamma = softest.gamma * static_cast<double>(contact.manifold.point_count);
  for (std::uint32_t i = 0; i < contact.manifold.point_count; ++i) {
    double const mass = to_double(values.rows[i].mass);
    if (!(mass > 0.0)) continue;
    lane.rows[i].mass = to_mass<Real>(1.0 / (1.0 / mass + gamma));
    lane.rows[i].spring_impulse_scale = to_real<Real>(gamma / (1.0 / mass + gamma));
  }
  return lane;
}

template <class Real>
ExtraLane<Real> extra_lane(const PreparedContact<Real>& contact, Vec3<Real> tangent,
                           std::span<const SolverMass<Real>> masses) {
  ExtraLane<Real> lane;
  lane.slide[0] = dot(contact.slide, tangent);
  lane.slide[1] = dot(contact.slide, cross(contact.manifold.normal, tangent));
  static const SolverMass<Real> kImmovable{};
  PairMass<Real> const pair{contact.dynamic_a ? masses[contact.body_a] : kImmovable,
                            contact.dynamic_b ? masses[contact.body_b] : kImmovable};
  for (unsigned axis = 0; axis < 3; ++axis) {
    lane.inverse_mass_a[axis] = axis_mass(pair.a, axis);
    lane.inverse_mass_b[axis] = axis_mass(pair.b, axis);
  }
  if (!(contact.rolling_reach > Real(0))) return lane;
  Vec3<Real> const x{Real(1), Real(0), Real(0)};
  Vec3<Real> const y{Real(0), Real(1), Real(0)};
  Vec3<Real> const z{Real(0), Real(0), Real(1)};
  auto const entry = [&pair](Vec3<Real> u, Vec3<Real> v) { return pair.angular(u, v, u, v); };
  Mass<Real> const k[6] = {entry(x, x), entry(y, y), entry(z, z), entry(x, y), entry(x, z), entry(y, z)};
  for (int i = 0; i < 6; ++i) lane.rolling_mass[i] = k[i];
  invert_free(lane.rolling_mass, Mass<Real>(Real(1)), Mass<Real>{});
  return lane;
}

template <class Real>
void measure_normal_velocity(PreparedContact<Real>& contact, const ContactLane<Real>& values,
                             std::span<const SolverBody<Real>> bodies) noexcept {
  const SolverBody<Real>& a = bodies[contact.body_a];
  const SolverBody<Real>& b = bodies[contact.body_b];
  Vec3<Real> const n = contact.manifold.normal;
  Real const along = dot(n, vector_of(b.linear_velocity) - vector_of(a.linear_velocity));
  for (std::uint32_t i = 0; i < contact.manifold.point_count; ++i) {
    Real const normal_velocity = along + dot(values.rows[i].rb_cross_n, vector_of(b.angular_velocity)) -
                                 dot(values.rows[i].ra_cross_n, vector_of(a.angular_velocity));
    if (!(normal_velocity < contact.normal_velocity)) continue;
    contact.normal_velocity = normal_velocity;
    contact.hit_point = static_cast<std::uint8_t>(i);
  }
}

template void measure_normal_velocity(PreparedContact<float>&, const ContactLane<float>&,
                                      std::span<const SolverBody<float>>) noexcept;
template void measure_normal_velocity(PreparedContact<Fixed>&, const ContactLane<Fixed>&,
                                      std::span<const SolverBody<Fixed>>) noexcept;
template ExtraLane<float> extra_lane(const PreparedContact<float>&, Vec3<float>,
                                     std::span<const SolverMass<float>>);
template ExtraLane<Fixed> extra_lane(const PreparedContact<Fixed>&, Vec3<Fixed>,
                                     std::span<const SolverMass<Fixed>>);
template SpringLane<float> spring_lane(const PreparedContact<float>&, const ContactLane<float>&,
                                       std::span<const SolverMass<float>>, const ContactParameters<float>&);
template SpringLane<Fixed> spring_lane(const PreparedContact<Fixed>&, const ContactLane<Fixed>&,
                                       std::span<const SolverMass<Fixed>>, const ContactParameters<Fixed>&);
template ContactLane<float> contact_lane(const PreparedContact<float>&, std::span<const SolverMass<float>>);
template ContactLane<Fixed> contact_lane(const PreparedContact<Fixed>&, std::span<const SolverMass<Fixed>>);

}  // namespace takt
