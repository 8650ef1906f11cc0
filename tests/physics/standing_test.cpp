// Scenes of examples/scenes that must stand, and what must be equal while they do: lanes, events, memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "takt/sim/simulation.h"
#include "tests/physics/allocation_count.h"
#include "tests/physics/simple_world.h"
#include "tests/physics/surfaces.h"
#include "tests/sanitizers.h"
#include "tests/scene_file.h"

namespace takt {
namespace {

/// A scene at tick 0 as a world of its own, without the simulation around it.
template <class Real>
World<Real> load_world(std::string_view name) {
  auto const simulation = sim::Simulation::create(scene_files::load(name), kNumbersMode<Real>).value();
  return World<Real>::restore(simulation.world().template get<Real>()->save()).value();
}

template <class Real>
BodyId highest(const World<Real>& world) {
  std::vector<BodyId> bodies;
  world.list_bodies(bodies);
  return *std::max_element(bodies.begin(), bodies.end(), [&](BodyId a, BodyId b) {
    return world.center_of_mass(a).y_raw < world.center_of_mass(b).y_raw;
  });
}

/// The scene for `seconds`; how far its highest body is from where it was after ten seconds, the most of any
/// tick, m.
template <class Real>
double drift_of_top(std::string_view name, int seconds) {
  World<Real> world = load_world<Real>(name);
  BodyId const top = highest(world);
  Position const start = world.center_of_mass(top);
  test::run(world, 600);
  Position const settled = world.center_of_mass(top);
  // Ten seconds of settling may cost each storey its slop, no more: a wall that falls and then lies still
  // does not pass.
  EXPECT_LT(length(test::displacement(start, settled)), 0.005 * test::metres(start).y + 0.01);
  double max = 0;
  for (int i = 600; i < 60 * seconds; ++i) {
    (void)world.step();
    max = std::max(max, length(test::displacement(settled, world.center_of_mass(top))));
  }
  EXPECT_EQ(world.fixed_overflow_total(), 0u);
  return max;
}

template <class Real>
class StandingTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(StandingTest, Reals);

// Boxes are 1 m: a drift of 1 % is 10 mm.
TYPED_TEST(StandingTest, AStackOfTenStandsForAMinute) {
  EXPECT_LT(drift_of_top<TypeParam>("stack", 60), 0.01);
}

TYPED_TEST(StandingTest, APyramidOfBaseTwentyStandsForAMinute) {
  EXPECT_LT(drift_of_top<TypeParam>("pyramid", test::kIsSanitized ? 15 : 60), 0.01);
}

// One box thick, so it can fall out of its plane. Sank 0.096 m when written; a fall is metres.
TEST(PyramidTest, OfBaseFiftyStandsForTwentySeconds) {
  auto world = test::make_world<float>();
  test::add_ground(world);
  BodyId top;
  for (int row = 0; row < 50; ++row) {
    for (int i = 0; i < 50 - row; ++i)
      top = test::add(world, BodyType::kDynamic, test::box(0.5, 0.5, 0.5),
                      test::at(i - (49 - row) * 0.5, 0.5 + row, 0));
  }
  Position const start = world.center_of_mass(top);
  test::run(world, test::kIsSanitized ? 300 : 1200);
  EXPECT_LT(length(test::displacement(start, world.center_of_mass(top))), 0.12);
}

// A body of two touching half boxes is one box: it falls, lands and rests as the whole one does, within the
// rounding of its composed inertia.
TYPED_TEST(StandingTest, ACompoundOfHalvesRestsLikeTheWhole) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  ShapeDef halves[2] = {test::box(0.25, 0.5, 0.5), test::box(0.25, 0.5, 0.5)};
  halves[0].local_position_m = {-0.25, 0, 0};
  halves[1].local_position_m = {0.25, 0, 0};
  BodyId const compound = test::add(world, test::body(BodyType::kDynamic, halves, test::at(0, 1, 0)));
  BodyId const unpacked = test::add(world, BodyType::kDynamic, test::box(0.5, 0.5, 0.5), test::at(5, 1, 0));
  EXPECT_DOUBLE_EQ(world.mass_kg(compound), world.mass_kg(unpacked));
  test::run(world, 300);
  Vec3<double> const a = test::metres(world.center_of_mass(compound));
  Vec3<double> const b = test::metres(world.center_of_mass(unpacked));
  EXPECT_NEAR(a.y, b.y, 5e-4) << "two manifolds are softer than one by less than a tenth of the slop";
  EXPECT_NEAR(a.x, 0, 1e-3);
  EXPECT_NEAR(a.z, 0, 1e-3);
}

// A hammer on its side: the centre of mass is in the head, so it rests on the head and the handle's end.
TYPED_TEST(StandingTest, AHammerRestsOnHeadAndHandle) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  ShapeDef parts[2] = {test::box(0.2, 0.2, 0.4), test::box(0.8, 0.05, 0.05)};
  parts[1].local_position_m = {1.0, 0, 0};
  BodyId const hammer = test::add(world, test::body(BodyType::kDynamic, parts, test::at(0, 0.5, 0)));
  test::run(world, 600);
  EXPECT_LT(to_double(length(world.linear_velocity(hammer))), 0.01);
  EXPECT_LT(to_double(length(world.angular_velocity(hammer))), 0.01);
  // Lying on the head's edge and the handle's end face: the handle slopes down from its place in the head by
  // asin(0.15 / 1.8) about.
  EXPECT_LT(test::metres(world.pose(hammer).position).y, 0.21);
  EXPECT_GT(test::metres(world.pose(hammer).position).y, 0.15);
}

