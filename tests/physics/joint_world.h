// Joints in a line each, for tests of them. Frames are given where bodies stand.
#pragma once

#include <cmath>
#include <vector>

#include "simple_world.h"

namespace takt::test {

inline WorldDef without_gravity() {
  WorldDef def;
  def.gravity_m_s2 = {};
  def.allow_sleep = false;
  return def;
}
inline WorldDef awake() {
  WorldDef def;
  def.allow_sleep = false;
  return def;
}

/// A dynamic body of given mass and principal inertia, without shapes.
template <class Real>
BodyId add_mass(World<Real>& world, double mass_kg, Vec3<double> inertia, const Position& position,
                Quat<double> rotation = {}) {
  BodyDef def;
  def.position = position;
  def.rotation = rotation;
  MassOverride mass;
  mass.mass_kg = mass_kg;
  mass.inertia_kg_m2 = inertia;
  def.mass = mass;
  return add(world, def);
}
template <class Real>
BodyId add_anchor(World<Real>& world, const Position& position = {}) {
  BodyDef def;
  def.type = BodyType::kStatic;
  def.position = position;
  return add(world, def);
}
template <class Real>
JointId add_joint(World<Real>& world, const JointDef& def) {
  return world.create_joint(def).value();
}

/// A turn that takes the x axis to z (hinges about z), or to y.
inline const Quat<double> kXToZ = about_y(-90.0 * kDegree);
inline const Quat<double> kXToY = about_z(90.0 * kDegree);

template <class Real>
double gap_m(const World<Real>& world, JointId joint) {
  JointView const view = world.joint(joint);
  return length_of(relative<double>(view.anchor_b, view.anchor_a));
}

struct Chain {
  std::vector<JointId> joints;
  BodyId load;
};
/// `links` rods of 1 m and 1 kg from the origin along `direction`, and a load of `load_kg` at the end.
template <class Real>
Chain add_chain(World<Real>& world, int links, double load_kg, Vec3<double> direction) {
  Chain chain;
  BodyId previous = add_anchor(world);
  JointFrame before;
  for (int i = 0; i <= links; ++i) {
    bool const load = i == links;
    double const inertia = load ? 0.1 * load_kg : 1.0 / 12.0;
    Position const center = moved(Position{}, direction * (i + 0.5));
    BodyId const body = add_mass(world, load ? load_kg : 1.0, {inertia, inertia, inertia}, center);
    JointFrame after;
    after.position_m = direction * -0.5;
    chain.joints.push_back(add_joint(world, point_joint(previous, body, before, after)));
    before.position_m = direction * 0.5;
    previous = body;
    chain.load = body;
  }
  return chain;
}
/// Sum of the joints' gaps as a fraction of the chain's length.
template <class Real>
double stretch(const World<Real>& world, const Chain& chain) {
  double sum = 0.0;
  for (JointId const joint : chain.joints) sum += gap_m(world, joint);
  return sum / static_cast<double>(chain.joints.size());
}

}  // namespace takt::test
