// InertiaConditioning gives light bodies between strongly tensioned joints a larger inertia for joint rows,
// so that they swing no faster than a substep can follow. At the start of each substep JointSolver adds up
// the tension of the last impulses per body: add_impulse() and add_joint(). Then raise() computes larger
// inertias by geometric_stiffness.h and stores them in JointInertias. Bodies with a locked rotation keep
// their inertia.
//
// Contacts and forces act on a conditioned body with its own inertia. Before each joint pass,
// scale_angular_velocities() scales the change of its angular velocity since the last joint pass. The change
// then has the same angular momentum with the larger inertia.
//
//   w += (I_c^-1 I - 1) dw      w   angular velocity, rad/s      dw  its change since the last joint pass
//                               I   own inertia, kg m^2          I_c conditioned inertia
#pragma once

#include <cstdint>
#include <vector>

#include "physics/joints/geometric_stiffness.h"
#include "physics/joints/joint_couplings.h"
#include "physics/joints/joint_inertias.h"
#include "physics/joints/joint_limits.h"
#include "physics/joints/joint_row_steps.h"

namespace takt {

using JointEnd = JointEndOf<double>;

template <class Real>
class InertiaConditioning {
 public:
  /// Starts the sums of tension of a substep for the bodies of `inertias`.
  void begin(const JointBodies<Real>& bodies, const JointInertias<Real>& inertias);
  /// Adds the tension of an impulse on b, and of its reaction on a, at b's anchor.
  void add_impulse(const JointBodies<Real>& bodies, const JointEnd& a, const JointEnd& b,
                   const Vec3<double>& impulse);
  /// Adds the tension of the impulses of a joint that is no point joint.
  void add_joint(const JointBodies<Real>& bodies, const PreparedJoint& joint,
                 const JointEquality<Real>& equality, const JointLimits<Real>& limits,
                 const JointCouplings<Real>& couplings);
  /// By solver index; batched trees write their bodies' sums here.
  [[nodiscard]] std::vector<GeometricStiffness>& tensions() noexcept { return tensions_; }
  /// Raises the inertias of bodies that would swing too fast. `lanes` as in StepOptions.
  void raise(JointInertias<Real>& inertias, double substep_s, std::uint32_t lanes);
  /// True when no body is conditioned.
  [[nodiscard]] bool empty() const noexcept { return conditioned_.empty(); }
  /// Scales the angular velocity changes of conditioned bodies since the last store or raise().
  void scale_angular_velocities(const JointBodies<Real>& bodies, const JointInertias<Real>& inertias) const;
  void store_angular_velocities(const JointBodies<Real>& bodies);
  /// Adds changes by joints after the last store; they are not scaled.
  void add_angular_velocities(VelocityChanges& changes);

 private:
  struct ConditionedBody {
    std::uint32_t body = 0;
    SymMat64 inverse_inertia;  ///< the body's own, world axes
    Vec3<double> omega;        ///< after the last joint pass, rad/s
  };
  void add_line(const RowBody& body, const Vec3<double>& lever_arm, const Vec3<double>& towards,
                double tension, double line_m);

  std::vector<GeometricStiffness> tensions_;  ///< by solver index
  std::vector<std::uint32_t> candidates_;     ///< bodies whose inertia may have to be raised
  std::vector<PositivePart> parts_;           ///< parallel to candidates_
  std::vector<ConditionedBody> conditioned_;
};

}  // namespace takt
