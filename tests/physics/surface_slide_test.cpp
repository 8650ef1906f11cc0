// Bodies that slide or roll over a flat mesh or height field, at an angle to the edges of its triangles, move
// as on a plane: the acceptance's bump of less than 1 mm/s.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/physics/simple_world.h"
#include "tests/physics/surfaces.h"

namespace takt {
namespace {

using test::at;
using test::kDegree;
using test::metres;

constexpr int kCells = 40;  // each way, of 0.2 m: 3,200 triangles
constexpr double kCellM = 0.2;
constexpr double kSpeedMS = 2.0;
constexpr double kMaxVerticalMS = 0.001;  // the acceptance's

template <class Real>
void add_flat(World<Real>& world, bool field, double friction) {
  if (field) {
    std::vector<double> const heights((kCells + 1) * (kCells + 1), 0.0);
    HeightFieldDef const def{kCells + 1, kCells + 1, kCellM, kCellM, heights};
    ShapeDef shape = test::height_field_shape(def);
    shape.local_position_m = {-1, 0, -1};
    shape.friction = friction;
    (void)test::add(world, BodyType::kStatic, shape, {});
    return;
  }
  test::MeshSource const source =
      test::grid_mesh(kCells, kCells, kCellM, -1, -1, [](double, double) { return 0.0; });
  MeshDef const mesh = source.def();
  ShapeDef shape = test::mesh_shape(mesh);
  shape.friction = friction;
  (void)test::add(world, BodyType::kStatic, shape, {});
}

struct Slider {
  const char* name;
  ShapeDef shape;
  double height_m;
  Quat<double> rotation;
  bool rolls = false;  ///< with friction, about its axis, which lies across the way
};

template <class Real>
class SurfaceSlideTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(SurfaceSlideTest, Reals);

TYPED_TEST(SurfaceSlideTest, NothingFeelsTheEdgesItCrossesAtAnAngle) {
  std::vector<Vec3<double>> const wedge = {{-0.3, 0, -0.2}, {0.3, 0, -0.2}, {-0.3, 0, 0.2},
                                           {0.3, 0, 0.2},   {-0.3, 0.3, 0}, {0.3, 0.3, 0}};
  Quat<double> const lying = test::about_x(90 * kDegree);
  for (bool const field : {false, true}) {
    for (double const degrees : {30.0, 45.0}) {
      // About y, with which the shape's x and z lie along and across the way; and straight, so that a box's
      // edges lie along those of the triangles.
      Quat<double> const rotated = test::about_y(-degrees * kDegree);
      for (const Slider& slider :
           {Slider{"box", test::box(0.25, 0.1, 0.25), 0.1, rotated},
            Slider{"straight box", test::box(0.25, 0.1, 0.25), 0.1, {}},
            Slider{"cylinder", test::cylinder(0.2, 0.3), 0.2, rotated * lying, true},
            Slider{"capsule", test::capsule(0.1, 0.3), 0.1, rotated * lying},
            Slider{"rolling capsule", test::capsule(0.1, 0.3), 0.1, rotated * lying, true},
            Slider{"hull", test::hull(wedge), 0.0, rotated},
            Slider{"straight hull", test::hull(wedge), 0.0, {}}}) {
        auto world = test::make_world<TypeParam>();
        add_flat(world, field, slider.rolls ? 0.6 : 0.0);
        Vec3<double> const displacement{std::cos(degrees * kDegree), 0, std::sin(degrees * kDegree)};
        BodyDef def = test::body(BodyType::kDynamic, {&slider.shape, 1}, at(0.03, slider.height_m, 0.05),
                                 slider.rotation);
        def.linear_velocity_m_s = displacement * kSpeedMS;
        if (slider.rolls)
          def.angular_velocity_rad_s =
              Vec3<double>{displacement.z, 0, -displacement.x} * (kSpeedMS / slider.height_m);
        BodyId const body = test::add(world, def);
        test::run(world, 10);
        double fastest = 0;
        for (int tick = 0; tick < 180; ++tick) {
          (void)world.step();
          fastest = std::max(fastest, std::abs(to_double(world.linear_velocity(body).y)));
        }
        std::string const what = std::string(slider.name) + (field ? ", height field, " : ", mesh, ") +
                                 std::to_string(static_cast<int>(degrees));
        EXPECT_LT(fastest, kMaxVerticalMS) << what;
        // 190 ticks of 1/60 s at 2 m/s; a hundredth may be lost to the first contact.
        double const gone =
            dot(metres(world.pose(body).position) - Vec3<double>{0.03, 0, 0.05}, displacement);
        EXPECT_NEAR(gone, 190 / 60.0 * kSpeedMS, 0.07) << what;
        Vec3<double> const velocity = to_double(world.linear_velocity(body));
        EXPECT_LT(length(velocity - displacement * kSpeedMS), 0.02) << what;
        testing::Test::RecordProperty(what, static_cast<int>(1e6 * fastest));
      }
    }
  }
}

}  // namespace
}  // namespace takt
