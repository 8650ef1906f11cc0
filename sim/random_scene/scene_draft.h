// SceneDraft collects the parts of a random scene while random_scene() draws them: settings, bodies, joints,
// ropes, and spheres that are occupied at tick 0. Its functions draw what all families share: masses,
// materials, velocities, free positions, floors and walls. Families are in random_families.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/random_scene/random_scene.h"
#include "sim/random_scene/random_shape.h"
#include "sim/random_scene/scene_text.h"
#include "takt/core/random.h"

namespace takt::sim {

/// Settings that are drawn once for a scene.
struct SceneTraits {
  std::int64_t gravity_mm_s2 = 9810;
  std::uint32_t substeps = 4;
  std::uint32_t body_count = 4;    ///< wanted number of dynamic bodies
  std::int64_t size_min_mm = 100;  ///< of a body's largest extent
  std::int64_t size_max_mm = 1000;
  double mass_min_kg = 1;           ///< of the lightest body
  std::int64_t ratio_log2 = 0;      ///< of heaviest to lightest body, binary logarithm x 1024
  std::int64_t friction_min = 600;  ///< thousandths, as are the next two
  std::int64_t friction_max = 600;
  std::int64_t restitution_max = 0;
  std::int64_t speed_max_mm_s = 0;
  std::int64_t spin_max_mrad_s = 0;
  bool is_soft = false;  ///< every other shape has a contact spring
  bool has_joints = false;
  bool has_rope = false;
  bool has_kinematic = false;
  bool has_mover = false;
  bool allow_sleep = true;
  std::int64_t overlap_mm = 0;  ///< of bodies that a family stacks
};

struct OccupiedSphere {
  Milli3 center;
  std::int64_t radius_mm = 0;
};

/// A position and a motion at tick 0; the motion is drawn where it is absent.
struct BodyStart {
  Milli3 position;
  Milli3 euler_degrees{};  ///< 1/1000 degree
  std::optional<Milli3> velocity{};
};

struct SceneDraft {
  Random random;
  SceneTraits traits;
  RandomScene scene;
  std::vector<std::string> bodies;
  std::vector<std::string> generators;
  std::vector<std::string> joints;
  std::vector<std::string> ropes;
  std::vector<OccupiedSphere> occupied;
  std::uint32_t dynamic_count = 0;
  double start_speed_m_s = 0;
};

/// Draws family and traits.
[[nodiscard]] SceneDraft begin_draft(std::uint64_t seed);
/// The scene with its JSON text.
[[nodiscard]] RandomScene finish_draft(SceneDraft draft, std::uint64_t seed);

/// Log-uniform between the lightest and the heaviest mass of the scene, kg.
[[nodiscard]] double draw_mass(SceneDraft& draft);
/// `ratio_log2` is a binary logarithm x 1024 of a factor on the lightest mass.
[[nodiscard]] double mass_of(const SceneDraft& draft, std::int64_t ratio_log2);
[[nodiscard]] std::int64_t draw_size(SceneDraft& draft);
[[nodiscard]] Milli3 draw_rotation(SceneDraft& draft);  ///< whole degrees about each axis

/// Adds a dynamic body and returns its name.
std::string add_dynamic(SceneDraft& draft, const RandomShape& shape, double mass_kg, const BodyStart& start);
/// Adds a static or kinematic body; `fields` are complete fields of the body.
void add_fixed(SceneDraft& draft, const std::string& fields);
/// One shape object with a drawn material; `geometry` is of a RandomShape.
[[nodiscard]] std::string shape_text(SceneDraft& draft, const std::string& geometry, double density_kg_m3);

/// A cuboid |x|, |z| <= half, low <= y <= high.
struct FreeRegion {
  std::int64_t half_mm = 0;
  std::int64_t low_mm = 0;
  std::int64_t high_mm = 0;  ///< find_place() raises it when the region is full
};
/// Center of a free sphere, which becomes occupied.
[[nodiscard]] Milli3 find_place(SceneDraft& draft, FreeRegion& region, std::int64_t radius_mm);

/// A wide floor at y = 0: a half-space, a box, two triangles or a level height field.
void add_floor(SceneDraft& draft);
/// A closed pit of the inner width 2 x half and height: floor (level, or terrain of at most kTerrainMm),
/// walls and lid. Sets the region of the scene.
void add_pit(SceneDraft& draft, std::int64_t half_mm, std::int64_t height_mm, bool with_terrain);
inline constexpr std::int64_t kTerrainMm = 250;

}  // namespace takt::sim
