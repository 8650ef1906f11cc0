// A mass that moves along a line against a spring and damper which only pushes: implicit Euler of the
// equation of motion, and how far the exact motion goes. Written from m x'' = -k x - c x' and not from rows,
// so that soft limits and soft contacts have something else to agree with.
#pragma once

#include <cmath>
#include <type_traits>

#include "joint_world.h"

namespace takt::test {

struct OneSidedSpring {
  double mass_kg = 1.0;
  double stiffness = 0.0;  ///< N/m
  double damping = 0.0;    ///< N s/m
  double substep_s = 0.0;
  double gravity_m_s2 = 0.0;  ///< along x
  double x_m = 0.0;           ///< above 0 the spring is not reached
  double speed_m_s = 0.0;

  void substep() {
    double const h = substep_s;
    speed_m_s += h * gravity_m_s2;
    if (x_m <= 0.0) {
      double const after =
          (mass_kg * speed_m_s - h * stiffness * x_m) / (mass_kg + h * damping + h * h * stiffness);
      if (after > speed_m_s) speed_m_s = after;  // it pushes, it never pulls
    }
    x_m += h * speed_m_s;
  }
  void tick(int substeps) {
    for (int i = 0; i < substeps; ++i) substep();
  }
};

inline constexpr double kMassKg = 2.0;
inline constexpr double kTwoPi = 6.28318530717958647692;

/// 64 Hz and a gravity of 8 m/s^2: every number is exact in both modes until the body arrives, so that the
/// reference arrives in the same substep.
inline WorldDef exact_in_flight(std::uint32_t substeps, double gravity) {
  WorldDef def = awake();
  def.tick_rate_hz = 64;
  def.substeps = substeps;
  def.gravity_m_s2 = {0.0, gravity, 0.0};
  return def;
}

/// How far an engine that computes in Real may be from the recurrence within a second of such a world, m.
/// Speed and position are rounded in each substep, by 2^-25 of the speed in float and by 2^-33 in fixed
/// point; a walk of 1,000 is 32 times as much. An error in position is one in speed of w times as much on the
/// spring, and a second carries it on. In flight, where the speed stays or changes by an exact step,
/// positions round to one side. In float it is the speed's own rounding that counts, four times a substep;
/// `position_m` is for gaps, which are rounded too, by 2^-25 of metres.
template <class Real>
double rounding_m(std::uint32_t substeps, double speed_m_s, double w, double position_m = 0.0) {
  double const fixed = 0x1p-33 * (64.0 * substeps + 32.0 * (1.0 + w));
  return std::is_same_v<Real, Fixed> ? fixed : 64.0 * 0x1p-25 * (speed_m_s + 8.0 + position_m);
}

/// How deep a body that arrives at this speed goes into a spring of w rad/s and damping ratio z, without
/// gravity and in continuous time, m.
inline double deepest(double speed_m_s, double w, double z) {
  if (z == 1.0) return speed_m_s / w * std::exp(-1.0);
  if (z < 1.0) {
    double const s = std::sqrt(1.0 - z * z);
    return speed_m_s / w * std::exp(-z / s * std::atan2(s, z));
  }
  double const s = std::sqrt(z * z - 1.0);
  double const t = std::log((z + s) / (z - s)) / (2.0 * s);  // w x the time of the turn
  return speed_m_s / w * std::exp(-z * t) * std::sinh(s * t) / s;
}

}  // namespace takt::test
