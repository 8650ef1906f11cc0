// append_triangles() cuts a polygon in space, flat or roughly flat, into triangles by ear clipping. Convex
// polygons become a fan from their first corner. A polygon that crosses itself is refused. parse_obj()
// (obj_mesh.h) calls it for each face.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "takt/physics/vector.h"

namespace takt::sim {

/// Appends indices of `corners`, three a triangle, the way round that the polygon has: count - 2 triangles.
/// False: the polygon crosses itself (seen along its normal), and nothing is appended. A polygon without an
/// area becomes a fan of triangles without one.
[[nodiscard]] bool append_triangles(std::span<const Vec3<double>> corners,
                                    std::vector<std::array<std::uint32_t, 3>>& triangles);

}  // namespace takt::sim
