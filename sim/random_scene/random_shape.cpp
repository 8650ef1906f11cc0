#include "sim/random_scene/random_shape.h"

#include <algorithm>

#include "sim/random_scene/scene_text.h"
#include "sim/state/metres.h"
#include "takt/core/assert.h"
#include "takt/physics/body.h"

namespace takt::sim {
namespace {

constexpr double kPi = 3.14159265358979323846;

double cubic_metres(std::int64_t cubic_mm) { return static_cast<double>(cubic_mm) * 1e-9; }

RandomShape single(std::string geometry, std::int64_t reach_mm, double volume_m3) {
  RandomShape shape;
  shape.geometries.push_back(std::move(geometry));
  shape.reach_mm = reach_mm;
  shape.volume_m3 = volume_m3;
  return shape;
}

std::string round_geometry(std::string_view kind, std::string_view length_name, std::int64_t radius,
                           std::int64_t length) {
  return field(kind,
               "{" + field("radius", decimal(radius)) + ", " + field(length_name, decimal(length)) + "}");
}

RandomShape capsule_shape(std::int64_t radius, std::int64_t length) {
  std::int64_t const axis = length - 2 * radius;
  return single(
      round_geometry("capsule", "length", radius, axis), (length + 1) / 2,
      kPi * cubic_metres(radius * radius * axis) + 4 * kPi / 3 * cubic_metres(radius * radius * radius));
}

std::int64_t part_of(Random& random, std::int64_t size, std::int64_t low_percent, std::int64_t high_percent) {
  return std::max<std::int64_t>(12, size * draw_between(random, low_percent, high_percent) / 100);
}

// Points at both ends of each axis make the hull thick enough; up to ten more give it other faces.
RandomShape hull_shape(Random& random, std::int64_t size, bool rounded) {
  std::int64_t const rounding = rounded ? std::max<std::int64_t>(2, size / 12) : 0;
  std::int64_t const half = size / 2 - rounding;
  std::vector<Milli3> points;
  for (std::int64_t const side : {-1, 1}) {
    std::int64_t const x = side * part_of(random, half, 50, 100);
    std::int64_t const y = side * part_of(random, half, 50, 100);
    std::int64_t const z = side * part_of(random, half, 50, 100);
    points.push_back({x, 0, 0});
    points.push_back({0, y, 0});
    points.push_back({0, 0, z});
  }
  std::uint32_t const more = random.next_below(11);
  for (std::uint32_t i = 0; i < more; ++i) {
    std::int64_t const x = draw_between(random, -half, half);
    std::int64_t const y = draw_between(random, -half, half);
    std::int64_t const z = draw_between(random, -half, half);
    points.push_back({x, y, z});
  }
  std::string list;
  std::int64_t farthest = 0;
  std::vector<Vec3<double>> metres;
  for (const Milli3& p : points) {
    list += (list.empty() ? "" : ", ") + vector_text(p);
    farthest = std::max(farthest, p.x * p.x + p.y * p.y + p.z * p.z);
    metres.push_back(
        {static_cast<double>(p.x) / 1000, static_cast<double>(p.y) / 1000, static_cast<double>(p.z) / 1000});
  }
  std::string inner = field("points", "[" + list + "]");
  ShapeDef def = ShapeDef::hull(metres);
  if (rounded) inner += ", " + field("rounding", decimal(rounding));
  def.rounding_m = static_cast<double>(rounding) / 1000;
  Result<double, PhysicsError> const volume = volume_m3(def);
  TAKT_ASSERT(volume);  // an octahedron at least 12 mm wide
  return single(field("hull", "{" + inner + "}"), root_above(farthest) + rounding, *volume);
}

RandomShape primitive(Random& random, std::int64_t size) {
  switch (random.next_below(10)) {
    case 0:
    case 1: return sphere_shape(size / 2);
    case 2:
    case 3: return capsule_shape(part_of(random, size, 13, 40), size);
    case 4: return cylinder_shape(size / 2, part_of(random, size, 25, 100));
    case 5: return cylinder_shape(part_of(random, size, 13, 50), size);
    case 6: return cone_shape(part_of(random, size, 20, 50), size);
    default: {
      std::int64_t edges[3] = {size, part_of(random, size, 25, 100), part_of(random, size, 25, 100)};
      std::swap(edges[0], edges[random.next_below(3)]);
      return box_shape(edges[0], edges[1], edges[2]);
    }
  }
}

RandomShape compound(Random& random, std::int64_t size) {
  RandomShape whole;
  std::uint32_t const count = 2 + random.next_below(2);
  for (std::uint32_t i = 0; i < count; ++i) {
    RandomShape const part = primitive(random, std::max<std::int64_t>(60, size / 2));
    std::int64_t const x = draw_between(random, -size / 4, size / 4);
    std::int64_t const y = draw_between(random, -size / 4, size / 4);
    std::int64_t const z = draw_between(random, -size / 4, size / 4);
    std::int64_t const turn = draw_between(random, 0, 359);
    whole.geometries.push_back(part.geometries.front() + ", " + field("position", vector_text({x, y, z})) +
                               ", " + field("euler_degrees", vector_text({1000 * turn, 0, 0})));
    whole.reach_mm = std::max(whole.reach_mm, part.reach_mm + root_above(x * x + y * y + z * z));
    whole.volume_m3 += part.volume_m3;
  }
  return whole;
}

}  // namespace

RandomShape random_shape(Random& random, std::int64_t size_mm) {
  TAKT_ASSERT(size_mm >= 100);
  switch (random.next_below(10)) {
    case 0: return hull_shape(random, size_mm, false);
    case 1: return hull_shape(random, size_mm, true);
    case 2: return compound(random, size_mm);
    default: return primitive(random, size_mm);
  }
}

RandomShape box_shape(std::int64_t x, std::int64_t y, std::int64_t z) {
  return single(field("box", "{" + field("size", vector_text({x, y, z})) + "}"),
                root_above((x * x + y * y + z * z + 3) / 4), cubic_metres(x * y * z));
}
RandomShape sphere_shape(std::int64_t radius) {
  return single(field("sphere", "{" + field("radius", decimal(radius)) + "}"), radius,
                4 * kPi / 3 * cubic_metres(radius * radius * radius));
}
RandomShape cylinder_shape(std::int64_t radius, std::int64_t height) {
  return single(round_geometry("cylinder", "height", radius, height),
                root_above(radius * radius + (height * height + 3) / 4),
                kPi * cubic_metres(radius * radius * height));
}
RandomShape cone_shape(std::int64_t radius, std::int64_t height) {
  return single(round_geometry("cone", "height", radius, height),
                root_above(radius * radius + (height * height + 3) / 4),
                kPi / 3 * cubic_metres(radius * radius * height));
}
RandomShape capsule_shape_along_x(std::int64_t radius, std::int64_t length) {
  RandomShape shape = capsule_shape(radius, length);
  shape.geometries.front() += ", " + field("euler_degrees", vector_text({0, 0, 90'000}));
  return shape;
}

std::int64_t draw_between(Random& random, std::int64_t low, std::int64_t high) {
  if (high <= low) return low;
  return low + random.next_below(static_cast<std::uint32_t>(high - low + 1));
}

bool draw_chance(Random& random, std::uint32_t parts, std::uint32_t of) {
  return random.next_below(of) < parts;
}

std::int64_t root_above(std::int64_t square) {
  auto value = static_cast<std::int64_t>(root(static_cast<double>(square)));
  while (value * value < square) ++value;
  return value;
}

}  // namespace takt::sim
