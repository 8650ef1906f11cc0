// clipped(), reduce(), line_points() and transform_points() are the building blocks of a manifold of two
// convex shapes, in binary64 (docs/adr/0005). clipped() clips one flat patch against another, and reduce()
// reduces points to four. line_points() gives the contacts of parallel lines, transform_points() the nearest
// points of overlapping cores. collide_convex.cpp and collide_convex_triangle.cpp select the patches;
// mesh_manifold_reduction.cpp uses reduce().
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "physics/geometry/convex_distance.h"
#include "physics/narrow_phase/manifold.h"

namespace takt {

/// A face contact is preferred while its gap is less than the best axis' gap by at most this, m. A resting
/// body then keeps its face points.
inline constexpr double kFaceBiasM = 0.002;
/// The deepest point of a face may be shallower than the axis by this, m; beyond it the axis' own point is
/// used.
inline constexpr double kLostDepthM = 0.002;

inline constexpr std::uint32_t kMaxClipped = 2 * kMaxHullVertices;
inline constexpr std::uint32_t kClipLines =
    64;  ///< clip line ids: below it edges of the incident patch, from it on sides of the reference face

struct ClipCorner {
  Vec3<double> at;
  std::uint32_t before = 0;
  std::uint32_t after = 0;
};

struct ClipPolygon {
  ScratchArray<ClipCorner, kMaxClipped> corners;
  std::uint32_t count = 0;
};

/// Clips the incident patch to the reference face. A disc entirely inside becomes its inscribed square and so
/// keeps four points.
[[nodiscard]] ClipPolygon clipped(const SurfacePatch& reference, const SurfacePatch& incident) noexcept;

/// Reduces points to at most four, with ties: first a point within 0.25 mm of the deepest, then one within
/// 0.25 mm of the farthest from it, and so on. Fills out.points; reads out.normal.
void reduce(std::span<const ManifoldPoint<double>> points, Manifold<double>& out) noexcept;

/// Contact points of two parallel lines, such as cylinders lying on one another: the two ends of their shared
/// segment. `axis` separates the cores of the patches, `radius_a` and `radius_b` are the radii around them.
/// Returns false when the patches are not parallel, adjacent lines.
[[nodiscard]] bool line_points(const SurfacePatch& first, const SurfacePatch& second, double radius_a,
                               double radius_b, const SeparatingAxis& axis, double limit,
                               Manifold<double>& out) noexcept;

/// Sets the witness points of overlapping cores: their nearest points after the second core is moved out
/// along the axis by slightly more than the depth.
void transform_points(const ConvexShape& a, const ConvexShape& b, SeparatingAxis& axis);

}  // namespace takt
