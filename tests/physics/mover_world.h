// A world with one mover in it, for tests: made, driven and watched in a line each.
#pragma once

#include <gtest/gtest.h>

#include "tests/physics/simple_world.h"

namespace takt::test {

inline constexpr double kFoot = 0.9;   // middle of the standard capsule above its lowest point
inline constexpr double kSkin = 0.01;  // MoverTuning's

/// A mover that hovers a skin above y = 0 at (x, z).
inline MoverDef mover_at(double x, double y, double z) {
  MoverDef def;
  def.position = at(x, y + kFoot + kSkin, z);
  return def;
}

template <class Real>
MoverId add_mover(World<Real>& world, const MoverDef& def) {
  return world.create_mover(def).value();
}

template <class Real>
Vec3<double> position_of(const World<Real>& world, MoverId mover) {
  return metres(world.pose(world.mover(mover).body).position);
}
/// Height of its lowest point, less the skin: of the ground that it stands on.
template <class Real>
double foot_of(const World<Real>& world, MoverId mover) {
  return position_of(world, mover).y - kFoot - kSkin;
}

template <class Real>
void drive(World<Real>& world, MoverId mover, Vec3<double> velocity_m_s, bool jump = false) {
  MoverInput input;
  input.velocity_m_s = velocity_m_s;
  input.jump = jump;
  ASSERT_TRUE(world.set_mover_input(mover, input).ok());
}

template <class Real>
BodyId add_box(World<Real>& world, BodyType type, Vec3<double> half, const Position& position,
               Quat<double> rotation = {}) {
  return add(world, type, box(half.x, half.y, half.z), position, rotation);
}

}  // namespace takt::test
