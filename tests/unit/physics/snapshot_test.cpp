// Snapshots in memory: bit for bit what was captured, whatever steps and calls came between; which worlds
// they fit; what they hold and what they share. And packed contacts.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <type_traits>
#include <vector>

#include "physics/state/packed_bodies.h"
#include "physics/state/packed_contacts.h"
#include "physics/state/state_visitor.h"
#include "tests/physics/simple_world.h"

namespace takt {
namespace {

using test::at;

template <class Real>
class SnapshotTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(SnapshotTest, Reals);

/// Boxes, balls and capsules that fall onto one another: contacts of one to four points that come and go.
template <class Real>
World<Real> heap(std::uint32_t count, const WorldDef& def = {}) {
  auto world = test::make_world<Real>(def);
  test::add_ground(world);
  for (std::uint32_t i = 0; i < count; ++i) {
    ShapeDef const shapes[] = {test::box(0.4, 0.3, 0.5), test::sphere(0.4), test::capsule(0.2, 0.3)};
    test::add(world, BodyType::kDynamic, shapes[i % 3], at(0.3 * (i % 4), 0.6 + 0.7 * i, 0.2 * (i % 3)),
              test::about_z(0.4 * i));
  }
  return world;
}

TYPED_TEST(SnapshotTest, EveryTickComesBackInAnyOrder) {
  auto world = heap<TypeParam>(12);
  constexpr std::size_t kTicks = 90;
  std::vector<WorldSnapshot<TypeParam>> snapshots(kTicks);
  std::vector<std::uint64_t> hashes;
  for (auto& snapshot : snapshots) {
    world.capture(snapshot);
    hashes.push_back(world.hash());
    (void)world.step();
  }
  for (std::size_t i = 0; i < kTicks; ++i) {
    std::size_t const tick = i * 37 % kTicks;
    world.rollback(snapshots[tick]);
    EXPECT_EQ(snapshots[tick].tick(), tick);
    ASSERT_EQ(world.hash(), hashes[tick]) << "tick " << tick;
    (void)world.step();
    if (tick + 1 < kTicks) {
      ASSERT_EQ(world.hash(), hashes[tick + 1]) << "after tick " << tick;
    }
  }
}

// Shapes are shared with the world: calls that change them must not show in older snapshots, and rolling back
// must undo them.
TYPED_TEST(SnapshotTest, CallsThatChangeShapesLeaveOlderSnapshotsAlone) {
  auto world = heap<TypeParam>(6);
  test::run(world, 40);
  std::vector<BodyId> bodies;
  world.list_bodies(bodies);
  ShapeId const shape = world.shapes(bodies[2]).front();
  std::array<Vec3<double>, 4> const corners{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  using Call =
      void (*)(World<TypeParam>&, const std::vector<BodyId>&, ShapeId, std::span<const Vec3<double>>);
  Call const calls[] = {
      [](auto& w, const auto&, ShapeId s, auto) {
        EXPECT_TRUE(w.set_filter(s, ShapeFilter{.mask = 2}).ok());
      },
      [](auto& w, const auto&, ShapeId s, auto) {
        EXPECT_TRUE(w.set_surface_velocity(s, {1, 0, 0}).ok());
      },
      [](auto& w, const auto&, ShapeId, auto c) {
        (void)test::add(w, BodyType::kDynamic, test::hull(c), at(3, 3, 3));
      },
      [](auto& w, const auto& b, ShapeId, auto) { EXPECT_TRUE(w.destroy_body(b[4]).ok()); },
  };
  std::vector<WorldSnapshot<TypeParam>> snapshots;
  std::vector<std::uint64_t> hashes;
  auto const note = [&] {
    world.capture(snapshots.emplace_back());
    hashes.push_back(world.hash());
  };
  note();
  for (Call const call : calls) {
    call(world, bodies, shape, corners);
    note();
    test::run(world, 3);
    note();
  }
  for (std::size_t const i : {0u, 7u, 2u, 8u, 1u, 5u, 0u, 6u, 3u, 4u}) {
    world.rollback(snapshots[i]);
    EXPECT_EQ(world.hash(), hashes[i]) << "snapshot " << i;
    WorldSnapshot<TypeParam> again;
    world.capture(again);
    test::run(world, 2);
    world.rollback(again);
    EXPECT_EQ(world.hash(), hashes[i]) << "snapshot of snapshot " << i;
  }
}

TYPED_TEST(SnapshotTest, AnotherWorldOfTheSameDefinitionTakesIt) {
  auto world = heap<TypeParam>(6);
  test::run(world, 50);
  WorldSnapshot<TypeParam> snapshot;
  world.capture(snapshot);
  auto other = heap<TypeParam>(3);
  ASSERT_TRUE(other.fits(snapshot));
  other.rollback(snapshot);
  EXPECT_EQ(other.hash(), world.hash());
  test::run(other, 20);
  test::run(world, 20);
  EXPECT_EQ(other.hash(), world.hash());
}

TYPED_TEST(SnapshotTest, WhatDoesNotFitIsRefused) {
  WorldDef smaller;
  smaller.max_bodies = 100;
  WorldDef lighter;
  lighter.gravity_m_s2.y = -1.6;
  auto world = heap<TypeParam>(3);
  WorldSnapshot<TypeParam> snapshot;
  EXPECT_FALSE(world.fits(snapshot)) << "an empty one";
  for (const WorldDef& def : {smaller, lighter}) {
    auto const other = heap<TypeParam>(3, def);
    other.capture(snapshot);
    EXPECT_FALSE(world.fits(snapshot));
    EXPECT_TRUE(other.fits(snapshot));
  }
  EXPECT_DEATH(world.rollback(snapshot), "assertion failed: fits");
}

// 27 bodies fall apart: no contacts. Then a snapshot is bodies alone, and its size says so.
TYPED_TEST(SnapshotTest, HoldsNoShapes) {
  WorldDef def;
  def.gravity_m_s2 = {};
  auto world = test::make_world<TypeParam>(def);
  ShapeDef const many[] = {test::sphere(0.1), test::sphere(0.2), test::sphere(0.3), test::sphere(0.4)};
  WorldSnapshot<TypeParam> snapshot;
  world.capture(snapshot);
  std::size_t const empty = snapshot.size_bytes();
  for (int i = 0; i < 27; ++i)
    test::add(world, test::body(BodyType::kDynamic, std::span(many).first(1 + i % 4), at(5 * i, 0, 0)));
  world.capture(snapshot);
  // Where it is, how it moves, how long it has been still and three flags.
  EXPECT_EQ(snapshot.size_bytes() - empty,
            27 * (sizeof(Position) + sizeof(Quat<TypeParam>) + 2 * sizeof(Vec3<TypeParam>) + 8));
}

template <class Real>
Real test_number(double value) {
  if constexpr (std::is_same_v<Real, float>) {
    return static_cast<float>(value);
  } else {
    return Real(value);
  }
}

/// Returns true if all canonical fields are equal: visited, so that none is forgotten.
class FieldBits {
 public:
  template <class T>
  void value(const char*, T& field) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &field, sizeof field);
    bits_.push_back(bits);
  }
  template <class Visit>
  void group(const char*, Visit visit) {
    visit();
  }
  [[nodiscard]] const std::vector<std::uint64_t>& bits() const { return bits_; }

