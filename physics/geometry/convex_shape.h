// ConvexShape is a convex shape at a pose, in the form that GJK, EPA, clipping and shape casts read. The
// shape is a core (point, segment, triangle, polyhedron, cylinder or cone) with a radius around the core.
// ConvexShape provides the support point of a direction, the flat faces, and the SurfacePatch (face, edge or
// point) nearest in a direction.
//
// In the narrow phase, pairs with a cylinder, cone, hull or mesh use ConvexShape (collide_convex.cpp,
// collide_mesh.cpp); other pairs have code of their own. World queries, movers, ropes, soft contacts and
// continuous collision use ConvexShape too. All numbers are binary64 in float mode and in fixed mode:
// docs/adr/0005-general-narrow-phase-in-binary64.md.
#pragma once

#include <array>
#include <cstdint>

#include "physics/base/scratch_array.h"
#include "physics/geometry/hull_geometry.h"
#include "physics/geometry/shape_geometry.h"

namespace takt {

/// A part of a core's surface: a polygon (three or more points, counter-clockwise seen from outside), a
/// segment (two points) or a point. Points are in the frame of the shape's centre, m.
struct SurfacePatch {
  ScratchArray<Vec3<double>, kMaxHullVertices> points;
  std::uint32_t count = 0;
  Vec3<double> normal;   ///< outward, unit; only of flat faces of boxes, cylinders, cones and hulls
  std::uint32_t id = 0;  ///< identifies the part, below 128; stable from tick to tick
  bool is_disc = false;  ///< the eight points approximate a circle; every second one forms a square
};

/// The plane of a flat face of a core.
struct FlatFace {
  Vec3<double> normal;  ///< outward, unit
  double offset = 0.0;  ///< of the face's plane from the frame's origin along the normal, m
};

class ConvexShape {
 public:
  /// `center` is the position of the shape's centre in the frame of all results, which has the axes that
  /// shape.rotation refers to. The kind is none of half-space, mesh and height field. The hull must outlive
  /// the ConvexShape.
  template <class Real>
  ConvexShape(const ShapeGeometry<Real>& shape, Vec3<double> center);

  /// A triangle of a mesh, in the frame of its corners. The triangle has no flat faces; its patch is the
  /// whole triangle in the order of `corners`.
  [[nodiscard]] static ConvexShape triangle(const std::array<Vec3<double>, 3>& corners) noexcept;

  /// A copy of the shape, displaced by `by`, m.
  [[nodiscard]] ConvexShape moved(Vec3<double> by) const noexcept {
    ConvexShape other = *this;
    other.center_ += by;
    return other;
  }

  [[nodiscard]] Vec3<double> center() const noexcept { return center_; }
  /// Radius around the core, m.
  [[nodiscard]] double radius() const noexcept { return radius_; }
  /// Upper bound of the distance of a core point from the centre, m, without the radius.
  [[nodiscard]] double reach() const noexcept { return reach_; }
  /// The point of the core farthest along `direction`, which may have any length. The lowest index wins among
  /// equally far corners of a hull or triangle.
  [[nodiscard]] Vec3<double> support(Vec3<double> direction) const noexcept;

  /// Flat faces of the core: 6 of a box, 2 of a cylinder, 1 of a cone, the contact faces of a hull, else 0.
  [[nodiscard]] std::uint32_t flat_face_count() const noexcept { return flat_face_count_; }
  [[nodiscard]] FlatFace flat_face(std::uint32_t index) const noexcept;
  /// Index of the flat face whose normal is nearest to a direction; flat_face_count() must be above 0.
  [[nodiscard]] std::uint32_t flat_face_towards(Vec3<double> direction) const noexcept;
  /// Cost of support(): the number of corners of a hull or triangle, 4 for other kinds.
  [[nodiscard]] std::uint32_t corner_count() const noexcept;
  /// Sets `out` to the polygon of flat face `index`, which is below flat_face_count().
  void flat_patch(std::uint32_t index, SurfacePatch& out) const noexcept;

  /// Sets `out` to the patch of the core nearest in a unit direction. The patch contains the support point;
  /// on a disc the support point may be off by kDiscTiltSine of the radius.
  void patch_towards(Vec3<double> direction, SurfacePatch& out) const noexcept;
  /// Sets `out` to all corners of a hull by index, without a normal; calls patch_towards() for other kinds.
  void corners_towards(Vec3<double> direction, SurfacePatch& out) const noexcept;

 private:
  [[nodiscard]] Vec3<double> to_frame(Vec3<double> local) const noexcept {
    return center_ + rotation_ * local;
  }
  void box_patch(std::uint32_t face, SurfacePatch& out) const noexcept;
  void hull_patch(std::uint32_t face, SurfacePatch& out) const noexcept;
  void disc_patch(bool upper, Vec3<double> direction, SurfacePatch& out) const noexcept;
  void side_patch(Vec3<double> direction, SurfacePatch& out) const noexcept;
  [[nodiscard]] std::uint32_t hull_face_towards(Vec3<double> local_direction) const noexcept;

  ConvexShape() = default;

  ShapeKind kind_ = ShapeKind::kMesh;  // kMesh: one triangle
  Vec3<double> extents_;               // as in ShapeRecord
  Mat3<double> rotation_;
  Vec3<double> center_;
  const HullGeometry* hull_ = nullptr;
  std::array<Vec3<double>, 3> corners_{};  // of a triangle, relative to its centre
  double radius_ = 0.0;
  double reach_ = 0.0;
  std::uint32_t flat_face_count_ = 0;
};

extern template ConvexShape::ConvexShape(const ShapeGeometry<float>&, Vec3<double>);
extern template ConvexShape::ConvexShape(const ShapeGeometry<Fixed>&, Vec3<double>);
extern template ConvexShape::ConvexShape(const ShapeGeometry<double>&, Vec3<double>);

/// Discs tilted by less than this (sine) use contact points fixed in the body instead of their lowest points.
/// A resting disc then keeps its four points from tick to tick. The lowest point of the rim is missed by at
/// most 0.3 of this times the radius.
inline constexpr double kDiscTiltSine = 0.002;

}  // namespace takt
