// ShapeGeometry is the geometry of one shape at one rotation, as collision functions read it. It has no
// position: the caller passes the position of one shape relative to the other. It owns nothing; hulls and
// meshes belong to the world (geometry_cache.h).
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
