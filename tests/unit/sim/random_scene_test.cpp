// Random scenes by seed: equal everywhere, accepted by the loader, and of every kind that they promise.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "sim/random_scene/draw_scene.h"
#include "sim/random_scene/scene_text.h"
#include "takt/core/hash.h"
#include "tests/unit/sim/small_scene.h"

namespace takt::sim {
namespace {

constexpr std::uint64_t kSeeds = 400;

bool is_dynamic(const SceneBody& body) { return !body.mover && body.def.type == BodyType::kDynamic; }

TEST(RandomScene, NumbersAreExactDecimals) {
  EXPECT_EQ(decimal(0), "0");
  EXPECT_EQ(decimal(-1), "-0.001");
  EXPECT_EQ(decimal(-1250), "-1.25");
  EXPECT_EQ(decimal(9810), "9.81");
  EXPECT_EQ(decimal(2000), "2");
  EXPECT_EQ(decimal_of(0.1), "0.1");
  EXPECT_EQ(decimal_of(1234567.0000005), "1234567.000001");
  EXPECT_EQ(vector_text({1, -2000, 30}), "[0.001, -2, 0.03]");
}

// The digest is that of every machine and compiler. A change of the draws changes it, and with it the fixed
// seeds of tests/property/random_scenes.
TEST(RandomScene, EqualSeedsGiveEqualTextsOnEveryMachine) {
  std::string texts;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) texts += random_scene(seed).json;
  EXPECT_EQ(hash_bytes(std::as_bytes(std::span(texts))), 0x89ddff2a6af72c69ull);
  EXPECT_EQ(random_scene(UINT64_MAX).json, random_scene(UINT64_MAX).json);
  EXPECT_NE(random_scene(1).json, random_scene(2).json);
}

TEST(RandomScene, EverySeedIsASceneOfFourToSixtyBodies) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    RandomScene const random = random_scene(seed);
    auto const scene = load_scene(random.json, random.name);
    ASSERT_TRUE(scene) << message(scene.error());
    EXPECT_TRUE(scene->title.starts_with(random.name + ": " + std::string(name_of(random.family)) + ", "))
        << scene->title;
    auto const count = std::ranges::count_if(scene->bodies, is_dynamic);
    EXPECT_TRUE(count >= 4 && count <= 60) << random.name << " has " << count;
    auto const is_inelastic = [](const SceneBody& body) {
      return std::ranges::all_of(body.shapes, [](const ShapeDef& shape) { return shape.restitution == 0; });
    };
    EXPECT_EQ(random.is_inelastic, std::ranges::all_of(scene->bodies, is_inelastic)) << random.name;
    EXPECT_TRUE(random.is_passive || !scene->ropes.empty() || random.has_soft_contacts ||
                random.drive_speed_m_s > 0 || !scene->joints.empty())
        << random.name;
  }
}

// Shares of a distribution: each kind in at least one scene in fifty, of 400.
TEST(RandomScene, EveryKindOccurs) {
  std::map<std::string, std::uint32_t> scenes;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    RandomScene const random = random_scene(seed);
    Scene const scene = parse_scene(random.json);
    std::set<std::string> kinds{"family " + std::string(name_of(random.family)),
                                "gravity " + std::to_string(scene.world.gravity_m_s2.y),
                                "substeps " + std::to_string(scene.world.substeps)};
    if (!scene.ropes.empty()) kinds.insert("rope");
    if (random.has_soft_contacts) kinds.insert("soft");
    if (!random.is_inelastic) kinds.insert("elastic");
    if (!random.is_passive) kinds.insert("driven");
    if (random.start_overlap_m > 0) kinds.insert("overlap");
    for (const SceneBody& body : scene.bodies) {
      if (body.mover) kinds.insert("mover");
      if (body.motion) kinds.insert("kinematic");
      if (body.shapes.size() > 1) kinds.insert("compound");
      if (body.def.angular_velocity_rad_s != Vec3<double>{}) kinds.insert("spin");
      for (const ShapeDef& shape : body.shapes) {
        kinds.insert("shape " + std::to_string(static_cast<int>(shape.kind)));
        if (shape.rounding_m > 0) kinds.insert("rounding");
      }
    }
    for (const std::string& kind : kinds) ++scenes[kind];
  }
  for (const char* const kind :
       {"family pit", "family slab", "family tower", "family ball", "family crowd", "rope", "soft", "elastic",
        "driven", "overlap", "mover", "kinematic", "compound", "spin", "rounding"})
    EXPECT_GE(scenes[kind], kSeeds / 50) << kind;
  for (double const gravity : {0.0, -1.6, -9.81, -25.0})
    EXPECT_GE(scenes["gravity " + std::to_string(gravity)], kSeeds / 10) << gravity;
  for (int substeps = 1; substeps <= 8; ++substeps)
    EXPECT_GE(scenes["substeps " + std::to_string(substeps)], kSeeds / 20) << substeps;
  for (int kind = static_cast<int>(ShapeKind::kSphere); kind <= static_cast<int>(ShapeKind::kHeightField);
       ++kind)
    EXPECT_GE(scenes["shape " + std::to_string(kind)], kSeeds / 50) << "shape kind " << kind;
}

TEST(RandomScene, EveryKindOfJointOccurs) {
  std::set<JointKind> kinds;
  std::uint32_t with_joints = 0, with_motors = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    Scene const scene = parse_scene(random_scene(seed).json);
    if (!scene.joints.empty()) ++with_joints;
    bool has_motor = false;
    for (const SceneJoint& joint : scene.joints) {
      kinds.insert(joint.def.kind);
      for (std::uint32_t i = 0; i < joint.def.axis_count; ++i)
        has_motor = has_motor || joint.def.axes[i].max_motor > 0;
    }
    if (has_motor) ++with_motors;
  }
  EXPECT_EQ(kinds.size(), static_cast<std::size_t>(JointKind::kGear));
  EXPECT_GE(with_joints, kSeeds / 8);
  EXPECT_GE(with_motors, kSeeds / 50);
}

// Within a scene masses are up to 1 : 100,000 and sizes up to 8 : 1. A small body's density ends at 1e6
// kg/m^3.
TEST(RandomScene, MassesSpreadOverFiveDecades) {
  double widest = 1;
  std::uint32_t wide_count = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    Scene const scene = parse_scene(random_scene(seed).json);
    Simulation const simulation = make_simulation(scene);
    std::vector<BodyId> bodies;
    simulation.world().list_bodies(bodies);
    double least = 1e9, most = 0;
    for (BodyId const body : bodies) {
      double const mass = simulation.world().mass_kg(body);
      if (mass > 0) least = std::min(least, mass), most = std::max(most, mass);
    }
    widest = std::max(widest, most / least);
    if (most / least > 1000) ++wide_count;
  }
  EXPECT_GE(widest, 3e4);
  EXPECT_LE(widest, 1.1e5);
  EXPECT_GE(wide_count, kSeeds / 4);
}

}  // namespace
}  // namespace takt::sim
