// A mass that moves along a line against a spring and damper which only pushes: implicit Euler of the equation of motion, and how far the exact motion goes. Written
// from m x'' = -k x - c x' and not from rows, so that soft limits and soft contacts have something else to agree with.
#pragma once

#include <cmath>

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
      double const after = (mass_kg * speed_m_s - h * stiffness * x_m) / (mass_kg + h * damping + h * h * stiffness);
      if (after > speed_m_s) speed_m_s = after;  // it pushes, it never pulls
    }
    x_m += h * speed_m_s;
  }
  void tick(int substeps) {
    for (int i = 0; i < substeps; ++i) substep();
  }
};

/// How deep a body that arrives at this speed goes into a spring of w rad/s and damping ratio z, without gravity and in continuous time, m.
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
