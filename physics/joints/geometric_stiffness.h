// How hard joints pull a body apart, and the inertia with which it swings between them no faster than a
// substep can follow.
//
// An impulse P at an arm r turns the body back like a spring: when the body turns by a small angle t, the
// moment r x P changes by (t x r) x P = r (t . P) - t (r . P), the geometric stiffness G = ((r . P) 1 - r
// P^T) / h of the joint's force, taken symmetric. With an inertia I an explicit step of it is stable while
// h^2 G < 4 I. A force along a line of length L (a rod, a taut rope) turns with the body's anchor as well: (t
// / L) (r . r 1 - r r^T - (r x d) (r x d)^T) more, t the tension and d its direction. Where it is more than
// the substep can follow, inertia is added for what joints do, about those axes and as much as it takes, and
// nothing else: momentum of the body's centre is untouched, its spin answers slowly. Source: S. Andrews, M.
// Teichmann, P. Kry, Geometric Stiffness for Real-time Constrained Multibody Dynamics (2017), for the idea of
// a stability bound per body.
#pragma once

#include <span>

#include "physics/constraints/constraint_row.h"
#include "physics/joints/tree_batch.h"

namespace takt {

/// What pulls one body, or several side by side: N is a double or a lane type of them.
template <class N>
struct TensionOf {
  N stiffness[6]{};  ///< h G, N s m
  Vec3<N> turning;   ///< rad/s, the sum by weight
  N weight{};
};

struct GeometricStiffness {
  TensionOf<double> sums;

  /// An impulse on the body at the end of an arm, N s.
  void add(Vec3<double> lever_arm, Vec3<double> impulse) noexcept;
  /// One that keeps pulling along a line to the other end of it. `pull` > 0: impulse by length, N s / m.
  void add_line(Vec3<double> lever_arm, Vec3<double> direction, double tension) noexcept;
  /// How fast the direction turns in which a joint pulls, rad/s, by the weight of its pull, N s m.
  void add_turning(Vec3<double> rate, double weight) noexcept {
    if (!(weight > 0.0)) return;
    sums.turning += rate * weight;
    sums.weight += weight;
  }
  /// Of all that pull: a body that turns with what pulls it does not swing.
  [[nodiscard]] Vec3<double> turning() const noexcept {
    return sums.weight > 0.0 ? sums.turning * (1.0 / sums.weight) : Vec3<double>{};
  }
  // The inverse inertia that keeps `scale` x G x mobility at most 1 about every axis, in three steps, since
  // the second goes in lanes too (TreeKernels::raise):
  /// what has to be added to the inertia, as a positive part; false where it is so already, or where axes are
  /// locked;
  [[nodiscard]] bool asks(const SymMat64& inverse, double scale, PositivePart& of) const noexcept;
  static void raise(std::span<PositivePart> parts) noexcept;
  /// the inverse of what was raised, or `inverse`.
  [[nodiscard]] static SymMat64 tamed(const SymMat64& inverse, const PositivePart& raised) noexcept;
  /// The spin with which the raised inertia has the angular momentum that the body had: the implicit step of
  /// what was raised. It damps what is too fast to follow.
  [[nodiscard]] static Vec3<double> slowed(const SymMat64& inverse, const SymMat64& raised,
                                           Vec3<double> omega) noexcept;
};

}  // namespace takt
