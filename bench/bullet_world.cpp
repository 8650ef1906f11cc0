#include "bench/bullet_world.h"

#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bench/bullet_joints.h"
#include "physics/geometry/hull_geometry.h"
#include "physics/state/mass_properties.h"
#include "tests/physics/simple_world.h"

namespace takt::bench {
namespace {

// Collision margin of hulls and flat-ended shapes, m: shapes thinner than Bullet's default of 4 cm would grow
// by it.
constexpr double kMarginM = 0.005;

btVector3 vector(Vec3<double> v) {
  return {static_cast<btScalar>(v.x), static_cast<btScalar>(v.y), static_cast<btScalar>(v.z)};
}
Vec3<double> vector(const btVector3& v) { return {v.x(), v.y(), v.z()}; }
btQuaternion rotation(Quat<double> q) {
  return {static_cast<btScalar>(q.x), static_cast<btScalar>(q.y), static_cast<btScalar>(q.z),
          static_cast<btScalar>(q.w)};
}

std::unique_ptr<btCollisionShape> make_shape(const ShapeDef& shape) {
  auto const radius = static_cast<btScalar>(shape.radius_m);
  auto const half = static_cast<btScalar>(shape.half_length_m);
  switch (shape.kind) {
    case ShapeKind::kSphere: return std::make_unique<btSphereShape>(radius);
    case ShapeKind::kCapsule: return std::make_unique<btCapsuleShape>(radius, 2 * half);
    case ShapeKind::kBox: {
      auto made = std::make_unique<btBoxShape>(vector(shape.half_extents_m));
      double const min = std::min({shape.half_extents_m.x, shape.half_extents_m.y, shape.half_extents_m.z});
      if (min < 0.1) made->setMargin(static_cast<btScalar>(std::min(kMarginM, min / 4)));
      return made;
    }
    case ShapeKind::kCylinder: {
      auto made = std::make_unique<btCylinderShape>(btVector3(radius, half, radius));
      made->setMargin(static_cast<btScalar>(kMarginM));
      return made;
    }
    case ShapeKind::kCone: {
      auto made = std::make_unique<btConeShape>(radius, 2 * half);
      made->setMargin(static_cast<btScalar>(kMarginM));
      return made;
    }
    case ShapeKind::kHull: {
      auto made = std::make_unique<btConvexHullShape>();
      for (const Vec3<double>& point : shape.hull_points_m) made->addPoint(vector(point), false);
      made->recalcLocalAabb();
      made->setMargin(static_cast<btScalar>(kMarginM));
      return made;
    }
    case ShapeKind::kHalfSpace: return std::make_unique<btStaticPlaneShape>(btVector3(0, 1, 0), btScalar(0));
    default: break;
  }
  throw std::runtime_error("Bullet is not asked for this kind of shape");
}

Vec3<double> center_of_mass(const sim::SceneBody& body) {
  std::vector<PlacedHull> hulls(body.shapes.size());
  for (std::size_t i = 0; i < hulls.size(); ++i) {
    if (body.shapes[i].kind == ShapeKind::kHull) hulls[i] = make_hull(body.shapes[i].hull_points_m).value();
  }
  return body.def.type == BodyType::kDynamic ? mass_properties(body.shapes, hulls).center_m : Vec3<double>{};
}

}  // namespace

struct BulletWorld::Impl {
  Impl(const test::Trial& the_trial, const BulletSettings& the_settings)
      : trial(the_trial), settings(the_settings) {}

  const test::Trial& trial;
  BulletSettings settings;
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broad_phase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world{&dispatcher, &broad_phase, &solver, &configuration};
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btRigidBody>> bodies;
  std::vector<BulletJoint> joints;
  std::vector<test::BodyInertia> inertias;
  std::vector<Vec3<double>> centers;  // of mass, in the body's frame
  double total_mass_kg = 0;
  bool has_energy = false;
  double lowest_energy_j = 0;
  double gain_j = 0;
  double gap_m = 0;

