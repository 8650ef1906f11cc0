// random_shape() draws the geometry of a body: a primitive, a hull, a rounded hull or a compound of two or
// three primitives. The result is JSON text and the numbers that placement needs. The caller adds densities
// and materials.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "takt/core/random.h"

namespace takt::sim {

struct RandomShape {
  std::vector<std::string> geometries;  ///< JSON fields of each shape: kind, position, rotation
  std::int64_t reach_mm = 0;            ///< radius about the body's origin that encloses all shapes
  double volume_m3 = 0;                 ///< sum over the shapes, which may overlap
};

/// A body about `size_mm` wide, at least 100 (asserted). The largest extent of a primitive is `size_mm`, to
/// rounding, that of a hull at most `size_mm`; their least is about a quarter of it. Parts of a compound are
/// half as large, and their centers at most a quarter of `size_mm` from its origin on each axis.
[[nodiscard]] RandomShape random_shape(Random& random, std::int64_t size_mm);

/// Bodies of one shape about the origin, dimensions in mm. A box has the edges x, y and z, a cylinder or cone
/// its axis along y. A capsule along x has the length `length`, round ends included, above 2 x radius.
[[nodiscard]] RandomShape box_shape(std::int64_t x, std::int64_t y, std::int64_t z);
[[nodiscard]] RandomShape sphere_shape(std::int64_t radius);
[[nodiscard]] RandomShape cylinder_shape(std::int64_t radius, std::int64_t height);
[[nodiscard]] RandomShape cone_shape(std::int64_t radius, std::int64_t height);
[[nodiscard]] RandomShape capsule_shape_along_x(std::int64_t radius, std::int64_t length);

/// An integer, uniform in [low, high]; `low` if `high` is not above it. The range has at most 2^32 - 1
/// integers.
[[nodiscard]] std::int64_t draw_between(Random& random, std::int64_t low, std::int64_t high);
/// True with probability parts / of.
[[nodiscard]] bool draw_chance(Random& random, std::uint32_t parts, std::uint32_t of);
/// Smallest integer whose square is at least `square`, which is in [0, 2^53].
[[nodiscard]] std::int64_t root_above(std::int64_t square);

}  // namespace takt::sim
