// clipped(), reduce(), line_points() and transform_points() are the building blocks of a manifold of two
// convex shapes, in binary64 (docs/adr/0005). clipped() clips one flat patch against another, and reduce()
// reduces points to four. line_points() computes the contacts of parallel lines, transform_points() the
// nearest points of overlapping cores. collide_convex.cpp and collide_convex_triangle.cpp select the patches;
// mesh_manifold_reduction.cpp uses reduce().
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "physics/geometry/convex_distance.h"
#include "physics/narrow_phase/manifold.h"

namespace takt {

/// A face contact is preferred while the gap along the face's normal is at most this, m, below the gap along
/// the best axis. A resting body then keeps its face points.
inline constexpr double kFaceBiasM = 0.002;
/// The deepest point of a face may be shallower than the gap along the best axis by this, m. Otherwise the
/// point of that axis is used.
inline constexpr double kLostDepthM = 0.002;

/// Maximum corners of a clipped polygon; clipping drops more.
inline constexpr std::uint32_t kMaxClipped = 2 * kMaxHullVertices;
inline constexpr std::uint32_t kClipLines =
    64;  ///< clip line ids: below it edges of the incident patch, from it on sides of the reference face

/// A corner of a clipped polygon, with the clip line ids of the two lines that meet there.
struct ClipCorner {
  Vec3<double> at;           ///< m, frame of the patches
  std::uint32_t before = 0;  ///< line that ends at the corner
  std::uint32_t after = 0;   ///< line that starts there
};

struct ClipPolygon {
  ScratchArray<ClipCorner, kMaxClipped> corners;
  std::uint32_t count = 0;
};

/// Clips the incident patch to the sides of the reference face, a polygon; corners up to 1 mm outside stay.
/// The result may be empty. An incident disc entirely inside becomes its inscribed square and so keeps four
/// points.
[[nodiscard]] ClipPolygon clipped(const SurfacePatch& reference, const SurfacePatch& incident) noexcept;

/// Fills out.points and out.point_count with at most four of the points; reads out.normal, unit. Up to four
/// points are all kept, and of four the second and third change places. Among more points the deepest is
/// first, then the farthest from it, then the outermost on either side of the line through both. Candidates
/// within 0.25 mm of the best count as equal; the lowest index wins.
void reduce(std::span<const ManifoldPoint<double>> points, Manifold<double>& out) noexcept;

/// Computes the contact points of two parallel lines, such as cylinders lying on one another: the ends of the
/// segment that both have in common. `axis` is the separating axis of the cores; `radius_a` and `radius_b`
/// are the radii around them. `limit` is the maximum gap of the cores, m. Returns false, and leaves `out` as
/// it is, when the patches are no parallel lines or do not touch along 10 mm.
[[nodiscard]] bool line_points(const SurfacePatch& first, const SurfacePatch& second, double radius_a,
                               double radius_b, const SeparatingAxis& axis, double limit,
                               Manifold<double>& out) noexcept;

/// Sets axis.on_a and axis.on_b of overlapping cores. The function moves the second core out along the axis
/// by 1 mm more than the depth, computes the nearest points, and moves on_b back.
void transform_points(const ConvexShape& a, const ConvexShape& b, SeparatingAxis& axis);

}  // namespace takt
