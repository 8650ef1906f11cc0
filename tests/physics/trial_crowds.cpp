// The trials of many bodies: piles, rows at rest, a rush, a drum.
#include <cmath>
#include <numbers>

#include "sim/scene/random_rotation.h"
#include "takt/core/random.h"
#include "tests/physics/polyhedra.h"
#include "tests/physics/trial_builder.h"

namespace takt::test {
namespace {

/// The rush: a constant acceleration towards one point.
class Pull : public sim::Game {
 public:
  Pull(double acceleration_m_s2, const Position& origin)
      : acceleration_m_s2_(acceleration_m_s2), origin_(origin) {}
  [[nodiscard]] std::string_view name() const override { return "pull/1"; }
  void before_tick(sim::WorldAccess& access) override {
    access.world().list_bodies(bodies_);
    for (BodyId const id : bodies_) {
      sim::BodyView const body = access.world().view(id);
      if (body.type != BodyType::kDynamic) continue;
      Vec3<double> const to_origin = displacement(body.position, origin_);
      double const distance_m = length(to_origin);
      if (distance_m < 0.1) continue;  // where the direction means nothing
      double const force_n = access.world().mass_kg(id) * acceleration_m_s2_ / distance_m;
      (void)access.apply_force(id, to_origin * force_n, {});
    }
  }
  void visit_state(sim::StateVisitor&) override {}

