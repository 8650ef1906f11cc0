// GeometricStiffness sums the angular stiffness that joint tension gives to one body in a substep. From that
// sum it computes a larger inertia, with which the body swings slowly enough for an explicit step.
// InertiaConditioning (inertia_conditioning.h) owns one sum per body and uses the larger inertia for joint
// rows only. Source of the bound: S. Andrews, M. Teichmann, P. Kry, Geometric Stiffness for Real-time
// Constrained Multibody Dynamics (2017).
//
//   impulse at an arm      h G = (r . P) 1 - sym(r P^T)
//   tension along a line   h G += (t / L) ((r . r) 1 - r r^T - (r x d) (r x d)^T)
//   stability              h^2 G <= s^2 I about every axis; an explicit step is stable below 4 I
//
//   P  impulse of the joint on the body, N s      t  tension, an impulse, N s      h  substep, s
//   r  lever arm from the centre of mass, m       L  length of the line, m         I  inertia, kg m^2
//   d  direction of the line, a unit vector       G  stiffness, N m                s  kMaxSwingRate
// Derivation: when the body turns by a small angle a, the moment r x P changes by (a x r) x P = r (a . P) - a
// (r . P). Inertia is added about those axes only where the stiffness exceeds the bound. The momentum of the
// body's centre does not change.
#pragma once

#include <span>

#include "physics/constraints/constraint_row.h"
#include "physics/joints/geometric_stiffness_steps.h"
#include "physics/joints/tree_batch.h"

namespace takt {

struct GeometricStiffness {
  TensionOf<double> sums;

  /// Adds the stiffness of an impulse (N s) on the body at the end of a lever arm (m), both in world axes.
  void add(Vec3<double> lever_arm, Vec3<double> impulse) noexcept;
  /// Adds the second form above, of a line that turns with the body's anchor. `direction` is a unit vector;
  /// `tension` is t / L, N s / m. A tension that is not above 0 has no effect.
  void add_line(Vec3<double> lever_arm, Vec3<double> direction, double tension) noexcept;
  /// Mean angular velocity of the lines that pull, rad/s, weighted by r . P; 0 without such a line. A body
  /// that turns with them does not swing.
  [[nodiscard]] Vec3<double> turning() const noexcept {
    return sums.weight > 0.0 ? sums.turning * (1.0 / sums.weight) : Vec3<double>{};
  }
  // Conditioning in three steps, because the second also runs in SIMD lanes (TreeKernels::raise):
  /// 1. Returns true when `scale` x (h G) may exceed the inertia about an axis. `part` is then set: `to` is
  /// the inertia, `of` is `scale` x (h G) - inertia. `inverse` is the body's inverse inertia in world axes;
  /// `scale` is h / s^2, above 0. Returns false for a body with a locked rotation.
  [[nodiscard]] bool exceeds(const SymMat64& inverse, double scale, PositivePart& part) const noexcept;
  /// 2. Adds the positive part of `of` to `to` in each part, and sets `found`.
  static void raise(std::span<PositivePart> parts) noexcept;
  /// 3. Returns the inverse of the raised inertia, or `inverse` where nothing was added.
  [[nodiscard]] static SymMat64 conditioned(const SymMat64& inverse, const PositivePart& raised) noexcept;
  /// Returns the angular velocity, rad/s, with which the raised inertia has the angular momentum that the
  /// body's own inertia has at `omega`. Both arguments are inverse inertias in world axes.
  [[nodiscard]] static Vec3<double> slowed(const SymMat64& inverse, const SymMat64& raised,
                                           Vec3<double> omega) noexcept;
};

}  // namespace takt
