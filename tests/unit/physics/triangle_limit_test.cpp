// WorldDef::max_contacts bounds the triangles of meshes that a tick tests. The cut is the same on every peer,
// changes nothing while all triangles fit, and leaves big bodies where all triangles would hold them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "physics/base/fair_limit.h"
#include "physics/geometry/mesh_geometry.h"
#include "physics/geometry/triangle_sample.h"
#include "takt/core/random.h"
#include "takt/physics/world.h"
#include "tests/fine_pool.h"
#include "tests/physics/simple_world.h"
#include "tests/physics/surfaces.h"

namespace takt {
namespace {

/// The height of the ground at the vertex `column`, `row`, m.
using Height = double (*)(int column, int row);
double flat(int, int) { return 0; }
/// Bumps of 0.1 m, of a period of some triangles.
double bumpy(int x, int z) { return 0.02 * ((x * 5 + z * 11) % 7) - 0.12; }
/// Three vertices among 3,600, which are all within the speculative distance of a box on the three.
double spikes(int x, int z) {
  return (x == 40 && z == 40) || (x == 80 && z == 45) || (x == 61 && z == 83) ? 0.015 : 0.0;
}

/// A square of `side` x `side` cells of two triangles about the origin.
test::MeshSource square_ground(int side, double cell_m, Height height) {
  double const low = -0.5 * side * cell_m;
  return test::grid_mesh(side, side, cell_m, low, low, [&](double x, double z) {
    return height(static_cast<int>((x - low) / cell_m + 0.5), static_cast<int>((z - low) / cell_m + 0.5));
  });
}

template <class Real>
class TriangleLimit : public testing::Test {
 protected:
  static World<Real> make(std::uint32_t max_contacts, const test::MeshSource& ground) {
    WorldDef def;
    def.max_contacts = max_contacts;
    World<Real> world = *World<Real>::create(def);
    MeshDef const mesh = ground.def();
    (void)test::add(world, BodyType::kStatic, test::mesh_shape(mesh), {});
    return world;
  }
  static BodyId add(World<Real>& world, const ShapeDef& shape, Vec3<double> at_m, Vec3<double> velocity = {},
                    Quat<double> rotation = {}) {
    BodyDef body;
    body.type = BodyType::kDynamic;
    body.position = Position::from_metres(at_m.x, at_m.y, at_m.z);
    body.rotation = rotation;
    body.linear_velocity_m_s = velocity;
    body.shapes = {&shape, 1};
    auto const id = world.create_body(body);
    EXPECT_TRUE(id.ok());
    return *id;
  }
};
using Numbers = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(TriangleLimit, Numbers);

ShapeDef box(double x, double y, double z) {
  ShapeDef shape;
  shape.kind = ShapeKind::kBox;
  shape.half_extents_m = {x, y, z};
  return shape;
}
ShapeDef round_shape(ShapeKind kind, double radius, double half_length = 0) {
  ShapeDef shape;
  shape.kind = kind;
  shape.radius_m = radius;
  shape.half_length_m = half_length;
  return shape;
}
constexpr std::array<Vec3<double>, 8> kSlabCorners{{{-3, -0.5, -3},
                                                    {3, -0.5, -3},
                                                    {3, -0.5, 3},
                                                    {-3, -0.5, 3},
                                                    {-2, 0.5, -2},
                                                    {2, 0.5, -2},
                                                    {2, 0.5, 2},
                                                    {-2, 0.5, 2}}};
ShapeDef hull() {
  ShapeDef shape;
  shape.kind = ShapeKind::kHull;
  shape.hull_points_m = kSlabCorners;
  return shape;
}

template <class Real>
Vec3<double> up_of(Quat<Real> rotation) {
  return to_double(rotate(rotation, Vec3<Real>{Real(0), Real(1), Real(0)}));
}

TEST(FairLimit, GivesEachItsNeedOrAnEqualPart) {
  auto const limit = [](std::vector<std::uint64_t> needs, std::uint64_t budget) {
    return fair_limit(needs, budget);
  };
  EXPECT_EQ(limit({5, 3, 2}, 10), UINT64_MAX);
  EXPECT_EQ(limit({5, 3, 2}, 9), 4u);
  EXPECT_EQ(limit({1000, 1000, 1, 1}, 100), 49u);
  EXPECT_EQ(limit({7, 7, 7}, 2), 0u);
  EXPECT_EQ(limit({}, 0), UINT64_MAX);
}

// Whatever shape, box and number: no triangle twice, none beside the box, and no more than the number.
TEST(TriangleSampleTest, ChoosesNoMoreThanItsNumber) {
  test::MeshSource const ground = square_ground(60, 0.1, bumpy);
  auto const surface = make_surface(ground.def());
  ASSERT_TRUE(surface.ok());
  const TriangleMesh& mesh = (*surface)->surface;
  Random random(3);
  TriangleSample sample;
  constexpr ShapeKind kKinds[] = {ShapeKind::kSphere, ShapeKind::kCapsule, ShapeKind::kBox,
                                  ShapeKind::kCylinder, ShapeKind::kCone};
  std::size_t full = 0;
  for (int i = 0; i < 500; ++i) {
    Vec3<double> const center{random.next_between(-3, 3), random.next_between(-1, 1),
                              random.next_between(-3, 3)};
    double const size = random.next_between(0.2, 2);
    ShapeGeometry<double> const shape{kKinds[i % 5], {size, size, size}, {}, nullptr, nullptr};
    Vec3<double> const reach{size, 2 * size, size};
    SurfaceBox const around{center - reach, center + reach};
    auto const max = 1 + static_cast<std::uint32_t>(random.next_between(0, 200));
    sample.choose(mesh, around, shape, center, max);
    std::vector<std::uint32_t> chosen(sample.triangles().begin(), sample.triangles().end());
    EXPECT_LE(chosen.size(), max);
    std::ranges::sort(chosen);
    EXPECT_EQ(std::ranges::adjacent_find(chosen), chosen.end());
    for (std::uint32_t const triangle : chosen) EXPECT_TRUE(overlap(mesh.triangle_box(triangle), around));
    std::uint32_t const count = mesh.count_triangles(around, 100'000);
    if (count > 3 * max && chosen.size() > max / 3) ++full;
    if (count == 0) {
      EXPECT_TRUE(chosen.empty());
    }
  }
  EXPECT_GT(full, 250u) << "most of the number is used where there are more triangles";
}

TEST(TriangleMesh, CountsTrianglesUpToAMaximum) {
  test::MeshSource const ground = square_ground(60, 0.1, bumpy);
  auto const surface = make_surface(ground.def());
  ASSERT_TRUE(surface.ok());
  const TriangleMesh& mesh = (*surface)->surface;
  EXPECT_EQ(mesh.count_triangles(mesh.box(), 7200), 7200u);
  EXPECT_GT(mesh.count_triangles(mesh.box(), 7199), 7199u);
  EXPECT_GT(mesh.count_triangles(mesh.box(), 10), 10u);
  EXPECT_LE(mesh.count_triangles(mesh.box(), 10), 14u) << "the walk ends at the maximum";
  SurfaceBox const beside{{10, 10, 10}, {11, 11, 11}};
  EXPECT_EQ(mesh.count_triangles(beside, 10), 0u);
}

TYPED_TEST(TriangleLimit, ChangesNoMotionWhereAllTrianglesFit) {
  test::MeshSource const ground = square_ground(40, 0.5, bumpy);
  auto const run = [&](std::uint32_t max_contacts) {
    World<TypeParam> world = this->make(max_contacts, ground);
    std::vector<BodyId> bodies;
    Random random(11);
    std::array<ShapeDef, 6> const shapes{box(0.5, 0.5, 0.5),
                                         hull(),
                                         round_shape(ShapeKind::kSphere, 0.5),
                                         round_shape(ShapeKind::kCapsule, 0.3, 0.5),
                                         round_shape(ShapeKind::kCylinder, 0.5, 0.5),
                                         round_shape(ShapeKind::kCone, 0.5, 0.5)};
    for (std::size_t i = 0; i < shapes.size(); ++i)
      bodies.push_back(this->add(world, shapes[i], {-5.0 + 2 * static_cast<double>(i), 2, 0},
                                 {random.next_between(-5, 5), -20, random.next_between(-5, 5)}));
    std::vector<Position> centers;
    for (int tick = 0; tick < 90; ++tick) {
      EXPECT_FALSE(world.step().contacts_cut) << tick;
      for (BodyId const body : bodies) centers.push_back(world.center_of_mass(body));
    }
    return centers;
  };
  EXPECT_EQ(run(1u << 20u), run(0));
}

TYPED_TEST(TriangleLimit, CutsAlikeOverLanesWorkersAndRestoredWorlds) {
  test::MeshSource const ground = square_ground(120, 0.1, bumpy);
  test::MeshSource const platform = square_ground(10, 0.1, bumpy);
  auto const run = [&](const StepOptions& options, bool restores) {
    World<TypeParam> world = this->make(100, ground);
    // Platforms that move: which of them the trees find beside a sweep depends on their history.
    MeshDef const mesh = platform.def();
    for (int i = 0; i < 12; ++i) {
      BodyId const body = test::add(world, BodyType::kKinematic, test::mesh_shape(mesh),
                                    Position::from_metres(-5.5 + i, 0.4 + 0.2 * (i % 3), 2.0 * (i % 5) - 4));
      EXPECT_TRUE(world.set_velocity(body, {0.7 - 0.1 * i, 0, 0.3}, {0, 0.4, 0}).ok());
    }
    Random random(5);
    for (int i = 0; i < 24; ++i) {
      Vec3<double> const at{random.next_between(-4, 4), 1.5 + 0.5 * i, random.next_between(-4, 4)};
      Vec3<double> const velocity{random.next_between(-8, 8), random.next_between(-90, 0),
                                  random.next_between(-8, 8)};
      switch (i % 4) {
        case 0: this->add(world, box(1.5, 0.4, 1.5), at, velocity); break;
        case 1: this->add(world, round_shape(ShapeKind::kCapsule, 0.5, 1), at, velocity); break;
        case 2: this->add(world, hull(), at, velocity); break;
        default: this->add(world, round_shape(ShapeKind::kSphere, 1), at, velocity); break;
      }
    }
    std::vector<std::uint64_t> hashes;
    std::uint32_t cut_ticks = 0;
    for (int tick = 0; tick < 60; ++tick) {
      if (restores && tick % 3 == 1) world = *World<TypeParam>::restore(world.save());
      if (world.step(options).contacts_cut) ++cut_ticks;
      hashes.push_back(world.hash());
    }
    EXPECT_GT(cut_ticks, 20u) << "the scene must exceed its limit";
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

// A far corner without its triangles would let a big body tip or sink. The body rests as it does with all
// triangles, on one plane and on bumps, alone and where many share the budget.
TYPED_TEST(TriangleLimit, BigBodiesRestWhereAllTrianglesWouldHoldThem) {
  struct Case {
    const char* name;
    ShapeDef shape;
    double half_height_m;
  };
  std::array<Case, 6> const cases{{{"box", box(3, 0.5, 3), 0.5},
                                   {"hull", hull(), 0.5},
                                   {"cylinder", round_shape(ShapeKind::kCylinder, 3, 0.5), 0.5},
                                   {"cone", round_shape(ShapeKind::kCone, 3, 0.5), 0.5},
                                   {"capsule", round_shape(ShapeKind::kCapsule, 1, 2), 3},
                                   {"sphere", round_shape(ShapeKind::kSphere, 3), 3}}};
  for (Height const height : {flat, bumpy}) {
    test::MeshSource const ground = square_ground(120, 0.1, height);
    bool const is_flat = height(1, 2) == 0;
    for (const Case& one : cases) {
      auto const rest = [&](std::uint32_t max_contacts) {
        World<TypeParam> world = this->make(max_contacts, ground);
        BodyId const body = this->add(world, one.shape, {0.033, one.half_height_m + 0.05, 0.021});
        bool has_cut = false;
        for (int tick = 0; tick < 120; ++tick) has_cut = world.step().contacts_cut || has_cut;
        EXPECT_EQ(has_cut, max_contacts != 0) << one.name;
        return world.pose(body);
      };
      auto const all = rest(0);
      for (std::uint32_t const max_contacts : {8u, 16u, 64u}) {
        auto const cut = rest(max_contacts);
        double const height_off = cut.position.to_metres().y - all.position.to_metres().y;
        double const tilt = dot(up_of(cut.rotation), up_of(all.rotation));
        EXPECT_NEAR(height_off, 0, is_flat ? 0.003 : 0.05)
            << one.name << (is_flat ? ", flat, " : ", bumpy, ") << max_contacts;
        if (one.half_height_m < 1) {
          EXPECT_GT(tilt, is_flat ? 0.99999 : 0.999)
              << one.name << (is_flat ? ", flat, " : ", bumpy, ") << max_contacts;
        }
      }
    }
  }
}

TYPED_TEST(TriangleLimit, ABigBoxRestsOnTheHighestPoints) {
  test::MeshSource const ground = square_ground(120, 0.1, spikes);
  for (std::uint32_t const max_contacts : {0u, 8u, 16u, 64u}) {
    World<TypeParam> world = this->make(max_contacts, ground);
    BodyId const body = this->add(world, box(3, 0.5, 3), {0.033, 0.517, 0.021});
    bool has_cut = false;
    for (int tick = 0; tick < 120; ++tick) has_cut = world.step().contacts_cut || has_cut;
    EXPECT_EQ(has_cut, max_contacts != 0);
    EXPECT_NEAR(world.pose(body).position.to_metres().y, 0.515, 0.003) << max_contacts;
    EXPECT_GT(up_of(world.pose(body).rotation).y, 0.9999) << max_contacts;
  }
}

// Bodies of 100 m/s, of which each has some of thousands of triangles.
TYPED_TEST(TriangleLimit, FastBodiesDoNotPassAFineSurface) {
  test::MeshSource const ground = square_ground(120, 0.1, bumpy);
  World<TypeParam> world = this->make(64, ground);
  std::vector<BodyId> bodies;
  for (int i = 0; i < 16; ++i) {
    Vec3<double> const at{-4.5 + 3 * (i % 4), 3.0 + 0.3 * i, -4.5 + 3 * (i / 4)};
    ShapeDef const shape = i % 2 == 0 ? box(0.7, 0.2, 0.7) : round_shape(ShapeKind::kSphere, 0.6);
    bodies.push_back(this->add(world, shape, at, {0, -100, 0}));
  }
  bool has_cut = false;
  for (int tick = 0; tick < 30; ++tick) has_cut = world.step().contacts_cut || has_cut;
  EXPECT_TRUE(has_cut);
  for (BodyId const body : bodies) EXPECT_GT(world.center_of_mass(body).to_metres().y, -0.2);
}

TYPED_TEST(TriangleLimit, AMoverWalksOnAFineSurface) {
  test::MeshSource const ground = square_ground(200, 0.04, bumpy);
  auto const walk = [&](std::uint32_t max_contacts) {
    World<TypeParam> world = this->make(max_contacts, ground);
    MoverDef def;
    def.position = Position::from_metres(-3, 1.2, 0);
    auto const mover = world.create_mover(def);
    EXPECT_TRUE(mover.ok());
    MoverInput input;
    input.velocity_m_s = {3, 0, 0};
    EXPECT_TRUE(world.set_mover_input(*mover, input).ok());
    bool has_cut = false;
    double lowest = 10;
    for (int tick = 0; tick < 90; ++tick) {
      has_cut = world.step().contacts_cut || has_cut;
      lowest = std::min(lowest, world.pose(world.mover(*mover).body).position.to_metres().y);
    }
    EXPECT_EQ(has_cut, max_contacts != 0);
    return std::pair(world.pose(world.mover(*mover).body).position.to_metres(), lowest);
  };
  auto const [all, all_lowest] = walk(0);
  auto const [cut, cut_lowest] = walk(1);
  EXPECT_GT(all.x, 0.5);
  EXPECT_NEAR(cut.x, all.x, 0.5);
  EXPECT_GT(cut_lowest, all_lowest - 0.05);
}

/// A surface in a frame that is turned about x by `angle_rad`; a body turned back by it shows it as it was.
test::MeshSource turned(test::MeshSource mesh, double angle_rad) {
  for (Vec3<double>& vertex : mesh.vertices) vertex = rotate(test::about_x(angle_rad), vertex);
  return mesh;
}

// A mesh in a turned frame, and one that a kinematic body lifts by 1 m/s, hold a body and one of two wide
// shapes as a mesh at rest holds them with all triangles.
TYPED_TEST(TriangleLimit, TurnedAndMovingMeshesHoldBigAndCompoundBodies) {
  constexpr double kTurn = 1.1;
  constexpr double kLiftMS = 1.0;
  test::MeshSource const ground = turned(square_ground(120, 0.1, bumpy), kTurn);
  MeshDef const mesh = ground.def();
  std::array<ShapeDef, 2> feet{box(1, 0.3, 1), box(0.8, 0.3, 0.8)};
  feet[0].local_position_m = {-2, 0, 0};
  feet[1].local_position_m = {2.2, 0, 0.4};
  std::array<ShapeDef, 1> const slab{box(3, 0.3, 3)};
  for (std::span<const ShapeDef> const shapes :
       {std::span<const ShapeDef>(slab), std::span<const ShapeDef>(feet)}) {
    for (BodyType const type : {BodyType::kStatic, BodyType::kKinematic}) {
      auto const height_over_ground = [&](std::uint32_t max_contacts) {
        WorldDef def;
        def.max_contacts = max_contacts;
        World<TypeParam> world = *World<TypeParam>::create(def);
        BodyId const floor = test::add(world, type, test::mesh_shape(mesh), {}, test::about_x(-kTurn));
        if (type == BodyType::kKinematic) {
          EXPECT_TRUE(world.set_velocity(floor, {0, kLiftMS, 0}, {}).ok());
        }
        BodyId const body =
            test::add(world, test::body(BodyType::kDynamic, shapes, test::at(0.033, 0.35, 0.021)));
        bool has_cut = false;
        for (int tick = 0; tick < 120; ++tick) has_cut = world.step().contacts_cut || has_cut;
        EXPECT_EQ(has_cut, max_contacts != 0);
        EXPECT_GT(up_of(world.pose(body).rotation).y, 0.999);
        return world.pose(body).position.to_metres().y - world.pose(floor).position.to_metres().y;
      };
      double const all = height_over_ground(0);
      EXPECT_GT(all, 0.2);
      EXPECT_NEAR(height_over_ground(16), all, 0.05)
          << shapes.size() << " shapes, " << static_cast<int>(type);
    }
  }
}

// A sensor that moves through a fine surface keeps the overlap while triangles are left out.
TYPED_TEST(TriangleLimit, ABigSensorFeelsAFineSurface) {
  World<TypeParam> world = this->make(16, square_ground(120, 0.1, flat));
  ShapeDef zone = box(3, 0.5, 3);
  zone.is_sensor = true;
  BodyId const body = test::add(world, BodyType::kKinematic, zone, test::at(0, 1.2, 0));
  EXPECT_TRUE(world.set_velocity(body, {0, -1, 0}, {}).ok());
  std::vector<SensorOverlap> overlaps;
  bool has_cut = false;
  for (int tick = 0; tick < 144; ++tick) {
    has_cut = world.step().contacts_cut || has_cut;
    world.list_overlaps(overlaps);
    double const y = world.pose(body).position.to_metres().y;
    if (y > 0.55 || y < -0.55) {
      EXPECT_TRUE(overlaps.empty()) << y;
    } else if (y < 0.45 && y > -0.45) {
      EXPECT_EQ(overlaps.size(), 1u) << y;
    }
  }
  EXPECT_TRUE(has_cut);
  EXPECT_LT(world.pose(body).position.to_metres().y, -0.6) << "it has passed the surface";
}

// A capsule of 60 m/s, whose end lies behind a thin pole on a fine ground: of the triangles under the cast,
// few are the pole's.
TYPED_TEST(TriangleLimit, AMoverDoesNotPassAThinPoleOnAFineSurface) {
  test::MeshSource ground = square_ground(200, 0.02, flat);
  // A mast of three sides of 1 cm, 2 m high, around x = 0.5, z = 0.
  auto const first = static_cast<std::uint32_t>(ground.vertices.size());
  constexpr double kX[] = {0.495, 0.505, 0.505};
  constexpr double kZ[] = {0.0, 0.005, -0.005};
  for (double const y : {0.0, 2.0}) {
    for (int i = 0; i < 3; ++i) ground.vertices.push_back({kX[i], y, kZ[i]});
  }
  for (std::uint32_t i = 0; i < 3; ++i) {
    std::uint32_t const next = (i + 1) % 3;
    ground.triangles.push_back({first + i, first + next, first + next + 3});
    ground.triangles.push_back({first + i, first + next + 3, first + i + 3});
  }
  auto const end_x = [&](std::uint32_t max_contacts) {
    World<TypeParam> world = this->make(max_contacts, ground);
    MoverDef def;
    def.position = Position::from_metres(-0.3, 1.0, 0);
    def.tuning.max_speed_m_s = 60;
    def.tuning.acceleration_m_s2 = 10'000;
    auto const mover = world.create_mover(def);
    EXPECT_TRUE(mover.ok());
    EXPECT_TRUE(world.set_mover_input(*mover, {.velocity_m_s = {60, 0, 0}}).ok());
    bool has_cut = false;
    for (int tick = 0; tick < 10; ++tick) has_cut = world.step().contacts_cut || has_cut;
    EXPECT_EQ(has_cut, max_contacts != 0);
    return world.pose(world.mover(*mover).body).position.to_metres().x;
  };
  EXPECT_LT(end_x(0), 0.5) << "the pole stops a mover that tests all triangles";
  EXPECT_LT(end_x(1), 0.5);
}

// A node on a fine surface has more triangles near it than it tests.
TYPED_TEST(TriangleLimit, ARopeLiesOnAFineSurface) {
  test::MeshSource const ground = square_ground(200, 0.01, bumpy);
  auto const lowest = [&](std::uint32_t max_contacts) {
    World<TypeParam> world = this->make(max_contacts, ground);
    RopeDef def;
    def.start = Position::from_metres(-0.5, 0.12, 0.1);
    def.end = Position::from_metres(0.5, 0.12, -0.1);
    def.radius_m = 0.1;
    auto const rope = world.create_rope(def);
    EXPECT_TRUE(rope.ok());
    bool has_cut = false;
    for (int tick = 0; tick < 60; ++tick) has_cut = world.step().contacts_cut || has_cut;
    EXPECT_EQ(has_cut, max_contacts != 0);
    RopeView view;
    world.read_rope(*rope, view);
    double y = 1;
    for (const Position& node : view.nodes) y = std::min(y, node.to_metres().y);
    return y;
  };
  double const all = lowest(0);
  EXPECT_GT(all, 0);
  EXPECT_NEAR(lowest(64), all, 0.01);
}

}  // namespace
}  // namespace takt
