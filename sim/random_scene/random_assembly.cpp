#include "sim/random_scene/random_assembly.h"

#include <algorithm>

namespace takt::sim {
namespace {

constexpr std::int64_t kLinkMm = 400;
constexpr std::uint32_t kMaxLinks = 6;

std::string object(const std::string& fields) { return "{" + fields + "}"; }

std::string frequency_text(SceneDraft& draft) {
  std::int64_t const hertz = draw_between(draft.random, 1000, 12'000);
  std::int64_t const damping = draw_between(draft.random, 0, 1500);
  draft.scene.is_passive = false;
  return object(field(
      "frequency", object(field("hertz", decimal(hertz)) + ", " + field("damping_ratio", decimal(damping)))));
}

void record_drive(SceneDraft& draft, double speed_m_s) {
  draft.scene.is_passive = false;
  draft.scene.drive_speed_m_s = std::max(draft.scene.drive_speed_m_s, speed_m_s);
}

std::string force_text(SceneDraft& draft) {
  return decimal(1000 * draw_between(draft.random, 1, 100) * draw_between(draft.random, 1, 100));
}

// The ratio of a gear or pulley, thousandths: 1/4 to 4.
std::int64_t draw_ratio(SceneDraft& draft) {
  std::int64_t const ratio = draw_between(draft.random, 250, 4000);
  double const gain = ratio < 1000 ? 1000 / static_cast<double>(ratio) : static_cast<double>(ratio) / 1000;
  draft.scene.speed_gain = std::max(draft.scene.speed_gain, gain);
  return ratio;
}

// The free coordinate `axis` with a limit, and at random a motor, a spring or friction.
std::string axes_text(SceneDraft& draft, std::string_view axis, std::int64_t bound) {
  std::string part = text_field("axis", axis);
  if (draw_chance(draft.random, 1, 2)) {
    part += ", " +
            field("limit", object(field("lower", decimal(-bound)) + ", " + field("upper", decimal(bound))));
  }
  switch (draft.random.next_below(6)) {
    case 0: {
      std::int64_t const speed = draw_between(draft.random, -4000, 4000);
      part += ", " +
              field("motor", object(field("speed", decimal(speed)) + ", " + field("max", force_text(draft))));
      record_drive(draft,
                   static_cast<double>(speed < 0 ? -speed : speed) / 1000 * (kLinkMm * kMaxLinks) / 1000);
      break;
    }
    case 1: part += ", " + field("hold", object(field("softness", frequency_text(draft)))); break;
    case 2: part += ", " + field("friction", decimal(draw_between(draft.random, 0, 50'000))); break;
    default: break;
  }
  return field("axes", "[" + object(part) + "]");
}

/// Two neighbours of a chain along x.
struct Link {
  std::string name_a;
  std::string name_b;
  Milli3 center_a;
  Milli3 anchor;
  Milli3 center_b;
};

std::string distance_text(SceneDraft& draft, const Link& link) {
  std::string text = text_field("kind", "distance") + ", " + field("anchor", vector_text(link.center_a)) +
                     ", " + field("anchor_b", vector_text(link.center_b));
  switch (draft.random.next_below(3)) {
    case 0:
      return text + ", " + field("min_length", decimal(kLinkMm / 2)) + ", " +
             field("max_length", decimal(kLinkMm));
    case 1: return text + ", " + field("softness", frequency_text(draft));
    default: return text;
  }
}

// Fields of a joint between two links, without names and bodies.
std::string joint_fields(SceneDraft& draft, const Link& link, std::uint32_t kind) {
  std::string const anchor = field("anchor", vector_text(link.anchor));
  switch (kind) {
    case 0:
      return text_field("kind", "revolute") + ", " + anchor + ", \"axis\": [0, 0, 1], " +
             axes_text(draft, "angular_x", 1200);
    case 1: return text_field("kind", "prismatic") + ", " + anchor + ", " + axes_text(draft, "linear_x", 100);
    case 2: return text_field("kind", "weld") + ", " + anchor;
    case 3: return distance_text(draft, link);
    case 4: return text_field("kind", "angle") + ", " + anchor;
    case 5: return text_field("kind", "parallel") + ", " + anchor;
    case 6:
      return text_field("kind", "wheel") + ", " + anchor + ", \"axis\": [0, 1, 0], \"axis_z\": [0, 0, 1], " +
             field("softness", frequency_text(draft));
    case 7:
    case 8: {
      bool const is_motor = kind == 7;
      record_drive(draft, 3);
      // Each draw has a statement of its own: the order of the operands of + is the compiler's.
      std::string const max_force = force_text(draft);
      std::string const linear = frequency_text(draft);
      std::string text = text_field("kind", is_motor ? "motor" : "target") + ", " + anchor + ", " +
                         field("linear", linear) + ", " + field("max_force", max_force);
      return is_motor ? text + ", " + field("max_torque", force_text(draft)) : text;
    }
    case 9:
      return text_field("kind", "generic") + ", " + anchor +
             ", \"locked\": [\"linear_x\", \"linear_y\", \"linear_z\", \"angular_x\"]";
    default: return text_field("kind", "point") + ", " + anchor;
  }
}

void add_joint(SceneDraft& draft, const Link& link, std::uint32_t kind, const std::string& name) {
  std::string text = text_field("name", name) + ", " + text_field("a", link.name_a) + ", " +
                     text_field("b", link.name_b) + ", " + joint_fields(draft, link, kind);
  if (draw_chance(draft.random, 1, 6)) text += ", " + field("collide_connected", "true");
  if (draw_chance(draft.random, 1, 8)) text += ", " + field("break_force", force_text(draft));
  if (draw_chance(draft.random, 1, 8)) text += ", " + field("direct", "false");
  draft.joints.push_back(object(text));
}

void add_chain(SceneDraft& draft, FreeRegion& region) {
  std::uint32_t const count = 2 + draft.random.next_below(kMaxLinks - 1);
  std::int64_t const length = kLinkMm * count;
  Milli3 const center = find_place(draft, region, length / 2 + 150);
  bool const has_geared = count >= 3 && draw_chance(draft.random, 1, 6);
  bool const has_one_kind = draw_chance(draft.random, 1, 2);
  std::uint32_t const one_kind = draft.random.next_below(12);
  std::int64_t const radius = draw_between(draft.random, 30, 120);
  bool const is_fixed = draft.scene.family != RandomFamily::kCrowd && draw_chance(draft.random, 1, 3);
  std::vector<std::string> names;
  std::vector<Milli3> centers;
  for (std::uint32_t i = 0; i < count; ++i) {
    Milli3 const at = center + Milli3{kLinkMm * i - length / 2 + kLinkMm / 2, 0, 0};
    RandomShape const shape = draw_chance(draft.random, 1, 2) ? capsule_shape_along_x(radius, kLinkMm)
                                                              : box_shape(kLinkMm, radius, 2 * radius);
    names.push_back(add_dynamic(draft, shape, draw_mass(draft), {.position = at}));
    centers.push_back(at);
    if (i == 0) continue;
    std::string const joint_name = "joint " + std::to_string(draft.joints.size());
    Link const link{names[i - 1], names[i], centers[i - 1], center + Milli3{kLinkMm * i - length / 2, 0, 0},
                    at};
    std::uint32_t const drawn = draft.random.next_below(12);
    std::uint32_t const kind = has_geared && i <= 2 ? 0 : has_one_kind ? one_kind : drawn;
    add_joint(draft, link, kind, joint_name);
    if (has_geared && i == 2) {
      std::int64_t const ratio = draw_ratio(draft);
      draft.joints.push_back(
          object(text_field("kind", "gear") + ", " +
                 text_field("joint_1", "joint " + std::to_string(draft.joints.size() - 2)) + ", " +
                 text_field("joint_2", joint_name) + ", " + field("ratio", decimal(ratio))));
    }
  }
  if (!is_fixed) return;
  Milli3 const end = center + Milli3{-length / 2, 0, 0};
  draft.joints.push_back(object(text_field("kind", "point") + ", " + text_field("a", "floor") + ", " +
                                text_field("b", names.front()) + ", " + field("anchor", vector_text(end))));
}

void add_pulley(SceneDraft& draft, FreeRegion& region) {
  constexpr std::int64_t kApart = 500;
  Milli3 const center = find_place(draft, region, 1000);
  std::string names[2];
  Milli3 at[2];
  for (int i = 0; i < 2; ++i) {
    at[i] = center + Milli3{i == 0 ? -kApart : kApart, -200, 0};
    names[i] = add_dynamic(draft, box_shape(300, 300, 300), draw_mass(draft), {.position = at[i]});
  }
  Milli3 const up{0, 1000, 0};
  draft.joints.push_back(object(
      text_field("kind", "pulley") + ", " + text_field("a", names[0]) + ", " + text_field("b", names[1]) +
      ", " + field("anchor", vector_text(at[0])) + ", " + field("anchor_b", vector_text(at[1])) + ", " +
      field("ground_a", vector_text(at[0] + up)) + ", " + field("ground_b", vector_text(at[1] + up)) + ", " +
      field("ratio", decimal(draw_ratio(draft)))));
  draft.scene.has_world_joint = true;
}

void add_ragdoll(SceneDraft& draft, FreeRegion& region) {
  std::int64_t const height = draw_between(draft.random, 700, 1700);
  Milli3 const center = find_place(draft, region, height * 6 / 10);
  std::int64_t const mass = 1000 * draw_between(draft.random, 5, 500);
  std::int64_t const seed = draw_between(draft.random, 1, 1000);
  std::string const name = "doll " + std::to_string(draft.generators.size());
  draft.generators.push_back(object(
      field("ragdolls", object(text_field("name", name) + ", " +
                               field("position", vector_text(center + Milli3{0, -height / 2, 0})) + ", " +
                               field("height", decimal(height)) + ", " + field("mass", decimal(mass)) + ", " +
                               field("seed", std::to_string(seed))))));
  draft.dynamic_count += 13;
}

// A body that hangs on a rope: from a point of the world, or from another body without statics.
void add_rope(SceneDraft& draft, FreeRegion& region) {
  constexpr std::int64_t kLength = 1200;
  Milli3 const center = find_place(draft, region, kLength / 2 + 300);
  Milli3 const top = center + Milli3{0, kLength / 2, 0};
  Milli3 const bottom = center + Milli3{0, -kLength / 2, 0};
  std::string const load =
      add_dynamic(draft, box_shape(300, 300, 300), draw_mass(draft), {.position = bottom});
  std::string pins = object("\"node\": 11, " + text_field("body", load));
  if (draft.scene.family == RandomFamily::kCrowd) {
    std::string const other =
        add_dynamic(draft, box_shape(300, 300, 300), draw_mass(draft), {.position = top});
    pins += ", " + object("\"node\": 0, " + text_field("body", other));
  } else {
    pins += ", " + object("\"node\": 0");
  }
  draft.ropes.push_back(object("\"nodes\": 12, " + field("start", vector_text(top)) + ", " +
                               field("end", vector_text(bottom)) + ", " +
                               field("mass", decimal(draw_between(draft.random, 100, 2000))) + ", " +
                               field("pins", "[" + pins + "]")));
  draft.scene.is_passive = false;
  draft.scene.has_world_joint = true;
}

// A column that rises out of the floor and sinks again. It leaves no gap below, so it crushes nothing.
void add_piston(SceneDraft& draft, const FreeRegion& region) {
  std::int64_t const rise = draw_between(draft.random, 300, 1200);
  std::int64_t const period = draw_between(draft.random, 2000, 6000);
  std::int64_t const wide = region.half_mm;
  std::int64_t const top = region.low_mm;  // at tick 0
  Milli3 const at{0, top - 1500, 0};
  add_fixed(draft,
            text_field("type", "kinematic") + ", " + field("position", vector_text(at)) + ", " +
                field("motion", object(field("to", vector_text(at + Milli3{0, rise, 0})) + ", " +
                                       field("period", decimal(period)))) +
                ", " +
                field("shapes",
                      "[" + shape_text(draft, box_shape(wide, 3000, wide).geometries.front(), 1000) + "]"));
  record_drive(draft, 4.0 * static_cast<double>(rise) / static_cast<double>(period));
}

// A block that slides through the middle of the scene along x.
void add_sweeper(SceneDraft& draft) {
  std::int64_t const way = draw_between(draft.random, 10'000, 14'000);
  std::int64_t const period = draw_between(draft.random, 6000, 16'000);
  Milli3 const at{-way, 300, 0};
  add_fixed(
      draft,
      text_field("type", "kinematic") + ", " + field("position", vector_text(at)) + ", " +
          field("motion", object(field("to", vector_text(at + Milli3{2 * way, 0, 0})) + ", " +
                                 field("period", decimal(period)))) +
          ", " +
          field("shapes", "[" + shape_text(draft, box_shape(300, 590, 4000).geometries.front(), 1000) + "]"));
  record_drive(draft, 4.0 * static_cast<double>(2 * way) / static_cast<double>(period));
}

}  // namespace

std::int64_t assembly_half_width(const SceneDraft& draft) {
  std::int64_t half = 0;
  if (draft.traits.has_joints) half = kLinkMm * kMaxLinks / 2 + 300;
  if (draft.traits.has_rope) half = std::max<std::int64_t>(half, 1000);
  if (draft.traits.has_mover) half = std::max<std::int64_t>(half, 1300);
  return half;
}

void add_assemblies(SceneDraft& draft, FreeRegion& region) {
  if (draft.traits.has_joints) {
    std::uint32_t const count = 1 + draft.random.next_below(3);
    for (std::uint32_t i = 0; i < count && draft.dynamic_count < 46; ++i) {
      std::uint32_t const what = draft.random.next_below(8);
      if (what == 0) {
        add_pulley(draft, region);
      } else if (what == 1) {
        add_ragdoll(draft, region);
      } else {
        add_chain(draft, region);
      }
    }
  }
  if (draft.traits.has_rope && draft.dynamic_count <= 58) add_rope(draft, region);
}

void add_obstacles(SceneDraft& draft, FreeRegion& region) {
  bool const is_pit = draft.scene.family == RandomFamily::kPit || draft.scene.family == RandomFamily::kBall;
  if (draft.traits.has_kinematic && is_pit) add_piston(draft, region);
  if (draft.traits.has_kinematic && !is_pit) add_sweeper(draft);
  if (!draft.traits.has_mover || !is_pit) return;
  std::int64_t const aside = region.half_mm - 450;
  Milli3 const at{aside, region.low_mm + 920, aside};
  draft.occupied.push_back({at, 950});
  add_fixed(draft, text_field("name", "walker") + ", " + field("position", vector_text(at)) + ", " +
                       field("mover", "{}"));
  record_drive(draft, 3);
}

}  // namespace takt::sim