// The width of the lanes, and dropping everything derived, never changes a bit. Overlaps the determinism
// label on purpose: this one runs in a second.
TEST(LanesTest, EveryWidthGivesTheSameHashAtEveryTick) {
  for (std::string_view const name : {"pile", "pyramid"}) {
    std::vector<World<float>> worlds;
    for (int i = 0; i < 5; ++i) worlds.push_back(load_world<float>(name));
    std::uint32_t const widths[5] = {1, 4, 8, 16, 0};
    for (int tick = 1; tick <= 240; ++tick) {
      for (std::size_t i = 0; i < worlds.size(); ++i) {
        if (i == 4) worlds[i].drop_derived_state();
        (void)worlds[i].step({widths[i]});
      }
      for (std::size_t i = 1; i < worlds.size(); ++i) {
        ASSERT_EQ(worlds[i].hash(), worlds[0].hash()) << name << " tick " << tick << " lanes " << widths[i];
      }
    }
  }
}

// Touches begin before they end, end once, and lie sorted in their lists.
TYPED_TEST(StandingTest, ContactEventsComeSortedAndInPairs) {
  World<TypeParam> world = load_world<TypeParam>("pile");
  auto const key = [](const ContactEvent& e) { return std::pair(e.shape_a.to_u64(), e.shape_b.to_u64()); };
  auto const by_index = [](const ContactEvent& a, const ContactEvent& b) {
    return std::pair(a.shape_a.index, a.shape_b.index) < std::pair(b.shape_a.index, b.shape_b.index);
  };
  std::set<std::pair<std::uint64_t, std::uint64_t>> touching;
  std::size_t begun = 0;
  std::size_t ended = 0;
  for (int tick = 0; tick < 240; ++tick) {
    if (tick % 40 == 39) {
      std::vector<BodyId> bodies;
      world.list_bodies(bodies);
      ASSERT_TRUE(world.destroy_body(bodies.back()).ok());
    }
    (void)world.step();
    const StepEvents& events = world.events();
    ASSERT_TRUE(std::is_sorted(events.contact_begin.begin(), events.contact_begin.end(), by_index));
    ASSERT_TRUE(std::is_sorted(events.contact_end.begin(), events.contact_end.end(), by_index));
    for (const ContactEvent& event : events.contact_end) {
      ASSERT_EQ(touching.erase(key(event)), 1u) << "ended without a beginning, tick " << tick;
      ++ended;
    }
    for (const ContactEvent& event : events.contact_begin) {
      ASSERT_LT(event.shape_a.index, event.shape_b.index);
      ASSERT_TRUE(touching.insert(key(event)).second) << "began twice, tick " << tick;
      ++begun;
    }
  }
  EXPECT_GT(begun, 300u);
  EXPECT_GT(ended, 50u);
}

