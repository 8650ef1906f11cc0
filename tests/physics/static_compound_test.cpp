// A static body of thousands of shapes, each of a material of its own: what
// touches it feels the material of the shape under it, costs what that shape
// costs and not what the rest does, and goes on with the same bits from a saved
// image.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "physics/broad_phase/broad_phase.h"
#include "tests/physics/simple_world.h"

namespace takt {
namespace {

using test::at;
using test::metres;

constexpr int kTiles = 45;  // each way: 2,025 shapes
constexpr double kFrictions[3] = {0.2, 0.4, 0.8};
constexpr double kCompoundGravity = 9.81;

double friction_of(int column, int row) { return kFrictions[(column + 2 * row) % 3]; }

/// tiles x tiles boxes of 1 m, side by side, tops at 0, the first about (0, 0).
template <class Real>
BodyId add_floor(World<Real>& world, int tiles) {
  std::vector<ShapeDef> shapes;
  for (int row = 0; row < tiles; ++row) {
    for (int column = 0; column < tiles; ++column) {
      ShapeDef& tile = shapes.emplace_back(test::box(0.5, 0.1, 0.5));
      tile.local_position_m = {static_cast<double>(column), -0.1, static_cast<double>(row)};
      tile.friction = friction_of(column, row);
    }
  }
  return test::add(world, test::body(BodyType::kStatic, shapes, {}));
}

/// A box that slides along +x within one tile; of two frictions the smaller
/// counts.
template <class Real>
BodyId add_slider(World<Real>& world, int column, int row, double speed_m_s) {
  ShapeDef shape = test::box(0.1, 0.1, 0.1);
  shape.friction = 1.0;
  shape.friction_rule = MixRule::kMinimum;
  BodyDef def = test::body(BodyType::kDynamic, {&shape, 1}, at(column - 0.3, 0.1, row));
  def.linear_velocity_m_s = {speed_m_s, 0, 0};
  return test::add(world, def);
}

template <class Real>
class StaticCompoundTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(StaticCompoundTest, Reals);

TYPED_TEST(StaticCompoundTest, EachOfThousandsOfShapesHasItsOwnFriction) {
  auto world = test::make_world<TypeParam>();
  BodyId const floor = add_floor(world, kTiles);
  EXPECT_EQ(world.shapes(floor).size(), 2025u);
  struct Sliding {
    BodyId body;
    double friction;
  };
  std::vector<Sliding> sliders;
  for (int row = 0; row < kTiles; row += 4) {
    for (int column = 0; column < kTiles; column += 4)
      sliders.push_back({add_slider(world, column, row, 1.0), friction_of(column, row)});
  }
  // v = v0 - mu g t. Settling on the soft contact takes a tick's worth of
  // weight at most: mu g / 60.
  constexpr int kTicks = 6;
  test::run(world, kTicks);
  std::array<int, 3> seen{};
  for (const Sliding& slider : sliders) {
    double const expected = 1.0 - slider.friction * kCompoundGravity * kTicks / 60.0;
    EXPECT_NEAR(to_double(world.linear_velocity(slider.body).x), expected,
                slider.friction * kCompoundGravity / 60.0)
        << "friction " << slider.friction;
    ++seen[static_cast<std::size_t>(std::find(std::begin(kFrictions), std::end(kFrictions), slider.friction) -
                                    kFrictions)];
  }
  for (int const count : seen) EXPECT_GE(count, 40);
}

TYPED_TEST(StaticCompoundTest, ShapesThatNothingTouchesCostNoPairs) {
  StepStatus statuses[2];
  for (int const size : {0, 1}) {
    auto world = test::make_world<TypeParam>();
    (void)add_floor(world, size == 0 ? 9 : kTiles);
    for (int i = 0; i < 8; ++i) (void)add_slider(world, i, i, 0.5);
    test::run(world, 5);
    statuses[size] = world.step();
  }
  EXPECT_EQ(statuses[0].contact_count, 8u);
  EXPECT_EQ(statuses[1].contact_count, statuses[0].contact_count);
  EXPECT_EQ(statuses[1].contact_point_count, statuses[0].contact_point_count);
}

// The pairs that a step looks at, and the boxes of the tree that finding them
// takes: with 25 times the shapes, the same pairs and not four times the boxes.
TEST(StaticCompoundBroadPhaseTest, FindsTheShapesUnderABodyWithoutLookingAtTheRest) {
  std::size_t pairs[2];
  int entered[2] = {0, 0};
  for (int const size : {0, 1}) {
    BroadPhase broad;
    PairSearch search;
    int const tiles = size == 0 ? 9 : kTiles;
    auto const shape_count = static_cast<std::uint32_t>(tiles * tiles);
    broad.reserve_shapes(shape_count + 1);
    for (std::uint32_t i = 0; i < shape_count; ++i) {
      auto const x = static_cast<double>(i % static_cast<std::uint32_t>(tiles));
      auto const z = static_cast<double>(i / static_cast<std::uint32_t>(tiles));
      broad.update_proxy(i, 1, 0, true, {}, {at(x - 0.5, -0.2, z - 0.5), at(x + 0.5, 0, z + 0.5)});
    }
    broad.update_proxy(shape_count, 1, 1, false, {}, {at(3.9, 0, 3.9), at(4.1, 0.2, 4.1)});
    broad.update_pairs(search, SIZE_MAX, nullptr);
    pairs[size] = broad.pairs().size();
    std::vector<std::int32_t> stack;
    Vec3<double> const origin = metres(broad.origin());
    auto const near = [&](const FatBounds& box) {
      ++entered[size];
      Vec3<double> const low{3.9 - origin.x, -origin.y, 3.9 - origin.z};
      Vec3<double> const high{4.1 - origin.x, 0.2 - origin.y, 4.1 - origin.z};
      return box.lower[0] <= high.x && low.x <= box.upper[0] && box.lower[1] <= high.y &&
             low.y <= box.upper[1] && box.lower[2] <= high.z && low.z <= box.upper[2];
    };
    broad.walk(stack, near, [](std::uint32_t) {});
  }
  EXPECT_EQ(pairs[0], 1u);
  EXPECT_EQ(pairs[1], 1u);
  EXPECT_LT(entered[1], 4 * entered[0]);
  EXPECT_LT(entered[1], kTiles * kTiles / 10);
}

TYPED_TEST(StaticCompoundTest, GoesOnWithTheSameBitsFromAnImage) {
  auto world = test::make_world<TypeParam>();
  (void)add_floor(world, kTiles);
  for (int i = 0; i < 20; ++i) (void)add_slider(world, 2 * i, i, 0.1 * i);
  test::run(world, 10);
  auto restored = World<TypeParam>::restore(world.save()).value();
  ASSERT_EQ(restored.hash(), world.hash());
  for (int tick = 0; tick < 60; ++tick) {
    if (tick % 20 == 10) restored = World<TypeParam>::restore(restored.save()).value();
    (void)world.step();
    (void)restored.step();
    ASSERT_EQ(restored.hash(), world.hash()) << tick;
  }
}

}  // namespace
}  // namespace takt
