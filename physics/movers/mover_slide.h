// The way of one mover in one tick, as geometry: sliding along planes, stepping up, what carries it.
// Positions are from where it began the tick, m. It knows nothing of velocities, inputs and forces
// (mover_step.cpp). Sources: E. Catto, Box2D v3.1 (planes and casts in turn); the steps are the classic up,
// forward, down.
#pragma once

#include "physics/movers/mover_collision.h"

namespace takt {

/// How a slide treats what it meets.
struct SlideRules {
  bool walking = false;              ///< ground that is too steep is a wall: it does not lift
  std::uint32_t ignored = kNoIndex;  ///< a body that is not there
};

/// What is under a capsule.
struct MoverSupport {
  bool found = false;
  double drop = 0.0;    ///< m, down to where it stands
  Vec3<double> normal;  ///< of what it stands on: of the surface, or up on an edge
  Vec3<double> point;
  std::uint32_t obstacle = 0;
};

template <class Real>
class MoverSlide {
 public:
  MoverSlide(const MoverSurroundings<Real>& around, SurfaceScratch& scratch, const MoverTuning& tuning,
             double period_s);

  Vec3<double> at{};       ///< where it is
  MoverPlanes touched;     ///< what stopped it or is near where it stopped, since they were cleared; `least`
                           ///< means nothing
  double step_rise = 0.0;  ///< how much of the way up were steps, m

  [[nodiscard]] double walkable_cosine() const noexcept { return walkable_cosine_; }
  /// A plane that a mover can stand on.
  [[nodiscard]] bool is_walkable(Vec3<double> normal) const noexcept { return normal.y >= walkable_cosine_; }
  /// Goes by `by` as far as planes let it, along them, and out of what it overlaps.
  void slide(Vec3<double> by, const SlideRules& rules);
  /// Goes by `by`, along walls and up steps.
  void walk(Vec3<double> by);
  /// What carries it when it is let down by at most `reach`; `edges` as well, of steps over ground that is in
  /// reach of one.
  [[nodiscard]] MoverSupport support(double reach, bool edges) const;

 private:
  void add_planes(const SlideRules& rules, MoverPlanes& planes) const;
  [[nodiscard]] MoverPlane ruled(const MoverPlane& plane, double room,
                                 const SlideRules& rules) const noexcept;
  [[nodiscard]] bool has_foothold(const MoverCast& hit, Vec3<double> from) const;
  [[nodiscard]] bool step(Vec3<double> from, Vec3<double> by, double progress);

  const MoverSurroundings<Real>& around_;
  SurfaceScratch& scratch_;
  const MoverTuning& tuning_;
  double walkable_cosine_;
  double recovery_left_;  ///< m
};

}  // namespace takt
