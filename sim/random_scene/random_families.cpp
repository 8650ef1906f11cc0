#include "sim/random_scene/random_families.h"

#include <algorithm>

#include "sim/random_scene/random_assembly.h"

namespace takt::sim {
namespace {

constexpr std::uint32_t kMaxBodies = 60;  // a rope and the ball come on top of those planned at first

struct PlannedBody {
  RandomShape shape;
  double mass_kg = 0;
};

std::vector<PlannedBody> plan_bodies(SceneDraft& draft, std::uint32_t count) {
  std::vector<PlannedBody> plan(count);
  for (PlannedBody& body : plan) {
    body.shape = random_shape(draft.random, draw_size(draft));
    body.mass_kg = draw_mass(draft);
  }
  return plan;
}

// Half of the width of a square on which the spheres about the bodies fill about `layers` layers.
std::int64_t half_width_of(const std::vector<PlannedBody>& plan, std::int64_t layers, std::int64_t min_mm) {
  std::int64_t area = 0;
  std::int64_t widest = 0;
  for (const PlannedBody& body : plan) {
    area += 4 * body.shape.reach_mm * body.shape.reach_mm;
    widest = std::max(widest, body.shape.reach_mm);
  }
  return std::max({root_above(area / layers) / 2 + 50, widest + 60, min_mm});
}

void place_bodies(SceneDraft& draft, const std::vector<PlannedBody>& plan, FreeRegion& region) {
  for (const PlannedBody& body : plan) {
    Milli3 const place = find_place(draft, region, body.shape.reach_mm);
    Milli3 const turn = draw_rotation(draft);
    add_dynamic(draft, body.shape, body.mass_kg, {.position = place, .euler_degrees = turn});
  }
}

void draw_pit(SceneDraft& draft) {
  std::vector<PlannedBody> const plan = plan_bodies(draft, std::min(draft.traits.body_count, kMaxBodies - 2));
  std::int64_t const layers = draw_between(draft.random, 2, 6);
  bool const with_terrain = draw_chance(draft.random, 1, 4);
  FreeRegion region;
  region.half_mm = half_width_of(plan, layers, assembly_half_width(draft));
  region.low_mm = with_terrain ? kTerrainMm : 0;
  add_obstacles(draft, region);
  place_bodies(draft, plan, region);
  add_assemblies(draft, region);
  add_pit(draft, region.half_mm, region.high_mm + 2000, with_terrain);
}

void draw_ball(SceneDraft& draft) {
  SceneTraits& traits = draft.traits;
  std::int64_t const ratio_log2 = traits.ratio_log2;
  traits.ratio_log2 = std::min<std::int64_t>(ratio_log2, 2048);  // the bodies: within 1 : 4
  traits.size_max_mm = std::min<std::int64_t>(traits.size_max_mm, 500);
  traits.size_min_mm = std::min(traits.size_min_mm, traits.size_max_mm);
  std::vector<PlannedBody> const plan = plan_bodies(draft, std::min(traits.body_count, kMaxBodies - 3));
  bool const with_terrain = draw_chance(draft.random, 1, 4);
  std::int64_t const radius = draw_between(draft.random, 150, 700);
  FreeRegion region;
  region.half_mm = half_width_of(plan, draw_between(draft.random, 2, 5),
                                 std::max(radius + 150, assembly_half_width(draft)));
  region.low_mm = with_terrain ? kTerrainMm : 0;
  add_obstacles(draft, region);
  place_bodies(draft, plan, region);
  add_assemblies(draft, region);
  traits.ratio_log2 = ratio_log2;
  std::int64_t const drop = draw_between(draft.random, 0, 3000);
  std::int64_t const speed = draw_between(draft.random, 0, traits.speed_max_mm_s);
  std::int64_t const aside = region.half_mm - radius - 20;
  std::int64_t const x = draw_between(draft.random, -aside, aside);
  std::int64_t const z = draw_between(draft.random, -aside, aside);
  std::int64_t const y = region.high_mm + radius + 10 + drop;
  add_dynamic(draft, sphere_shape(radius), mass_of(draft, ratio_log2),
              {.position = {x, y, z}, .euler_degrees = {}, .velocity = Milli3{0, -speed, 0}});
  add_pit(draft, region.half_mm, y + radius + 1000, with_terrain);
}

// A light body `height` high that stands upright.
RandomShape upright_shape(SceneDraft& draft, std::int64_t height) {
  std::int64_t const width = std::max<std::int64_t>(60, height * draw_between(draft.random, 30, 160) / 100);
  switch (draft.random.next_below(6)) {
    case 0: return sphere_shape(height / 2);
    case 1: return cylinder_shape(width / 2, height);
    case 2: return cone_shape(width / 2, height);
    default: {
      std::int64_t const depth =
          std::max<std::int64_t>(60, height * draw_between(draft.random, 30, 160) / 100);
      return box_shape(width, height, depth);
    }
  }
}

// One storey: light bodies in rows and a slab on them. Returns the height of the slab's top.
std::int64_t add_storey(SceneDraft& draft, std::int64_t floor_mm, std::uint32_t light_count, bool is_first) {
  std::int64_t const height = 2 * draw_between(draft.random, 50, 400);
  auto const columns = static_cast<std::int64_t>(root_above(light_count));
  std::int64_t const rows = (light_count + columns - 1) / columns;
  std::int64_t const spacing = height * 16 / 10 + draw_between(draft.random, 20, 600);
  std::int64_t const overlap = std::min(draft.traits.overlap_mm, height / 10);
  for (std::uint32_t i = 0; i < light_count; ++i) {
    RandomShape const shape = upright_shape(draft, height);
    std::int64_t const x =
        (2 * (i % columns) - columns + 1) * spacing / 2 + draw_between(draft.random, -20, 20);
    std::int64_t const z = (2 * (i / columns) - rows + 1) * spacing / 2 + draw_between(draft.random, -20, 20);
    double const mass =
        mass_of(draft, draw_between(draft.random, 0, std::min<std::int64_t>(draft.traits.ratio_log2, 1024)));
    add_dynamic(draft, shape, mass, {.position = {x, floor_mm + height / 2, z}});
  }
  std::int64_t const gap = overlap > 0                       ? -overlap
                           : draw_chance(draft.random, 1, 2) ? 0
                                                             : draw_between(draft.random, 0, 500);
  std::int64_t const thick = 2 * draw_between(draft.random, 40, 250);
  std::int64_t const margin = draw_between(draft.random, -height / 4, height);
  std::int64_t const wide = std::max<std::int64_t>(200, (columns - 1) * spacing + height + 2 * margin);
  std::int64_t const deep = std::max<std::int64_t>(200, (rows - 1) * spacing + height + 2 * margin);
  std::int64_t const shift = draw_between(draft.random, -spacing / 4, spacing / 4);
  std::int64_t const ratio =
      is_first ? draft.traits.ratio_log2 : draw_between(draft.random, 0, draft.traits.ratio_log2);
  add_dynamic(draft, box_shape(wide, thick, deep), mass_of(draft, ratio),
              {.position = {shift, floor_mm + height + gap + thick / 2, 0}});
  if (overlap > 0)
    draft.scene.start_overlap_m = std::max(draft.scene.start_overlap_m, static_cast<double>(overlap) / 1000);
  return floor_mm + height + gap + thick;
}

void draw_slab(SceneDraft& draft) {
  std::uint32_t const storeys = 1 + draft.random.next_below(3);
  std::int64_t top = 0;
  for (std::uint32_t i = 0; i < storeys; ++i) {
    std::uint32_t const lights = 1 + draft.random.next_below(draw_chance(draft.random, 1, 3) ? 16 : 5);
    top = add_storey(draft, top, lights, i == 0);
  }
  FreeRegion region{.half_mm = std::max<std::int64_t>(1500, assembly_half_width(draft)),
                    .low_mm = top + 50,
                    .high_mm = top + 50};
  std::uint32_t const more = draft.dynamic_count < 4 ? 4 - draft.dynamic_count : draft.random.next_below(8);
  place_bodies(draft, plan_bodies(draft, more), region);
  add_obstacles(draft, region);
  add_assemblies(draft, region);
  add_floor(draft);
}

void add_one_tower(SceneDraft& draft, std::int64_t x_mm, std::uint32_t levels) {
  std::int64_t top = 0;
  std::int64_t x = x_mm;
  std::int64_t z = 0;
  std::int64_t const crooked = draw_between(draft.random, 0, 25);  // percent of a width
  bool const grows = draw_chance(draft.random, 1, 2);              // heavier from level to level
  for (std::uint32_t level = 0; level < levels; ++level) {
    std::int64_t const width = draw_size(draft);
    std::int64_t const depth = std::max<std::int64_t>(100, width * draw_between(draft.random, 40, 100) / 100);
    std::int64_t const height =
        2 * std::max<std::int64_t>(30, width * draw_between(draft.random, 15, 60) / 100);
    RandomShape const shape =
        draw_chance(draft.random, 1, 4) ? cylinder_shape(depth / 2, height) : box_shape(width, height, depth);
    std::int64_t const share =
        static_cast<std::int64_t>(level) * draft.traits.ratio_log2 / std::max(1u, levels - 1);
    double const mass = grows ? mass_of(draft, share) : draw_mass(draft);
    std::int64_t const overlap = level == 0 ? 0 : std::min(draft.traits.overlap_mm, height / 10);
    std::int64_t const turn = draw_chance(draft.random, 1, 2) ? draw_between(draft.random, -30, 30) : 0;
    add_dynamic(draft, shape, mass,
                {.position = {x, top - overlap + height / 2, z}, .euler_degrees = {0, 1000 * turn, 0}});
    if (overlap > 0)
      draft.scene.start_overlap_m =
          std::max(draft.scene.start_overlap_m, static_cast<double>(overlap) / 1000);
    top += height - overlap;
    x += depth * draw_between(draft.random, -crooked, crooked) / 100;
    z += depth * draw_between(draft.random, -crooked, crooked) / 100;
  }
  draft.occupied.push_back({{x_mm, top / 2, 0}, top / 2 + draft.traits.size_max_mm});
}

void draw_tower(SceneDraft& draft) {
  std::uint32_t const towers = 1 + draft.random.next_below(4);
  std::uint32_t const levels = std::clamp(draft.traits.body_count / towers, 3u, 14u);
  for (std::uint32_t i = 0; i < towers; ++i)
    add_one_tower(draft, static_cast<std::int64_t>(i) * (draft.traits.size_max_mm + 600), levels);
  if (draft.dynamic_count < 4) add_one_tower(draft, -3000, 4);
  FreeRegion region{.half_mm = 3000 + assembly_half_width(draft), .low_mm = 0, .high_mm = 4000};
  add_obstacles(draft, region);
  add_assemblies(draft, region);
  add_floor(draft);
}

void draw_crowd(SceneDraft& draft) {
  std::vector<PlannedBody> const plan = plan_bodies(draft, std::min(draft.traits.body_count, kMaxBodies - 2));
  FreeRegion region;
  region.half_mm = half_width_of(plan, 3, assembly_half_width(draft));
  region.low_mm = -region.half_mm;
  region.high_mm = 0;
  for (const PlannedBody& body : plan) {
    Milli3 const place = find_place(draft, region, body.shape.reach_mm);
    Milli3 const turn = draw_rotation(draft);
    // Towards the middle, so that bodies meet.
    std::int64_t const distance =
        std::max<std::int64_t>(1, root_above(place.x * place.x + place.y * place.y + place.z * place.z));
    std::int64_t const speed = draw_between(draft.random, 0, draft.traits.speed_max_mm_s);
    Milli3 const velocity{-place.x * speed / distance, -place.y * speed / distance,
                          -place.z * speed / distance};
    add_dynamic(draft, body.shape, body.mass_kg,
                {.position = place, .euler_degrees = turn, .velocity = velocity});
  }
  add_assemblies(draft, region);
  draft.scene.low_m = {-1e6, -1e6, -1e6};
  draft.scene.high_m = {1e6, 1e6, 1e6};
}

}  // namespace

void draw_family(SceneDraft& draft) {
  switch (draft.scene.family) {
    case RandomFamily::kPit: return draw_pit(draft);
    case RandomFamily::kSlab: return draw_slab(draft);
    case RandomFamily::kTower: return draw_tower(draft);
    case RandomFamily::kBall: return draw_ball(draft);
    case RandomFamily::kCrowd: return draw_crowd(draft);
  }
}

}  // namespace takt::sim
