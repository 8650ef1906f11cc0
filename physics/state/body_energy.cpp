#include "physics/state/body_energy.h"

namespace takt {
namespace {

std::array<double, 6> doubles(const FloatSymMat& a) noexcept {
  std::array<double, 6> out{};
  for (std::size_t i = 0; i < 6; ++i) out[i] = static_cast<double>(a.m[i]);
  return out;
}
std::array<double, 6> doubles(const FixedSymMat& a) noexcept {
  std::array<double, 6> out{};
  for (std::size_t i = 0; i < 6; ++i)
    out[i] = Scaled::normalised(Int128{a.mantissa[i]}, a.exponent).to_double();
  return out;
}

}  // namespace

template <class Real>
std::array<double, 6> inertia_of(const BodyRecord<Real>& body) noexcept {
  auto const [xx, yy, zz, xy, xz, yz] = doubles(body.inverse_inertia);
  double const cx = yy * zz - yz * yz;
  double const cy = xz * yz - xy * zz;
  double const cz = xy * yz - xz * yy;
  double const determinant = xx * cx + xy * cy + xz * cz;
  if (!(determinant > 0)) return {};  // an inertia that is not known yet
  double const k = 1 / determinant;
  return {cx * k, (xx * zz - xz * xz) * k, (xx * yy - xy * xy) * k, cy * k, cz * k, (xy * xz - xx * yz) * k};
}

double kinetic_energy_j(double mass_kg, const std::array<double, 6>& inertia_kg_m2, Quat<double> rotation,
                        Vec3<double> linear_m_s, Vec3<double> angular_rad_s) noexcept {
  Vec3<double> const w =
      rotate(Quat<double>{-rotation.x, -rotation.y, -rotation.z, rotation.w}, angular_rad_s);
  const auto& i = inertia_kg_m2;
  double const turning = i[0] * w.x * w.x + i[1] * w.y * w.y + i[2] * w.z * w.z +
                         2 * (i[3] * w.x * w.y + i[4] * w.x * w.z + i[5] * w.y * w.z);
  return 0.5 * (mass_kg * dot(linear_m_s, linear_m_s) + turning);
}

template <class Real>
WorldEnergy energy_of(const WorldState<Real>& state) noexcept {
  WorldEnergy sum;
  for (std::uint32_t i = 0; i < state.bodies.capacity(); ++i) {
    if (!state.bodies.alive(i)) continue;
    const BodyRecord<Real>& body = state.bodies[i];
    if (body.type != BodyType::kDynamic || !body.enabled || body.quarantined) continue;
    const BodyMotion<Real>& motion = body.motion;
    sum.kinetic_j += kinetic_energy_j(body.mass_kg, inertia_of(body), to_double(motion.rotation),
                                      to_double(motion.linear_velocity), to_double(motion.angular_velocity));
    sum.potential_j -=
        body.mass_kg * to_double(body.gravity_scale) * dot(state.def.gravity_m_s2, motion.center.to_metres());
  }
  return sum;
}

#define TAKT_INSTANTIATE(Real)                                                 \
  template std::array<double, 6> inertia_of(const BodyRecord<Real>&) noexcept; \
  template WorldEnergy energy_of(const WorldState<Real>&) noexcept;
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
