// MoverSlide moves one mover (a character's capsule) in one tick, as pure geometry. MoverStep uses it and
// adds velocities, inputs and forces. slide() moves along contact planes, walk() also up steps, and support()
// finds the ground below. Obstacles come from MoverCollision, limits such as slope and step height from
// MoverTuning; results are the position and the planes touched. Positions are relative to the mover's start,
// m. Sources: E. Catto, Box2D v3.1 (alternating planes and casts); the step-up is the classic up, forward,
// down.
#pragma once

#include "physics/movers/mover_collision.h"

namespace takt {

/// Rules of a slide.
struct SlideRules {
  bool walking = false;              ///< true: too steep ground is a wall and does not lift
  std::uint32_t ignored = kNoIndex;  ///< a body to ignore
};

/// Ground below a capsule.
struct MoverSupport {
  bool found = false;
  double drop = 0.0;    ///< m, down to the standing position
  Vec3<double> normal;  ///< of the ground: the surface's, or up on an edge
  Vec3<double> point;
  std::uint32_t obstacle = 0;
};

template <class Real>
class MoverSlide {
 public:
  MoverSlide(const MoverCollision<Real>& around, SurfaceScratch& scratch, const MoverTuning& tuning,
             double period_s);

  Vec3<double> at{};  ///< present position
  MoverPlanes
      touched;  ///< planes that stopped it or are near its end, since the last clear; `min` is undefined
  double step_rise = 0.0;  ///< total height of steps in the displacement, m

  [[nodiscard]] double walkable_cosine() const noexcept { return walkable_cosine_; }
  /// True for a plane that a mover can stand on.
  [[nodiscard]] bool is_walkable(Vec3<double> normal) const noexcept { return normal.y >= walkable_cosine_; }
  /// Moves by `by` as far as planes allow, along them, and out of overlap.
  void slide(Vec3<double> by, const SlideRules& rules);
  /// Moves by `by`, along walls and up steps.
  void walk(Vec3<double> by);
  /// Ground within `reach` below. `edges`: also edges of steps over ground within one step.
  [[nodiscard]] MoverSupport support(double reach, bool edges) const;

 private:
  void add_planes(const SlideRules& rules, MoverPlanes& planes) const;
  [[nodiscard]] MoverPlane ruled(const MoverPlane& plane, double room,
                                 const SlideRules& rules) const noexcept;
  [[nodiscard]] bool has_foothold(const MoverCast& hit, Vec3<double> from) const;
  [[nodiscard]] bool step(Vec3<double> from, Vec3<double> by, double progress);

  const MoverCollision<Real>& around_;
  SurfaceScratch& scratch_;
  const MoverTuning& tuning_;
  double walkable_cosine_;
  double recovery_left_;  ///< m
};

}  // namespace takt
