// The bodies of a trial in a world of their own, without a simulation around it: for what is measured of
// World itself. Trials with joints are refused.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "tests/physics/trials.h"

namespace takt::bench {

template <class Real>
[[nodiscard]] World<Real> trial_world(const test::Trial& trial) {
  if (!trial.scene.joints.empty() || !trial.scene.ropes.empty())
    throw std::runtime_error(trial.name + " is more than bodies");
  auto world = World<Real>::create(trial.scene.world);
  if (!world) throw std::runtime_error(trial.name + ": " + std::string(message(world.error())));
  for (const sim::SceneBody& body : trial.scene.bodies) {
    BodyDef def = body.def;
    def.shapes = body.shapes;
    auto const made = world->create_body(def);
    if (!made) throw std::runtime_error(trial.name + ": " + std::string(message(made.error())));
  }
  return *std::move(world);
}

}  // namespace takt::bench
