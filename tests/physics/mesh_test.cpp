// Meshes and height fields against mechanics: what slides over many triangles slides as on a plane, what
// rests on them rests, and nothing goes through.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "takt/core/random.h"
#include "tests/physics/simple_world.h"
#include "tests/physics/surfaces.h"

namespace takt {
namespace {

using test::at;
using test::metres;

template <class Real>
class SurfaceMechanicsTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(SurfaceMechanicsTest, Reals);

template <class Real>
BodyId add_mesh(World<Real>& world, const test::MeshSource& source, double friction = 0.6) {
  MeshDef const mesh = source.def();
  ShapeDef shape = test::mesh_shape(mesh);
  shape.friction = friction;
  return test::add(world, BodyType::kStatic, shape, {});
}

/// The largest vertical speed of a body in `ticks`, m/s.
template <class Real>
double largest_vertical_speed(World<Real>& world, BodyId body, int ticks) {
  double max = 0;
  for (int i = 0; i < ticks; ++i) {
    (void)world.step();
    max = std::max(max, std::abs(to_double(world.linear_velocity(body).y)));
  }
  return max;
}

double flat(double, double) { return 0; }

// Acceptance of the engine: vertical speed under 1 mm/s over 1,000 triangles. 50 x 10 cells of 0.2 m, crossed
// at 2 m/s without friction, by every kind.
TYPED_TEST(SurfaceMechanicsTest, NothingFeelsTheEdgesOfAFlatMesh) {
  test::MeshSource const ground = test::grid_mesh(50, 10, 0.2, -1, -1, flat);
  std::vector<Vec3<double>> const wedge = {{-0.3, 0, -0.2}, {0.3, 0, -0.2}, {-0.3, 0, 0.2},
                                           {0.3, 0, 0.2},   {-0.3, 0.3, 0}, {0.3, 0.3, 0}};
  struct Slider {
    const char* name;
    ShapeDef shape;
    double height;
    Quat<double> rotation;
  };
  for (const Slider& slider :
       {Slider{"box", test::box(0.25, 0.1, 0.25), 0.1, {}},
        Slider{"turned box", test::box(0.25, 0.1, 0.25), 0.1, test::about_y(0.4)},
        Slider{"sphere", test::sphere(0.2), 0.2, {}},
        Slider{"capsule", test::capsule(0.1, 0.3), 0.1, test::about_x(90 * test::kDegree)},
        Slider{"cylinder", test::cylinder(0.25, 0.1), 0.1, {}},
        Slider{"cone", test::cone(0.25, 0.1), 0.1, {}}, Slider{"hull", test::hull(wedge), 0.0, {}}}) {
    auto world = test::make_world<TypeParam>();
    (void)add_mesh(world, ground, 0.0);
    BodyDef def =
        test::body(BodyType::kDynamic, {&slider.shape, 1}, at(0, slider.height, 0.03), slider.rotation);
    def.linear_velocity_m_s = {2, 0, 0.1};
    BodyId const body = test::add(world, def);
    test::run(world, 10);
    double const speed = largest_vertical_speed(world, body, 220);
    EXPECT_LT(speed, 0.001) << slider.name;
    EXPECT_NEAR(to_double(world.linear_velocity(body).x), 2.0, 0.01) << slider.name;
    EXPECT_GT(metres(world.pose(body).position).x, 7.0) << slider.name;
    testing::Test::RecordProperty(slider.name, static_cast<int>(1e6 * speed));
  }
}

// A cylinder of radius 100 m, of facets 0.2 m long (0.115 degrees a step). A body that slides over its top
// leaves the plane by v^2 / r: 40 mm/s^2; the steps of the facets add at most v times the angle of one, 4
// mm/s, to the smooth curve's vertical speed.
TYPED_TEST(SurfaceMechanicsTest, NothingSpuriousOverAMildCurve) {
  for (double const sign : {-1.0, 1.0}) {
    auto const bent = [sign](double x, double) { return sign * x * x / 200; };
    test::MeshSource const ground = test::grid_mesh(50, 10, 0.2, -5, -1, bent);
    ShapeDef const shape = test::box(0.25, 0.1, 0.25);
    auto world = test::make_world<TypeParam>();
    (void)add_mesh(world, ground, 0.0);
    BodyDef def = test::body(BodyType::kDynamic, {&shape, 1}, at(-4, bent(-4, 0) + 0.1, 0),
                             test::about_z(-sign * 0.04));
    def.linear_velocity_m_s = {2, -sign * 2 * 0.04, 0};
    BodyId const body = test::add(world, def);
    test::run(world, 10);
    double worst = 0;
    for (int i = 0; i < 200; ++i) {
      (void)world.step();
      double const x = metres(world.pose(body).position).x;
      Vec3<double> const v = to_double(world.linear_velocity(body));
      worst = std::max(worst, std::abs(v.y - sign * v.x * x / 100));
    }
    EXPECT_LT(worst, 0.008) << (sign > 0 ? "valley" : "hill");
    testing::Test::RecordProperty(sign > 0 ? "valley_um_s" : "hill_um_s", static_cast<int>(1e6 * worst));
    EXPECT_GT(metres(world.pose(body).position).x, 1.0);  // across the top
  }
}

// On a slope of triangles a box slides exactly when the slope passes friction, as on a half-space.
TYPED_TEST(SurfaceMechanicsTest, ASlopeOfTrianglesHoldsWhatFrictionHolds) {
  for (double const share : {0.99, 1.01}) {
    double const slope = 0.5 * share;
    test::MeshSource const ground =
        test::grid_mesh(40, 10, 0.25, -5, -1.25, [slope](double x, double) { return -slope * x; });
    ShapeDef shape = test::box(0.3, 0.1, 0.3);
    shape.friction = 0.5;
    WorldDef settings;
    settings.allow_sleep = false;
    auto world = test::make_world<TypeParam>(settings);
    (void)add_mesh(world, ground, 0.5);
    double const angle = -std::atan(slope);
    BodyId const body = test::add(world, BodyType::kDynamic, shape,
                                  at(-0.1 * std::sin(angle), 0.1 * std::cos(angle), 0), test::about_z(angle));
    test::run(world, 30);
    double const before = metres(world.pose(body).position).x;
    test::run(world, 120);
    double const moved = metres(world.pose(body).position).x - before;
    // g (sin - mu cos) t^2 / 2 along the slope when it slides: 0.005 x 9.81 x 0.8 x 2 = 88 mm and what it had
    // gathered.
    if (share < 1) {
      EXPECT_LT(std::abs(moved), 0.001);
    } else {
      EXPECT_GT(moved, 0.05);
    }
  }
}

// Balls dropped on a bumpy mesh and height field come to rest on it; none goes through. They fall no faster
// than 6 m/s, a tenth of a metre a tick: what is faster and smaller than that is for continuous collision.
TYPED_TEST(SurfaceMechanicsTest, BallsOnBumpyGroundNeverFallThrough) {
  auto const bumps = [](double x, double z) { return 0.3 * std::sin(1.7 * x) * std::cos(1.3 * z); };
  for (bool const field : {false, true}) {
    auto world = test::make_world<TypeParam>();
    if (field) {
      std::vector<double> heights;
      for (int r = 0; r < 41; ++r) {
        for (int c = 0; c < 41; ++c) heights.push_back(bumps(c * 0.25 - 5, r * 0.25 - 5));
      }
      HeightFieldDef const def{41, 41, 0.25, 0.25, heights};
      ShapeDef shape = test::height_field_shape(def);
      shape.local_position_m = {-5, 0, -5};
      (void)test::add(world, BodyType::kStatic, shape, {});
    } else {
      (void)add_mesh(world, test::grid_mesh(40, 40, 0.25, -5, -5, bumps));
    }
    Random random(7, field ? 1 : 0);
    std::vector<BodyId> balls;
    for (int i = 0; i < 100; ++i) {
      double const radius = random.next_between(0.11, 0.3);
      double const height = random.next_between(0.7, 1.5);
      balls.push_back(test::add(world, BodyType::kDynamic, test::sphere(radius),
                                at(i % 10 * 0.62 - 2.8, height, i / 10 * 0.62 - 2.8)));
    }
    test::run(world, 600);
    for (BodyId const ball : balls) {
      Vec3<double> const p = metres(world.pose(ball).position);
      if (std::max(std::abs(p.x), std::abs(p.z)) > 4.9) continue;  // rolled off
      EXPECT_GT(p.y, bumps(p.x, p.z)) << (field ? "field" : "mesh");
    }
  }
}

// A closed mesh of a box holds boxes and cylinders that lie on it, lean on its edges and stand at its
// corners, as the box itself does.
TYPED_TEST(SurfaceMechanicsTest, ABoxOfTrianglesIsABox) {
  struct Case {
    const char* name;
    ShapeDef shape;
    Vec3<double> position;
    Quat<double> rotation;
  };
  for (const Case& c :
       {Case{"on top", test::box(0.3, 0.1, 0.3), {0.2, 1.1, 0.1}, {}},
        Case{"over the edge", test::box(0.5, 0.1, 0.3), {0.8, 1.1, 0}, {}},
        Case{"plank across", test::box(1.4, 0.05, 0.2), {0, 1.05, 0}, test::about_y(0.7)},
        Case{"cylinder lying", test::cylinder(0.2, 0.4), {0, 1.2, 0}, test::about_x(90 * test::kDegree)},
        Case{"capsule over edge",
             test::capsule(0.1, 0.5),
             {0.7, 1.1, 0},
             test::about_z(90 * test::kDegree)}}) {
    auto world = test::make_world<TypeParam>();
    auto model = test::make_world<TypeParam>();
    (void)add_mesh(world, test::box_mesh(1, 1, 1));
    (void)test::add(model, BodyType::kStatic, test::box(1, 1, 1), {});
    BodyId const on_mesh = test::add(world, BodyType::kDynamic, c.shape,
                                     at(c.position.x, c.position.y, c.position.z), c.rotation);
    BodyId const on_box = test::add(model, BodyType::kDynamic, c.shape,
                                    at(c.position.x, c.position.y, c.position.z), c.rotation);
    test::run(world, 240);
    test::run(model, 240);
    Vec3<double> const apart = test::displacement(world.pose(on_mesh).position, model.pose(on_box).position);
    EXPECT_LT(length(apart), 0.004) << c.name << ' ' << apart;
    EXPECT_GT(metres(world.pose(on_mesh).position).y, 1.0) << c.name;
  }
}

// Drops a box so that it hits the mesh's edge and falls past: it must be turned aside, never caught inside
// the mesh.
TYPED_TEST(SurfaceMechanicsTest, OneSidedGroundPushesFromAboveOnlyTwoSidedFromBoth) {
  for (bool const one_sided : {true, false}) {
    test::MeshSource ground = test::grid_mesh(8, 8, 0.5, -2, -2, flat);
    ground.one_sided = one_sided;
    WorldDef settings;
    settings.gravity_m_s2 = {0, 0, 0};
    auto world = test::make_world<TypeParam>(settings);
    (void)add_mesh(world, ground);
    ShapeDef const ball = test::sphere(0.2);
    BodyDef def = test::body(BodyType::kDynamic, {&ball, 1}, at(0.1, -1, 0.1));
    def.linear_velocity_m_s = {0, 2, 0};
    BodyId const from_below = test::add(world, def);
    ShapeDef const box = test::box(0.2, 0.2, 0.2);
    def.shapes = {&box, 1};
    def.position = at(-1, 1, 1);
    def.linear_velocity_m_s = {0, -2, 0};
    BodyId const from_above = test::add(world, def);
    test::run(world, 120);
    EXPECT_EQ(metres(world.pose(from_below).position).y > 0, one_sided);
    EXPECT_GT(metres(world.pose(from_above).position).y, 0);
  }
}

// A heavy load pressed light bodies through meshes, below which they fell for ever.
TYPED_TEST(SurfaceMechanicsTest, AShapeThatIsPressedThroughComesBack) {
  for (bool const one_sided : {true, false}) {
    for (const ShapeDef& shape : {test::box(0.2, 0.2, 0.2), test::sphere(0.2), test::cylinder(0.2, 0.2)}) {
      test::MeshSource ground = test::grid_mesh(8, 8, 0.25, -1, -1, flat);
      ground.one_sided = one_sided;
      auto world = test::make_world<TypeParam>();
      (void)add_mesh(world, ground);
      BodyId const body = test::add(world, BodyType::kDynamic, shape, at(0.1, 0.2, 0.05));
      test::run(world, 60);
      Position const rest = world.pose(body).position;
      ASSERT_TRUE(world.set_pose(body, at(0.1, -0.05, 0.05), {}).ok());
      test::run(world, 60);
      EXPECT_NEAR(metres(world.pose(body).position).y, metres(rest).y, 0.005) << "one-sided " << one_sided;
    }
  }
}

// Contacts with the ground counted as contacts with the platform above it, since both are one mesh: the plank
// that leans past the platform's edge was pushed half a metre into the wall.
TYPED_TEST(SurfaceMechanicsTest, AContactElsewhereOnTheMeshPushesNothingBack) {
  test::MeshSource level = test::box_mesh(20, 0.5, 20);
  test::MeshSource const platform = test::box_mesh(2, 0.1, 2);
  auto const first = static_cast<std::uint32_t>(level.vertices.size());
  for (Vec3<double> const& corner : platform.vertices)
    level.vertices.push_back(corner + Vec3<double>{2, 3.6, 0});
  for (auto const& triangle : platform.triangles)
    level.triangles.push_back({triangle[0] + first, triangle[1] + first, triangle[2] + first});
  auto world = test::make_world<TypeParam>();
  (void)add_mesh(world, level);  // ground up to 0.5, platform from 3.5 to 3.7
  (void)test::add(world, BodyType::kStatic, test::box(0.5, 10, 10), at(-2.46, 9, 0));
  Vec3<double> const along{-4.1, 5.6, 0};
  ShapeDef plank = test::box(0.03, test::length_of(along) / 2, 0.3);
  plank.friction = 1.5;
  BodyId const body = test::add(world, BodyType::kDynamic, plank, at(2.2 - 2.05, 0.53 + 2.8, 0),
                                test::about_z(std::atan2(4.1, 5.6)));
  double lowest_x = 1e9;
  for (int tick = 0; tick < 90; ++tick) {
    test::run(world, 1);
    lowest_x = std::min(lowest_x, metres(world.pose(body).position).x);
  }
  EXPECT_GT(lowest_x, 0.1);
}

// A kinematic mesh carries what stands on it.
TYPED_TEST(SurfaceMechanicsTest, AMovingMeshCarriesWhatStandsOnIt) {
  test::MeshSource const slab = test::box_mesh(1, 0.25, 1);
  MeshDef const mesh = slab.def();
  ShapeDef const shape = test::mesh_shape(mesh);
  auto world = test::make_world<TypeParam>();
  BodyDef def = test::body(BodyType::kKinematic, {&shape, 1}, at(0, 0, 0));
  BodyId const platform = test::add(world, def);
  BodyId const rider = test::add(world, BodyType::kDynamic, test::box(0.2, 0.2, 0.2), at(0.3, 0.45, 0.2));
  test::run(world, 30);
  ASSERT_TRUE(world.set_velocity(platform, {1, 0.5, 0}, {0, 0, 0}).ok());
  test::run(world, 120);
  Vec3<double> const apart = test::displacement(world.pose(platform).position, world.pose(rider).position);
  EXPECT_NEAR(apart.x, 0.3, 0.15);  // what it slips while it is brought to speed: v^2 / (2 mu g) = 0.085 m
  EXPECT_NEAR(apart.y, 0.45, 0.01);
  EXPECT_NEAR(to_double(world.linear_velocity(rider).x), 1.0, 0.01);
}

// Materials of the surface take the place of its shape's: the ball on ice slides on, the one on rubber rolls.
TYPED_TEST(SurfaceMechanicsTest, EachPartHasItsOwnMaterial) {
  test::MeshSource const ground = test::grid_mesh(20, 2, 0.5, -1, -0.5, flat);
  std::vector<std::uint8_t> materials;
  for (std::size_t i = 0; i < ground.triangles.size(); ++i)
    materials.push_back(i < ground.triangles.size() / 2 ? 0 : 1);  // rows: z below and above 0
  std::vector<SurfaceMaterial> const kinds = {{0.0, 0.0}, {1.0, 0.0}};
  MeshDef mesh = ground.def();
  mesh.triangle_materials = materials;
  mesh.materials = kinds;
  auto world = test::make_world<TypeParam>();
  (void)test::add(world, BodyType::kStatic, test::mesh_shape(mesh), {});
  std::vector<BodyId> boxes;
  for (double const z : {-0.25, 0.25}) {
    ShapeDef shape = test::box(0.1, 0.1, 0.1);
    shape.friction = 1.0;
    BodyDef def = test::body(BodyType::kDynamic, {&shape, 1}, at(0, 0.1, z));
    def.linear_velocity_m_s = {2, 0, 0};
    boxes.push_back(test::add(world, def));
  }
  test::run(world, 60);
  EXPECT_NEAR(to_double(world.linear_velocity(boxes[0]).x), 2.0, 0.001);
  EXPECT_NEAR(to_double(world.linear_velocity(boxes[1]).x), 0.0, 0.001);
}

}  // namespace
}  // namespace takt
