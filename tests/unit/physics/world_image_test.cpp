// The canonical state from every side: each field reaches hash, image and diff; damaged bytes are refused;
// bytes that lie are refused by name.
#include "physics/state/world_image.h"

#include <gtest/gtest.h>

#include "physics/state/state_visitor.h"
#include "takt/core/bytes.h"
#include "takt/core/hash.h"
#include "takt/core/random.h"
#include "tests/physics/simple_world.h"

namespace takt {
namespace {

using test::at;

/// A world with something in every pool: contacts that push, bodies in a sensor, a grab, a target, holes in
/// the free lists, random drawn.
template <class Real>
World<Real> busy_world() {
  WorldDef def;
  def.seed = 77;
  auto world = test::make_world<Real>(def);
  test::add_ground(world);
  BodyId const doomed = test::add(world, BodyType::kDynamic, test::sphere(0.5), at(5, 0.5, 0));
  test::add(world, BodyType::kDynamic, test::box(0.5, 0.5, 0.5), at(0, 0.49, 0));
  BodyId const held =
      test::add(world, BodyType::kDynamic, test::box(0.5, 0.4, 0.3), at(0.1, 1.38, 0), test::about_y(0.5));
  BodyId const too = test::add(world, BodyType::kDynamic, test::capsule(0.3, 0.4), at(-4, 0.6, 0));
  BodyId const lift = test::add(world, BodyType::kKinematic, test::box(1, 1, 1), at(20, 1, 0));
  ShapeDef zone = test::sphere(2);
  zone.is_sensor = true;
  test::add(world, BodyType::kStatic, zone, at(0, 1, 0));
  GrabId const dropped = world.create_grab(too, {}, at(-4, 1, 0), 50).value();
  EXPECT_TRUE(world.create_grab(held, {0.1, 0, 0}, at(0, 2, 0), 100).ok());
  test::run(world, 3);
  EXPECT_TRUE(world.destroy_grab(dropped).ok());
  EXPECT_TRUE(world.destroy_body(doomed).ok());
  test::run(world, 5);
  EXPECT_TRUE(world.apply_force(held, {1, 2, 3}, {4, 5, 6}).ok());
  EXPECT_TRUE(world.set_target(lift, at(20, 1.1, 0), test::about_y(0.1)).ok());
  (void)world.random();
  return world;
}

template <class Real>
WorldState<Real> state_of(const World<Real>& world) {
  return std::move(load_image<Real>(world.save())).value();
}

/// Changes the n-th value of the visit in its lowest bit and remembers its path.
class ChangeVisitor {
 public:
  explicit ChangeVisitor(std::size_t target) : target_(target) {}
  template <class T>
  void value(const char* name, T& field) {
    if (count_++ != target_) return;
    changed_path = path_ + name;
    if constexpr (std::is_same_v<T, bool>) {
      field = !field;
    } else {
      std::byte bytes[sizeof(T)];
      store_little_endian(bytes, field);
      bytes[0] ^= std::byte{1};
      field = load_little_endian<T>(bytes);
    }
  }
  template <class F>
  void group(const char* name, F fields) {
    std::size_t const size = path_.size();
    path_ += std::string(name) + '.';
    fields();
    path_.resize(size);
  }
  template <class List, class F>
  void list(const char* name, List& elements, F visit) {
    std::size_t const size = path_.size();
    for (std::size_t i = 0; i < elements.size(); ++i) {
      path_ += std::string(name) + '[' + std::to_string(i) + "].";
      visit(elements[i]);
      path_.resize(size);
    }
  }
  template <class List, class F>
  void varied_list(const char* name, List& elements, F visit) {
    list(name, elements, visit);
  }
  [[nodiscard]] std::size_t count() const { return count_; }
  std::string changed_path;

