// SceneDraft collects the parts of a random scene while random_scene() draws them: settings, bodies,
// generators, joints, ropes, and spheres that are occupied at tick 0. The functions here draw what all
// families share: masses, materials, velocities, free positions, floors and walls. Families are in
// random_families.h.
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
  std::int64_t size_min_mm = 100;  ///< least `size_mm` of random_shape() for a body
  std::int64_t size_max_mm = 1000;
  double mass_min_kg = 1;           ///< least mass that is drawn for a body
  std::int64_t ratio_log2 = 0;      ///< greatest drawn mass to mass_min_kg, binary logarithm x 1024
  std::int64_t friction_min = 600;  ///< thousandths, as are the next two
  std::int64_t friction_max = 600;
  std::int64_t restitution_max = 0;
  std::int64_t speed_max_mm_s = 0;   ///< of drawn velocities; 0 = none is drawn
  std::int64_t spin_max_mrad_s = 0;  ///< of drawn angular velocities; 0 = none is drawn
  bool is_soft = false;              ///< each shape has a contact spring with probability 1/2
  bool has_joints = false;           ///< chains, pulleys and ragdolls (random_assembly.h)
  bool has_rope = false;
  bool has_kinematic = false;
  bool has_mover = false;  ///< in families with a pit
  bool allow_sleep = true;
  std::int64_t overlap_mm = 0;  ///< overlap, at most, of bodies that a family stacks
};

/// A sphere that bodies fill at tick 0.
struct OccupiedSphere {
  Milli3 center;
  std::int64_t radius_mm = 0;
};

/// A pose and a velocity at tick 0. The angular velocity is always drawn.
struct BodyStart {
  Milli3 position;
  Milli3 euler_degrees{};            ///< 1/1000 degree
  std::optional<Milli3> velocity{};  ///< mm/s; none = drawn
};

/// A random scene in the making. The lists of text have one JSON object for each element.
struct SceneDraft {
  Random random;
  SceneTraits traits;
  RandomScene scene;
  std::vector<std::string> bodies;
  std::vector<std::string> generators;
  std::vector<std::string> joints;
  std::vector<std::string> ropes;
  std::vector<OccupiedSphere> occupied;
  std::uint32_t dynamic_count = 0;  ///< dynamic bodies, those of generators included
  double start_speed_m_s = 0;       ///< bound of the speed of a dynamic body's points at tick 0
};

/// A draft with its family and traits drawn, and no bodies.
[[nodiscard]] SceneDraft begin_draft(std::uint64_t seed);
/// The scene of a draft, with its JSON text. `seed` is that of begin_draft().
[[nodiscard]] RandomScene finish_draft(SceneDraft draft, std::uint64_t seed);

/// A mass in [mass_of(0), mass_of(traits.ratio_log2)], kg, about uniform in its logarithm.
[[nodiscard]] double draw_mass(SceneDraft& draft);
/// mass_min_kg times 2^(ratio_log2 / 1024), at most 7 % above it. `ratio_log2` in [0, 65535].
[[nodiscard]] double mass_of(const SceneDraft& draft, std::int64_t ratio_log2);
/// A size, uniform in [size_min_mm, size_max_mm].
[[nodiscard]] std::int64_t draw_size(SceneDraft& draft);
[[nodiscard]] Milli3 draw_rotation(SceneDraft& draft);  ///< whole degrees about each axis, in 1/1000 degree

/// Adds a dynamic body and returns its name. The density is clamped to [0.001, 1e6] kg/m^3, so the mass of a
/// very small or large shape differs from `mass_kg`.
std::string add_dynamic(SceneDraft& draft, const RandomShape& shape, double mass_kg, const BodyStart& start);
/// Adds a static or kinematic body or a mover; `fields` are all fields of its JSON object.
void add_fixed(SceneDraft& draft, const std::string& fields);
/// One shape object with a drawn material. `geometry` has its other fields: an element of
/// RandomShape::geometries, or a mesh, height field or half-space.
[[nodiscard]] std::string shape_text(SceneDraft& draft, const std::string& geometry, double density_kg_m3);

/// A cuboid |x|, |z| <= half, low <= y <= high.
struct FreeRegion {
  std::int64_t half_mm = 0;
  std::int64_t low_mm = 0;
  std::int64_t high_mm = 0;  ///< find_place() raises it when the region is full
};
/// Center of a free sphere in the region, which becomes occupied. The region must be wide enough:
/// radius_mm + 10 <= half_mm. With less the call may never return.
[[nodiscard]] Milli3 find_place(SceneDraft& draft, FreeRegion& region, std::int64_t radius_mm);

/// Adds a wide level floor at y = 0: a half-space, a box, a mesh of four triangles or a height field. Sets
/// the region of the scene to all that is above it.
void add_floor(SceneDraft& draft);
/// Adds a closed pit, which becomes the region of the scene: |x|, |z| <= half_mm and 0 <= y <= height_mm. Its
/// parts are a floor (level, or a terrain between 0 and kTerrainMm), four walls and a lid.
void add_pit(SceneDraft& draft, std::int64_t half_mm, std::int64_t height_mm, bool with_terrain);
inline constexpr std::int64_t kTerrainMm = 250;  ///< greatest height of a terrain

}  // namespace takt::sim
