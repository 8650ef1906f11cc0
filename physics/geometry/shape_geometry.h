// The geometry of one shape at one rotation, as collision functions read it. It holds no position: the caller
// passes positions relative to the other shape. It owns nothing; hulls and meshes belong to the world.
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