// A steady scene steps without the heap, and so does taking and restoring a snapshot of it.
TYPED_TEST(StandingTest, ASteadyTickAllocatesNothing) {
  World<TypeParam> world = load_world<TypeParam>("stack");
  BodyId const top = highest(world);
  ASSERT_TRUE(world.create_grab(top, {}, world.center_of_mass(top), 100).ok());
  test::run(world, 120);
  WorldSnapshot<TypeParam> snapshot;
  world.capture(snapshot);
  world.rollback(snapshot);
  test::run(world, 8);
  (void)world.hash();
  std::uint64_t const before = test::allocation_count();
  test::run(world, 60);
  EXPECT_EQ(test::allocation_count(), before) << "stepping";
  world.capture(snapshot);
  test::run(world, 8);
  world.rollback(snapshot);
  test::run(world, 8);
  EXPECT_EQ(test::allocation_count(), before) << "rolling back";
  (void)world.hash();
  EXPECT_EQ(test::allocation_count(), before) << "hashing";
}

// Nor do worlds of different sizes that take turns in one scratch.
TYPED_TEST(StandingTest, SteadyTicksInSharedScratchAllocateNothing) {
  StepScratch scratch;
  std::vector<World<TypeParam>> worlds;
  for (const char* const name : {"stack", "pyramid", "stack"}) worlds.push_back(load_world<TypeParam>(name));
  auto const run_in_turn = [&](int ticks) {
    for (int tick = 0; tick < ticks; ++tick) {
      for (World<TypeParam>& world : worlds) (void)world.step({.scratch = &scratch});
    }
  };
  run_in_turn(60);
  std::uint64_t const before = test::allocation_count();
  run_in_turn(20);
  EXPECT_EQ(test::allocation_count(), before);
}

// Every convex kind on a bumpy mesh and a bumpy height field, at rest and in motion: the scratch of surfaces
// grows to what a scene needs and no further.
TYPED_TEST(StandingTest, ASteadyTickOnSurfacesAllocatesNothing) {
  auto const bumps = [](double x, double z) { return 0.1 * std::sin(1.7 * x) * std::cos(1.3 * z); };
  WorldDef settings;
  settings.allow_sleep = false;
  auto world = test::make_world<TypeParam>(settings);
  test::MeshSource const source = test::grid_mesh(30, 30, 0.3, -10, -4.5, bumps);
  MeshDef const mesh = source.def();
  (void)test::add(world, BodyType::kStatic, test::mesh_shape(mesh), {});
  std::vector<double> heights;
  for (int r = 0; r < 31; ++r) {
    for (int c = 0; c < 31; ++c) heights.push_back(bumps(c * 0.3, r * 0.3 - 4.5));
  }
  HeightFieldDef const field{31, 31, 0.3, 0.3, heights};
  ShapeDef ground = test::height_field_shape(field);
  ground.local_position_m = {0, 0, -4.5};
  (void)test::add(world, BodyType::kStatic, ground, {});
  std::vector<Vec3<double>> const wedge = {
      {-0.3, -0.1, -0.2}, {0.3, -0.1, -0.2}, {-0.3, -0.1, 0.2}, {0.3, -0.1, 0.2}, {0, 0.2, 0}};
  ShapeDef const kinds[] = {test::sphere(0.3),        test::capsule(0.2, 0.2), test::box(0.3, 0.2, 0.3),
                            test::cylinder(0.3, 0.2), test::cone(0.3, 0.3),    test::hull(wedge)};
  for (double const x : {-7.0, 3.0}) {
    for (int i = 0; i < 12; ++i) {
      ShapeDef shape = kinds[i % 6];
      shape.rolling_resistance = 0.1;
      (void)test::add(world, BodyType::kDynamic, shape, test::at(x + i % 4, 0.6, i / 4 - 1.0));
    }
  }
  test::run(world, 300);
  (void)world.hash();
  std::uint64_t const before = test::allocation_count();
  std::uint32_t contacts = 0;
  for (int tick = 0; tick < 120; ++tick) contacts = std::max(contacts, world.step().contact_count);
  EXPECT_EQ(test::allocation_count(), before);
  EXPECT_GE(contacts, 20u) << "they lie on the ground";
}

TEST(AllocationCountTest, SeesAnAllocation) {
  std::uint64_t const before = test::allocation_count();
  auto const made = std::make_unique<int>(1);
  EXPECT_GT(test::allocation_count(), before) << *made;
}

}  // namespace
}  // namespace takt
