#include "tests/physics/trials.h"

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "tests/physics/trial_builder.h"

namespace takt::test {

Trial stack_trial(std::uint32_t count) {
  Trial made = named_trial("stack " + std::to_string(count));
  add_ground(made);
  for (std::uint32_t i = 0; i < count; ++i) {
    add(made, BodyType::kDynamic, box(0.5, 0.5, 0.5),
        at(i % 2 == 0 ? 0.002 : -0.002, 0.5 + i, (i % 3 - 1.0) * 0.002));
  }
  made.watched = made.scene.bodies.size() - 1;
  return made;
}

Trial pyramid_trial(std::uint32_t base) {
  Trial made = named_trial("pyramid " + std::to_string(base));
  add_ground(made);
  for (std::uint32_t row = 0; row < base; ++row) {
    for (std::uint32_t i = 0; i < base - row; ++i)
      add(made, BodyType::kDynamic, box(0.5, 0.5, 0.5), at(i - (base - 1.0 - row) * 0.5, 0.5 + row, 0));
  }
  made.watched = made.scene.bodies.size() - 1;
  return made;
}

Trial card_house_trial(std::uint32_t levels) {
  constexpr double kLength = 1.0;
  constexpr double kThick = 0.02;
  double const lean = 25 * kDegree;
  double const s = std::sin(lean);
  double const c = std::cos(lean);
  Trial made = named_trial("card house " + std::to_string(levels));
  add_ground(made, 0.8);
  ShapeDef leaning = box(kThick / 2, kLength / 2, 0.3);
  leaning.friction = 0.8;
  // From foot to foot of a tent, and from its feet to its highest edges.
  double const spacing = 2 * (kLength * s + kThick * c);
  double const height = kLength * c + kThick * s;
  ShapeDef flat = box(spacing / 2 - 0.002, kThick / 2, 0.3);
  flat.friction = 0.8;
  double const off_apex = (kLength * s + kThick * c) / 2;
  for (std::uint32_t level = 0; level < levels; ++level) {
    double const floor = level * (height + kThick);
    std::uint32_t const tents = levels - level;
    for (std::uint32_t i = 0; i < tents; ++i) {
      double const apex = (i - (tents - 1) * 0.5) * spacing;
      add(made, BodyType::kDynamic, leaning, at(apex - off_apex, floor + height / 2, 0), about_z(-lean));
      add(made, BodyType::kDynamic, leaning, at(apex + off_apex, floor + height / 2, 0), about_z(lean));
    }
    for (std::uint32_t i = 0; i + 1 < tents; ++i) {
      add(made, BodyType::kDynamic, flat,
          at((i + 0.5 - (tents - 1) * 0.5) * spacing, floor + height + kThick / 2, 0));
    }
  }
  made.watched = made.scene.bodies.size() - 1;
  return made;
}

Trial arch_trial(std::uint32_t stones) {
  Trial made = named_trial("arch " + std::to_string(stones));
  add_ground(made, 0.8);
  double const step = std::numbers::pi / stones;
  for (std::uint32_t i = 0; i < stones; ++i) {
    double const middle = (i + 0.5) * step;
    Vec3<double> const center{4.5 * std::cos(middle), 4.5 * std::sin(middle), 0};
    std::vector<Vec3<double>> corners;
    for (double const angle : {i * step, (i + 1) * step}) {
      for (double const radius : {4.0, 5.0}) {
        for (double const z : {-0.5, 0.5})
          corners.push_back({radius * std::cos(angle) - center.x, radius * std::sin(angle) - center.y, z});
      }
    }
    ShapeDef stone = kept_hull(made, std::move(corners));
    stone.friction = 0.8;
    add(made, BodyType::kDynamic, stone, at(center.x, center.y, 0));
    if (i == stones / 2) made.watched = made.scene.bodies.size() - 1;
  }
  return made;
}

Trial double_domino_trial(std::uint32_t count) {
  Trial made = named_trial("double domino " + std::to_string(count));
  add_ground(made);
  for (std::uint32_t i = 0; i < count; ++i) {
    sim::SceneBody& plate =
        add(made, BodyType::kDynamic, box(0.125, 0.5, 0.5), at(i - (count - 1) * 0.5, 0.5, 0));
    if (i != 0) continue;
    // Over its lower edge with twice the speed that it takes to tip.
    plate.def.angular_velocity_rad_s = {0, 0, -2};
    plate.def.linear_velocity_m_s = {1, 0.25, 0};
  }
  return made;
}

Trial mass_ratio_trial(double ratio, std::uint32_t light_count) {
  Trial made =
      named_trial("mass 1:" + std::to_string(static_cast<int>(ratio)) + " on " + std::to_string(light_count));
  add_ground(made);
  for (std::uint32_t i = 0; i < light_count; ++i)
    add(made, BodyType::kDynamic, box(0.5, 0.5, 0.5), at(0, 0.5 + i, 0));
  ShapeDef heavy = box(0.5, 0.5, 0.5);
  heavy.density_kg_m3 *= ratio;
  add(made, BodyType::kDynamic, heavy, at(0, 0.5 + light_count, 0));
  made.watched = made.scene.bodies.size() - 1;
  return made;
}

Trial moved_trial(Trial trial, Vec3<double> offset_m) {
  Position const offset = at(offset_m.x, offset_m.y, offset_m.z);
  trial.name += " far";
  for (sim::SceneBody& body : trial.scene.bodies) {
    Position& p = body.def.position;
    p = Position::from_raw(p.x_raw + offset.x_raw, p.y_raw + offset.y_raw, p.z_raw + offset.z_raw);
  }
  trial.low_m += offset_m;
  trial.high_m += offset_m;
  trial.origin = offset;
  return trial;
}

namespace {
struct Entry {
  std::string_view name;
  Trial (*make)();
};
constexpr Entry kEntries[] = {
    {"stack20", [] { return stack_trial(20); }},
    {"mass10", [] { return mass_ratio_trial(10, 1); }},
    {"mass100", [] { return mass_ratio_trial(100, 1); }},
    {"mass1000", [] { return mass_ratio_trial(1000, 1); }},
    {"tower100", [] { return mass_ratio_trial(100, 9); }},
    {"cards", [] { return card_house_trial(5); }},
    {"arch", [] { return arch_trial(15); }},
    {"dominoes2", [] { return double_domino_trial(15); }},
    {"pyramid20", [] { return pyramid_trial(20); }},
    {"pyramid20_far",
     [] {
       return moved_trial(pyramid_trial(20), {1e6, 0, -1e6});
     }},
    {"rush", [] { return rush_trial(400); }},
    {"drum", [] { return drum_trial(2000); }},
    {"pile1000", [] { return pile_trial(1000); }},
    {"pyramid100", [] { return pyramid_trial(100); }},
    {"pile8000", [] { return pile_trial(8000); }},
    {"two_boxes", [] { return stack_trial(2); }},
    {"mix50", [] { return mix_trial(50); }},
    {"pyramid30", [] { return pyramid_trial(30); }},
    {"pile300", [] { return pile_trial(300); }},
    {"chain100", [] { return loaded_chain_trial(100, 100); }},
    {"pyramid44", [] { return pyramid_trial(44); }},
    {"ragdolls100", [] { return ragdoll_heap_trial(100); }},
    {"joint_grid100", [] { return joint_grid_trial(100); }},
    {"mix1000", [] { return mix_trial(1000); }},
    {"mix4000", [] { return mix_trial(4000); }},
    {"mix8000", [] { return mix_trial(8000); }},
    {"mix16000", [] { return mix_trial(16'000); }},
    {"rest10000", [] { return rest_trial(10'000); }},
    {"hulls5000", [] { return hull_pile_trial(5000); }},
    {"drum8000", [] { return drum_trial(8000); }},
};
}  // namespace

std::vector<std::string> trial_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kEntries) names.emplace_back(entry.name);
  return names;
}

Trial trial(std::string_view name) {
  for (const Entry& entry : kEntries) {
    if (entry.name == name) return entry.make();
  }
  throw std::runtime_error("there is no trial '" + std::string(name) + "'");
}

}  // namespace takt::test