 private:
  std::size_t target_;
  std::size_t count_ = 0;
  std::string path_;
};

/// Without the number that diff adds to a name that a record has several times: "contact[0].feature[2]".
std::string without_repeat_number(const std::string& path) {
  std::size_t const record_end = path.find("].") == std::string::npos ? 0 : path.find("].") + 2;
  std::size_t const open = path.find('[', record_end);
  if (open == std::string::npos) return path;
  return path.substr(0, open) + path.substr(path.find(']', open) + 1);
}

template <class Real>
std::uint64_t hash_of(const WorldState<Real>& state) {
  std::vector<std::byte> bytes;
  encode_state(state, bytes);
  return hash_bytes(bytes);
}

/// An image with a right checksum, whatever the payload says.
std::vector<std::byte> sealed(std::vector<std::byte> image) {
  auto const payload = std::span<const std::byte>(image).subspan(kWorldImageHeaderBytes);
  store_little_endian(image.data() + 16, static_cast<std::uint64_t>(payload.size()));
  store_little_endian(image.data() + 24, hash_bytes(payload));
  return image;
}

template <class Real>
class ImageTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(ImageTest, Reals);

TYPED_TEST(ImageTest, EveryFieldReachesHashImageAndDiffUnderItsPath) {
  WorldState<TypeParam> const original = state_of(busy_world<TypeParam>());
  ASSERT_GE(original.contacts.size(), 2u);
  ASSERT_GE(original.overlaps.size(), 2u);
  ASSERT_EQ(original.targets.size(), 1u);
  WorldState<TypeParam> scratch = original;
  ChangeVisitor counter(~std::size_t{0});
  visit_state(counter, scratch);
  ASSERT_GT(counter.count(), 300u);
  std::uint64_t const hash = hash_of(original);
  std::size_t restored = 0;
  for (std::size_t i = 0; i < counter.count(); ++i) {
    WorldState<TypeParam> changed = original;
    ChangeVisitor change(i);
    visit_state(change, changed);
    // Scaled is normalised as it is read, so a changed empty mantissa or the exponent of an empty one may
    // read back as it was or shift its exponent.
    bool const scaled = change.changed_path.find("inverse_mass.") != std::string::npos;
    if (scaled && hash_of(changed) == hash) continue;
    ASSERT_NE(hash_of(changed), hash) << change.changed_path;
    auto const differences = diff_states(original, changed, 16);
    ASSERT_FALSE(differences.empty()) << change.changed_path;
    if (!scaled) {
      ASSERT_EQ(differences.size(), 1u) << change.changed_path;
      ASSERT_EQ(without_repeat_number(differences[0].path), change.changed_path);
      ASSERT_NE(differences[0].left + std::to_string(differences[0].by), differences[0].right)
          << change.changed_path;
    }
    auto const back = load_image<TypeParam>(save_image(changed));
    if (!back.ok()) {
      ASSERT_EQ(back.error(), PhysicsError::kImageInconsistent) << change.changed_path;
      continue;
    }
    ASSERT_EQ(hash_of(back.value()), hash_of(changed)) << change.changed_path;
    ++restored;
  }
  EXPECT_GT(restored, counter.count() / 2) << "most fields are numbers, of which any neighbour is as good";
}

/// The hash is worked out piece by piece: of nothing, and of more than several pieces.
TYPED_TEST(ImageTest, TheHashIsThatOfThePayload) {
  for (int const more : {0, 1, 300}) {
    World<TypeParam> world = busy_world<TypeParam>();
    for (int i = 0; i < more; ++i)
      test::add(world, BodyType::kDynamic, test::sphere(0.2), at(3.0 * i, 50, 0));
    std::vector<std::byte> const image = world.save();
    EXPECT_EQ(world.hash(), load_little_endian<std::uint64_t>(image.data() + 24)) << more;
    EXPECT_EQ(world.hash(), hash_bytes(std::span(image).subspan(kWorldImageHeaderBytes)));
  }
}

TYPED_TEST(ImageTest, AWorldRestoredAnywhereGoesOnAsIfNothingHadHappened) {
  World<TypeParam> original = busy_world<TypeParam>();
  World<TypeParam> copy = std::move(World<TypeParam>::restore(original.save())).value();
  EXPECT_EQ(copy.hash(), original.hash());
  EXPECT_EQ(copy.tick(), original.tick());
  EXPECT_EQ(copy.size_bytes(), original.save().size() - kWorldImageHeaderBytes);
  EXPECT_TRUE(World<TypeParam>::diff(original, copy).empty());
  ShapeDef const shape = test::sphere(0.2);
  for (int tick = 0; tick < 120; ++tick) {
    if (tick % 37 == 5) copy = std::move(World<TypeParam>::restore(copy.save())).value();
    if (tick == 60) {
      ASSERT_EQ(test::add(original, BodyType::kDynamic, shape, at(0, 5, 0)),
                test::add(copy, BodyType::kDynamic, shape, at(0, 5, 0)))
          << "ids are canonical";
    }
    (void)original.step();
    (void)copy.step();
    ASSERT_EQ(original.hash(), copy.hash()) << "tick " << tick;
    ASSERT_EQ(original.random(), copy.random());
  }
}

TYPED_TEST(ImageTest, RollbackOfEightTicksEveryTickChangesNothing) {
  World<TypeParam> straight = busy_world<TypeParam>();
  World<TypeParam> nervous = busy_world<TypeParam>();
  ASSERT_EQ(straight.hash(), nervous.hash());
  WorldSnapshot<TypeParam> snapshot;
  for (int tick = 0; tick < 60; ++tick) {
    nervous.capture(snapshot);
    EXPECT_EQ(snapshot.tick(), nervous.tick());
    test::run(nervous, 4);
    test::add(nervous, BodyType::kDynamic, test::sphere(0.3), at(0.2, 3, 0));
    test::run(nervous, 4);
    nervous.rollback(snapshot);
    (void)straight.step();
    (void)nervous.step();
    ASSERT_EQ(straight.hash(), nervous.hash()) << "tick " << tick;
  }
}

TYPED_TEST(ImageTest, EveryTruncationAndEveryBitFlipIsRefused) {
  std::vector<std::byte> const image = busy_world<TypeParam>().save();
  for (std::size_t size = 0; size < image.size(); ++size) {
    ASSERT_EQ(load_image<TypeParam>(std::span(image).first(size)).error(), PhysicsError::kBadImage) << size;
  }
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    std::vector<std::byte> bytes = image;
    std::size_t const index = random.next_below(static_cast<std::uint32_t>(bytes.size()));
    bytes[index] ^= std::byte{1} << random.next_below(8);
    ASSERT_FALSE(load_image<TypeParam>(bytes).ok()) << "byte " << index;
  }
  std::vector<std::byte> longer = image;
  longer.push_back(std::byte{0});
  EXPECT_EQ(load_image<TypeParam>(longer).error(), PhysicsError::kBadImage);
  EXPECT_EQ(load_image<TypeParam>(sealed(longer)).error(), PhysicsError::kBadImage) << "bytes left over";
}

TYPED_TEST(ImageTest, OtherVersionsAndOtherNumbersAreNamed) {
  std::vector<std::byte> image = busy_world<TypeParam>().save();
  using Other = std::conditional_t<std::is_same_v<TypeParam, float>, Fixed, float>;
  EXPECT_EQ(load_image<Other>(image).error(), PhysicsError::kImageNumbers);
  image[8] = std::byte{99};
  EXPECT_EQ(load_image<TypeParam>(image).error(), PhysicsError::kImageVersion);
}

/// The error of an image in which one field is false.
template <class Real, class Change>
PhysicsError lie(const WorldState<Real>& original, Change change) {
  WorldState<Real> state = original;
  change(state);
  auto const loaded = load_image<Real>(save_image(state));
  return loaded.ok() ? PhysicsError{} : loaded.error();
}

TYPED_TEST(ImageTest, FieldsThatDoNotAgreeAreRefused) {
  using State = WorldState<TypeParam>;
  State const original = state_of(busy_world<TypeParam>());
  constexpr auto kRefused = PhysicsError::kImageInconsistent;
  std::uint32_t const body = 2;
  ASSERT_TRUE(original.bodies.alive(body) && original.bodies[body].type == BodyType::kDynamic);
  std::uint32_t const shape = original.bodies[body].first_shape;
  EXPECT_EQ(lie(original, [](State&) {}), PhysicsError{}) << "the truth is accepted";
  EXPECT_EQ(lie(original, [](State& s) { s.def.tick_rate_hz = 0; }), kRefused);
  EXPECT_EQ(lie(original, [](State& s) { s.def.gravity_m_s2.x = 1e300; }), kRefused);
  EXPECT_EQ(lie(original, [](State& s) { s.random.increment = 2; }), kRefused);
  EXPECT_EQ(lie(original, [](State& s) { s.bodies.alive_count += 1; }), kRefused);
  EXPECT_EQ(lie(original, [](State& s) { s.bodies.free_head = 1000; }), kRefused);
  EXPECT_EQ(lie(original, [](State& s) { s.shapes.free_head = 0; }), kRefused);
  EXPECT_EQ(lie(original, [](State& s) { s.grabs.slots.push_back({1, kNoIndex, true}); }), kRefused);
  EXPECT_EQ(lie(original, [](State& s) { s.def.max_bodies = 2; }), kRefused)
      << "more bodies than the world holds";
  EXPECT_EQ(lie(original, [&](State& s) { s.bodies[body].first_shape = 1000; }), kRefused);
  EXPECT_EQ(lie(original, [&](State& s) { s.bodies[body].first_shape = kNoIndex; }), kRefused);
  EXPECT_EQ(lie(original, [&](State& s) { s.bodies[body].shape_count = 2; }), kRefused);
  EXPECT_EQ(lie(original, [&](State& s) { s.bodies[body].type = static_cast<BodyType>(9); }), kRefused);
  EXPECT_EQ(lie(original, [&](State& s) { s.bodies[body].motion.rotation.w = TypeParam(3); }), kRefused);
  EXPECT_EQ(lie(original, [&](State& s) { s.bodies[body].linear_damping = TypeParam(-1); }), kRefused);
  EXPECT_EQ(lie(original,
                [&](State& s) { s.bodies[body].motion.center.y_raw = kWorldLimitRaw + Fixed(30000).raw(); }),
            kRefused);
  EXPECT_EQ(lie(original, [&](State& s) { s.shapes[shape].body = 1000; }), kRefused);
  EXPECT_EQ(lie(original, [&](State& s) { s.shapes[shape].next_shape = shape; }), kRefused)
      << "a ring of shapes";
  EXPECT_EQ(lie(original, [&](State& s) { s.shapes[shape].kind = static_cast<ShapeKind>(0); }), kRefused);
  EXPECT_EQ(lie(original, [&](State& s) { s.shapes[shape].kind = ShapeKind::kHalfSpace; }), kRefused)
      << "on a body that moves";
  EXPECT_EQ(lie(original, [&](State& s) { s.shapes[shape].extents.x = TypeParam(-1); }), kRefused);
  EXPECT_EQ(lie(original, [&](State& s) { s.shapes[shape].restitution = TypeParam(2); }), kRefused);
  EXPECT_EQ(lie(original, [](State& s) { std::swap(s.contacts[0], s.contacts[1]); }), kRefused)
      << "not sorted";
  EXPECT_EQ(lie(original, [](State& s) { std::swap(s.overlaps[0], s.overlaps[1]); }), kRefused)
      << "not sorted";
  EXPECT_EQ(lie(original, [&](State& s) { s.shapes[shape].rolling_resistance = TypeParam(-1); }), kRefused);
  EXPECT_EQ(lie(original, [&](State& s) { s.shapes[shape].friction_rule = static_cast<MixRule>(6); }),
            kRefused);
  EXPECT_EQ(lie(original, [](State& s) { s.targets[0].body = 1000; }), kRefused);
  EXPECT_EQ(lie(original, [&](State& s) { s.targets[0].body = body; }), kRefused)
      << "of a body that is not kinematic";
  EXPECT_EQ(lie(original, [&](State& s) { s.bodies[body].locked_axes = 64; }), kRefused);
  EXPECT_EQ(lie(original, [](State& s) { s.contacts[0].point_count = 5; }), kRefused);
  EXPECT_EQ(lie(original, [](State& s) { s.contacts[0].point_count = 0; }), kRefused);
  EXPECT_EQ(lie(original, [](State& s) { s.contacts[0].normal_impulses[0] = TypeParam(-1); }), kRefused);
  EXPECT_EQ(lie(original, [](State& s) { s.grabs[1].body = 1000; }), kRefused);
  EXPECT_EQ(lie(original, [](State& s) { s.grabs[1].max_force = TypeParam(-1); }), kRefused);
  EXPECT_EQ(lie(original, [](State& s) { s.grabs[1].target.x_raw = INT64_MIN; }), kRefused);
  if constexpr (std::is_same_v<TypeParam, float>) {
    float const nan = __builtin_nanf("");
    EXPECT_EQ(lie(original, [&](State& s) { s.bodies[body].motion.linear_velocity.y = nan; }), kRefused);
    EXPECT_EQ(lie(original, [&](State& s) { s.bodies[body].inverse_mass = -1.0f; }), kRefused);
    EXPECT_EQ(lie(original, [&](State& s) { s.contacts[0].twist_impulse = nan; }), kRefused);
  } else {
    Fixed const past =
        Fixed::from_raw(INT64_MIN);  // one below Fixed's symmetric range: its negative does not exist
    EXPECT_EQ(lie(original, [&](State& s) { s.bodies[body].motion.linear_velocity.y = past; }), kRefused);
    EXPECT_EQ(lie(original, [&](State& s) { s.contacts[0].friction_impulse.x = past; }), kRefused);
    EXPECT_EQ(lie(original, [&](State& s) { s.shapes[shape].local_position.x = past; }), kRefused);
    EXPECT_EQ(lie(original, [&](State& s) { s.bodies[body].inverse_inertia.exponent = 4000; }), kRefused);
  }
}

// Payload bytes changed at random under a right checksum: refused, or a world that steps and encodes.
// Sanitizers and assertions are the judges.
TYPED_TEST(ImageTest, SealedNonsenseIsRefusedOrSteps) {
  std::vector<std::byte> const image = busy_world<TypeParam>().save();
  Random random(2);
  int accepted = 0;
  for (int i = 0; i < 1500; ++i) {
    std::vector<std::byte> bytes = image;
    for (std::uint32_t k = 0, count = 1 + random.next_below(3); k < count; ++k) {
      std::size_t const index =
          kWorldImageHeaderBytes +
          random.next_below(static_cast<std::uint32_t>(bytes.size() - kWorldImageHeaderBytes));
      bytes[index] = static_cast<std::byte>(random.next_u32());
    }
    auto world = World<TypeParam>::restore(sealed(bytes));
    if (!world.ok()) continue;
    ++accepted;
    test::run(*world, 2);
    std::uint64_t const hash = world->hash();
    auto const again = World<TypeParam>::restore(world->save());
    ASSERT_TRUE(again.ok()) << "a world that steps is a world that restores, try " << i;
    ASSERT_EQ(again->hash(), hash);
  }
  EXPECT_GT(accepted, 300);
}

}  // namespace
}  // namespace takt
