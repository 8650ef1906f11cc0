// JointBodies gives the joint solvers access to the bodies of a step (SolverBodies) within a substep.
// velocity_of() and pose_of() convert to binary64; add_velocity() adds in binary64 and rounds each component
// to Real once. SIMD kernels read and write the arrays of bodies directly instead. JointTick has the
// constants of a tick: substep length, number of substeps and lane width. VelocityChanges sums velocity
// changes by body until apply() adds them to the bodies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/constraints/moving_body.h"
#include "physics/constraints/solver_body.h"
#include "physics/joints/joint_row_types.h"
#include "takt/core/assert.h"
#include "takt/core/task_pool.h"

namespace takt {

template <class Real>
struct JointBodies {
  // By solver index; index 0 stands for all bodies that are not stepped:
  std::vector<SolverBody<Real>>& bodies;
  const std::vector<SolverMass<Real>>& masses;
  const std::vector<MovingBody<Real>>& moving;
  const std::vector<std::uint32_t>& solver_index;  ///< by index in the body pool
  TaskPool* pool = nullptr;                        ///< may be null

  /// Velocities of the centre of mass, m/s and rad/s, world; 0 for body 0.
  [[nodiscard]] VelocityOf<double> velocity_of(std::uint32_t body) const noexcept {
    return {doubles_of(bodies[body].linear_velocity), doubles_of(bodies[body].angular_velocity)};
  }
  /// The pose in this substep; `body` is above 0.
  [[nodiscard]] BodyPoseOf<double> pose_of(std::uint32_t body) const noexcept {
    return {to_double(moving[body].rotation), doubles_of(bodies[body].delta_position)};
  }
  /// Adds in binary64 and rounds each component to Real once. `body` is above 0.
  void add_velocity(std::uint32_t body, const VelocityOf<double>& change) const noexcept {
    add_to(bodies[body].linear_velocity, change.linear);
    add_angular_velocity(body, change.angular);
  }
  void add_angular_velocity(std::uint32_t body, const Vec3<double>& change) const noexcept {
    add_to(bodies[body].angular_velocity, change);
  }

 private:
  static void add_to(Real (&to)[4], const Vec3<double>& change) noexcept {
    to[0] = to_real<Real>(to_double(to[0]) + change.x);
    to[1] = to_real<Real>(to_double(to[1]) + change.y);
    to[2] = to_real<Real>(to_double(to[2]) + change.z);
  }
};

/// The impulse with which a rope pulled at a body in the last substep. Where the body is in a guarded group,
/// `impulse` is a part of the group's warm start (joint_equality.h).
struct PinImpulse {
  std::uint32_t attachment = 0;  ///< index in RopeScratch::attachments
  std::uint32_t body = 0;        ///< solver index
  std::uint32_t group = 0;       ///< lowest body of its guarded group; 0 outside such groups
  Vec3<double> lever_arm;        ///< from the centre of mass, world axes, m
  Vec3<double> impulse;          ///< N s, world
  VelocityOf<double> change;     ///< of the body by `impulse`, in a guarded group
};

struct JointTick {
  double substep_s = 0.0;
  std::uint32_t substeps = 0;  ///< of the tick
  std::uint32_t lanes = 0;     ///< as in StepOptions
};

/// Sums of velocity changes by solver index, in binary64, until apply() adds them to the bodies. Not
/// thread-safe.
class VelocityChanges {
 public:
  /// Makes room for `body_count` bodies, and clears the sums of body 0 and of `used`. Only these bodies may
  /// be read or added to.
  void reset(std::size_t body_count, std::span<const std::uint32_t> used) {
    changes_.resize(body_count);
    changes_[0] = {};
    for (std::uint32_t const body : used) changes_[body] = {};
  }
  [[nodiscard]] VelocityOf<double>& operator[](std::uint32_t body) noexcept {
    TAKT_VALIDATE(body < changes_.size());
    return changes_[body];
  }
  [[nodiscard]] const VelocityOf<double>& operator[](std::uint32_t body) const noexcept {
    TAKT_VALIDATE(body < changes_.size());
    return changes_[body];
  }
  void clear(std::uint32_t body) noexcept { changes_[body] = {}; }
  void add(std::uint32_t body, const VelocityOf<double>& change) noexcept {
    changes_[body].linear += change.linear;
    changes_[body].angular += change.angular;
  }
  /// Adds the sum of a body to its velocity and clears the sum; body 0 never moves.
  template <class Real>
  void apply(const JointBodies<Real>& bodies, std::uint32_t body) noexcept {
    if (body == 0) return;
    TAKT_VALIDATE(body < changes_.size());
    bodies.add_velocity(body, changes_[body]);
    changes_[body] = {};
  }

 private:
  std::vector<VelocityOf<double>> changes_;
};

}  // namespace takt
