// parse_obj reads triangles from a Wavefront OBJ text: v, f (with any of a, a/t, a//n, a/t/n, negative ones
// count back from the last) and usemtl. Faces of more corners are cut into triangles, concave ones too.
// Texture coordinates, normals, groups, names, smoothing, points, lines and # comments are passed over;
// curves and free-form surfaces are refused by name. A backslash at the end joins a line with the next, but
// not in a comment. Source: Wavefront Advanced Visualizer manual, appendix B1 (object files).
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
