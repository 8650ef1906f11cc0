// ShapeGeometry is the geometry of one shape at one rotation, as the narrow phase, ray casts and ConvexShape
// read it. A ShapeGeometry has no position: the caller passes the vector between the centres of two shapes.
// It owns nothing: hulls and surfaces belong to the world (geometry_pool.h), or to the query that brought
// its own hull.
#pragma once

#include "takt/physics/body.h"
#include "takt/physics/vector.h"

namespace takt {

struct HullGeometry;
struct SurfaceGeometry;

template <class Real>
struct ShapeGeometry {
  ShapeKind kind = ShapeKind::kSphere;
  Vec3<Real> extents;                        ///< see ShapeRecord
  Mat3<Real> rotation;                       ///< local axes in world axes
  const HullGeometry* hull = nullptr;        ///< of a hull
  const SurfaceGeometry* surface = nullptr;  ///< of a mesh or height field
};

}  // namespace takt
