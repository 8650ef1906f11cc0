// How a trial is put together, body by body; shared by the sources that make trials.
#pragma once

#include <utility>
#include <vector>

#include "tests/physics/simple_world.h"
#include "tests/physics/trials.h"

namespace takt::test {

/// An empty trial in which nothing sleeps: what lies asleep costs nothing and cannot fall.
inline Trial named_trial(std::string name) {
  Trial made;
  made.name = std::move(name);
  made.scene.title = made.name;
  made.scene.world.allow_sleep = false;
  return made;
}

inline sim::SceneBody& add(Trial& trial, BodyType type, const ShapeDef& shape, const Position& position,
                           Quat<double> rotation = {}) {
  sim::SceneBody& body = trial.scene.bodies.emplace_back();
  body.def.type = type;
  body.def.position = position;
  body.def.rotation = rotation;
  body.shapes.push_back(shape);
  return body;
}

/// A half-space at y = 0.
inline void add_ground(Trial& trial, double friction = 0.6) {
  ShapeDef ground = half_space();
  ground.friction = friction;
  add(trial, BodyType::kStatic, ground, {});
}

/// Static walls and floor around [-half, half]^2, `height_m` high; the floor's top is at 0.
inline void add_pit(Trial& trial, double half_m, double height_m) {
  constexpr double kThick = 1.0;
  add(trial, BodyType::kStatic, box(half_m + 2 * kThick, kThick, half_m + 2 * kThick), at(0, -kThick, 0));
  double const middle = half_m + kThick;
  for (double const side : {-1.0, 1.0}) {
    add(trial, BodyType::kStatic, box(kThick, height_m / 2, half_m), at(side * middle, height_m / 2, 0));
    add(trial, BodyType::kStatic, box(half_m + 2 * kThick, height_m / 2, kThick),
        at(0, height_m / 2, side * middle));
  }
  trial.low_m = {-middle, -0.5, -middle};
  trial.high_m = {middle, 1e6, middle};
}

/// A hull whose points the scene keeps.
inline ShapeDef kept_hull(Trial& trial, std::vector<Vec3<double>> points_m) {
  auto const points = std::make_shared<const std::vector<Vec3<double>>>(std::move(points_m));
  trial.scene.kept.push_back(points);
  return hull(*points);
}

}  // namespace takt::test
