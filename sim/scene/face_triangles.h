// append_triangles() cuts a polygon in space, flat or roughly flat, into triangles by ear clipping. Strictly
// convex polygons become a fan from their first corner. A polygon that crosses itself so that no ear is left
// is refused; other crossings are not found. parse_obj() (obj_mesh.h) calls the function for each face.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "takt/physics/vector.h"

namespace takt::sim {

/// Appends the corners.size() - 2 triangles of a polygon as indices of `corners`, with its winding. There are
/// at least 3 corners. False: the polygon crosses itself (seen along its normal), and nothing is appended. A
/// polygon whose corners are on one line becomes a fan of triangles without an area.
[[nodiscard]] bool append_triangles(std::span<const Vec3<double>> corners,
                                    std::vector<std::array<std::uint32_t, 3>>& triangles);

}  // namespace takt::sim
