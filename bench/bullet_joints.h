// Joints of a trial as Bullet's constraints: balls and sockets, with a cone and a twist limit or free, and
// hinges with limits. Friction of hinges is a motor at rest; that of cones has no counterpart and is left
// out.
#pragma once

#include <btBulletDynamicsCommon.h>

#include <memory>

#include "takt/sim/scene.h"

namespace takt::bench {

/// A constraint and its two anchors, from each body's centre of mass in the body's axes.
struct BulletJoint {
  std::unique_ptr<btTypedConstraint> constraint;
  btVector3 anchor_a;
  btVector3 anchor_b;
};

/// A body as joints see it.
struct BulletJointBody {
  btRigidBody& body;
  const sim::SceneBody& scene;
  Vec3<double> center;  ///< of mass, in the body's frame, m
};

/// Throws std::runtime_error for a joint that is none of those. `step_s` is Bullet's.
[[nodiscard]] BulletJoint make_bullet_joint(const sim::SceneJoint& joint, const BulletJointBody& a,
                                            const BulletJointBody& b, double step_s);

}  // namespace takt::bench
