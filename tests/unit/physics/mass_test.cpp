// Mass from densities against textbook formulas and against summing small cubes; the two inverse-inertia
// types against long double.
#include "physics/math/mass.h"

#include <gtest/gtest.h>

#include <numbers>

#include "physics/state/mass_properties.h"
#include "takt/core/random.h"
#include "tests/physics/simple_world.h"

namespace takt {
namespace {

constexpr double kPi = std::numbers::pi;

TEST(MassPropertiesTest, ASphere) {
  ShapeDef const shape = test::sphere(0.3);
  MassProperties const m = mass_properties({&shape, 1});
  double const mass = 1000 * 4 / 3.0 * kPi * 0.027;
  EXPECT_NEAR(m.mass_kg, mass, 1e-12 * mass);
  EXPECT_NEAR(m.inertia[0], 0.4 * mass * 0.09, 1e-12);
  EXPECT_NEAR(m.inertia[2], 0.4 * mass * 0.09, 1e-12);
  EXPECT_EQ(m.inertia[3], 0.0);
}

TEST(MassPropertiesTest, ABoxOffCentreHasTheParallelAxisTerm) {
  ShapeDef shape = test::box(0.5, 1, 2);
  shape.density_kg_m3 = 2;
  shape.local_position_m = {3, 0, 0};
  MassProperties const m = mass_properties({&shape, 1});
  EXPECT_DOUBLE_EQ(m.mass_kg, 16);
  EXPECT_EQ(m.center_m, (Vec3<double>{3, 0, 0}));
  EXPECT_NEAR(m.inertia[0], 16.0 / 12 * (4 + 16), 1e-12) << "about the centre of mass: no term";
  // Two of them, 6 m apart: about the middle, each adds 8 kg x 3 m x 3 m on the axes across.
  ShapeDef pair[2] = {shape, shape};
  pair[1].local_position_m = {-3, 0, 0};
  MassProperties const two = mass_properties(pair);
  EXPECT_EQ(two.center_m, (Vec3<double>{}));
  EXPECT_NEAR(two.inertia[0], 2 * 16.0 / 12 * 20, 1e-12);
  EXPECT_NEAR(two.inertia[1], 2 * (16.0 / 12 * (1 + 16) + 16 * 9), 1e-11);
}

TEST(MassPropertiesTest, AQuarterTurnSwapsMoments) {
  ShapeDef shape = test::box(0.5, 1, 2);
  MassProperties const straight = mass_properties({&shape, 1});
  shape.local_rotation = test::about_z(kPi / 2);
  MassProperties const rotated = mass_properties({&shape, 1});
  EXPECT_NEAR(rotated.inertia[0], straight.inertia[1], 1e-9);
  EXPECT_NEAR(rotated.inertia[1], straight.inertia[0], 1e-9);
  EXPECT_NEAR(rotated.inertia[3], 0, 1e-9);
}

TEST(MassPropertiesTest, WithoutDensityThereIsNoMass) {
  ShapeDef shape = test::sphere(1);
  shape.density_kg_m3 = 0;
  EXPECT_EQ(mass_properties({&shape, 1}).mass_kg, 0.0);
  EXPECT_EQ(mass_properties({}).mass_kg, 0.0);
}

TEST(MassPropertiesTest, ACylinderAndAConeStandUpright) {
  double const r = 0.4;
  double const h = 1.2;
  ShapeDef shape = test::cylinder(r, h / 2);
  shape.density_kg_m3 = 10;
  MassProperties const cylinder = mass_properties({&shape, 1});
  double const mass = 10 * kPi * r * r * h;
  EXPECT_NEAR(cylinder.mass_kg, mass, 1e-12);
  EXPECT_EQ(cylinder.center_m, (Vec3<double>{}));
  EXPECT_NEAR(cylinder.inertia[0], mass * (3 * r * r + h * h) / 12, 1e-12);
  EXPECT_NEAR(cylinder.inertia[1], mass * r * r / 2, 1e-12);
  shape.kind = ShapeKind::kCone;
  MassProperties const cone = mass_properties({&shape, 1});
  EXPECT_NEAR(cone.mass_kg, mass / 3, 1e-12);
  EXPECT_NEAR(cone.center_m.y, -h / 4, 1e-15) << "a quarter of the height above the base";
  EXPECT_NEAR(cone.inertia[1], 0.3 * mass / 3 * r * r, 1e-12);
  EXPECT_NEAR(cone.inertia[0], 3.0 / 80 * mass / 3 * (4 * r * r + h * h), 1e-12);
  EXPECT_NEAR(cone.inertia[0], cone.inertia[2], 1e-15);
}

// A cone is a disc upon a disc: summed as thin cylinders. Slices of h / n lose terms of (h / n)^2.
TEST(MassPropertiesTest, AConeIsASumOfThinCylinders) {
  constexpr int kSlices = 200;
  std::vector<ShapeDef> slices;
  for (int i = 0; i < kSlices; ++i) {
    double const share = 1 - (i + 0.5) / kSlices;
    ShapeDef slice = test::cylinder(0.5 * share, 1.0 / (2 * kSlices));
    slice.local_position_m.y = -0.5 + (i + 0.5) / kSlices;
    slices.push_back(slice);
  }
  ShapeDef const unpacked = test::cone(0.5, 0.5);
  MassProperties const sum = mass_properties(slices);
  MassProperties const cone = mass_properties({&unpacked, 1});
  EXPECT_NEAR(sum.mass_kg, cone.mass_kg, 2e-5 * cone.mass_kg);
  EXPECT_NEAR(sum.center_m.y, cone.center_m.y, 2e-5);
  for (std::size_t i : {0u, 1u, 2u}) EXPECT_NEAR(sum.inertia[i], cone.inertia[i], 5e-5 * cone.inertia[i]);
}

// Half a box each: two turned and moved wedges weigh what the box does, tensor and all.
TEST(MassPropertiesTest, TwoWedgesAreABox) {
  std::vector<Vec3<double>> const wedge = {{-1, -0.5, -0.25}, {1, -0.5, -0.25}, {-1, 0.5, -0.25},
                                           {-1, -0.5, 0.25},  {1, -0.5, 0.25},  {-1, 0.5, 0.25}};
  ShapeDef shapes[2] = {test::hull(wedge), test::hull(wedge)};
  shapes[1].local_rotation = test::about_z(kPi);
  std::vector<PlacedHull> const hulls(2, make_hull(wedge).value());
  MassProperties const sum = mass_properties(shapes, hulls);
  ShapeDef const box = test::box(1, 0.5, 0.25);
  MassProperties const unpacked = mass_properties({&box, 1});
  EXPECT_NEAR(sum.mass_kg, unpacked.mass_kg, 1e-9);
  EXPECT_LT(length(sum.center_m), 1e-12);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(sum.inertia[i], unpacked.inertia[i], 1e-9) << i;
}

bool inside(const ShapeDef& shape, Vec3<double> local) {
  double const r = shape.radius_m;
  switch (shape.kind) {
    case ShapeKind::kSphere: return dot(local, local) <= r * r;
    case ShapeKind::kCapsule: {
      local.y -= clamp(local.y, -shape.half_length_m, shape.half_length_m);
      return dot(local, local) <= r * r;
    }
    default: {
      Vec3<double> const e = shape.half_extents_m;
      return std::abs(local.x) <= e.x && std::abs(local.y) <= e.y && std::abs(local.z) <= e.z;
    }
  }
}

// Three turned shapes of different densities, each summed over 60^3 cells with one random point in each. Only
// the 5 % of cells on the surface err, each by half a cell at random: sqrt(10^4) / 2 of 10^5 cells, 0.05 %;
// the test allows six of these.
TEST(MassPropertiesTest, RandomCompoundsAgreeWithSummingCells) {
  Random random(21);
  for (int run = 0; run < 6; ++run) {
    std::vector<ShapeDef> shapes;
    MassProperties sum;
    Vec3<double> weighted{};
    struct Cell {
      double mass;
      Vec3<double> at;
    };
    std::vector<Cell> cells;
    for (int i = 0; i < 3; ++i) {
      double const a = random.next_between(0.3, 0.6);
      double const b = random.next_between(0.3, 0.6);
      double const c = random.next_between(0.3, 0.6);
      ShapeDef shape = i == 0 ? test::box(a, b, c) : (i == 1 ? test::capsule(a, b) : test::sphere(a));
      shape.density_kg_m3 = random.next_between(1, 10);
      shape.local_position_m.x = random.next_between(-1, 1);
      shape.local_position_m.y = random.next_between(-1, 1);
      shape.local_rotation = test::about_x(random.next_between(0, 6));
      shapes.push_back(shape);
      constexpr int kCells = 60;
      double const reach = i == 1 ? a + b : std::max(a, std::max(b, c));
      double const edge = 2 * reach / kCells;
      for (int x = 0; x < kCells; ++x) {
        for (int y = 0; y < kCells; ++y) {
          for (int z = 0; z < kCells; ++z) {
            Vec3<double> local;
            local.x = (x + random.next_unit()) * edge - reach;
            local.y = (y + random.next_unit()) * edge - reach;
            local.z = (z + random.next_unit()) * edge - reach;
            if (!inside(shape, local)) continue;
            Cell const cell{shape.density_kg_m3 * edge * edge * edge,
                            shape.local_position_m + rotate(shape.local_rotation, local)};
            cells.push_back(cell);
            sum.mass_kg += cell.mass;
            weighted += cell.at * cell.mass;
          }
        }
      }
    }
    Vec3<double> const center = weighted * (1 / sum.mass_kg);
    for (const Cell& cell : cells) {
      Vec3<double> const d = cell.at - center;
      sum.inertia[0] += cell.mass * (d.y * d.y + d.z * d.z);
      sum.inertia[1] += cell.mass * (d.x * d.x + d.z * d.z);
      sum.inertia[2] += cell.mass * (d.x * d.x + d.y * d.y);
      sum.inertia[3] -= cell.mass * d.x * d.y;
      sum.inertia[4] -= cell.mass * d.x * d.z;
      sum.inertia[5] -= cell.mass * d.y * d.z;
    }
    MassProperties const exact = mass_properties(shapes);
    double const size = exact.inertia[0] + exact.inertia[1] + exact.inertia[2];
    EXPECT_NEAR(exact.mass_kg, sum.mass_kg, 0.003 * sum.mass_kg);
    EXPECT_LT(length(exact.center_m - center), 0.003);
    for (std::size_t k = 0; k < 6; ++k)
      EXPECT_NEAR(exact.inertia[k], sum.inertia[k], 0.003 * size) << "entry " << k << " run " << run;
  }
}

TEST(MassPropertiesTest, InvertedTimesTheTensorIsOneAndBadTensorsAreRefused) {
  std::array<double, 6> const a{5, 4, 3, 0.5, -0.25, 0.75};
  std::array<double, 6> const b = inverted(a).value();
  auto const entry = [](const std::array<double, 6>& m, int row, int column) {
    constexpr std::size_t kAxisIndex[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    return m[kAxisIndex[row][column]];
  };
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      double sum = 0;
      for (int k = 0; k < 3; ++k) sum += entry(a, row, k) * entry(b, k, column);
      EXPECT_NEAR(sum, row == column ? 1 : 0, 1e-14);
    }
  }
  EXPECT_EQ(inverted({1, 1, 0, 0, 0, 0}).error(), PhysicsError::kMassOutOfRange);
  EXPECT_EQ(inverted({1, 1, 1, 2, 0, 0}).error(), PhysicsError::kMassOutOfRange);
  EXPECT_EQ(inverted({-1, -1, -1, 0, 0, 0}).error(), PhysicsError::kMassOutOfRange);
}

// --- the tensors of the two modes
// ----------------------------------------------------------------

template <class Real>
class SymMatTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(SymMatTest, Reals);

double to_number(float v) { return v; }
double to_number(Scaled v) { return v.to_double(); }

// Random inverse tensors from 1e-7 to 1e7: product, bilinear form and rotation against long double. Each is a
// sum of three to nine rounded products, so the error is a few roundings of the sum of their sizes; a Fixed
// result cannot be finer than 2^-33.
TYPED_TEST(SymMatTest, ProductsAndRotationsAgreeWithLongDouble) {
  using Real = TypeParam;
  Random random(31);
  for (int run = 0; run < 2000; ++run) {
    double const scale = std::pow(10.0, random.next_between(-7, 7));
    std::array<double, 6> e{};
    for (std::size_t i = 0; i < 6; ++i)
      e[i] = random.next_between(i < 3 ? 0.5 : -0.2, i < 3 ? 1 : 0.2) * scale;
    auto const matrix = to_sym_mat<Real>(e);
    double const v_scale = 1 / std::max(1.0, scale);  // results of size one: Fixed holds them
    auto const draw = [&] {
      double const x = random.next_between(-1, 1);
      double const y = random.next_between(-1, 1);
      double const z = random.next_between(-1, 1);
      return Vec3<Real>{to_real<Real>(x * v_scale), to_real<Real>(y * v_scale), to_real<Real>(z * v_scale)};
    };
    Vec3<Real> const v = draw();
    Vec3<Real> const u = draw();
    Vec3<double> const w = to_double(v);
    auto const row = [&](std::size_t a, std::size_t b, std::size_t c, const std::array<double, 6>& m,
                         Vec3<double> x) {
      return static_cast<double>(static_cast<long double>(m[a]) * x.x + static_cast<long double>(m[b]) * x.y +
                                 static_cast<long double>(m[c]) * x.z);
    };
    Vec3<double> const exact{row(0, 3, 4, e, w), row(3, 1, 5, e, w), row(4, 5, 2, e, w)};
    Vec3<double> const product = to_double(matrix * v);
    double const size = 3 * scale * v_scale;
    double const relative = 8 * test::kRounding<Real> * size + 0x1p-32;
    EXPECT_LT(length(product - exact), relative) << "scale " << scale;

    double const form = to_number(bilinear(u, matrix, v));
    EXPECT_NEAR(form, dot(to_double(u), exact), 32 * test::kRounding<float> * size * v_scale)
        << "scale " << scale;
    if constexpr (std::is_same_v<Real, Fixed>) {
      EXPECT_NEAR(form, dot(to_double(u), exact), 0x1p-50 * size * v_scale)
          << "block floating keeps what doubles keep";
    }

    Quat<double> const q{random.next_between(-1, 1), 0.3, -0.4, 0.5};
    double const n = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    Quat<Real> const turn = normalise(Quat<Real>{to_real<Real>(q.x / n), to_real<Real>(q.y / n),
                                                 to_real<Real>(q.z / n), to_real<Real>(q.w / n)});
    // u . (R A R^T v) = (R^T u) . A (R^T v)
    auto const rotated_matrix = rotated(matrix, to_matrix(turn));
    Quat<double> const td{to_double(turn.x), to_double(turn.y), to_double(turn.z), to_double(turn.w)};
    Vec3<double> const local_v = rotate_inverse(td, w);
    Vec3<double> const local_u = rotate_inverse(td, to_double(u));
    Vec3<double> const local{row(0, 3, 4, e, local_v), row(3, 1, 5, e, local_v), row(4, 5, 2, e, local_v)};
    EXPECT_NEAR(to_number(bilinear(u, rotated_matrix, v)), dot(local_u, local),
                64 * test::kRounding<Real> * 4 * size * v_scale)
        << "scale " << scale;
  }
}

TYPED_TEST(SymMatTest, ReciprocalOfNothingIsNothing) {
  EXPECT_FALSE(is_positive(reciprocal_or_zero(Mass<TypeParam>{})));
  EXPECT_TRUE(is_positive(reciprocal_or_zero(to_mass<TypeParam>(3.0))));
  EXPECT_NEAR(to_number(reciprocal_or_zero(to_mass<TypeParam>(4.0))), 0.25, 0);
  EXPECT_EQ(to_sym_mat<TypeParam>({}), SymMat<TypeParam>{});
}

}  // namespace
}  // namespace takt