 private:
  std::vector<std::uint64_t> bits_;
};
template <class Real>
bool equal_fields(const ContactRecord<Real>& a, const ContactRecord<Real>& b) {
  FieldBits left;
  FieldBits right;
  detail::visit_contact(left, a);
  detail::visit_contact(right, b);
  return left.bits() == right.bits();
}
template <class Real>
bool equal_fields(const BodyRecord<Real>& a, const BodyRecord<Real>& b) {
  FieldBits left;
  FieldBits right;
  detail::visit_body(left, a);
  detail::visit_body(right, b);
  return left.bits() == right.bits();
}

/// Gives every field another value, so that none is forgotten.
class FillFields {
 public:
  explicit FillFields(std::uint64_t seed) : next_(seed) {}
  template <class T>
  void value(const char*, T& field) {
    field = static_cast<T>(++next_);
  }
  template <class Visit>
  void group(const char*, Visit visit) {
    visit();
  }

 private:
  std::uint64_t next_;
};

template <class Real>
ContactRecord<Real> filled(std::uint32_t points, std::uint64_t seed) {
  ContactRecord<Real> record;
  FillFields fill(seed * 1000);
  detail::visit_contact(fill, record);
  record.point_count = points;
  record.touching = true;
  for (std::uint32_t i = points; i < 4; ++i) {
    record.features[i] = 0;
    record.normal_impulses[i] = Real(0);
    record.geometry.positions[i] = {};
    record.geometry.separations[i] = Real(0);
  }
  return record;
}

/// A record whose parts have their default value where `parts` has a bit.
template <class Real>
ContactRecord<Real> with_usual_parts(ContactRecord<Real> record, std::uint32_t parts) {
  auto const usual = [parts](std::uint32_t part) { return (parts >> part & 1u) != 0; };
  if (usual(0)) record.child = 0;
  if (usual(0)) record.generation_a = record.generation_b = 1;
  if (usual(1)) record.features = {};
  if (usual(2)) record.normal_impulses = {};
  if (usual(3)) record.friction_impulse = {};
  if (usual(4)) record.twist_impulse = {};
  if (usual(5)) record.rolling_impulse = {};
  if (usual(6)) record.anchor_offset = {};
  if (usual(7)) record.twist_offset = {};
  if (usual(8)) record.geometry.rotation_a = {};
  if (usual(9)) record.touching = false;
  return record;
}

/// Changes the field that is visited as number `target`.
class ChangeField {
 public:
  explicit ChangeField(std::size_t target) : target_(target) {}
  template <class T>
  void value(const char*, T& field) {
    if (count_++ == target_) field = static_cast<T>(field == T{} ? 1 : 0);
  }
  template <class Visit>
  void group(const char*, Visit visit) {
    visit();
  }
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  std::size_t target_;
  std::size_t count_ = 0;
};

TYPED_TEST(SnapshotTest, PackedBodiesComeBackBitForBitWhateverFieldChanges) {
  typename PackedBodies<TypeParam>::Pool pool;
  for (std::uint64_t i = 0; i < 3; ++i) {
    BodyRecord<TypeParam> record;
    FillFields fill(1000 * i);
    detail::visit_body(fill, record);
    (void)pool.insert(record);
  }
  ChangeField counter(~std::size_t{0});
  detail::visit_body(counter, pool[1]);
  ASSERT_GT(counter.count(), 40u);
  typename PackedBodies<TypeParam>::Setups setups;
  PackedBodies<TypeParam> before;
  before.pack(pool, setups);
  for (std::size_t i = 0; i < counter.count(); ++i) {
    auto changed = pool;
    ChangeField change(i);
    detail::visit_body(change, changed[1]);
    ASSERT_FALSE(equal_fields(changed[1], pool[1])) << i;
    PackedBodies<TypeParam> after;
    after.pack(changed, setups);
    for (auto const& [packed, was] : {std::pair{&before, &pool}, std::pair{&after, &changed}}) {
      typename PackedBodies<TypeParam>::Pool back;
      packed->unpack(back);
      ASSERT_EQ(back.capacity(), 3u);
      for (std::uint32_t body = 0; body < 3; ++body)
        ASSERT_TRUE(equal_fields(back[body], (*was)[body])) << "field " << i << ", body " << body;
    }
  }
}

TYPED_TEST(SnapshotTest, PackedBodiesKnowTheirPlaces) {
  typename PackedBodies<TypeParam>::Pool pool;
  typename PackedBodies<TypeParam>::Setups setups;
  for (int i = 0; i < 4; ++i) (void)pool.insert({});
  std::vector<PackedBodies<TypeParam>> packed(3);
  std::vector<typename PackedBodies<TypeParam>::Pool> pools;
  for (std::uint32_t i = 0; i < 3; ++i) {
    packed[i].pack(pool, setups);
    pools.push_back(pool);
    pool.erase(2 - i);
  }
  for (std::size_t const i : {2u, 0u, 1u}) {
    packed[i].unpack(pool);
    EXPECT_EQ(pool.free_head, pools[i].free_head);
    EXPECT_EQ(pool.alive_count, pools[i].alive_count);
    for (std::uint32_t index = 0; index < 4; ++index) EXPECT_EQ(pool.alive(index), pools[i].alive(index));
    EXPECT_TRUE(pool.consistent());
  }
}

TYPED_TEST(SnapshotTest, PackedContactsComeBackBitForBit) {
  std::vector<ContactRecord<TypeParam>> contacts;
  for (std::uint32_t i = 0; i < 50; ++i) contacts.push_back(filled<TypeParam>(1 + i * 7 % 4, i + 1));
  PackedContacts<TypeParam> packed;
  std::vector<ContactRecord<TypeParam>> back(80, filled<TypeParam>(4, 999));  // nothing of these may be left
  for (std::size_t const count : {50u, 0u, 3u}) {
    auto const some = std::span(contacts).first(count);
    packed.pack(some);
    packed.unpack(back);
    ASSERT_EQ(back.size(), count);
    for (std::size_t i = 0; i < count; ++i) EXPECT_TRUE(equal_fields(back[i], some[i])) << i;
    EXPECT_LE(packed.size_bytes(), count * sizeof(ContactRecord<TypeParam>));
  }
}

TYPED_TEST(SnapshotTest, PartsThatAreAsInMostContactsTakeNoBytesAndComeBack) {
  std::vector<ContactRecord<TypeParam>> contacts;
  for (std::uint32_t parts = 0; parts < 1024; ++parts)
    contacts.push_back(with_usual_parts(filled<TypeParam>(1 + parts % 4, parts + 1), parts));
  contacts.front().anchor_offset.y = TypeParam(-1) * TypeParam(0);  // a negative zero in float
  PackedContacts<TypeParam> packed;
  packed.pack(contacts);
  std::vector<ContactRecord<TypeParam>> back;
  packed.unpack(back);
  ASSERT_EQ(back.size(), contacts.size());
  for (std::size_t i = 0; i < back.size(); ++i) ASSERT_TRUE(equal_fields(back[i], contacts[i])) << i;
  packed.pack(std::span(contacts).first(1));
  std::size_t const unpacked = packed.size_bytes();
  contacts.front() = with_usual_parts(contacts.front(), 1023);
  packed.pack(std::span(contacts).first(1));
  // A contact of one point packs without: child and generations, a feature, an impulse, three vectors, two
  // numbers and a rotation.
  EXPECT_EQ(packed.size_bytes() + 16 + sizeof(TypeParam) * 16, unpacked);
}

TYPED_TEST(SnapshotTest, PlacesPastThePointsMustBeZero) {
  ContactRecord<TypeParam> record = filled<TypeParam>(2, 5);
  EXPECT_TRUE(unused_points_are_zero(record));
  record.geometry.separations[3] = test_number<TypeParam>(0.5);
  EXPECT_FALSE(unused_points_are_zero(record));
  record = filled<TypeParam>(2, 5);
  record.features[2] = 1;
  EXPECT_FALSE(unused_points_are_zero(record));
  EXPECT_TRUE(unused_points_are_zero(filled<TypeParam>(4, 5)));
}

}  // namespace
}  // namespace takt
