#include "bench/bullet_joints.h"

#include <stdexcept>

#include "tests/physics/simple_world.h"

namespace takt::bench {
namespace {

btVector3 vector(Vec3<double> v) {
  return {static_cast<btScalar>(v.x), static_cast<btScalar>(v.y), static_cast<btScalar>(v.z)};
}
btQuaternion rotation(Quat<double> q) {
  return {static_cast<btScalar>(q.x), static_cast<btScalar>(q.y), static_cast<btScalar>(q.z),
          static_cast<btScalar>(q.w)};
}

Quat<double> inverse(Quat<double> q) { return {-q.x, -q.y, -q.z, q.w}; }

/// The joint's frame on a body, from its centre of mass.
btTransform frame_on(const BulletJointBody& on, const JointFrame& frame, const sim::SceneJoint& joint,
                     const Position& anchor) {
  if (!joint.world) return btTransform(rotation(frame.rotation), vector(frame.position_m - on.center));
  Quat<double> const to_body = inverse(on.scene.def.rotation);
  Vec3<double> const local = rotate(to_body, test::displacement(on.scene.def.position, anchor));
  return btTransform(rotation(to_body * joint.world->rotation), vector(local - on.center));
}

const JointAxisDef* axis_of(const JointDef& def, JointAxis axis) {
  for (std::uint32_t i = 0; i < def.axis_count; ++i) {
    if (def.axes[i].axis == axis) return &def.axes[i];
  }
  return nullptr;
}

std::unique_ptr<btTypedConstraint> make_socket(const JointDef& def, const BulletJointBody& a,
                                               const BulletJointBody& b, const btTransform& frame_a,
                                               const btTransform& frame_b) {
  const JointAxisDef* const swing = axis_of(def, JointAxis::kSwing);
  const JointAxisDef* const twist = axis_of(def, JointAxis::kAngularX);
  if (swing == nullptr || twist == nullptr) {
    return std::make_unique<btPoint2PointConstraint>(a.body, b.body, frame_a.getOrigin(),
                                                     frame_b.getOrigin());
  }
  auto made = std::make_unique<btConeTwistConstraint>(a.body, b.body, frame_a, frame_b);
  auto const cone = static_cast<btScalar>(swing->upper);
  made->setLimit(cone, cone, static_cast<btScalar>(twist->upper));
  return made;
}

/// Bullet's hinges turn about z, Takt's about x.
std::unique_ptr<btTypedConstraint> make_hinge(const JointDef& def, const BulletJointBody& a,
                                              const BulletJointBody& b, const btTransform& frame_a,
                                              const btTransform& frame_b, double step_s) {
  btTransform const z_to_x(btQuaternion(btVector3(0, 1, 0), SIMD_HALF_PI));
  auto made = std::make_unique<btHingeConstraint>(a.body, b.body, frame_a * z_to_x, frame_b * z_to_x, true);
  if (const JointAxisDef* const turn = axis_of(def, JointAxis::kAngularX)) {
    made->setLimit(static_cast<btScalar>(turn->lower), static_cast<btScalar>(turn->upper));
    if (turn->friction > 0) made->enableAngularMotor(true, 0, static_cast<btScalar>(turn->friction * step_s));
  }
  return made;
}

}  // namespace

BulletJoint make_bullet_joint(const sim::SceneJoint& joint, const BulletJointBody& a,
                              const BulletJointBody& b, double step_s) {
  btTransform const frame_a =
      frame_on(a, joint.def.frame_a, joint, joint.world ? joint.world->anchor_a : Position{});
  btTransform const frame_b =
      frame_on(b, joint.def.frame_b, joint, joint.world ? joint.world->anchor_b : Position{});
  BulletJoint made{nullptr, frame_a.getOrigin(), frame_b.getOrigin()};
  if (joint.def.kind == JointKind::kPoint) {
    made.constraint = make_socket(joint.def, a, b, frame_a, frame_b);
  } else if (joint.def.kind == JointKind::kRevolute) {
    made.constraint = make_hinge(joint.def, a, b, frame_a, frame_b, step_s);
  } else {
    throw std::runtime_error("Bullet is not asked for this kind of joint");
  }
  return made;
}

}  // namespace takt::bench
