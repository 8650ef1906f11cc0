// parse_obj() reads triangles and names of materials from the text of a Wavefront OBJ file, for meshes of
// scenes (scene_surfaces.cpp). It reads v, f and usemtl. Corners of a face are a, a/t, a//n or a/t/n;
// negative ones count back from the last vertex. Faces of more than three corners, concave ones too, are cut
// into triangles. Statements without effect on triangles (texture coordinates, normals, groups, points,
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

/// Corners of one face at most; scanned and modelled meshes have a handful.
inline constexpr std::size_t kMaxObjFaceCorners = 256;

struct ObjMesh {
  static constexpr std::uint32_t kNoName = 0xffff'ffff;

  std::vector<Vec3<double>> vertices_m;
  std::vector<std::array<std::uint32_t, 3>> triangles;  ///< the way round that their faces have
  std::vector<std::uint32_t>
      material_names;              ///< for each triangle: of names, or kNoName before the first usemtl
  std::vector<std::string> names;  ///< of usemtl, each once, in the order of first use
  std::vector<std::uint32_t> first_use_lines;  ///< for each name
};

struct ObjFault {
  std::uint32_t line = 1;  ///< of the OBJ text, counts from 1
  std::string text;        ///< what is wrong and what is allowed
};

/// `scale` turns the file's units into metres. Refused: a number that is none or beyond kMaxExtentM, an index
/// of no vertex, a face of fewer than 3 corners or of more than kMaxObjFaceCorners, one that crosses itself,
/// more vertices or triangles than a mesh may have, no face at all.
[[nodiscard]] Result<ObjMesh, ObjFault> parse_obj(std::string_view text, double scale);

}  // namespace takt::sim
