// MoverSlide moves one mover (a character's capsule) in one tick, as pure geometry. MoverStep uses it and
// adds velocities, inputs and forces. slide() moves along contact planes, walk() also up steps, and support()
// finds the ground below. Obstacles come from MoverCollision, limits such as slope and step height from
// MoverTuning; results are the position and the planes touched. Positions are relative to the mover's start,
// m, world axes. Sources: E. Catto, Box2D v3.1 (alternating planes and casts); the step-up is the classic up,
// forward, down.
#pragma once

#include "physics/movers/mover_collision.h"

namespace takt {

/// Rules of a slide.
struct SlideRules {
  bool walking = false;              ///< true: ground too steep to stand on is a wall and does not lift
  std::uint32_t ignored = kNoIndex;  ///< pool index of a body to ignore, or kNoIndex
};

/// Ground below a capsule. Only `found` has a meaning when it is false.
struct MoverSupport {
  bool found = false;
  double drop = 0.0;           ///< m, down to the standing position, >= 0; 0 below 1 mm
  Vec3<double> normal;         ///< of the ground: the surface's, or up on an edge
  Vec3<double> point;          ///< on the ground
  std::uint32_t obstacle = 0;  ///< index in MoverCollision
};

template <class Real>
class MoverSlide {
 public:
  /// Refers to its arguments. `period_s`, of a tick, is above 0 (asserted); one object serves one tick.
  MoverSlide(MoverCollision<Real>& around, SurfaceScratch& scratch, const MoverTuning& tuning,
             double period_s);

  Vec3<double> at{};  ///< present position
  /// Planes that stopped the mover or were near it, since the caller last set `count` to 0; `min` is
  /// undefined. walk() clears the list when it steps up.
  MoverPlanes touched;
  double step_rise = 0.0;  ///< total height of steps up in the displacement, m

  [[nodiscard]] double walkable_cosine() const noexcept { return walkable_cosine_; }
  /// True for the normal of ground that a mover can stand on: its slope is at most max_slope_rad.
  [[nodiscard]] bool is_walkable(Vec3<double> normal) const noexcept { return normal.y >= walkable_cosine_; }
  /// Moves by `by` as far as planes allow, along them, and out of overlap. Motion out of overlap along each
  /// plane is at most the rest of recovery_speed_m_s x `period_s`. Each round of each call reduces that rest.
  /// kDriven obstacles push without this limit.
  void slide(Vec3<double> by, const SlideRules& rules);
  /// Moves by `by` as slide() with `walking`. When a wall stops it, tries a step up of at most step_height_m
  /// along the level part of `by`.
  void walk(Vec3<double> by);
  /// Finds walkable ground within `reach`, m, below. `edges`: also finds edges too steep to stand on that
  /// belong to walkable ground. Walkable ground must then lie below the foot, within the larger of
  /// step_height_m and stick_distance_m.
  [[nodiscard]] MoverSupport support(double reach, bool edges) const;

 private:
  void add_planes(const SlideRules& rules, MoverPlanes& planes) const;
  [[nodiscard]] MoverPlane ruled(const MoverPlane& plane, double room,
                                 const SlideRules& rules) const noexcept;
  [[nodiscard]] bool has_foothold(const MoverCast& hit, Vec3<double> from) const;
  [[nodiscard]] bool step(Vec3<double> from, Vec3<double> by, double progress);

  MoverCollision<Real>& around_;
  SurfaceScratch& scratch_;
  const MoverTuning& tuning_;
  double walkable_cosine_;
  double recovery_left_;  ///< m
};

}  // namespace takt
