// Geometry is a hull, mesh or height field as the server sent it, for drawing and picking. Client::geometry()
// returns the Geometry of a digest in Body::geometries. Coordinates are binary32, in metres from the middle
// of the geometry's bounding box, in the shape's axes. The shape's local_position_m is that middle in the
// body's frame. The client computes no physics with geometries. Members of the other kinds are empty or have
// their defaults.
#pragma once

#include <cstdint>
#include <vector>

#include "takt/physics/vector.h"

namespace takt::client {

enum class GeometryKind : std::uint8_t { kHull = 0, kMesh = 1, kHeightField = 2 };

struct Geometry {
  GeometryKind kind = GeometryKind::kHull;
  std::vector<Vec3<float>> vertices_m;   ///< hull, mesh
  std::vector<std::uint8_t> face_sizes;  ///< hull: corners of each face, at least 3
  std::vector<std::uint32_t> indices;    ///< of vertices. hull: face after face, counter-clockwise seen from
                                         ///< outside; mesh: three a triangle
  bool one_sided =
      false;  ///< mesh: only the fronts of its triangles touch, where corners run counter-clockwise
  std::uint32_t rows = 0;     ///< height field: along z, at least 2
  std::uint32_t columns = 0;  ///< height field: along x, at least 2
  float spacing_x_m = 1;      ///< height field: > 0
  float spacing_z_m = 1;      ///< height field: > 0
  std::vector<float>
      heights_m;  ///< height field: rows x columns, row after row, from the corner with the least x and z
  /// Height field: empty, or one for each of (rows - 1) x (columns - 1) cells, not 0 = nothing there. The
  /// diagonal of a cell runs from its corner with the least x and z to the opposite one.
  std::vector<std::uint8_t> holes;
};

}  // namespace takt::client
