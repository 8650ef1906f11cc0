// Convex hulls from points to the pool of a world: the exact hull against its definition, faces merged,
// refusals by name, geometry stored once.
#include "physics/geometry/hull_geometry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numbers>
#include <set>

#include "physics/state/world_image.h"
#include "takt/core/bytes.h"
#include "takt/core/hash.h"
#include "takt/core/random.h"
#include "tests/physics/polyhedra.h"
#include "tests/physics/simple_world.h"

namespace takt {
namespace {

using test::at;

Int128 height_over(const ExactHull& hull, const LoopRange& face, const GridPoint& p) {
  const GridPoint& a = hull.vertices[hull.loops[face.first]];
  const GridPoint& b = hull.vertices[hull.loops[face.first + 1]];
  const GridPoint& c = hull.vertices[hull.loops[face.first + 2]];
  Int128 const ux = b.x - a.x, uy = b.y - a.y, uz = b.z - a.z;
  Int128 const vx = c.x - a.x, vy = c.y - a.y, vz = c.z - a.z;
  return (uy * vz - uz * vy) * (p.x - a.x) + (uz * vx - ux * vz) * (p.y - a.y) +
         (ux * vy - uy * vx) * (p.z - a.z);
}

/// Invariants of a hull: every point below or on every face, faces flat and without idle corners, every edge
/// in two faces, one piece.
void expect_hull_of(const ExactHull& hull, std::span<const GridPoint> points) {
  std::set<std::pair<int, int>> edges;
  for (const LoopRange& face : hull.faces) {
    for (const GridPoint& p : points) ASSERT_TRUE(height_over(hull, face, p) <= 0) << "a point outside";
    std::set<int> corners;
    for (std::uint32_t i = 0; i < face.count; ++i) {
      int const from = hull.loops[face.first + i];
      int const to = hull.loops[face.first + (i + 1) % face.count];
      ASSERT_TRUE(edges.insert({from, to}).second) << "an edge twice the same way";
      ASSERT_TRUE(height_over(hull, face, hull.vertices[static_cast<std::size_t>(from)]) == 0);
      corners.insert(from);
    }
    for (std::size_t v = 0; v < hull.vertices.size(); ++v) {
      if (!corners.contains(static_cast<int>(v))) {
        ASSERT_TRUE(height_over(hull, face, hull.vertices[v]) < 0) << "a coplanar corner was left out";
      }
    }
  }
  for (auto const& [from, to] : edges) ASSERT_TRUE(edges.contains({to, from})) << "an open edge";
  ASSERT_EQ(hull.vertices.size() + hull.faces.size(), edges.size() / 2 + 2) << "Euler";
}

TEST(HullBuilderTest, ALatticeIsItsEightCorners) {
  std::vector<GridPoint> lattice;
  for (int x = 0; x < 5; ++x) {
    for (int y = 0; y < 5; ++y) {
      for (int z = 0; z < 5; ++z) lattice.push_back({x, y, z});
    }
  }
  auto const hull = build_hull(lattice);
  ASSERT_TRUE(hull.ok());
  EXPECT_EQ(hull->vertices.size(), 8u);
  ASSERT_EQ(hull->faces.size(), 6u);
  for (const LoopRange& face : hull->faces) EXPECT_EQ(face.count, 4u);
  expect_hull_of(*hull, lattice);
}

// Points of few coordinates lie on common planes and lines all the time; points of a ball never.
TEST(HullBuilderTest, RandomSetsGiveTheirHullWhateverTheirOrder) {
  Random random(3);
  for (int run = 0; run < 400; ++run) {
    std::vector<GridPoint> points;
    int const count = 4 + static_cast<int>(random.next_below(60));
    std::int64_t const span = run % 2 == 0 ? 3 + static_cast<std::int64_t>(random.next_below(4))
                                           : std::int64_t{1} << (4 + random.next_below(34));
    for (int i = 0; i < count; ++i) {
      GridPoint p;
      p.x = static_cast<std::int64_t>(random.next_unit() * static_cast<double>(2 * span)) - span;
      p.y = static_cast<std::int64_t>(random.next_unit() * static_cast<double>(2 * span)) - span;
      p.z = static_cast<std::int64_t>(random.next_unit() * static_cast<double>(2 * span)) - span;
      points.push_back(p);
    }
    auto const hull = build_hull(points);
    if (!hull.ok()) {
      ASSERT_TRUE(hull.error() == PhysicsError::kHullFlat || hull.error() == PhysicsError::kHullTooFewPoints)
          << "run " << run;
      continue;
    }
    expect_hull_of(*hull, points);
    for (std::size_t i = points.size(); i > 1; --i)
      std::swap(points[i - 1], points[random.next_below(static_cast<std::uint32_t>(i))]);
    auto const again = build_hull(points);
    ASSERT_TRUE(again.ok());
    ASSERT_TRUE(again->vertices == hull->vertices && again->loops == hull->loops) << "run " << run;
  }
}

TEST(HullBuilderTest, TheLargestCoordinatesDoNotOverflow) {
  std::int64_t const m = kMaxGridCoordinate;
  std::vector<GridPoint> const corners = {{-m, -m, -m}, {m, -m, -m}, {-m, m, -m},
                                          {m, m, -m},   {-m, -m, m}, {m, -m, m},
                                          {-m, m, m},   {m, m, m},   {0, m - 1, m - 1}};
  auto const hull = build_hull(corners);
  ASSERT_TRUE(hull.ok());
  EXPECT_EQ(hull->vertices.size(), 8u);
  EXPECT_EQ(hull->faces.size(), 6u);
  expect_hull_of(*hull, corners);
  EXPECT_EQ(build_hull(std::vector<GridPoint>{{m + 1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}}).error(),
            PhysicsError::kOutOfRange);
}

TEST(HullGeometryTest, FacesOfRoundedModelsAreMerged) {
  // The coordinates of both have no finite binary form: after rounding to the grid their five-cornered faces
  // are bent by some 60 nm.
  auto const dodecahedron = make_hull(test::dodecahedron(0.3));
  ASSERT_TRUE(dodecahedron.ok());
  EXPECT_EQ(dodecahedron->geometry->vertices.size(), 20u);
  ASSERT_EQ(dodecahedron->geometry->faces.size(), 12u);
  EXPECT_GT(dodecahedron->geometry->exact_faces.size(), 12u) << "nothing to merge: the test proves nothing";
  for (const HullFace& face : dodecahedron->geometry->faces) {
    EXPECT_EQ(face.loop.count, 5u);
    EXPECT_NEAR(length(face.normal), 1, 1e-14);
  }
  auto const icosahedron = make_hull(test::icosahedron(0.3));
  ASSERT_TRUE(icosahedron.ok());
  EXPECT_EQ(icosahedron->geometry->faces.size(), 20u);
}

TEST(HullGeometryTest, StandsAboutTheMiddleOfItsBoxAndRemembersWhere) {
  std::vector<Vec3<double>> points = test::icosahedron(0.5);
  auto const here = make_hull(points);
  for (Vec3<double>& p : points) p += Vec3<double>{100, -7.25, 0.125};  // multiples of the grid
  auto const there = make_hull(points);
  ASSERT_TRUE(here.ok() && there.ok());
  EXPECT_EQ(here->geometry->digest, there->geometry->digest);
  EXPECT_EQ(there->middle_m - here->middle_m, (Vec3<double>{100, -7.25, 0.125}));
}

// Moments of a box of 2 x 1 x 0.5 with rounding 0.25, by hand: the box, six slabs, twelve quarter cylinders,
// eight eighths of a ball.
TEST(HullMassTest, ARoundedBoxHasTheVolumeOfItsParts) {
  auto const hull = make_hull(test::box_corners(1, 0.5, 0.25));
  ASSERT_TRUE(hull.ok());
  SolidMass const sharp = rounded_mass(*hull->geometry, 0);
  EXPECT_NEAR(sharp.volume_m3, 1.0, 1e-14);
  EXPECT_NEAR(sharp.inertia[0], 1.0 / 12 * (1 + 0.25), 1e-14);
  EXPECT_NEAR(sharp.inertia[1], 1.0 / 12 * (4 + 0.25), 1e-14);
  EXPECT_NEAR(sharp.inertia[2], 1.0 / 12 * (4 + 1), 1e-14);
  double const r = 0.25;
  double const pi = std::numbers::pi;
  SolidMass const rounded = rounded_mass(*hull->geometry, r);
  double const area = 2 * (2 * 1 + 2 * 0.5 + 1 * 0.5);
  double const edges = 4 * (2 + 1 + 0.5);
  EXPECT_NEAR(rounded.volume_m3, 1 + area * r + edges * pi / 4 * r * r + 4.0 / 3 * pi * r * r * r, 1e-9);
  EXPECT_LT(length(rounded.center_m), 1e-10);
}

// A capsule is a rounded segment; a hull as thin as allowed, 5 mm square, and a metre long comes near it.
// Inertia must lie between those of the capsules of the same axis with the radii r and r + 3.6 mm (half the
// diagonal), give or take the ends' 2.5 mm.
TEST(HullMassTest, AThinRoundedBarIsNearlyACapsule) {
  auto const bar = make_hull(test::box_corners(0.0025, 0.5, 0.0025));
  ASSERT_TRUE(bar.ok());
  SolidMass const mass = rounded_mass(*bar->geometry, 0.2);
  auto const capsule = [](double radius) {
    ShapeDef shape = test::capsule(radius, 0.5);
    shape.density_kg_m3 = 1;
    return mass_properties({&shape, 1});
  };
  MassProperties const low = capsule(0.2);
  MassProperties const high = capsule(0.2036);
  EXPECT_GT(mass.volume_m3, low.mass_kg);
  EXPECT_LT(mass.volume_m3, high.mass_kg);
  for (std::size_t i : {0u, 1u, 2u}) {
    EXPECT_GT(mass.inertia[i], low.inertia[i]);
    EXPECT_LT(mass.inertia[i], high.inertia[i]);
  }
}

// Points of the rounded solid counted in 100^3 cells, one at random in each: 3 % of the cells are on the
// surface and err by half of one at random, 0.02 %; the test allows ten of these.
TEST(HullMassTest, RandomRoundedHullsAgreeWithSummingCells) {
  Random random(17);
  for (int run = 0; run < 4; ++run) {
    std::vector<Vec3<double>> points;
    for (int i = 0; i < 9; ++i) {
      Vec3<double> p;
      p.x = random.next_between(-0.5, 0.5);
      p.y = random.next_between(-0.5, 0.5);
      p.z = random.next_between(-0.5, 0.5);
      points.push_back(p);
    }
    auto const hull = make_hull(points);
    ASSERT_TRUE(hull.ok());
    double const rounding = run % 2 == 0 ? 0.0 : 0.15;
    SolidMass const exact = rounded_mass(*hull->geometry, rounding);
    test::CellSum const sum = test::sum_cells(
        100, 0.7, [&](Vec3<double> p) { return test::distance_to_hull(*hull->geometry, p) <= rounding; },
        random);
    EXPECT_NEAR(exact.volume_m3, sum.volume, 0.002 * sum.volume) << "run " << run;
    EXPECT_LT(length(exact.center_m - sum.center), 0.001) << "run " << run;
    double const size = exact.inertia[0] + exact.inertia[1] + exact.inertia[2];
    for (std::size_t k = 0; k < 6; ++k)
      EXPECT_NEAR(exact.inertia[k], sum.inertia[k], 0.002 * size) << "entry " << k << " run " << run;
  }
}

// --- refusals
// ----------------------------------------------------------------

template <class Real>
class HullWorldTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(HullWorldTest, Reals);

TYPED_TEST(HullWorldTest, BadHullsAreRefusedByNameAndLeaveNoTrace) {
  auto world = test::make_world<TypeParam>();
  std::vector<Vec3<double>> const kept = test::icosahedron(0.5);
  test::add(world, BodyType::kDynamic, test::hull(kept), at(0, 5, 0));
  std::uint64_t const before = world.hash();
  std::size_t const size_before = world.size_bytes();
  auto const refused = [&](std::vector<Vec3<double>> points, double rounding = 0.0) {
    // The bad one comes last: what was read before it must not stay behind.
    std::vector<Vec3<double>> const good = test::dodecahedron(0.4);
    ShapeDef shapes[3] = {test::box(0.5, 0.5, 0.5), test::hull(good), test::hull(points)};
    shapes[2].rounding_m = rounding;
    auto const made = world.create_body(test::body(BodyType::kDynamic, shapes, at(0, 0, 0)));
    EXPECT_EQ(world.hash(), before) << "something was half made";
    EXPECT_EQ(world.size_bytes(), size_before);
    return made.ok() ? PhysicsError{} : made.error();
  };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  std::vector<Vec3<double>> const cube = test::box_corners(1, 1, 1);
  EXPECT_EQ(refused({}), PhysicsError::kHullTooFewPoints);
  EXPECT_EQ(refused({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}), PhysicsError::kHullTooFewPoints);
  EXPECT_EQ(refused({{1, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 1}}), PhysicsError::kHullTooFewPoints)
      << "only three differ";
  EXPECT_EQ(refused({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}), PhysicsError::kHullFlat) << "on one line";
  EXPECT_EQ(refused({{0, 0, 0}, {0, 0, 1}, {0, 0, 2}, {0, 0, 3}}), PhysicsError::kHullFlat)
      << "on one line along z";
  EXPECT_EQ(refused({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.5, 0.2, 0}}), PhysicsError::kHullFlat);
  EXPECT_EQ(refused({{0, 0, 0}, {1, 1, 0}, {0, 1, 1}, {1, 2, 1}}), PhysicsError::kHullFlat)
      << "on a slanted plane";
  EXPECT_EQ(refused({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0.004}}), PhysicsError::kShapeTooSmall)
      << "thinner than 5 mm";
  EXPECT_EQ(refused({{kNan, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}), PhysicsError::kNotFinite);
  EXPECT_EQ(refused({{0, std::numeric_limits<double>::infinity(), 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}),
            PhysicsError::kNotFinite);
  EXPECT_EQ(refused({{10'001, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}), PhysicsError::kShapeTooLarge);
  EXPECT_EQ(refused(std::vector<Vec3<double>>(1025, {0, 0, 0})), PhysicsError::kHullTooManyPoints);
  EXPECT_EQ(refused(test::ball_points(65, 1)), PhysicsError::kHullTooManyVertices);
  EXPECT_EQ(refused(cube, kNan), PhysicsError::kNotFinite);
  EXPECT_EQ(refused(cube, -0.1), PhysicsError::kShapeTooSmall);
  EXPECT_EQ(refused(cube, 0.0009), PhysicsError::kShapeTooSmall);
  EXPECT_EQ(refused(cube, 10'001), PhysicsError::kShapeTooLarge);
  std::vector<Vec3<double>> const max = test::ball_points(64, 1);
  EXPECT_TRUE(
      world.create_body(test::body(BodyType::kDynamic, std::array{test::hull(max)}, at(0, 0, 0))).ok())
      << "64 corners are allowed";
}

TEST(HullVolumeTest, IsKnownBeforeTheBody) {
  std::vector<Vec3<double>> const cube = test::box_corners(1, 0.5, 0.25);
  EXPECT_NEAR(volume_m3(test::hull(cube)).value(), 1, 1e-14);
  std::vector<Vec3<double>> const flat = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
  EXPECT_EQ(volume_m3(test::hull(flat)).error(), PhysicsError::kHullFlat);
  EXPECT_NEAR(volume_m3(test::cylinder(1, 0.5)).value(), std::numbers::pi, 1e-14);
  EXPECT_NEAR(volume_m3(test::cone(1, 1.5)).value(), std::numbers::pi, 1e-14);
}

// --- the pool
// ----------------------------------------------------------------

TYPED_TEST(HullWorldTest, EqualGeometryIsStoredOnceAndGoesWithItsLastShape) {
  auto world = test::make_world<TypeParam>();
  std::uint64_t const empty_hash = world.hash();
  std::vector<Vec3<double>> points = test::icosahedron(0.5);
  BodyId const first = test::add(world, BodyType::kDynamic, test::hull(points), at(0, 5, 0));
  std::size_t const one = world.size_bytes();
  std::reverse(points.begin(), points.end());
  points.push_back({0, 0, 0});  // within: the same hull
  BodyId const second = test::add(world, BodyType::kDynamic, test::hull(points), at(3, 5, 0));
  std::size_t const two = world.size_bytes();
  BodyId const box = test::add(world, BodyType::kDynamic, test::box(1, 1, 1), at(9, 5, 0));
  // Twelve corners of 24 bytes: a second copy would show. A box's shape record lacks the digest only.
  EXPECT_EQ(two - one, world.size_bytes() - two + 8);
  EXPECT_TRUE(world.destroy_body(box).ok());

  auto const points_of = [&](BodyId body) { return world.shape(world.shapes(body)[0]).hull_points_m; };
  EXPECT_EQ(points_of(first).data(), points_of(second).data()) << "the same memory";
  EXPECT_EQ(points_of(first).size(), 12u);
  EXPECT_TRUE(world.destroy_body(first).ok());
  EXPECT_EQ(points_of(second).size(), 12u) << "still there for the other";
  WorldSnapshot<TypeParam> with_hull;
  world.capture(with_hull);
  std::uint64_t const hash = world.hash();
  EXPECT_TRUE(world.destroy_body(second).ok());
  auto const gone = std::move(load_image<TypeParam>(world.save())).value();
  EXPECT_TRUE(gone.hulls.entries.empty());
  world.rollback(with_hull);
  EXPECT_EQ(world.hash(), hash);
  EXPECT_EQ(points_of(second).size(), 12u);
  test::run(world, 5);
  EXPECT_NE(world.hash(), empty_hash);
}

TYPED_TEST(HullWorldTest, ImagesBringHullsBackBitForBit) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  std::vector<Vec3<double>> const die = test::icosahedron(0.5);
  std::vector<Vec3<double>> const slab = test::box_corners(0.5, 0.2, 0.4);
  test::add(world, BodyType::kDynamic, test::hull(die), at(0, 0.6, 0));
  ShapeDef rounded = test::hull(slab);
  rounded.rounding_m = 0.1;
  test::add(world, BodyType::kDynamic, rounded, at(0.2, 1.6, 0), test::about_z(0.3));
  test::run(world, 30);
  auto other = World<TypeParam>::restore(world.save());
  ASSERT_TRUE(other.ok());
  EXPECT_TRUE(World<TypeParam>::diff(world, *other).empty());
  test::run(world, 60);
  test::run(*other, 60);
  EXPECT_EQ(world.hash(), other->hash());
  auto const fresh = std::move(load_image<TypeParam>(world.save())).value();
  ASSERT_EQ(fresh.hulls.entries.size(), 2u);
  EXPECT_LT(fresh.hulls.entries[0].digest, fresh.hulls.entries[1].digest);
}

// Every 8-byte word of the hulls in an image, changed: the image must be refused, never believed or crashed
// on.
TYPED_TEST(HullWorldTest, ImagesWhoseHullsLieAreRefused) {
  auto world = test::make_world<TypeParam>();
  std::vector<Vec3<double>> const die = test::icosahedron(0.5);
  BodyId const body = test::add(world, BodyType::kDynamic, test::hull(die), at(0, 0.6, 0));
  std::vector<std::byte> const image = world.save();
  auto const made = make_hull(die);
  std::array<std::byte, 8> digest{};
  store_little_endian(digest.data(), made->geometry->digest);
  auto const at_record = std::search(image.begin(), image.end(), digest.begin(), digest.end());
  auto const at_entry = std::search(at_record + 8, image.end(), digest.begin(), digest.end());
  ASSERT_TRUE(at_record != image.end() && at_entry != image.end());
  auto const refused = [&](std::ptrdiff_t index, std::byte flip) {
    std::vector<std::byte> lie = image;
    lie[static_cast<std::size_t>(index)] ^= flip;
    store_little_endian(lie.data() + 24,
                        hash_bytes(std::span<const std::byte>(lie).subspan(kWorldImageHeaderBytes)));
    return !World<TypeParam>::restore(lie).ok();
  };
  EXPECT_TRUE(refused(at_record - image.begin(), std::byte{1})) << "a shape with a hull that is not there";
  for (std::ptrdiff_t offset = 0; offset < 12 + 12 * 24; offset += 4) {
    for (std::byte const flip : {std::byte{1}, std::byte{0x80}}) {
      EXPECT_TRUE(refused(at_entry - image.begin() + offset + 3, flip)) << "byte " << offset + 3;
      EXPECT_TRUE(refused(at_entry - image.begin() + offset, flip)) << "byte " << offset;
    }
  }
  EXPECT_TRUE(world.contains(body));
}

}  // namespace
}  // namespace takt
