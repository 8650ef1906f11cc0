// What a mover does to dynamic bodies: it pushes those that it walks against with at most its force, all
// together, and weighs on the one that it stands on. Forces act for the whole tick (BodyMotion::force), so
// friction that can hold them holds. Binary64, rounded to Real once.
#pragma once

#include <span>

#include "physics/movers/mover_collision.h"
#include "takt/physics/step.h"

namespace takt {

/// Velocity of a point of a body, m/s; `point` from the mover's start.
template <class Real>
[[nodiscard]] Vec3<double> velocity_at(const WorldState<Real>& state, std::uint32_t body,
                                       const Position& about, Vec3<double> point) noexcept;

/// Who pushes, where.
template <class Real>
struct MoverPush {
  WorldState<Real>& state;
  StepEvents& events;
  const MoverSurroundings<Real>& around;
  Position start;
  Vec3<double> at;  ///< where the mover stands now, from its start, m
  double period_s;
  double force_n;  ///< what is left of it
};

/// Pushes what the planes belong to so that it gives way to `velocity`, m/s, as far as the force goes, and
/// sets each plane's `least` to the speed along its normal that the mover has to keep, m/s: that of what it
/// met, after the push.
template <class Real>
void push_bodies(MoverPush<Real>& push, Vec3<double> velocity, std::span<MoverPlane> planes);

/// A force on a dynamic body in this tick; wakes it.
template <class Real>
void press(WorldState<Real>& state, StepEvents& events, std::uint32_t body, Vec3<double> force_n,
           Vec3<double> arm);

}  // namespace takt
