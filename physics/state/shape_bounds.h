// Bounds and FatBounds are two forms of a shape's axis-aligned bounding box. shape_bounds() computes Bounds
// in Q31.32, a pure function of the records of body and shape, widened by half the speculative distance.
// Bounds select the candidate pairs of the broad phase. fattened() converts them to FatBounds: binary32 about
// a movable origin, rounded outwards, for the tree of the broad phase. FatBounds may be larger by any amount
// without changing a result. shape_pose() returns a shape's pose relative to its body's centre of mass.
// Continuous collision, movers, ropes and queries use these functions too.
#pragma once

#include <cstdint>

#include "physics/state/world_state.h"

namespace takt {

/// Q31.32 metres per axis.
struct Bounds {
  Position lower;
  Position upper;
};

/// True if two boxes overlap or touch.
inline bool overlap(const Bounds& a, const Bounds& b) noexcept {
  return a.lower.x_raw <= b.upper.x_raw && b.lower.x_raw <= a.upper.x_raw && a.lower.y_raw <= b.upper.y_raw &&
         b.lower.y_raw <= a.upper.y_raw && a.lower.z_raw <= b.upper.z_raw && b.lower.z_raw <= a.upper.z_raw;
}

/// Binary32 metres about the tree's origin.
struct FatBounds {
  float lower[3];
  float upper[3];
};

inline bool overlap(const FatBounds& a, const FatBounds& b) noexcept {
  return a.lower[0] <= b.upper[0] && b.lower[0] <= a.upper[0] && a.lower[1] <= b.upper[1] &&
         b.lower[1] <= a.upper[1] && a.lower[2] <= b.upper[2] && b.lower[2] <= a.upper[2];
}
inline bool contains(const FatBounds& outer, const FatBounds& inner) noexcept {
  return outer.lower[0] <= inner.lower[0] && outer.lower[1] <= inner.lower[1] &&
         outer.lower[2] <= inner.lower[2] && outer.upper[0] >= inner.upper[0] &&
         outer.upper[1] >= inner.upper[1] && outer.upper[2] >= inner.upper[2];
}
inline FatBounds merged(const FatBounds& a, const FatBounds& b) noexcept {
  FatBounds c;
  for (int i = 0; i < 3; ++i) {
    c.lower[i] = a.lower[i] < b.lower[i] ? a.lower[i] : b.lower[i];
    c.upper[i] = a.upper[i] > b.upper[i] ? a.upper[i] : b.upper[i];
  }
  return c;
}
/// Half of the surface area: the cost measure of the tree.
inline float half_area(const FatBounds& a) noexcept {
  float const x = a.upper[0] - a.lower[0];
  float const y = a.upper[1] - a.lower[1];
  float const z = a.upper[2] - a.lower[2];
  return x * y + y * z + z * x;
}

/// Bounds about `origin`, widened on each side by `margin_m` (m, >= 0) and by the rounding of the conversion.
FatBounds fattened(const Bounds& exact, const Position& origin, float margin_m) noexcept;

/// Pose of a shape in the world: an offset in Real from its body's centre of mass.
template <class Real>
struct ShapePose {
  Vec3<Real> offset;    ///< of the shape's centre from its body's centre of mass, world axes, m
  Quat<Real> rotation;  ///< world
};
/// The pose of a shape of `body`.
template <class Real>
[[nodiscard]] ShapePose<Real> shape_pose(const BodyRecord<Real>& body,
                                         const ShapeRecord<Real>& shape) noexcept;

/// Tight bounds widened by half the speculative distance on each side; a cone has its cylinder's bounds. The
/// kind must not be kHalfSpace. `hull` is the geometry of a kHull, `surface` of a mesh or height field; null
/// for others.
template <class Real>
[[nodiscard]] Bounds shape_bounds(const BodyRecord<Real>& body, const ShapeRecord<Real>& shape,
                                  const HullGeometry* hull, const SurfaceGeometry* surface) noexcept;

}  // namespace takt
