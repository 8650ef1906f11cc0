// Scratch that worlds share: no bit of theirs shows that they do.
#include <gtest/gtest.h>

#include <vector>

#include "tests/physics/joint_world.h"
#include "tests/physics/simple_world.h"

namespace takt {
namespace {

using test::at;

/// A stack with a chain beside it, of a size of its own.
template <class Real>
World<Real> small_world(std::uint32_t size) {
  auto world = test::make_world<Real>();
  test::add_ground(world);
  for (std::uint32_t i = 0; i < size; ++i) {
    ShapeDef const shapes[] = {test::box(0.5, 0.3, 0.5), test::sphere(0.4), test::capsule(0.2, 0.3)};
    test::add(world, BodyType::kDynamic, shapes[(i + size) % 3], at(0.1 * (i % 2), 0.6 + 0.9 * i, 0),
              test::about_z(0.3 * i));
  }
  BodyId before = test::add(world, BodyType::kStatic, test::sphere(0.1), at(5, 10, 0));
  for (std::uint32_t i = 0; i < size; ++i) {
    BodyId const link = test::add(world, BodyType::kDynamic, test::sphere(0.1), at(5.5 + 0.5 * i, 10, 0));
    (void)world
        .create_joint(
            point_joint(before, link, {{i == 0 ? 0.0 : 0.25, 0, 0}, {}}, {{i == 0 ? -0.5 : -0.25, 0, 0}, {}}))
        .value();
    before = link;
  }
  return world;
}

template <class Real>
struct Pair {
  World<Real> sharing;
  World<Real> scalar;
};
template <class Real>
std::vector<Pair<Real>> pairs() {
  std::vector<Pair<Real>> made;
  for (std::uint32_t const size : {2u, 11u, 5u})
    made.push_back({small_world<Real>(size), small_world<Real>(size)});
  return made;
}

template <class Real>
void expect_equal_steps(std::vector<Pair<Real>>& worlds, StepScratch& scratch, std::uint32_t tick) {
  for (std::size_t i = 0; i < worlds.size(); ++i) {
    Pair<Real>& pair = worlds[i];
    // The scratch may change at every step, as lanes may.
    std::uint32_t const lanes = tick % 5 == 0 ? 4 : 0;
    StepStatus const status =
        pair.sharing.step({.lanes = lanes, .scratch = tick % 7 == 6 ? nullptr : &scratch});
    StepStatus const expected = pair.scalar.step();
    ASSERT_EQ(pair.sharing.hash(), pair.scalar.hash()) << "world " << i << " tick " << tick;
    EXPECT_EQ(status.contact_count, expected.contact_count);
    EXPECT_EQ(status.island_count, expected.island_count);
    EXPECT_EQ(pair.sharing.events().contact_begin, pair.scalar.events().contact_begin);
    EXPECT_EQ(pair.sharing.events().contact_end, pair.scalar.events().contact_end);
  }
}

TEST(StepScratchTest, WorldsThatShareItStepAsTheyWouldAlone) {
  StepScratch scratch;
  auto floats = pairs<float>();
  auto fixeds = pairs<Fixed>();
  for (std::uint32_t tick = 0; tick < 150; ++tick) {
    ASSERT_NO_FATAL_FAILURE(expect_equal_steps(floats, scratch, tick));
    ASSERT_NO_FATAL_FAILURE(expect_equal_steps(fixeds, scratch, tick));
  }
}

// Calls, queries and rollbacks between steps find what they need in the world itself.
TEST(StepScratchTest, QueriesAndRollbacksBetweenStepsDoNotNeedIt) {
  StepScratch scratch;
  auto worlds = pairs<float>();
  std::vector<WorldSnapshot<float>> snapshots(worlds.size());
  for (std::uint32_t tick = 0; tick < 120; ++tick) {
    ASSERT_NO_FATAL_FAILURE(expect_equal_steps(worlds, scratch, tick));
    for (std::size_t i = 0; i < worlds.size(); ++i) {
      Query ray;
      ray.position = at(0, 20, 0);
      ray.translation_m = {0, -30, 0};
      std::vector<QueryHit> sharing;
      std::vector<QueryHit> scalar;
      ASSERT_EQ(worlds[i].sharing.query(ray, sharing).value(), worlds[i].scalar.query(ray, scalar).value());
      ASSERT_EQ(sharing.size(), 1u);
      EXPECT_EQ(sharing[0].shape, scalar[0].shape);
      EXPECT_EQ(sharing[0].fraction, scalar[0].fraction);
      if (tick % 20 == 3) worlds[i].sharing.capture(snapshots[i]);
      if (tick % 20 != 9) continue;
      worlds[i].sharing.rollback(snapshots[i]);
      for (int again = 0; again < 6; ++again) (void)worlds[i].sharing.step({.scratch = &scratch});
      ASSERT_EQ(worlds[i].sharing.hash(), worlds[i].scalar.hash());
    }
  }
}

// Between such steps contacts rest packed: whoever asks for them first finds them, and taking the ground away
// stirs what lies on it.
TEST(StepScratchTest, WhoeverAsksForContactsBetweenStepsFindsThem) {
  StepScratch scratch;
  auto worlds = pairs<float>();
  std::vector<BodyId> bodies;
  std::uint32_t contacts = 0;
  for (std::uint32_t tick = 0; tick < 400; ++tick) {
    for (auto& [sharing, scalar] : worlds) {
      (void)sharing.step({.scratch = &scratch});
      (void)scalar.step();
      std::vector<ContactView> left;
      std::vector<ContactView> right;
      WorldSnapshot<float> snapshot;
      switch (tick % 8) {
        case 0:
          sharing.list_contacts(left);
          scalar.list_contacts(right);
          ASSERT_EQ(left.size(), right.size());
          contacts += static_cast<std::uint32_t>(left.size());
          break;
        case 1: ASSERT_EQ(sharing.size_bytes(), scalar.size_bytes()); break;
        case 2: ASSERT_EQ(sharing.save(), scalar.save()); break;
        case 3: ASSERT_TRUE(World<float>::diff(sharing, scalar, 4).empty()); break;
        case 4:
          sharing.capture(snapshot);
          scalar.rollback(snapshot);
          break;
        case 5:
          scalar.capture(snapshot);
          sharing.rollback(snapshot);
          break;
        case 6: ASSERT_EQ(sharing.hash(), scalar.hash()); break;
        default: break;  // two steps without a look
      }
      if (tick != 391) continue;
      sharing.list_bodies(bodies);
      ASSERT_TRUE(sharing.destroy_body(bodies[0]).ok());
      ASSERT_TRUE(scalar.destroy_body(bodies[0]).ok());
      ASSERT_EQ(sharing.hash(), scalar.hash());
    }
  }
  EXPECT_GT(contacts, 100u);
}

}  // namespace
}  // namespace takt
