// WorldDef::max_contacts: the cut of pairs and contacts is the same on every peer, keeps the ground and the
// older bodies, and bounds the work of bodies that are all spawned at one point.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "takt/core/random.h"
#include "takt/physics/world.h"
#include "tests/fine_pool.h"

namespace takt {
namespace {

template <class Real>
void add_box(World<Real>& world, BodyType type, Vec3<double> at_m, Vec3<double> half_m) {
  ShapeDef shape;
  shape.kind = ShapeKind::kBox;
  shape.half_extents_m = half_m;
  BodyDef def;
  def.type = type;
  def.position = Position::from_metres(at_m.x, at_m.y, at_m.z);
  def.shapes = {&shape, 1};
  EXPECT_TRUE(world.create_body(def).ok());
}
template <class Real>
void add_cube(World<Real>& world, Vec3<double> at_m, double half_m = 0.5) {
  add_box(world, BodyType::kDynamic, at_m, {half_m, half_m, half_m});
}
template <class Real>
void add_slab(World<Real>& world, double x_m, double half_m) {
  add_box(world, BodyType::kStatic, {x_m, -1, 0}, {half_m, 1, half_m});
}

using BodyPair = std::pair<std::uint32_t, std::uint32_t>;

template <class Real>
std::set<BodyPair> touching_pairs(const World<Real>& world) {
  std::vector<ContactView> contacts;
  world.list_contacts(contacts);
  std::set<BodyPair> pairs;
  for (const ContactView& contact : contacts)
    pairs.emplace(std::min(contact.body_a.index, contact.body_b.index),
                  std::max(contact.body_a.index, contact.body_b.index));
  return pairs;
}

template <class Real>
class ContactLimit : public testing::Test {
 protected:
  static World<Real> make(std::uint32_t max_contacts) {
    WorldDef def;
    def.max_contacts = max_contacts;
    return *World<Real>::create(def);
  }
  /// A floor of two static slabs, and boxes of many sizes in a heap that all overlap several others.
  static World<Real> make_heap(std::uint32_t max_contacts, std::uint32_t boxes = 120) {
    World<Real> world = make(max_contacts);
    add_slab(world, -10, 20);
    add_slab(world, 10, 20);
    Random random(7);
    for (std::uint32_t i = 0; i < boxes; ++i)
      add_cube(world, {random.next_between(-3, 3), random.next_between(0.3, 2), random.next_between(-3, 3)},
               random.next_between(0.2, 0.8));
    return world;
  }
};
using Numbers = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(ContactLimit, Numbers);

TYPED_TEST(ContactLimit, CutsAlikeOverLanesWorkersAndRestoredWorlds) {
  constexpr std::uint32_t kMax = 260;
  auto const run = [&](const StepOptions& options, bool restores) {
    World<TypeParam> world = this->make_heap(kMax);
    std::vector<std::uint64_t> hashes;
    std::uint32_t cut_ticks = 0;
    for (int tick = 0; tick < 60; ++tick) {
      // A restored world has trees without a history.
      if (restores && tick % 7 == 3) world = *World<TypeParam>::restore(world.save());
      StepStatus const status = world.step(options);
      EXPECT_LE(status.contact_count, kMax);
      if (status.contacts_cut) ++cut_ticks;
      hashes.push_back(world.hash());
    }
    EXPECT_GT(cut_ticks, 5u) << "the scene must exceed its limit";
    return hashes;
  };
  auto const reference = run({.lanes = 1}, false);
  for (std::uint32_t const lanes : {4u, 8u, 16u}) EXPECT_EQ(run({.lanes = lanes}, false), reference) << lanes;
  EXPECT_EQ(run({}, true), reference) << "restored";
  for (std::uint32_t const workers : {2u, 3u}) {
    test::FinePool pool(workers);
    EXPECT_EQ(run({.pool = &pool}, false), reference) << workers << " workers";
  }
}

TYPED_TEST(ContactLimit, AnAmpleLimitChangesNoMotion) {
  World<TypeParam> free = this->make_heap(0);
  World<TypeParam> limited = this->make_heap(1u << 24u);
  for (int tick = 0; tick < 60; ++tick) {
    EXPECT_FALSE(free.step().contacts_cut);
    EXPECT_FALSE(limited.step().contacts_cut);
  }
  std::vector<BodyId> bodies;
  free.list_bodies(bodies);
  for (BodyId const body : bodies) {
    EXPECT_EQ(free.center_of_mass(body), limited.center_of_mass(body));
    EXPECT_EQ(free.linear_velocity(body), limited.linear_velocity(body));
  }
}

// The reference sorts all pairs of the world without a limit.
TYPED_TEST(ContactLimit, KeepsPairsWithStillBodiesFirstAndThenThoseOfOlderBodies) {
  World<TypeParam> all = this->make(0);
  auto const fill = [](World<TypeParam>& world) {
    add_slab(world, 0, 20);
    for (int i = 0; i < 12; ++i) add_cube(world, {0.01 * i, 0.4, 0});
  };
  fill(all);
  all.step();
  std::vector<BodyPair> expected;
  for (BodyPair const& pair : touching_pairs(all)) expected.push_back(pair);
  ASSERT_EQ(expected.size(), 12u + 66u);
  std::ranges::sort(expected, {}, [](const BodyPair& pair) {
    return std::tuple(pair.first != 0, pair.second, pair.first);
  });
  for (std::size_t const max : {1u, 5u, 12u, 13u, 30u, 77u}) {
    World<TypeParam> world = this->make(static_cast<std::uint32_t>(max));
    fill(world);
    EXPECT_TRUE(world.step().contacts_cut) << max;
    EXPECT_EQ(touching_pairs(world),
              std::set<BodyPair>(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(max)))
        << max;
  }
  World<TypeParam> world = this->make(78);
  fill(world);
  EXPECT_FALSE(world.step().contacts_cut);
  EXPECT_EQ(touching_pairs(world).size(), 78u);
}

// Bodies spawned into one another: 2,560 boxes of 10 m have 3.3 million pairs.
TYPED_TEST(ContactLimit, BoundsTheContactsOf2560BoxesAtOnePoint) {
  constexpr std::uint32_t kMax = 8192;
  World<TypeParam> world = this->make(kMax);
  add_slab(world, 0, 100);
  for (int i = 0; i < 40; ++i) add_cube(world, {-60.0 + 3 * (i % 20), i < 20 ? 0.5 : 1.5, 0});
  for (int i = 0; i < 2560; ++i) add_cube(world, {0, 20, 0}, 5);
  for (int tick = 0; tick < 3; ++tick) {
    StepStatus const status = world.step();
    EXPECT_TRUE(status.contacts_cut);
    EXPECT_LE(status.contact_count, kMax);
    EXPECT_GT(status.contact_count, kMax / 2) << "what fits is kept";
  }
  auto const pairs = touching_pairs(world);
  for (std::uint32_t older = 1; older <= 20; ++older) {
    EXPECT_TRUE(pairs.contains({0, older})) << "the ground carries the scene's body " << older;
    EXPECT_TRUE(pairs.contains({older, older + 20})) << "and that the one on it";
  }
}

// Fat bounds of slow bodies are 30 mm wider than exact ones. The list of the broad phase ends at four times
// the limit, and whether it does may not show.
TYPED_TEST(ContactLimit, CutsNothingWhereOnlyFatBoundsOverlap) {
  World<TypeParam> world = this->make(100);
  for (int i = 0; i < 216; ++i)
    add_cube(world, {0.034 * (i % 6), 5 + 0.034 * (i / 6 % 6), 0.034 * (i / 36)}, 0.005);
  for (int tick = 0; tick < 3; ++tick) {
    StepStatus const status = world.step();
    EXPECT_FALSE(status.contacts_cut);
    EXPECT_EQ(status.contact_count, 0u);
  }
}

TYPED_TEST(ContactLimit, BoundsTheContactsWithMeshesToo) {
  World<TypeParam> world = this->make(40);
  ShapeDef ground;
  ground.kind = ShapeKind::kMesh;
  constexpr std::uint32_t kSide = 20;
  std::vector<Vec3<double>> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  for (std::uint32_t z = 0; z <= kSide; ++z)
    for (std::uint32_t x = 0; x <= kSide; ++x)
      vertices.push_back({static_cast<double>(x), 0.2 * ((x + z) % 2), static_cast<double>(z)});
  for (std::uint32_t z = 0; z < kSide; ++z) {
    for (std::uint32_t x = 0; x < kSide; ++x) {
      std::uint32_t const at = z * (kSide + 1) + x;
      triangles.push_back({at, at + kSide + 1, at + 1});
      triangles.push_back({at + 1, at + kSide + 1, at + kSide + 2});
    }
  }
  MeshDef mesh;
  mesh.vertices_m = vertices;
  mesh.triangles = triangles;
  ground.mesh = &mesh;
  BodyDef def;
  def.type = BodyType::kStatic;
  def.shapes = {&ground, 1};
  EXPECT_TRUE(world.create_body(def).ok());
  for (int i = 0; i < 36; ++i) add_cube(world, {1.5 + 3.0 * (i % 6), 1.2, 1.5 + 3.0 * (i / 6)}, 1.2);
  bool has_cut = false;
  for (int tick = 0; tick < 30; ++tick) {
    StepStatus const status = world.step();
    EXPECT_LE(status.contact_count, 40u);
    has_cut = has_cut || status.contacts_cut;
  }
  EXPECT_TRUE(has_cut);
}

TYPED_TEST(ContactLimit, IsInImagesAndHashesOnlyIfItIsSet) {
  World<TypeParam> free = this->make(0);
  World<TypeParam> limited = this->make(77);
  EXPECT_NE(free.hash(), limited.hash());
  EXPECT_EQ(limited.save().size(), free.save().size() + 4);
  auto const restored = World<TypeParam>::restore(limited.save());
  ASSERT_TRUE(restored.ok());
  EXPECT_EQ(restored->def().max_contacts, 77u);
  EXPECT_EQ(restored->hash(), limited.hash());
  EXPECT_EQ(World<TypeParam>::restore(free.save())->def().max_contacts, 0u);
  free.set_max_contacts(77);
  EXPECT_EQ(free.save(), limited.save());
  WorldDef def;
  def.max_contacts = (1u << 24u) + 1;
  EXPECT_EQ(World<TypeParam>::create(def).error(), PhysicsError::kOutOfRange);
}

TYPED_TEST(ContactLimit, AnImageWhoseHeaderAndLimitDisagreeIsRefused) {
  auto image = this->make(77).save();
  ASSERT_EQ(image[11], std::byte{1});
  image[11] = std::byte{2};
  EXPECT_EQ(World<TypeParam>::restore(image).error(), PhysicsError::kBadImage);
  image[11] = std::byte{0};
  EXPECT_FALSE(World<TypeParam>::restore(image).ok());
}

// Sleepers kept all places, and a box that came beside them fell through the ground.
TYPED_TEST(ContactLimit, TheGroundCarriesWhoIsAwakeHoweverManySleep) {
  auto world = TestFixture::make(40);
  ShapeDef ground;
  ground.kind = ShapeKind::kHalfSpace;
  BodyDef def;
  def.type = BodyType::kStatic;
  def.shapes = {&ground, 1};
  ASSERT_TRUE(world.create_body(def).ok());
  for (int i = 0; i < 40; ++i) add_cube(world, {3.0 * (i / 4) - 15, 0.5 + i % 4, 0});
  for (int tick = 0; tick < 300; ++tick) (void)world.step();
  ASSERT_EQ(world.step().awake_body_count, 0u);
  add_cube(world, {0, 1, 10});
  for (int tick = 0; tick < 120; ++tick) (void)world.step();
  std::vector<BodyId> bodies;
  world.list_bodies(bodies);
  EXPECT_NEAR(world.pose(bodies.back()).position.to_metres().y, 0.5, 0.01);
}

// A kinematic platform lost all but 32 of its pairs when the limit was passed by one.
TYPED_TEST(ContactLimit, APlatformThatMovesKeepsItsPairs) {
  auto world = TestFixture::make(59);
  add_box(world, BodyType::kKinematic, {0, -0.5, 0}, {20, 0.5, 20});
  for (int i = 0; i < 60; ++i) add_cube(world, {3.0 * (i % 8) - 11, 0.5, 3.0 * (i / 8) - 11});
  for (int tick = 0; tick < 60; ++tick) (void)world.step();
  std::vector<BodyId> bodies;
  world.list_bodies(bodies);
  auto const fell = [&](BodyId body) { return world.pose(body).position.to_metres().y < -0.6; };
  EXPECT_LE(std::ranges::count_if(bodies, fell), 1);
}

}  // namespace
}  // namespace takt
