// random_shape() draws the geometry of a body: a primitive, a hull, a rounded hull or a compound of two or
// three primitives. The result is JSON text and the numbers that placement needs. Densities and materials
// belong to the caller.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "takt/core/random.h"

namespace takt::sim {

struct RandomShape {
  std::vector<std::string> geometries;  ///< fields of each shape: kind, position, rotation
  std::int64_t reach_mm = 0;            ///< radius about the body's origin that encloses all shapes
  double volume_m3 = 0;                 ///< sum over the shapes
};

/// A body whose largest extent is `size_mm`, at least 100. No extent is less than a quarter of it.
[[nodiscard]] RandomShape random_shape(Random& random, std::int64_t size_mm);

/// Shapes of exact dimensions, mm: a box of whole edges; a cylinder and a cone about y; a sphere; a capsule
/// along x of whole length `length`.
[[nodiscard]] RandomShape box_shape(std::int64_t x, std::int64_t y, std::int64_t z);
[[nodiscard]] RandomShape sphere_shape(std::int64_t radius);
[[nodiscard]] RandomShape cylinder_shape(std::int64_t radius, std::int64_t height);
[[nodiscard]] RandomShape cone_shape(std::int64_t radius, std::int64_t height);
[[nodiscard]] RandomShape capsule_shape_along_x(std::int64_t radius, std::int64_t length);

/// Uniform in [low, high].
[[nodiscard]] std::int64_t draw_between(Random& random, std::int64_t low, std::int64_t high);
/// True in `parts` of `of` cases.
[[nodiscard]] bool draw_chance(Random& random, std::uint32_t parts, std::uint32_t of);
/// Smallest integer whose square is at least `square`.
[[nodiscard]] std::int64_t root_above(std::int64_t square);

}  // namespace takt::sim
