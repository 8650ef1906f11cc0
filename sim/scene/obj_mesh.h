// parse_obj() reads triangles and names of materials from the text of a Wavefront OBJ file, for meshes of
// scenes (scene_surfaces.cpp). It reads v, f and usemtl. Corners of a face are a, a/t, a//n or a/t/n, of
// which only a is read; a negative a counts back from the last vertex. Faces of more than three corners are
// cut into triangles. Statements without effect on triangles (texture coordinates, normals, groups, points,
// lines) are skipped; all others, such as curves, are refused. A backslash at a line's end joins it with the
// next, except in a comment. Source: Wavefront Advanced Visualizer manual, appendix B1 (object files).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "takt/core/result.h"
#include "takt/physics/vector.h"

namespace takt::sim {

/// Most corners of one face; it bounds the time of cutting the face into triangles.
inline constexpr std::size_t kMaxObjFaceCorners = 256;

struct ObjMesh {
  static constexpr std::uint32_t kNoName = 0xffff'ffff;

  std::vector<Vec3<double>> vertices_m;
  std::vector<std::array<std::uint32_t, 3>> triangles;  ///< indices of vertices, with the winding of the face
  std::vector<std::uint32_t>
      material_names;  ///< for each triangle: index in `names`, or kNoName before the first usemtl
  std::vector<std::string> names;              ///< of usemtl, each once, in the order of first use
  std::vector<std::uint32_t> first_use_lines;  ///< for each name, counting from 1
};

struct ObjFault {
  std::uint32_t line = 1;  ///< of the OBJ text, counts from 1
  std::string text;        ///< what is wrong and what is allowed
};

/// The mesh of the text, or the first fault. `scale` is the number of metres in the file's unit. Faults are a
/// coordinate that is no number or beyond kMaxExtentM after scaling, and an index of no vertex so far. Others
/// are a face of fewer than 3 or more than kMaxObjFaceCorners corners, and one that append_triangles()
/// refuses. More vertices or triangles than a mesh may have, or no face at all, are faults, too.
[[nodiscard]] Result<ObjMesh, ObjFault> parse_obj(std::string_view text, double scale);

}  // namespace takt::sim
