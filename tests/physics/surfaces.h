// Meshes and height fields for tests: grids of triangles over a height function, boxes of triangles, stairs.
#pragma once

#include <array>
#include <vector>

#include "takt/physics/body.h"

namespace takt::test {

struct MeshSource {
  std::vector<Vec3<double>> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  bool one_sided = false;

  [[nodiscard]] MeshDef def() const {
    MeshDef mesh;
    mesh.vertices_m = vertices;
    mesh.triangles = triangles;
    mesh.one_sided = one_sided;
    return mesh;
  }
};

/// columns x rows cells of two triangles, from (x0, z0) on, fronts up. `height(x, z)` gives y.
template <class Height>
MeshSource grid_mesh(int columns, int rows, double spacing_m, double x0, double z0, Height height) {
  MeshSource mesh;
  for (int r = 0; r <= rows; ++r) {
    for (int c = 0; c <= columns; ++c) {
      double const x = x0 + c * spacing_m;
      double const z = z0 + r * spacing_m;
      mesh.vertices.push_back({x, height(x, z), z});
    }
  }
  auto const at = [columns](int r, int c) { return static_cast<std::uint32_t>(r * (columns + 1) + c); };
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      bool const other = (r + c) % 2 == 1;  // diagonals both ways
      if (other) {
        mesh.triangles.push_back({at(r, c), at(r + 1, c), at(r, c + 1)});
        mesh.triangles.push_back({at(r, c + 1), at(r + 1, c), at(r + 1, c + 1)});
      } else {
        mesh.triangles.push_back({at(r, c), at(r + 1, c + 1), at(r, c + 1)});
        mesh.triangles.push_back({at(r, c), at(r + 1, c), at(r + 1, c + 1)});
      }
    }
  }
  return mesh;
}

/// The closed surface of a box about the origin, fronts outward.
inline MeshSource box_mesh(double x, double y, double z) {
  MeshSource mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.push_back({(i & 1) != 0 ? x : -x, (i & 2) != 0 ? y : -y, (i & 4) != 0 ? z : -z});
  auto const quad = [&mesh](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    mesh.triangles.push_back({a, b, c});
    mesh.triangles.push_back({a, c, d});
  };
  quad(1, 3, 7, 5);
  quad(0, 4, 6, 2);
  quad(2, 6, 7, 3);
  quad(0, 1, 5, 4);
  quad(4, 5, 7, 6);
  quad(0, 2, 3, 1);
  return mesh;
}

/// The definition must outlive the call that creates the body.
inline ShapeDef mesh_shape(const MeshDef& mesh) {
  ShapeDef shape;
  shape.kind = ShapeKind::kMesh;
  shape.mesh = &mesh;
  return shape;
}
inline ShapeDef height_field_shape(const HeightFieldDef& field) {
  ShapeDef shape;
  shape.kind = ShapeKind::kHeightField;
  shape.height_field = &field;
  return shape;
}

}  // namespace takt::test
