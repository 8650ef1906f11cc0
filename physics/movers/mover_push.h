// push_bodies() lets a mover (a character) push the dynamic bodies that it moves against, with at most its
// push force in total. push_bodies() also sets the minimum speed that each contact plane demands of the
// mover, for solve_planes() (plane_solver.h). load_body() loads the body under a mover. press() applies a
// force to one dynamic body and wakes it. velocity_at() returns the velocity of a point of a body. Forces act
// for the whole tick (BodyMotion::force), so friction that can balance them does. Arithmetic is binary64,
// except for products with the inverse inertia, which are in Real; a force is rounded to Real when it is
// added.
#pragma once

#include <span>

#include "physics/movers/mover_collision.h"
#include "takt/physics/step.h"

namespace takt {

/// Velocity of a point of a body, m/s, world; 0 for a static or quarantined body. `point` is relative to
/// `about`, m.
template <class Real>
[[nodiscard]] Vec3<double> velocity_at(const WorldState<Real>& state, std::uint32_t body,
                                       const Position& about, Vec3<double> point) noexcept;

/// Arguments of a push.
template <class Real>
struct MoverPush {
  WorldState<Real>& state;
  StepEvents& events;
  const MoverCollision<Real>& around;
  Position start;   ///< of the mover in this tick, as in `around`
  Vec3<double> at;  ///< the mover's present position, from its start, m
  double period_s;  ///< of a tick, above 0
  double force_n;   ///< remaining force; push_bodies() subtracts what it uses
};

/// Pushes the dynamic obstacles of the planes towards the mover's `velocity`, m/s, in the order of the
/// planes, as far as the force suffices. Sets each plane's `min` to the mover's minimum speed along its
/// normal, m/s. This is the obstacle's speed along the normal after the push, at most 0 unless the obstacle
/// is kDriven.
template <class Real>
void push_bodies(MoverPush<Real>& push, Vec3<double> velocity, std::span<MoverPlane> planes);

/// Loads a dynamic body (asserted) with the weight of a mover that stands on it, N, along -y; wakes the body.
/// `arm`, m, world axes, is the point of load from the body's centre of mass. The load is at most what
/// changes the velocity of that point by 5 m/s within the tick.
template <class Real>
void load_body(WorldState<Real>& state, StepEvents& events, std::uint32_t body, double weight_n,
               Vec3<double> arm);

/// Adds a force to the force and torque of a dynamic body (asserted) in this tick; wakes the body. The force
/// acts at `arm`, m, world axes, from the centre of mass. Each component of the sums is clamped to
/// kMaxImpulse.
template <class Real>
void press(WorldState<Real>& state, StepEvents& events, std::uint32_t body, Vec3<double> force_n,
           Vec3<double> arm);

}  // namespace takt
