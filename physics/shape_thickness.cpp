#include "physics/shape_thickness.h"

namespace takt {
namespace {

/// Half of the least width across a face, rounding included.
double half_thickness(const HullGeometry& hull, double rounding) noexcept {
  double least = 1e100;
  for (const HullFace& face : hull.faces) {
    double lowest = face.offset;
    for (const Vec3<double>& v : hull.vertices) lowest = minimum(lowest, dot(face.normal, v));
    least = minimum(least, face.offset - lowest);
  }
  return 0.5 * least + rounding;
}

}  // namespace

double smallest_half(ShapeKind kind, Vec3<double> e, const HullGeometry* hull) noexcept {
  switch (kind) {
    case ShapeKind::kSphere:
    case ShapeKind::kCapsule: return e.x;
    case ShapeKind::kBox: return minimum(e.x, minimum(e.y, e.z));
    case ShapeKind::kCylinder: return minimum(e.x, e.y);
    case ShapeKind::kCone: return 0.5 * minimum(e.x, e.y);
    case ShapeKind::kHull: return half_thickness(*hull, e.x);
    default: return 0.0;
  }
}

}  // namespace takt
