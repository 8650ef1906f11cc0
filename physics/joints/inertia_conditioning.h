// InertiaConditioning gives light bodies between strongly tensioned joints a larger inertia for joint rows,
// so that they swing no faster than a substep can follow. At the start of each substep JointSolver adds up
// the tension of the last impulses per body: add_impulse(), add_joint(), and TreeBatches::sum_tensions().
// Then raise() computes larger inertias by geometric_stiffness.h and stores them in JointInertias. Bodies
// with a locked rotation keep their inertia.
//
// Contacts and forces act on a conditioned body with its own inertia. Before each joint pass,
// scale_angular_velocities() scales the change of its angular velocity since the last joint pass. The change
// then has the same angular momentum with the larger inertia. Before the first pass of a substep the change
// counts from the mean angular velocity of the lines that pull (GeometricStiffness::turning()).
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
  /// Sets the sums of tension of the bodies of `inertias` to 0. Call it first in each substep.
  void begin(const JointBodies<Real>& bodies, const JointInertias<Real>& inertias);
  /// Adds the tension of an impulse (N s, world) on b, and of its reaction on a. Both lever arms end at b's
  /// anchor.
  void add_impulse(const JointBodies<Real>& bodies, const JointEnd& a, const JointEnd& b,
                   const Vec3<double>& impulse);
  /// Adds the tension of the impulses of a scalar joint that is no point joint, from its rows.
  void add_joint(const JointBodies<Real>& bodies, const PreparedJoint& joint,
                 const JointEquality<Real>& equality, const JointLimits<Real>& limits,
                 const JointCouplings<Real>& couplings);
  /// Sums by solver index, of the bodies of JointInertias::bodies() only. Batched trees write their bodies'
  /// sums here.
  [[nodiscard]] std::vector<GeometricStiffness>& tensions() noexcept { return tensions_; }
  /// Raises the inertias of bodies that would swing too fast, after all sums are added. `inertias` must have
  /// the own inertias of this substep. `lanes` as in StepOptions.
  void raise(JointInertias<Real>& inertias, double substep_s, std::uint32_t lanes);
  /// True when the last raise() conditioned no body.
  [[nodiscard]] bool empty() const noexcept { return conditioned_.empty(); }
  /// Scales the angular velocity changes of conditioned bodies since the last store or raise().
  void scale_angular_velocities(const JointBodies<Real>& bodies, const JointInertias<Real>& inertias) const;
  /// Stores the angular velocities of conditioned bodies. Call it after each joint pass.
  void store_angular_velocities(const JointBodies<Real>& bodies);
  /// Adds `changes` to the stored velocities, so that the next pass does not scale them: joints made them.
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
