// How hard joints pull a body apart, and the inertia with which it swings between them no faster than a substep can follow.
//
// An impulse P that pulls at an arm r outwards turns the body back like a spring of stiffness (r . P) / h about the axes across r (the geometric stiffness of the
// joint's force). With inertia I an explicit step of it is stable while h (r . P) / I < 4. Where it is more, inertia across r is added for what joints do, and nothing
// else: momentum of the body's centre is untouched, its spin answers slowly.
// Source: S. Andrews, M. Teichmann, P. Kry, Geometric Stiffness for Real-time Constrained Multibody Dynamics (2017), for the idea of a stability bound per body.
#pragma once

#include "physics/row_side.h"

namespace takt {

class JointPull {
 public:
  void add(Vec3<double> arm, Vec3<double> impulse) noexcept {
    arm_impulse_ += dot(arm, impulse);
    if (dot(arm, arm) > dot(arm_, arm_)) arm_ = arm;
  }
  /// The inverse inertia that keeps `scale` x pull x mobility across the arm at 1; `inverse` where it is less.
  [[nodiscard]] SymMat64 tamed(const SymMat64& inverse, double scale) const noexcept;
  /// The spin with which the raised inertia has the angular momentum that the body had: the implicit step of what was raised. It damps what is too fast to follow.
  [[nodiscard]] static Vec3<double> slowed(const SymMat64& inverse, const SymMat64& raised, Vec3<double> spin) noexcept;

 private:
  double arm_impulse_ = 0.0;  ///< N s m: outwards is positive
  Vec3<double> arm_;          ///< the longest, m
};

}  // namespace takt
