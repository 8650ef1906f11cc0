// push_bodies() lets a mover push the dynamic bodies that it walks against, with at most its push force in
// total. press() applies a force to one body; MoverStep loads the body under the mover with it. Forces act
// for the whole tick (BodyMotion::force), so friction that can balance them does. They are computed in
// binary64 and rounded to Real once.
#pragma once

#include <span>

#include "physics/movers/mover_collision.h"
#include "takt/physics/step.h"

namespace takt {

/// Velocity of a point of a body, m/s; `point` from the mover's start.
template <class Real>
[[nodiscard]] Vec3<double> velocity_at(const WorldState<Real>& state, std::uint32_t body,
                                       const Position& about, Vec3<double> point) noexcept;

/// Arguments of a push.
template <class Real>
struct MoverPush {
  WorldState<Real>& state;
  StepEvents& events;
  const MoverSurroundings<Real>& around;
  Position start;
  Vec3<double> at;  ///< the mover's present position, from its start, m
  double period_s;
  double force_n;  ///< remaining force
};

/// Pushes the obstacles of the planes towards `velocity`, m/s, as far as the force suffices. Sets each
/// plane's `min` to the mover's minimum speed along its normal, m/s: the obstacle's speed after the push.
template <class Real>
void push_bodies(MoverPush<Real>& push, Vec3<double> velocity, std::span<MoverPlane> planes);

/// Applies a force to a dynamic body in this tick; wakes it.
template <class Real>
void press(WorldState<Real>& state, StepEvents& events, std::uint32_t body, Vec3<double> force_n,
           Vec3<double> arm);

}  // namespace takt