 private:
  double acceleration_m_s2_;
  Position origin_;
  std::vector<BodyId> bodies_;
};

/// `count` bodies in layers `layer_m` apart above a pit which they fill to a fifth of its height. `shape_of`
/// makes each body's shape.
template <class ShapeOf>
Trial pit_trial(const std::string& name, std::uint32_t count, double layer_m, std::uint64_t seed,
                ShapeOf shape_of) {
  Trial made = named_trial(name + ' ' + std::to_string(count));
  auto const width = static_cast<std::uint32_t>(std::cbrt(static_cast<double>(count)) * 1.15) + 1;
  constexpr double kSpacing =
      1.1;  // the longest capsule or cone is 1 m from its middle to nowhere: bodies start apart
  double const half = 0.5 * kSpacing * width;
  add_pit(made, half, 2.5 * half);
  Random random(seed);
  for (std::uint32_t i = 0; i < count; ++i) {
    ShapeDef const shape = shape_of(made, random, i);
    double const x = (i % width + 0.5) * kSpacing - half;
    double const z = (i / width % width + 0.5) * kSpacing - half;
    add(made, BodyType::kDynamic, shape, at(x, 0.9 + i / (width * width) * layer_m, z),
        sim::random_rotation(random));
  }
  return made;
}

}  // namespace

Trial pile_trial(std::uint32_t count) {
  auto const die = icosahedron(0.5);
  return pit_trial("pile", count, 1.8, 8, [&die](Trial& made, Random& random, std::uint32_t i) {
    double const size = random.next_between(0.5, 1.0);
    std::uint32_t const kind = i % 6;
    if (kind == 1) return sphere(size / 2);
    if (kind == 2) return capsule(size / 4, size / 4);
    if (kind == 3) return cylinder(size / 2, size / 4);
    if (kind == 4) return cone(size / 2, size / 2);
    if (kind != 5) return box(size / 2, size / 2, size / 2);
    std::vector<Vec3<double>> corners = die;
    for (Vec3<double>& corner : corners) corner = corner * size;
    return kept_hull(made, std::move(corners));
  });
}

Trial mix_trial(std::uint32_t count) {
  return pit_trial("mix", count, 1.1, 8, [](Trial&, Random& random, std::uint32_t i) {
    double const size = random.next_between(0.5, 1.0);
    if (i % 3 == 1) return sphere(size / 2);
    if (i % 3 == 2) return capsule(size / 4, size / 4);
    return box(size / 2, size / 2, size / 2);
  });
}

Trial hull_pile_trial(std::uint32_t count) {
  return pit_trial("hulls", count, 1.1, 12, [](Trial& made, Random& random, std::uint32_t) {
    double const radius_m = random.next_between(0.25, 0.5);
    std::vector<Vec3<double>> corners(32);
    for (Vec3<double>& corner : corners)
      corner = rotate(sim::random_rotation(random), Vec3<double>{radius_m, 0, 0});
    return kept_hull(made, std::move(corners));
  });
}

Trial rest_trial(std::uint32_t count) {
  Trial made = named_trial("rest " + std::to_string(count));
  add_ground(made);
  auto const width = static_cast<std::uint32_t>(std::sqrt(static_cast<double>(count)));
  for (std::uint32_t i = 0; i < count; ++i)
    add(made, BodyType::kDynamic, box(0.5, 0.5, 0.5), at(2.0 * (i % width), 0.5, 2.0 * (i / width)));
  return made;
}

Trial rush_trial(std::uint32_t count) {
  Trial made = named_trial("rush " + std::to_string(count));
  made.scene.world.gravity_m_s2 = {};
  made.pull_m_s2 = 10.0;
  made.is_driven = true;
  auto const width = static_cast<std::uint32_t>(std::cbrt(static_cast<double>(count))) + 1;
  for (std::uint32_t i = 0; i < count; ++i) {
    double const x = 3.0 * (i % width) - 1.5 * (width - 1);
    double const y = 3.0 * (i / width % width) - 1.5 * (width - 1);
    double const z = 3.0 * (i / (width * width)) - 1.5 * (width - 1);
    add(made, BodyType::kDynamic, i % 2 == 0 ? sphere(0.5) : box(0.5, 0.5, 0.5), at(x, y, z));
  }
  made.low_m = {-40, -40, -40};
  made.high_m = {40, 40, 40};
  return made;
}

Trial drum_trial(std::uint32_t count) {
  constexpr double kRadius = 6.0;
  constexpr int kPlanks = 12;
  std::uint32_t const sections = (count + 1999) / 2000;  // 10 m of drum each
  double const half_length = 5.0 * sections;
  Trial made = named_trial("drum " + std::to_string(count));
  made.is_driven = true;
  sim::SceneBody& drum = add(made, BodyType::kKinematic, box(kRadius + 1, kRadius + 1, 0.5), {});
  drum.shapes.front().local_position_m = {0, 0, half_length + 0.5};
  drum.shapes.push_back(drum.shapes.front());
  drum.shapes.back().local_position_m = {0, 0, -half_length - 0.5};
  for (int i = 0; i < kPlanks; ++i) {
    double const angle = 2 * std::numbers::pi * i / kPlanks;
    // Planks of a metre, long enough to overlap at the corners.
    ShapeDef plank = box(0.5, (kRadius + 1) * std::tan(std::numbers::pi / kPlanks), half_length);
    plank.local_position_m = {(kRadius + 0.5) * std::cos(angle), (kRadius + 0.5) * std::sin(angle), 0};
    plank.local_rotation = about_z(angle);
    drum.shapes.push_back(plank);
  }
  drum.def.angular_velocity_rad_s = {0, 0, 25 * kDegree};
  // 14 x 10 places fit into the circle, and 18 along each section.
  std::uint32_t const along = 18 * sections;
  for (std::uint32_t i = 0; i < count; ++i) {
    double const x = (i % 14 - 6.5) * 0.45;
    double const z = (i / 14 % along - (0.5 * along - 0.5)) * 0.52;
    double const y = i / (14 * along) * 0.45 - 4.0;
    add(made, BodyType::kDynamic, box(0.2, 0.2, 0.2), at(x, y, z));
  }
  made.low_m = {-kRadius - 0.5, -kRadius - 0.5, -half_length - 0.2};
  made.high_m = {kRadius + 0.5, kRadius + 0.5, half_length + 0.2};
  return made;
}

std::unique_ptr<sim::Game> game_of(const Trial& trial) {
  if (!trial.pull_m_s2) return nullptr;
  return std::make_unique<Pull>(*trial.pull_m_s2, trial.origin);
}

}  // namespace takt::test
