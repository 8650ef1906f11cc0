// The pieces of a manifold of two convex shapes: what of one flat patch lies over another, which four points
// of many to keep, and the two ends of lines that lie side by side. In binary64 (docs/adr/0005). Which
// patches those are is for collide_convex.cpp and collide_mesh.cpp to decide.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "physics/geometry/convex_distance.h"
#include "physics/narrow_phase/manifold.h"

namespace takt {

/// A face is kept when its gap is less than the best axis' by no more than this, m, so that what rests on a
/// face keeps its points.
inline constexpr double kFaceBiasM = 0.002;
/// A face's deepest point may be less deep than the axis by this, m; else the axis' own point is used.
inline constexpr double kLostDepthM = 0.002;

inline constexpr std::uint32_t kMaxClipped = 2 * kMaxHullVertices;
inline constexpr std::uint32_t kClipLines =
    64;  ///< line names: below it edges of the incident patch, from it on sides of the reference face

struct ClipCorner {
  Vec3<double> at;
  std::uint32_t before = 0;
  std::uint32_t after = 0;
};

struct ClipPolygon {
  std::array<ClipCorner, kMaxClipped> corners;
  std::uint32_t count = 0;
};

/// What of the incident patch lies over the reference face. A disc that lies over it wholly is its square,
/// and so keeps four points.
[[nodiscard]] ClipPolygon clipped(const SurfacePatch& reference, const SurfacePatch& incident) noexcept;

/// reduce_points with ties: the first point within 0.25 mm of the deepest, the first within that of the
/// farthest from it, and so on. Fills out.points; needs out.normal.
void reduce(std::span<const ManifoldPoint<double>> points, Manifold<double>& out) noexcept;

/// Two lines side by side, such as cylinders lying on one another: the two ends of the stretch they share.
/// `axis` is the separating axis of the cores that the patches are of, `radius_a` and `radius_b` what is
/// around these. False when the patches are not lines or not side by side.
[[nodiscard]] bool line_points(const SurfacePatch& first, const SurfacePatch& second, double radius_a,
                               double radius_b, const SeparatingAxis& axis, double limit,
                               Manifold<double>& out) noexcept;

/// Where overlapping cores meet: where they come nearest when the second is pulled out along the axis, a
/// little too far.
void place_points(const ConvexShape& a, const ConvexShape& b, SeparatingAxis& axis);

}  // namespace takt
