// MeshInstance is a mesh or height field (a TriangleMesh) at a pose, in binary64. visit() lists the triangles
// near a box, and convex() returns one of them as a shape in the frame in which the pose is given. cast_ray()
// casts a ray against all triangles of a MeshInstance. World queries, movers, ropes and continuous collision
// make a MeshInstance for each surface that they test. Contacts do without a MeshInstance: collide_mesh.h
// computes in the surface's own frame.
#pragma once

#include <optional>

#include "physics/geometry/mesh_geometry.h"
#include "takt/physics/query.h"

namespace takt {

/// A surface at a pose, in a frame with world axes and an origin of the caller's choice. The surface must
/// outlive the instance.
struct MeshInstance {
  const TriangleMesh* surface = nullptr;
  Mat3<double> rotation;  ///< orthonormal to rounding of doubles
  Vec3<double> center;    ///< position of the surface's own origin, m

  /// Corner i (0 to 2) and unit normal of a triangle, and the triangle as a shape, in the frame of the pose.
  [[nodiscard]] Vec3<double> corner(std::uint32_t triangle, std::uint32_t i) const noexcept {
    return center + rotation * surface->corner(triangle, i);
  }
  [[nodiscard]] Vec3<double> normal(std::uint32_t triangle) const noexcept {
    return rotation * surface->normal(triangle);
  }
  [[nodiscard]] ConvexShape convex(std::uint32_t triangle) const noexcept {
    return ConvexShape::triangle({corner(triangle, 0), corner(triangle, 1), corner(triangle, 2)});
  }
  /// True when `point` is on a colliding side of a triangle: its front, or either side of a two-sided
  /// surface.
  [[nodiscard]] bool faces(std::uint32_t triangle, Vec3<double> point) const noexcept {
    return !surface->one_sided() || dot(normal(triangle), point - corner(triangle, 0)) >= 0.0;
  }
  /// Calls visit(triangle index) once for each triangle that may intersect the box from `lower` to `upper`,
  /// in the frame of the pose. The order depends on the surface alone.
  template <class Visit>
  void visit(Vec3<double> lower, Vec3<double> upper, Visit visit) const {
    surface->visit_triangles(local_box(lower, upper), visit);
  }
  /// The box in the surface's frame around the box from `lower` to `upper`, in the frame of the pose.
  [[nodiscard]] SurfaceBox local_box(Vec3<double> lower, Vec3<double> upper) const noexcept {
    Vec3<double> const middle = transpose_multiply(rotation, (lower + upper) * 0.5 - center);
    Vec3<double> const half = (upper - lower) * 0.5;
    Mat3<double> const m{absolute(rotation.x), absolute(rotation.y), absolute(rotation.z)};
    Vec3<double> const reach = transpose_multiply(m, half) + Vec3<double>{kSlackM, kSlackM, kSlackM};
    return {middle - reach, middle + reach};
  }
  /// A point and a shape in the frame of the pose, in that of the surface.
  [[nodiscard]] Vec3<double> local_point(Vec3<double> point) const noexcept {
    return transpose_multiply(rotation, point - center);
  }
  [[nodiscard]] ShapeGeometry<double> local_shape(const ShapeGeometry<double>& shape) const noexcept {
    const Mat3<double>& m = shape.rotation;
    return {shape.kind,
            shape.extents,
            {transpose_multiply(rotation, m.x), transpose_multiply(rotation, m.y),
             transpose_multiply(rotation, m.z)},
            shape.hull,
            nullptr};
  }

 private:
  static constexpr double kSlackM = 1e-6;  // more than the rounding of the rotated box
};

/// First hit of a ray on a surface.
struct SurfaceRayHit {
  double fraction = 0.0;       ///< of the translation, [0, 1]
  Vec3<double> normal;         ///< unit, towards the ray's origin
  std::uint32_t triangle = 0;  ///< index in the TriangleMesh
};

/// Casts a ray; `origin` and `translation` are in the frame of the surface's pose. A ray through an edge
/// between two triangles hits one of them, without gaps. Among coincident triangles the lowest index wins.
/// Backs of a one-sided surface are not hit. Hits beyond `max_fraction` may be left out. A translation of 0
/// hits nothing. `work` may be null; else it counts tests of boxes. At the limit of `work` the cast ends with
/// the nearest hit so far, and work->exceeded is true.
[[nodiscard]] std::optional<SurfaceRayHit> cast_ray(const MeshInstance& surface, Vec3<double> origin,
                                                    Vec3<double> translation, double max_fraction = 1.0,
                                                    QueryWork* work = nullptr);

}  // namespace takt
