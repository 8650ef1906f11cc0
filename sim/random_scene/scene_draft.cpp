#include "sim/random_scene/scene_draft.h"

#include <algorithm>
#include <array>

namespace takt::sim {
namespace {

// 2^(log2 / 1024), linear between powers of two: at most 6 % above the exact value.
double power_of_two(std::int64_t log2_1024) {
  auto const whole = static_cast<std::uint64_t>(log2_1024) / 1024;
  auto const rest = static_cast<double>(static_cast<std::uint64_t>(log2_1024) % 1024) / 1024;
  return static_cast<double>(std::uint64_t{1} << whole) * (1 + rest);
}

constexpr double kMaxDensity = 1e6;                // kg/m^3, as physics/state/definition_check.cpp
constexpr std::uint64_t kDrawStream = 0x77696C64;  // any two numbers
constexpr std::uint64_t kSleepStream = 0x736C6570;
constexpr std::int64_t kRatioLog2Max = 17'000;  // 2^16.6 = 1e5

SceneTraits draw_traits(Random& random, RandomFamily family) {
  SceneTraits traits;
  constexpr std::array<std::int64_t, 6> kGravity{9810, 9810, 9810, 1600, 25'000, 0};
  traits.gravity_mm_s2 = kGravity[random.next_below(kGravity.size())];
  traits.substeps = 1 + random.next_below(8);
  traits.body_count = 4 + random.next_below(57);
  traits.size_max_mm = draw_between(random, 300, 1200);
  traits.size_min_mm =
      std::max<std::int64_t>(100, traits.size_max_mm * 1000 / draw_between(random, 1000, 8000));
  traits.mass_min_kg = static_cast<double>(draw_between(random, 10, 200)) / 1000;
  traits.ratio_log2 = draw_between(random, 0, kRatioLog2Max);
  std::int64_t const friction_a = draw_between(random, 0, 1000);
  std::int64_t const friction_b = draw_chance(random, 1, 2) ? draw_between(random, 0, 1000) : friction_a;
  traits.friction_min = std::min(friction_a, friction_b);
  traits.friction_max = std::max(friction_a, friction_b);
  if (draw_chance(random, 1, 5)) traits.restitution_max = draw_between(random, 100, 1000);
  bool const moves = draw_chance(random, 1, 3) || family == RandomFamily::kCrowd || traits.gravity_mm_s2 == 0;
  if (moves) traits.speed_max_mm_s = draw_between(random, 500, 15'000);
  if (draw_chance(random, 1, 4)) traits.spin_max_mrad_s = draw_between(random, 500, 10'000);
  traits.is_soft = draw_chance(random, 1, 16);
  traits.has_joints = draw_chance(random, 1, 5);
  traits.has_rope = draw_chance(random, 1, 12);
  traits.has_kinematic = draw_chance(random, 1, 10);
  traits.has_mover = draw_chance(random, 1, 16);
  if (draw_chance(random, 1, 16)) traits.overlap_mm = draw_between(random, 1, 30);
  return traits;
}

double length_m(const Milli3& v) {
  return static_cast<double>(root_above(v.x * v.x + v.y * v.y + v.z * v.z)) / 1000;
}

Milli3 draw_vector(Random& random, std::int64_t max) {
  std::int64_t const part = max * 577 / 1000;  // of a cube in the sphere
  std::int64_t const x = draw_between(random, -part, part);
  std::int64_t const y = draw_between(random, -part, part);
  std::int64_t const z = draw_between(random, -part, part);
  return {x, y, z};
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "\n    " : ",\n    ") + part;
  return text;
}

void add_wall(SceneDraft& draft, const Milli3& center, const Milli3& size) {
  add_fixed(
      draft,
      text_field("type", "static") + ", " + field("position", vector_text(center)) + ", " +
          field("shapes",
                "[" + shape_text(draft, box_shape(size.x, size.y, size.z).geometries.front(), 1000) + "]"));
}

// A square of 2 x half, its first corner at the origin of the shape.
std::string height_field_geometry(SceneDraft& draft, std::int64_t half_mm, std::int64_t height_mm) {
  std::int64_t const cells = draw_between(draft.random, 1, 8);
  std::int64_t const spacing = (2 * half_mm + cells - 1) / cells;
  std::string heights;
  for (std::int64_t i = 0; i < (cells + 1) * (cells + 1); ++i) {
    heights += (i == 0 ? "" : ", ") + decimal(draw_between(draft.random, 0, height_mm));
  }
  std::string const count = std::to_string(cells + 1);
  return field("height_field", "{" + field("rows", count) + ", " + field("columns", count) + ", " +
                                   field("spacing_x", decimal(spacing)) + ", " +
                                   field("spacing_z", decimal(spacing)) + ", " +
                                   field("heights", "[" + heights + "]") + "}");
}

std::string mesh_geometry(SceneDraft& draft, std::int64_t half_mm, std::int64_t height_mm) {
  std::string vertices;
  for (const auto& [x, z] : {std::pair{-1, -1}, {-1, 1}, {1, 1}, {1, -1}, {0, 0}}) {
    Milli3 const corner{x * half_mm, draw_between(draft.random, 0, height_mm), z * half_mm};
    vertices += (vertices.empty() ? "" : ", ") + vector_text(corner);
  }
  return field("mesh", "{" + field("vertices", "[" + vertices + "]") + ", " +
                           field("triangles", "[[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]]") + "}");
}

// A floor whose top is between 0 and `height_mm`.
void add_floor_body(SceneDraft& draft, std::int64_t half_mm, std::int64_t height_mm) {
  std::string body = text_field("name", "floor") + ", " + text_field("type", "static");
  std::string geometry;
  switch (draft.random.next_below(height_mm > 0 ? 2 : 6)) {
    case 0:
      geometry = height_field_geometry(draft, half_mm, height_mm);
      body += ", " + field("position", vector_text({-half_mm, 0, -half_mm}));
      break;
    case 1: geometry = mesh_geometry(draft, half_mm, height_mm); break;
    case 2:
      geometry = box_shape(2 * half_mm, 2000, 2 * half_mm).geometries.front();
      body += ", " + field("position", vector_text({0, -1000, 0}));
      break;
    default: geometry = field("half_space", "{}"); break;
  }
  add_fixed(draft, body + ", " + field("shapes", "[" + shape_text(draft, geometry, 1000) + "]"));
}

}  // namespace

SceneDraft begin_draft(std::uint64_t seed) {
  SceneDraft draft;
  draft.random = Random(seed, kDrawStream);
  constexpr std::array<RandomFamily, 10> kFamilies{
      RandomFamily::kPit,  RandomFamily::kPit,   RandomFamily::kPit,   RandomFamily::kSlab,
      RandomFamily::kSlab, RandomFamily::kTower, RandomFamily::kTower, RandomFamily::kBall,
      RandomFamily::kBall, RandomFamily::kCrowd};
  draft.scene.family = kFamilies[draft.random.next_below(kFamilies.size())];
  draft.traits = draw_traits(draft.random, draft.scene.family);
  draft.scene.name = random_scene_name(seed);
  Random sleep(seed, kSleepStream);
  draft.traits.allow_sleep = draw_chance(sleep, 1, 2);
  draft.scene.is_inelastic = draft.traits.restitution_max == 0;
  draft.scene.has_soft_contacts = draft.traits.is_soft;
  draft.scene.is_passive = !draft.traits.is_soft;
  return draft;
}

RandomScene finish_draft(SceneDraft draft, std::uint64_t seed) {
  SceneTraits const& traits = draft.traits;
  RandomScene& scene = draft.scene;
  scene.start_speed_m_s = draft.start_speed_m_s;
  std::string title = scene.name + ": " + std::string(name_of(scene.family)) + ", " +
                      std::to_string(draft.dynamic_count) + " bodies, masses up to 1 : " +
                      std::to_string(static_cast<std::uint64_t>(power_of_two(traits.ratio_log2)));
  if (scene.start_overlap_m > 0) title += ", starts with overlap";
  std::string text = "{\n  " + text_field("title", title) + ",\n  \"world\": {";
  text += field("gravity", vector_text({0, -traits.gravity_mm_s2, 0})) + ", " +
          field("substeps", std::to_string(traits.substeps)) + ", " + field("seed", std::to_string(seed)) +
          (traits.allow_sleep ? "" : ", \"allow_sleep\": false") + "},\n  ";
  text += field("camera", "{" + field("eye", vector_text({9000, 6000, 12'000})) + ", " +
                              field("target", vector_text({0, 1000, 0})) + "}");
  text += ",\n  \"bodies\": [" + joined(draft.bodies) + "\n  ]";
  if (!draft.generators.empty()) text += ",\n  \"generators\": [" + joined(draft.generators) + "\n  ]";
  if (!draft.ropes.empty()) text += ",\n  \"ropes\": [" + joined(draft.ropes) + "\n  ]";
  if (!draft.joints.empty()) text += ",\n  \"joints\": [" + joined(draft.joints) + "\n  ]";
  scene.json = text + "\n}\n";
  return std::move(scene);
}

double mass_of(const SceneDraft& draft, std::int64_t ratio_log2) {
  return draft.traits.mass_min_kg * power_of_two(ratio_log2);
}

double draw_mass(SceneDraft& draft) {
  return mass_of(draft, draw_between(draft.random, 0, draft.traits.ratio_log2));
}

std::int64_t draw_size(SceneDraft& draft) {
  return draw_between(draft.random, draft.traits.size_min_mm, draft.traits.size_max_mm);
}

Milli3 draw_rotation(SceneDraft& draft) {
  std::int64_t const x = draw_between(draft.random, 0, 359);
  std::int64_t const y = draw_between(draft.random, 0, 359);
  std::int64_t const z = draw_between(draft.random, 0, 359);
  return {1000 * x, 1000 * y, 1000 * z};
}

std::string shape_text(SceneDraft& draft, const std::string& geometry, double density_kg_m3) {
  SceneTraits const& traits = draft.traits;
  std::string text =
      "{" + geometry + ", " + field("density", decimal_of(density_kg_m3)) + ", " +
      field("friction", decimal(draw_between(draft.random, traits.friction_min, traits.friction_max)));
  if (traits.restitution_max > 0)
    text += ", " + field("restitution", decimal(draw_between(draft.random, 0, traits.restitution_max)));
  if (traits.is_soft && draw_chance(draft.random, 1, 2)) {
    std::int64_t const hertz = draw_between(draft.random, 8000, 60'000);
    std::int64_t const damping = draw_between(draft.random, 200, 2000);
    text += ", " + field("softness", "{\"frequency\": {" + field("hertz", decimal(hertz)) + ", " +
                                         field("damping_ratio", decimal(damping)) + "}}");
  }
  return text + "}";
}

std::string add_dynamic(SceneDraft& draft, const RandomShape& shape, double mass_kg, const BodyStart& start) {
  SceneTraits const& traits = draft.traits;
  std::string name = "body " + std::to_string(draft.bodies.size());
  double const density = std::clamp(mass_kg / shape.volume_m3, 0.001, kMaxDensity);
  std::string text = "{" + text_field("name", name) + ", " + field("position", vector_text(start.position));
  if (start.euler_degrees != Milli3{})
    text += ", " + field("euler_degrees", vector_text(start.euler_degrees));
  Milli3 velocity;
  if (start.velocity) {
    velocity = *start.velocity;
  } else if (traits.speed_max_mm_s > 0 && draw_chance(draft.random, 2, 3)) {
    velocity = draw_vector(draft.random, traits.speed_max_mm_s);
  }
  Milli3 spin;
  if (traits.spin_max_mrad_s > 0 && draw_chance(draft.random, 1, 2))
    spin = draw_vector(draft.random, traits.spin_max_mrad_s);
  if (velocity != Milli3{}) text += ", " + field("velocity", vector_text(velocity));
  if (spin != Milli3{}) text += ", " + field("angular_velocity", vector_text(spin));
  double const rim_speed = length_m(velocity) + length_m(spin) * static_cast<double>(shape.reach_mm) / 1000;
  draft.start_speed_m_s = std::max(draft.start_speed_m_s, rim_speed);
  std::string shapes;
  for (const std::string& geometry : shape.geometries)
    shapes += (shapes.empty() ? "" : ", ") + shape_text(draft, geometry, density);
  draft.bodies.push_back(text + ", " + field("shapes", "[" + shapes + "]") + "}");
  ++draft.dynamic_count;
  return name;
}

void add_fixed(SceneDraft& draft, const std::string& fields) { draft.bodies.push_back("{" + fields + "}"); }

Milli3 find_place(SceneDraft& draft, FreeRegion& region, std::int64_t radius_mm) {
  for (std::uint32_t attempt = 0;; ++attempt) {
    if (attempt % 20 == 19) region.high_mm += radius_mm;
    std::int64_t const inner = region.half_mm - radius_mm - 10;
    std::int64_t const x = draw_between(draft.random, -inner, inner);
    std::int64_t const y = draw_between(draft.random, region.low_mm + radius_mm + 10,
                                        std::max(region.high_mm - radius_mm, region.low_mm + radius_mm + 10));
    std::int64_t const z = draw_between(draft.random, -inner, inner);
    bool const is_free = std::ranges::none_of(draft.occupied, [&](const OccupiedSphere& other) {
      std::int64_t const dx = x - other.center.x;
      std::int64_t const dy = y - other.center.y;
      std::int64_t const dz = z - other.center.z;
      std::int64_t const apart = radius_mm + other.radius_mm + 5;
      return dx * dx + dy * dy + dz * dz < apart * apart;
    });
    if (!is_free) continue;
    region.high_mm = std::max(region.high_mm, y + radius_mm);
    draft.occupied.push_back({{x, y, z}, radius_mm});
    return {x, y, z};
  }
}

void add_floor(SceneDraft& draft) {
  constexpr std::int64_t kHalf = 200'000;
  add_floor_body(draft, kHalf, 0);
  draft.scene.floor_half_m = static_cast<double>(kHalf) / 1000;
  draft.scene.low_m = {-1e6, 0, -1e6};
  draft.scene.high_m = {1e6, 1e6, 1e6};
}

void add_pit(SceneDraft& draft, std::int64_t half_mm, std::int64_t height_mm, bool with_terrain) {
  constexpr std::int64_t kThick = 1000;
  add_floor_body(draft, half_mm + kThick, with_terrain ? kTerrainMm : 0);
  std::int64_t const middle = half_mm + kThick / 2;
  for (std::int64_t const side : {-1, 1}) {
    add_wall(draft, {side * middle, height_mm / 2, 0},
             {kThick, height_mm + 2 * kThick, 2 * (half_mm + kThick)});
    add_wall(draft, {0, height_mm / 2, side * middle},
             {2 * (half_mm + kThick), height_mm + 2 * kThick, kThick});
  }
  add_wall(draft, {0, height_mm + kThick / 2, 0}, {2 * (half_mm + kThick), kThick, 2 * (half_mm + kThick)});
  auto const half_m = static_cast<double>(half_mm) / 1000;
  draft.scene.is_walled = true;
  draft.scene.low_m = {-half_m, 0, -half_m};
  draft.scene.high_m = {half_m, static_cast<double>(height_mm) / 1000, half_m};
}

}  // namespace takt::sim
