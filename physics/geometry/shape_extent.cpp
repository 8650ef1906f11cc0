#include "physics/geometry/shape_extent.h"

#include "takt/core/assert.h"

namespace takt {

double smallest_half(ShapeKind kind, Vec3<double> e, const HullGeometry* hull) noexcept {
  TAKT_ASSERT(kind != ShapeKind::kHull || hull != nullptr);
  switch (kind) {
    case ShapeKind::kSphere:
    case ShapeKind::kCapsule: return e.x;
    case ShapeKind::kBox: return minimum(e.x, minimum(e.y, e.z));
    case ShapeKind::kCylinder: return minimum(e.x, e.y);
    case ShapeKind::kCone: return 0.5 * minimum(e.x, e.y);
    case ShapeKind::kHull: return 0.5 * hull->thickness_m + e.x;
    default: return 0.0;
  }
}

}  // namespace takt
