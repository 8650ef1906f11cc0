// ShapeGeometry is the geometry of one shape at one rotation, as the narrow phase, ray casts and ConvexShape
// read it. A ShapeGeometry has no position: the caller passes the vector between the centres of two shapes. A
// ShapeGeometry owns nothing: hulls and surfaces belong to the world (geometry_pool.h), or to a query with a
// hull of its own.
#pragma once

#include "takt/physics/body.h"
#include "takt/physics/vector.h"

namespace takt {

struct HullGeometry;
struct SurfaceGeometry;

template <class Real>
struct ShapeGeometry {
  ShapeKind kind = ShapeKind::kSphere;
  Vec3<Real> extents;                        ///< m, by kind as in ShapeRecord
  Mat3<Real> rotation;                       ///< local axes in world axes
  const HullGeometry* hull = nullptr;        ///< of a kHull; null for other kinds
  const SurfaceGeometry* surface = nullptr;  ///< of a mesh or height field; null for others
};

}  // namespace takt
