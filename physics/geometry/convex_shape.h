// A convex shape as the general narrow phase sees it: a core (point, segment, polyhedron, cylinder or cone)
// and a radius around it, placed in binary64. It answers three questions: the farthest point in a direction,
// which flat faces there are, and what lies nearest in a direction.
//
// Why binary64 in both number modes: docs/adr/0005-general-narrow-phase-in-binary64.md. It does not collide
// anything (collide_convex.cpp).
#pragma once

#include <array>
#include <cstdint>

#include "physics/geometry/hull_geometry.h"
#include "physics/narrow_phase/manifold.h"

namespace takt {

/// A part of a core's surface: a polygon (three or more points, counter-clockwise seen from outside), a
/// segment (two) or a point.
struct SurfacePatch {
  std::array<Vec3<double>, kMaxHullVertices> points;
  std::uint32_t count = 0;
  Vec3<double> normal;   ///< outward, unit; of polygons
  std::uint32_t id = 0;  ///< which part, below 128: stays from tick to tick
  bool is_disc = false;  ///< the eight points stand for a circle; each second one makes a square
};

struct FlatFace {
  Vec3<double> normal;  ///< outward, unit
  double offset = 0.0;  ///< the core reaches this far along the normal
};

class ConvexShape {
 public:
  /// `center` is where the shape's middle stands in the frame that all answers are in; that frame has world
  /// axes. Not for half-spaces and surfaces.
  template <class Real>
  ConvexShape(const ShapeGeometry<Real>& shape, Vec3<double> center);

  /// A triangle of a surface: no flat faces of its own, its patch is all of it, counter-clockwise as given.
  [[nodiscard]] static ConvexShape triangle(const std::array<Vec3<double>, 3>& corners) noexcept;

  /// The same shape elsewhere.
  [[nodiscard]] ConvexShape moved(Vec3<double> by) const noexcept {
    ConvexShape other = *this;
    other.center_ += by;
    return other;
  }

  [[nodiscard]] Vec3<double> center() const noexcept { return center_; }
  /// Around the core, m.
  [[nodiscard]] double radius() const noexcept { return radius_; }
  /// No point of the core is farther from the middle than this, m.
  [[nodiscard]] double reach() const noexcept { return reach_; }
  /// The point of the core farthest along `direction`, which may have any length; the lowest index wins a
  /// tie.
  [[nodiscard]] Vec3<double> support(Vec3<double> direction) const noexcept;

  [[nodiscard]] std::uint32_t flat_face_count() const noexcept { return flat_face_count_; }
  [[nodiscard]] FlatFace flat_face(std::uint32_t index) const noexcept;
  /// The flat face that looks most in a direction; there must be one.
  [[nodiscard]] std::uint32_t flat_face_towards(Vec3<double> direction) const noexcept;
  /// How many corners a support looks at.
  [[nodiscard]] std::uint32_t corner_count() const noexcept;
  void flat_patch(std::uint32_t index, SurfacePatch& out) const noexcept;

  /// What of the core lies nearest in a unit direction: it has the support point but for kDiscTiltSine of a
  /// disc's radius.
  void patch_towards(Vec3<double> direction, SurfacePatch& out) const noexcept;
  /// All corners of a hull, in no order; else patch_towards.
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
  std::array<Vec3<double>, 3> corners_{};  // of a triangle, from its middle
  double radius_ = 0.0;
  double reach_ = 0.0;
  std::uint32_t flat_face_count_ = 0;
};

extern template ConvexShape::ConvexShape(const ShapeGeometry<float>&, Vec3<double>);
extern template ConvexShape::ConvexShape(const ShapeGeometry<Fixed>&, Vec3<double>);
extern template ConvexShape::ConvexShape(const ShapeGeometry<double>&, Vec3<double>);

/// Discs tilted by less than this (sine) offer points fixed in the body instead of their lowest: they stand
/// on the same four points from tick to tick. The lowest point of the rim is then missed by at most 0.3 of
/// this times the radius.
inline constexpr double kDiscTiltSine = 0.002;

}  // namespace takt
