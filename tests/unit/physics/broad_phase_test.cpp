// The dynamic tree and the broad phase against all pairs, one by one.
#include "physics/broad_phase/broad_phase.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "takt/core/random.h"
#include "tests/fine_pool.h"

namespace takt {
namespace {

FatBounds draw_bounds(Random& random, double span_m) {
  FatBounds b;
  for (int i = 0; i < 3; ++i) {
    b.lower[i] = static_cast<float>(random.next_between(-span_m, span_m));
    b.upper[i] = b.lower[i] + static_cast<float>(random.next_between(0.1, 3));
  }
  return b;
}

std::vector<std::uint32_t> query(const DynamicTree& tree, const FatBounds& bounds) {
  std::vector<std::uint32_t> found;
  std::vector<std::int32_t> stack;
  tree.query(bounds, stack, [&](std::uint32_t user) { found.push_back(user); });
  std::sort(found.begin(), found.end());
  return found;
}

TEST(DynamicTreeTest, AgreesWithBruteForceOverRandomHistories) {
  Random random(5);
  DynamicTree tree;
  std::vector<std::int32_t> scratch;
  struct Leaf {
    FatBounds bounds;
    std::int32_t node;
    std::uint32_t user;
  };
  std::vector<Leaf> leaves;
  for (std::uint32_t i = 0; i < 3000; ++i) {
    if (leaves.empty() || random.next_below(100) < (i < 1500 ? 70u : 35u)) {
      FatBounds const bounds = draw_bounds(random, 20);
      leaves.push_back({bounds, tree.insert(bounds, i), i});
    } else if (random.next_below(2) == 0) {
      for (std::uint32_t moves = random.next_below(20); moves-- > 0;) {
        Leaf& leaf = leaves[random.next_below(static_cast<std::uint32_t>(leaves.size()))];
        leaf.bounds = draw_bounds(random, 20);
        tree.move(leaf.node, leaf.bounds);
      }
      if (random.next_below(3) == 0) tree.tighten(scratch);
    } else {
      std::size_t const victim = random.next_below(static_cast<std::uint32_t>(leaves.size()));
      tree.remove(leaves[victim].node);
      leaves.erase(leaves.begin() + static_cast<std::ptrdiff_t>(victim));
    }
    if (i % 20 != 0) continue;
    ASSERT_TRUE(tree.valid()) << "step " << i;
    FatBounds const window = draw_bounds(random, 20);
    std::vector<std::uint32_t> expected;
    for (const Leaf& leaf : leaves) {
      if (overlap(leaf.bounds, window)) expected.push_back(leaf.user);
    }
    std::sort(expected.begin(), expected.end());
    ASSERT_EQ(query(tree, window), expected) << "step " << i;
  }
  for (const Leaf& leaf : leaves) tree.remove(leaf.node);
  EXPECT_TRUE(tree.valid());
  EXPECT_TRUE(query(tree, {{-100, -100, -100}, {100, 100, 100}}).empty());
}

// A proxy that has moved and come back leaves no node larger than it was.
TEST(DynamicTreeTest, TighteningUndoesWhatMovesLoosened) {
  Random random(6);
  DynamicTree tree;
  std::vector<std::int32_t> scratch;
  std::vector<std::int32_t> leaves;
  FatBounds const room{{-1000, -1000, -1000}, {1000, 1000, 1000}};
  for (std::uint32_t i = 0; i < 200; ++i) leaves.push_back(tree.insert(draw_bounds(random, 20), i));
  auto const nodes_in = [&tree](const FatBounds& window) {
    std::size_t count = 0;
    std::vector<std::int32_t> stack;
    tree.walk(
        stack, [&](const FatBounds& bounds) { return overlap(bounds, window) && ++count > 0; },
        [](std::uint32_t) {});
    return count;
  };
  FatBounds const outside{{500, 500, 500}, {501, 501, 501}};
  ASSERT_EQ(nodes_in(outside), 0u);
  for (std::int32_t const leaf : leaves) {
    FatBounds const before = tree.bounds(leaf);
    tree.move(leaf, outside);
    tree.move(leaf, before);
  }
  EXPECT_GT(nodes_in(outside), 0u) << "ancestors grow at once and stay so";
  tree.tighten(scratch);
  EXPECT_TRUE(tree.valid());
  EXPECT_EQ(nodes_in(outside), 0u);
  EXPECT_EQ(query(tree, room).size(), leaves.size());
}

// A row of leaves in order is what makes a naive tree a list.
TEST(DynamicTreeTest, StaysLowOverARowInOrder) {
  DynamicTree tree;
  for (std::uint32_t i = 0; i < 1024; ++i) {
    auto const x = static_cast<float>(i);
    tree.insert({{x, 0, 0}, {x + 0.9f, 1, 1}}, i);
  }
  EXPECT_TRUE(tree.valid());
  EXPECT_LE(tree.height(), 30) << "1,024 leaves: 10 at best";
}

TEST(BoundsTest, FattenedHoldsTheExactBoundsAtEveryScale) {
  Random random(9);
  for (int i = 0; i < 2000; ++i) {
    double const scale = random.next_between(0, 1) < 0.5 ? 1.0 : 1e6;
    Position const origin = Position::from_metres(random.next_between(-scale, scale), 0, 0);
    Bounds exact;
    exact.lower = Position::from_metres(random.next_between(-scale, scale), 0, 0);
    exact.upper =
        Position::from_raw(exact.lower.x_raw + static_cast<std::int64_t>(random.next_u32()) * 16, 0, 0);
    FatBounds const fat = fattened(exact, origin, 0.0f);
    // In doubles about the origin: 0x1p-32 x 53 bits is exact enough to compare with binary32.
    ASSERT_LE(static_cast<double>(fat.lower[0]),
              static_cast<double>(exact.lower.x_raw - origin.x_raw) * 0x1p-32);
    ASSERT_GE(static_cast<double>(fat.upper[0]),
              static_cast<double>(exact.upper.x_raw - origin.x_raw) * 0x1p-32);
  }
}

// From corner to corner of the world a difference of raws does not fit 64 bits: it must not wrap to the other
// side.
TEST(BoundsTest, FattenedDoesNotWrapAcrossTheWorld) {
  std::int64_t const metre = std::int64_t{1} << 32;
  Position const origin = Position::from_raw(kWorldLimitRaw, 0, 0);
  Bounds exact;
  exact.lower = Position::from_raw(-kWorldLimitRaw - metre, 0, 0);
  exact.upper = Position::from_raw(-kWorldLimitRaw + metre, 0, 0);
  FatBounds const fat = fattened(exact, origin, 0.1f);
  EXPECT_LT(fat.lower[0], -2.0e9f);
  EXPECT_LE(fat.lower[0], fat.upper[0]);
}

struct Placed {
  bool alive = false;
  std::uint32_t generation = 0;
  std::uint32_t body = 0;
  bool is_static = false;
  ShapeFilter filter;
  Bounds bounds;
};

std::vector<std::uint64_t> all_pairs(const std::vector<Placed>& shapes) {
  std::vector<std::uint64_t> pairs;
  for (std::uint32_t a = 0; a < shapes.size(); ++a) {
    for (std::uint32_t b = a + 1; b < shapes.size(); ++b) {
      const Placed& one = shapes[a];
      const Placed& two = shapes[b];
      if (!one.alive || !two.alive || one.body == two.body || (one.is_static && two.is_static)) continue;
      if (meet(one.filter, two.filter) && overlap(one.bounds, two.bounds)) pairs.push_back(pair_key(a, b));
    }
  }
  return pairs;
}

/// The result that a step uses of the broad phase: its pairs that overlap exactly.
std::vector<std::uint64_t> exact_pairs(const BroadPhase& broad) {
  std::vector<std::uint64_t> pairs;
  for (std::uint64_t const key : broad.pairs()) {
    if (overlap(broad.exact(pair_first(key)), broad.exact(pair_second(key)))) pairs.push_back(key);
  }
  return pairs;
}

/// Mostly one that meets everything.
ShapeFilter draw_filter(Random& random) {
  ShapeFilter filter;
  if (random.next_below(4) != 0) return filter;
  filter.category = random.next_below(4);
  filter.mask = random.next_below(4);
  filter.group = static_cast<std::int32_t>(random.next_below(5)) - 2;
  return filter;
}

Bounds draw_exact(Random& random) {
  double const x = random.next_between(-6, 6);
  double const y = random.next_between(-6, 6);
  double const z = random.next_between(-6, 6);
  double const size = random.next_between(0.2, 1.5);
  return {Position::from_metres(x, y, z), Position::from_metres(x + size, y + size, z + size)};
}

/// The way that a shape is said to go, m: right, wrong or no number.
Vec3<double> draw_ahead(Random& random) {
  auto const draw = [&random] {
    switch (random.next_below(8)) {
      case 0: return 1e9;
      case 1: return -1e9;
      case 2: return std::numeric_limits<double>::quiet_NaN();
      default: return random.next_between(-0.5, 0.5);
    }
  };
  double const x = draw();
  double const y = draw();
  return {x, y, draw()};
}

class BroadPhaseTest : public testing::TestWithParam<bool> {};

// Moves small and large, removal, reuse of a slot by another body, change of tree and of filter: after each
// tick the filtered pairs are all pairs, and dropping everything changes nothing, whether one thread looks
// for them or three.
TEST_P(BroadPhaseTest, PairsAreThoseOfBruteForceAfterAnyHistory) {
  test::FinePool three(3);
  TaskPool* const pool = GetParam() ? &three : nullptr;
  Random random(11);
  std::vector<Placed> shapes(80);
  BroadPhase broad;
  PairSearch search;
  broad.reserve_shapes(static_cast<std::uint32_t>(shapes.size()));
  std::size_t max = 0;
  for (int tick = 0; tick < 400; ++tick) {
    for (std::uint32_t i = 0; i < shapes.size(); ++i) {
      Placed& shape = shapes[i];
      std::uint32_t const dice = random.next_below(100);
      if (!shape.alive && dice < 30) {
        std::uint32_t const body = random.next_below(60);
        bool const is_static = random.next_below(4) == 0;
        ShapeFilter const filter = draw_filter(random);
        shape = {true, shape.generation + 1, body, is_static, filter, draw_exact(random)};
      } else if (shape.alive && dice < 3) {
        shape.alive = false;
      } else if (shape.alive && dice < 6) {
        shape.bounds = draw_exact(random);
      } else if (shape.alive && dice < 8) {
        shape.is_static = !shape.is_static;
      } else if (shape.alive && dice < 10) {
        shape.filter = draw_filter(random);
      } else if (shape.alive && dice < 50) {
        auto const step = static_cast<std::int64_t>(random.next_between(-0.04, 0.04) * 0x1p32);
        shape.bounds.lower.x_raw += step;
        shape.bounds.upper.x_raw += step;
      }
      if (shape.alive) {
        broad.update_proxy(i, shape.generation, shape.body, shape.is_static, shape.filter, shape.bounds,
                           draw_ahead(random));
        ASSERT_TRUE(broad.has_proxy(i, shape.generation, shape.is_static));
      } else {
        broad.remove(i);
        ASSERT_FALSE(broad.has_proxy(i, shape.generation, shape.is_static));
      }
    }
    broad.update_pairs(search, SIZE_MAX, pool);
    ASSERT_TRUE(std::is_sorted(broad.pairs().begin(), broad.pairs().end()));
    ASSERT_EQ(std::adjacent_find(broad.pairs().begin(), broad.pairs().end()), broad.pairs().end());
    std::vector<std::uint64_t> const expected = all_pairs(shapes);
    ASSERT_EQ(exact_pairs(broad), expected) << "tick " << tick;
    max = std::max(max, expected.size());
    if (tick % 50 == 25) {
      broad.clear();
      broad.reserve_shapes(static_cast<std::uint32_t>(shapes.size()));
    }
  }
  EXPECT_GT(max, 10u) << "the history must have pairs to lose";
}

/// A leaf stays while its shape goes the way that was foretold, and no farther than two metres.
TEST(BroadPhaseLeafTest, ReachesAheadTheWayItsShapeGoes) {
  auto const box_at = [](double x) {
    return Bounds{Position::from_metres(x, 0, 0), Position::from_metres(x + 1, 1, 1)};
  };
  BroadPhase broad;
  broad.reserve_shapes(1);
  auto const keeps = [&](double x) { return broad.keeps(0, 1, 0, false, {}, box_at(x)); };
  broad.update_proxy(0, 1, 0, false, {}, box_at(0), {0.5, 0, 0});
  EXPECT_TRUE(keeps(0.5));
  EXPECT_FALSE(keeps(0.6));
  EXPECT_FALSE(keeps(-0.1));
  broad.update_proxy(0, 1, 0, false, {}, box_at(4), {-0.5, 0, 0});
  EXPECT_TRUE(keeps(3.5));
  EXPECT_FALSE(keeps(4.1));
  broad.update_proxy(0, 1, 0, false, {}, box_at(9), {1e9, 0, 0});
  EXPECT_TRUE(keeps(11));
  EXPECT_FALSE(keeps(11.1));
}

INSTANTIATE_TEST_SUITE_P(Workers, BroadPhaseTest, testing::Bool(),
                         [](const auto& at) { return at.param ? "Three" : "One"; });

}  // namespace
}  // namespace takt