  void add(const sim::SceneBody& body);
  void add(const sim::SceneJoint& joint);
  [[nodiscard]] btScalar step_s() const {
    return btScalar(1) /
           static_cast<btScalar>(trial.scene.world.tick_rate_hz * static_cast<std::uint32_t>(settings.steps));
  }
};

void BulletWorld::Impl::add(const sim::SceneBody& body) {
  if (body.motion || body.mover) throw std::runtime_error("Bullet is not asked for platforms and movers");
  test::BodyInertia const inertia = test::inertia_of(body);
  Vec3<double> const center = center_of_mass(body);
  bool const is_plain = body.shapes.size() == 1 && center == Vec3<double>{} &&
                        body.shapes[0].local_position_m == Vec3<double>{} &&
                        body.shapes[0].local_rotation == Quat<double>{};
  auto* shape = shapes.emplace_back(make_shape(body.shapes[0])).get();
  if (!is_plain) {
    // Bullet's bodies have their centre of mass at their origin.
    auto unpacked = std::make_unique<btCompoundShape>();
    for (std::size_t i = 0; i < body.shapes.size(); ++i) {
      if (i > 0) shape = shapes.emplace_back(make_shape(body.shapes[i])).get();
      unpacked->addChildShape(btTransform(rotation(body.shapes[i].local_rotation),
                                          vector(body.shapes[i].local_position_m - center)),
                              shape);
    }
    shape = shapes.emplace_back(std::move(unpacked)).get();
  }
  Vec3<double> const start = test::metres(body.def.position) + rotate(body.def.rotation, center);
  btVector3 const moments = vector(Vec3<double>{inertia.inertia[0], inertia.inertia[1], inertia.inertia[2]});
  btRigidBody::btRigidBodyConstructionInfo info(static_cast<btScalar>(inertia.mass_kg), nullptr, shape,
                                                moments);
  info.m_startWorldTransform = btTransform(rotation(body.def.rotation), vector(start));
  // A pair's friction is the product there and the geometric mean here.
  info.m_friction = static_cast<btScalar>(std::sqrt(body.shapes[0].friction));
  info.m_restitution = static_cast<btScalar>(body.shapes[0].restitution);
  auto& made = bodies.emplace_back(std::make_unique<btRigidBody>(info));
  made->setLinearVelocity(vector(body.def.linear_velocity_m_s +
                                 cross(body.def.angular_velocity_rad_s, rotate(body.def.rotation, center))));
  made->setAngularVelocity(vector(body.def.angular_velocity_rad_s));
  made->setActivationState(DISABLE_DEACTIVATION);
  if (body.def.type == BodyType::kKinematic)
    made->setCollisionFlags(made->getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
  if (body.shapes[0].filter.mask == 0) {
    world.addRigidBody(made.get(), btBroadphaseProxy::DefaultFilter, 0);  // it meets nothing
  } else {
    world.addRigidBody(made.get());
  }
  inertias.push_back(inertia);
  centers.push_back(center);
  total_mass_kg += inertia.mass_kg;
}

void BulletWorld::Impl::add(const sim::SceneJoint& joint) {
  auto const on = [this](std::size_t index) {
    return BulletJointBody{*bodies[index], trial.scene.bodies[index], centers[index]};
  };
  BulletJoint& made =
      joints.emplace_back(make_bullet_joint(joint, on(joint.body_a), on(joint.body_b), step_s()));
  world.addConstraint(made.constraint.get(), !joint.def.collide_connected);
}

BulletWorld::BulletWorld(const test::Trial& trial, const BulletSettings& settings)
    : impl_(std::make_unique<Impl>(trial, settings)) {
  impl_->world.setGravity(vector(trial.scene.world.gravity_m_s2));
  impl_->world.getSolverInfo().m_numIterations = settings.iterations;
  if (trial.pull_m_s2) throw std::runtime_error("Bullet is not asked for pulls");
  for (const sim::SceneBody& body : trial.scene.bodies) impl_->add(body);
  for (const sim::SceneJoint& joint : trial.scene.joints) impl_->add(joint);
  watch();
}

BulletWorld::~BulletWorld() {
  for (auto const& joint : impl_->joints) impl_->world.removeConstraint(joint.constraint.get());
  for (auto const& body : impl_->bodies) impl_->world.removeRigidBody(body.get());
}

void BulletWorld::tick() {
  btScalar const step_s = impl_->step_s();
  for (int i = 0; i < impl_->settings.steps; ++i) {
    for (auto const& body : impl_->bodies) {
      if (!body->isKinematicObject()) continue;
      btTransform next;
      btTransformUtil::integrateTransform(body->getCenterOfMassTransform(), body->getLinearVelocity(),
                                          body->getAngularVelocity(), step_s, next);
      body->setCenterOfMassTransform(next);
    }
    impl_->world.stepSimulation(step_s, 0);
  }
}

void BulletWorld::kick() { impl_->bodies.back()->setLinearVelocity({0, 4, 0}); }

void BulletWorld::watch() {
  double energy = 0;
  for (std::size_t i = 0; i < impl_->bodies.size(); ++i) {
    const btRigidBody& body = *impl_->bodies[i];
    btQuaternion const q = body.getOrientation();
    energy += test::energy_j(impl_->inertias[i], impl_->trial.scene.world.gravity_m_s2,
                             vector(body.getCenterOfMassPosition()), {q.x(), q.y(), q.z(), q.w()},
                             vector(body.getLinearVelocity()), vector(body.getAngularVelocity()));
  }
  if (!impl_->has_energy || energy < impl_->lowest_energy_j) impl_->lowest_energy_j = energy;
  impl_->has_energy = true;
  impl_->gain_j = std::max(impl_->gain_j, energy - impl_->lowest_energy_j);
  for (const BulletJoint& joint : impl_->joints) {
    btVector3 const a = joint.constraint->getRigidBodyA().getCenterOfMassTransform() * joint.anchor_a;
    btVector3 const b = joint.constraint->getRigidBodyB().getCenterOfMassTransform() * joint.anchor_b;
    impl_->gap_m = std::max(impl_->gap_m, static_cast<double>((b - a).length()));
  }
}

test::TrialStats BulletWorld::stats() {
  test::TrialStats stats;
  const test::Trial& trial = impl_->trial;
  stats.body_count = static_cast<std::uint32_t>(impl_->bodies.size());
  // Distances of contact points as the last poses have them.
  impl_->world.performDiscreteCollisionDetection();
  std::vector<double> separations;
  for (int i = 0; i < impl_->dispatcher.getNumManifolds(); ++i) {
    const btPersistentManifold& manifold = *impl_->dispatcher.getManifoldByIndexInternal(i);
    if (manifold.getNumContacts() > 0) ++stats.contact_count;
    for (int p = 0; p < manifold.getNumContacts(); ++p)
      separations.push_back(manifold.getContactPoint(p).getDistance());
  }
  stats.penetration = test::penetration_of(separations);
  stats.gap_m = impl_->gap_m;
  double const gravity = length(trial.scene.world.gravity_m_s2);
  if (gravity > 0) stats.gain_m = impl_->gain_j / (impl_->total_mass_kg * gravity);
  for (std::size_t i = 0; i < impl_->bodies.size(); ++i) {
    if (impl_->inertias[i].mass_kg <= 0) continue;
    const btRigidBody& body = *impl_->bodies[i];
    stats.fastest_m_s = std::max(stats.fastest_m_s, length(vector(body.getLinearVelocity())));
    Vec3<double> const p = vector(body.getCenterOfMassPosition());
    const Vec3<double>& low = trial.low_m;
    const Vec3<double>& high = trial.high_m;
    bool const inside =
        p.x >= low.x && p.y >= low.y && p.z >= low.z && p.x <= high.x && p.y <= high.y && p.z <= high.z;
    if (!inside) ++stats.lost_count;
  }
  if (trial.watched) {
    const btRigidBody& body = *impl_->bodies[*trial.watched];
    btQuaternion const q = body.getOrientation();
    Vec3<double> const origin =
        vector(body.getCenterOfMassPosition()) -
        rotate(Quat<double>{q.x(), q.y(), q.z(), q.w()}, impl_->centers[*trial.watched]);
    Vec3<double> const moved = origin - test::metres(trial.scene.bodies[*trial.watched].def.position);
    stats.sink_m = -moved.y;
    stats.drift_m = std::sqrt(moved.x * moved.x + moved.z * moved.z);
  }
  return stats;
}

}  // namespace takt::bench
