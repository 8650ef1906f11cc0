#include "takt/physics/query.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "takt/core/random.h"
#include "takt/physics/world.h"
#include "tests/physics/polyhedra.h"
#include "tests/physics/simple_world.h"
#include "tests/physics/surfaces.h"

namespace takt {

// Here, so that a failing comparison prints numbers.
inline bool operator==(const QueryHit& a, const QueryHit& b) {
  return a.body == b.body && a.shape == b.shape && a.point == b.point && a.normal == b.normal &&
         a.fraction == b.fraction && a.distance_m == b.distance_m && a.triangle == b.triangle;
}
inline std::ostream& operator<<(std::ostream& out, const QueryHit& hit) {
  return out << "{shape " << hit.shape.index << " point " << hit.point << " normal " << hit.normal
             << " fraction " << hit.fraction << " distance " << hit.distance_m << '}';
}

namespace {

using test::at;

template <class Real>
class QueryTest : public testing::Test {
 protected:
  World<Real> world = test::make_world<Real>();
  std::vector<QueryHit> hits;

  const QueryHit& ask(const Query& query) {
    auto const found = world.query(query, hits);
    EXPECT_TRUE(found.ok() && *found && hits.size() == 1);
    hits.resize(1);
    return hits[0];
  }
  bool misses(const Query& query) {
    auto const found = world.query(query, hits);
    EXPECT_TRUE(found.ok());
    EXPECT_EQ(*found, !hits.empty());
    return !*found;
  }
  PhysicsError refusal(const Query& query) {
    hits.assign(3, {});
    auto const found = world.query(query, hits);
    EXPECT_TRUE(!found.ok());
    EXPECT_TRUE(hits.empty());
    return found.error();
  }
  void expect_hit(const Query& query, Vec3<double> point, Vec3<double> normal, double fraction) {
    const QueryHit& hit = ask(query);
    EXPECT_LE(length(test::metres(hit.point) - point), 1e-6) << hit;
    EXPECT_LE(length(hit.normal - normal), 1e-6) << hit;
    EXPECT_NEAR(hit.fraction, fraction, 1e-7) << hit;
  }
};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(QueryTest, Reals);

TYPED_TEST(QueryTest, ARayMeetsASphereOnItsSurface) {
  test::add(this->world, BodyType::kStatic, test::sphere(1), at(5, 0, 0));
  this->expect_hit(Query::ray(at(0, 0, 0), {10, 0, 0}), {4, 0, 0}, {-1, 0, 0}, 0.4);
  this->expect_hit(Query::ray(at(0, 0.6, 0), {10, 0, 0}), {4.2, 0.6, 0}, {-0.8, 0.6, 0}, 0.42);
  EXPECT_TRUE(this->misses(Query::ray(at(0, 1.01, 0), {10, 0, 0})));
  EXPECT_TRUE(this->misses(Query::ray(at(0, 0, 0), {3.9, 0, 0}))) << "it ends before the sphere";
  EXPECT_TRUE(this->misses(Query::ray(at(0, 0, 0), {-10, 0, 0}))) << "it looks away";
}

TYPED_TEST(QueryTest, ARayMeetsTheSideAndTheCapOfACapsule) {
  test::add(this->world, BodyType::kStatic, test::capsule(0.5, 1), at(0, 0, 0));
  this->expect_hit(Query::ray(at(-2, 0.9, 0), {4, 0, 0}), {-0.5, 0.9, 0}, {-1, 0, 0}, 0.375);
  this->expect_hit(Query::ray(at(0, 5, 0), {0, -7, 0}), {0, 1.5, 0}, {0, 1, 0}, 0.5);
  this->expect_hit(Query::ray(at(0.3, 5, 0), {0, -5, 0}), {0.3, 1.4, 0}, {0.6, 0.8, 0}, 0.72);
  EXPECT_TRUE(this->misses(Query::ray(at(0.4, 5, 0.4), {0, -10, 0})));
}

TYPED_TEST(QueryTest, ARayMeetsEachFaceOfABox) {
  test::add(this->world, BodyType::kStatic, test::box(1, 2, 3), at(0, 0, 0));
  this->expect_hit(Query::ray(at(-5, 1.9, 2.9), {8, 0, 0}), {-1, 1.9, 2.9}, {-1, 0, 0}, 0.5);
  this->expect_hit(Query::ray(at(5, 1.9, 2.9), {-8, 0, 0}), {1, 1.9, 2.9}, {1, 0, 0}, 0.5);
  this->expect_hit(Query::ray(at(0, 6, 0), {0, -8, 0}), {0, 2, 0}, {0, 1, 0}, 0.5);
  this->expect_hit(Query::ray(at(0, -6, 0), {0, 8, 0}), {0, -2, 0}, {0, -1, 0}, 0.5);
  this->expect_hit(Query::ray(at(0, 0, 7), {0, 0, -8}), {0, 0, 3}, {0, 0, 1}, 0.5);
  this->expect_hit(Query::ray(at(0, 0, -7), {0, 0, 8}), {0, 0, -3}, {0, 0, -1}, 0.5);
  EXPECT_TRUE(this->misses(Query::ray(at(-5, 2.01, 0), {10, 0, 0})));
}

TYPED_TEST(QueryTest, ARayMeetsTheSideAndTheEndsOfACylinder) {
  test::add(this->world, BodyType::kStatic, test::cylinder(1, 2), at(0, 0, 0));
  this->expect_hit(Query::ray(at(-3, 1.9, 0), {4, 0, 0}), {-1, 1.9, 0}, {-1, 0, 0}, 0.5);
  this->expect_hit(Query::ray(at(0.7, 4, 0.7), {0, -4, 0}), {0.7, 2, 0.7}, {0, 1, 0}, 0.5);
  this->expect_hit(Query::ray(at(0.7, -4, 0.7), {0, 4, 0}), {0.7, -2, 0.7}, {0, -1, 0}, 0.5);
  EXPECT_TRUE(this->misses(Query::ray(at(0.72, 4, 0.72), {0, -10, 0})));
}

TYPED_TEST(QueryTest, ARayMeetsTheSideTheBaseAndTheTipOfACone) {
  test::add(this->world, BodyType::kStatic, test::cone(1, 1),
            at(0, 0, 0));  // r = 0.5 at y = 0; the side falls 2 over 1
  this->expect_hit(Query::ray(at(-1.5, 0, 0), {2, 0, 0}), {-0.5, 0, 0},
                   {-2 / std::sqrt(5.0), 1 / std::sqrt(5.0), 0}, 0.5);
  this->expect_hit(Query::ray(at(0.9, -3, 0), {0, 4, 0}), {0.9, -1, 0}, {0, -1, 0}, 0.5);
  const QueryHit& tip = this->ask(Query::ray(at(0, 3, 0), {0, -4, 0}));
  EXPECT_NEAR(tip.fraction, 0.5, 1e-7);
  EXPECT_TRUE(this->misses(Query::ray(at(-3, 1.01, 0), {6, 0, 0})));
}

TYPED_TEST(QueryTest, ARayMeetsAHalfSpace) {
  test::add_ground(this->world);
  this->expect_hit(Query::ray(at(3, 2, 1), {4, -4, 0}), {5, 0, 1}, {0, 1, 0}, 0.5);
  EXPECT_TRUE(this->misses(Query::ray(at(3, 2, 1), {4, 0, 0})));
  EXPECT_TRUE(this->misses(Query::ray(at(3, 2, 1), {4, 1, 0})));
}

TYPED_TEST(QueryTest, ARayMeetsTheFaceTheEdgeAndTheCornerOfARoundedHull) {
  std::vector<Vec3<double>> const corners = test::box_corners(1, 1, 1);
  ShapeDef shape = test::hull(corners);
  shape.rounding_m = 0.5;
  test::add(this->world, BodyType::kStatic, shape, at(0, 0, 0));
  this->expect_hit(Query::ray(at(-4.5, 0.9, 0.9), {6, 0, 0}), {-1.5, 0.9, 0.9}, {-1, 0, 0}, 0.5);
  this->expect_hit(Query::ray(at(-4.4, 1.3, 0), {6, 0, 0}), {-1.4, 1.3, 0}, {-0.8, 0.6, 0}, 0.5);
  double const third = 0.5 / std::sqrt(3.0);
  this->expect_hit(Query::ray(at(3 + third, 3 + third, 3 + third), {-4, -4, -4}),
                   {1 + third, 1 + third, 1 + third}, {2 * third, 2 * third, 2 * third}, 0.5);
  EXPECT_TRUE(this->misses(Query::ray(at(-4.4, 1.51, 0), {6, 0, 0})));
}

TYPED_TEST(QueryTest, ARayThatStartsInsideHitsAtItsStart) {
  for (const ShapeDef& shape : {test::sphere(1), test::capsule(1, 1), test::box(1, 1, 1),
                                test::cylinder(1, 1), test::cone(1, 1), test::half_space()}) {
    BodyId const body = test::add(this->world, BodyType::kStatic, shape, at(0, 0, 0));
    this->expect_hit(Query::ray(at(0.1, -0.5, 0), {3, 0, 4}), {0.1, -0.5, 0}, {-0.6, 0, -0.8}, 0);
    this->expect_hit(Query::ray(at(0.1, -0.5, 0), {}), {0.1, -0.5, 0}, {0, 1, 0}, 0);
    (void)this->world.destroy_body(body);
  }
  EXPECT_TRUE(this->misses(Query::ray(at(0.1, -0.5, 0), {3, 0, 4})))
      << "all of them are gone, the half-space too";
}

TYPED_TEST(QueryTest, ACastBoxStopsOnAHalfSpaceAndBeforeABox) {
  test::add_ground(this->world);
  const QueryHit& down = this->ask(Query::cast(test::box(0.5, 0.5, 0.5), at(0, 4.5, 0), {}, {0, -8, 0}));
  EXPECT_NEAR(down.fraction, 0.5, 1e-9);
  EXPECT_EQ(down.normal, (Vec3<double>{0, 1, 0}));
  test::add(this->world, BodyType::kStatic, test::box(0.5, 0.5, 0.5), at(5, 2, 0));
  const QueryHit& aside = this->ask(Query::cast(test::box(0.5, 0.5, 0.5), at(0, 2, 0), {}, {8, 0, 0}));
  EXPECT_LE(aside.fraction, 0.5);
  EXPECT_GE(aside.fraction, 0.5 - 1.1e-5 / 8);
  EXPECT_LE(length(aside.normal - Vec3<double>{-1, 0, 0}), 1e-6);
  EXPECT_NEAR(test::metres(aside.point).x, 4.5, 1e-6);
}

TYPED_TEST(QueryTest, ACastThatOnlySlidesAlongDoesNotHitAndOneThatOverlapsDoes) {
  test::add_ground(this->world);
  ShapeDef const box = test::box(0.5, 0.5, 0.5);
  EXPECT_TRUE(this->misses(Query::cast(box, at(0, 0.5, 0), {}, {5, 0, 0})));
  EXPECT_TRUE(this->misses(Query::cast(box, at(0, 0.5, 0), {}, {5, 1, 0})));
  EXPECT_EQ(this->ask(Query::cast(box, at(0, 0.5, 0), {}, {5, -1, 0})).fraction, 0);
  const QueryHit& deep = this->ask(Query::cast(box, at(0, 0.3, 0), {}, {5, 1, 0}));
  EXPECT_EQ(deep.fraction, 0);
  EXPECT_NEAR(deep.distance_m, -0.2, 1e-6);
}

TYPED_TEST(QueryTest, ClosestPointsAreSignedDistances) {
  test::add(this->world, BodyType::kStatic, test::box(1, 1, 1), at(0, 0, 0));
  const QueryHit& outside = this->ask(Query::closest_point(at(3, 0.5, 0), 5));
  EXPECT_NEAR(outside.distance_m, 2, 1e-6);
  EXPECT_LE(length(test::metres(outside.point) - Vec3<double>{1, 0.5, 0}), 1e-6);
  const QueryHit& inside = this->ask(Query::closest_point(at(0.7, 0.1, 0), 0));
  EXPECT_NEAR(inside.distance_m, -0.3, 1e-6);
  EXPECT_LE(length(inside.normal - Vec3<double>{1, 0, 0}), 1e-6);
  EXPECT_LE(length(test::metres(inside.point) - Vec3<double>{1, 0.1, 0}), 1e-5);
  EXPECT_TRUE(this->misses(Query::closest_point(at(3, 0.5, 0), 1.999)));
}

// A box of triangles answers from outside as the solid box does.
TYPED_TEST(QueryTest, AMeshAnswersAsTheSolidItBounds) {
  World<TypeParam> solid = test::make_world<TypeParam>();
  Quat<double> const turn{0.5, 0.5, -0.5, 0.5};
  test::MeshSource source = test::box_mesh(1, 2, 3);
  source.one_sided = true;
  MeshDef const mesh = source.def();
  test::add(this->world, BodyType::kStatic, test::mesh_shape(mesh), at(7, 0, 1), turn);
  test::add(solid, BodyType::kStatic, test::box(1, 2, 3), at(7, 0, 1), turn);
  Random random(5);
  std::vector<QueryHit> expected;
  int found_count = 0;
  for (int i = 0; i < 600; ++i) {
    double const x = random.next_between(-5, 5);
    double const z = random.next_between(-5, 5);
    double const to_x = random.next_between(-3, 3);
    double const to_z = random.next_between(-3, 3);
    Position const from = at(7 + x, i % 2 == 0 ? 5 : -5, 1 + z);
    Vec3<double> const displacement{to_x - x, i % 2 == 0 ? -12.0 : 12.0, to_z - z};
    Query query = Query::ray(from, displacement);
    if (i % 3 == 1) query = Query::cast(test::capsule(0.2, 0.3), from, {0.6, 0, 0, 0.8}, displacement);
    if (i % 3 == 2) query = Query::closest_point(from, 8);
    auto const answer = this->world.query(query, this->hits);
    auto const of_solid = solid.query(query, expected);
    ASSERT_TRUE(answer.ok() && of_solid.ok()) << i;
    ASSERT_EQ(*answer, *of_solid) << i;
    if (!*answer) continue;
    ++found_count;
    ASSERT_LT(this->hits[0].triangle, 12u) << i;
    ASSERT_NEAR(this->hits[0].fraction, expected[0].fraction, 3e-6) << i;
    ASSERT_NEAR(this->hits[0].distance_m, expected[0].distance_m, 2e-5) << i;
    // A capsule may lie along a face, where it has no one point.
    if (i % 3 != 1) {
      ASSERT_LE(length(test::displacement(expected[0].point, this->hits[0].point)), 2e-3) << i;
    }
  }
  EXPECT_GT(found_count, 200);
  EXPECT_TRUE(this->misses(Query::ray(at(7, 0, 1), {20, 0, 0})))
      << "from inside a one-sided surface is not there";
}

// A world restored from an image lacks the degenerate triangles of the definition, so no index may count
// them.
TYPED_TEST(QueryTest, ATriangleOfAHitIsThatOfTheKeptMesh) {
  test::MeshSource source;
  source.vertices = {{0, 0, 0}, {0, 0, 2}, {2, 0, 0}, {2, 0, 2}};
  source.triangles = {{0, 1, 1}, {0, 1, 2}, {2, 2, 1}, {2, 1, 3}};
  MeshDef const mesh = source.def();
  test::add(this->world, BodyType::kStatic, test::mesh_shape(mesh), at(0, 0, 0));
  Query const query = Query::ray(at(1.5, 1, 1.5), {0, -2, 0});
  QueryHit const hit = this->ask(query);
  EXPECT_EQ(hit.triangle, 1u);
  ShapeDef const kept = this->world.shape(hit.shape);
  ASSERT_EQ(kept.mesh->triangles.size(), 2u);
  for (std::uint32_t const vertex : kept.mesh->triangles[hit.triangle])
    EXPECT_GE(kept.mesh->vertices_m[vertex].x + kept.mesh->vertices_m[vertex].z, 2.0);
  auto restored = World<TypeParam>::restore(this->world.save());
  ASSERT_TRUE(restored.ok());
  ASSERT_TRUE(restored->query(query, this->hits).ok());
  ASSERT_EQ(this->hits.size(), 1u);
  EXPECT_EQ(this->hits[0], hit);
}

TYPED_TEST(QueryTest, NoRayLeaksThroughTheEdgesAndCornersOfASurface) {
  test::MeshSource const source =
      test::grid_mesh(20, 20, 0.37, -3.7, -3.7, [](double x, double z) { return 0.2 * x * z - 0.1 * x; });
  MeshDef const mesh = source.def();
  test::add(this->world, BodyType::kStatic, test::mesh_shape(mesh), at(0, 0, 0));
  for (const auto& triangle : source.triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      Vec3<double> const a = source.vertices[triangle[i]];
      Vec3<double> const b = source.vertices[triangle[(i + 1) % 3]];
      for (double const share : {0.0, 0.5, 0.3}) {
        Vec3<double> const aim = a + (b - a) * share;
        if (std::abs(aim.x) > 3.6 || std::abs(aim.z) > 3.6) continue;  // the border may be missed
        Position const from = at(0.3, 9, -0.2);
        Vec3<double> const displacement = (aim - Vec3<double>{0.3, 9, -0.2}) * 1.5;
        EXPECT_FALSE(this->misses(Query::ray(from, displacement))) << aim;
      }
    }
  }
}

TYPED_TEST(QueryTest, AHeightFieldIsMetFromAboveAndNotThroughItsHoles) {
  double const heights[] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
  std::uint8_t const holes[] = {0, 0, 0, 1};
  HeightFieldDef field;
  field.rows = 3;
  field.columns = 3;
  field.heights_m = heights;
  field.holes = holes;
  test::add(this->world, BodyType::kStatic, test::height_field_shape(field), at(0, 1, 0));
  this->expect_hit(Query::ray(at(0.5, 3, 0.5), {0, -4, 0}), {0.5, 1, 0.5}, {0, 1, 0}, 0.5);
  EXPECT_TRUE(this->misses(Query::ray(at(1.5, 3, 1.5), {0, -4, 0})));
  EXPECT_TRUE(this->misses(Query::ray(at(0.5, -3, 0.5), {0, 8, 0})));
  EXPECT_NEAR(this->ask(Query::cast(test::sphere(0.1), at(0.4, 3.1, 0.5), {}, {0, -4, 0})).fraction, 0.5,
              1e-5);
}

TYPED_TEST(QueryTest, AllAreSortedByWayAndThenByShape) {
  BodyId const far = test::add(this->world, BodyType::kStatic, test::sphere(0.5), at(8, 0, 0));
  ShapeDef const twins[] = {test::sphere(0.5), test::sphere(0.5), test::sphere(0.25)};
  BodyId const near = test::add(this->world, test::body(BodyType::kDynamic, twins, at(4, 0, 0)));
  ASSERT_TRUE(this->world.query(Query::ray(at(0, 0, 0), {10, 0, 0}, QueryMode::kAll), this->hits).ok());
  ASSERT_EQ(this->hits.size(), 4u);
  EXPECT_EQ(this->hits[0].shape, this->world.shapes(near)[0]);
  EXPECT_EQ(this->hits[1].shape, this->world.shapes(near)[1]);
  EXPECT_EQ(this->hits[2].shape, this->world.shapes(near)[2]);
  EXPECT_EQ(this->hits[3].body, far);
  EXPECT_EQ(this->ask(Query::ray(at(0, 0, 0), {10, 0, 0})).shape, this->world.shapes(near)[0])
      << "the lower shape of two at the same place";
  auto const any = this->world.query(Query::ray(at(0, 0, 0), {10, 0, 0}, QueryMode::kAny), this->hits);
  EXPECT_TRUE(any.ok() && *any);
  EXPECT_TRUE(this->hits.empty()) << "any says only whether";

  Query query = Query::ray(at(0, 0, 0), {10, 0, 0});
  query.ignore = {&near, 1};
  EXPECT_EQ(this->ask(query).body, far);
}

TYPED_TEST(QueryTest, AFilterLeavesOutWhatItWouldNotMeet) {
  ShapeDef near = test::sphere(0.5);
  near.filter.category = 2;
  test::add(this->world, BodyType::kStatic, near, at(3, 0, 0));
  BodyId const far = test::add(this->world, BodyType::kStatic, test::sphere(0.5), at(6, 0, 0));
  Query query = Query::ray(at(0, 0, 0), {10, 0, 0});
  query.filter.mask = ~decltype(query.filter.mask){2};
  EXPECT_EQ(this->ask(query).body, far);
  query.filter.mask = 0;
  EXPECT_TRUE(this->misses(query));
  ShapeDef gate = test::sphere(0.5);
  gate.is_sensor = true;
  BodyId const sensor = test::add(this->world, BodyType::kStatic, gate, at(1, 0, 0));
  query.filter = {};
  EXPECT_NE(this->ask(query).body, sensor);
  query.find_sensors = true;
  EXPECT_EQ(this->ask(query).body, sensor);
}

TYPED_TEST(QueryTest, BadQuestionsAreRefusedByName) {
  test::add_ground(this->world);
  double const nan = std::numeric_limits<double>::quiet_NaN();
  double const infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(this->refusal(Query::ray(at(0, 1, 0), {nan, 0, 0})), PhysicsError::kNotFinite);
  EXPECT_EQ(this->refusal(Query::ray(at(0, 1, 0), {0, infinity, 0})), PhysicsError::kNotFinite);
  EXPECT_EQ(this->refusal(Query::ray(at(0, 1, 0), {2e7, 0, 0})), PhysicsError::kOutOfRange);
  EXPECT_EQ(this->refusal(Query::ray(at(0, 1, 0), {9e6, 9e6, 0})), PhysicsError::kOutOfRange);
  EXPECT_EQ(this->refusal(Query::ray(Position::from_raw(kWorldLimitRaw + 1, 0, 0), {1, 0, 0})),
            PhysicsError::kOutOfRange);
  EXPECT_EQ(this->refusal(Query::cast(test::half_space(), at(0, 1, 0), {}, {1, 0, 0})),
            PhysicsError::kBadShapeKind);
  EXPECT_EQ(this->refusal(Query::cast(test::sphere(0), at(0, 1, 0), {}, {1, 0, 0})),
            PhysicsError::kShapeTooSmall);
  EXPECT_EQ(this->refusal(Query::overlap(test::sphere(nan), at(0, 1, 0), {})), PhysicsError::kNotFinite);
  EXPECT_EQ(this->refusal(Query::overlap(test::sphere(1), at(0, 1, 0), {0, 0, 0, 2})),
            PhysicsError::kBadRotation);
  EXPECT_EQ(this->refusal(Query::overlap(test::sphere(1), at(0, 1, 0), {0, 0, 0, nan})),
            PhysicsError::kNotFinite);
  std::vector<Vec3<double>> const flat = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 1}};
  EXPECT_EQ(this->refusal(Query::overlap(test::hull(flat), at(0, 1, 0), {})), PhysicsError::kHullFlat);
  EXPECT_EQ(this->refusal(Query::closest_point(at(0, 1, 0), -1)), PhysicsError::kOutOfRange);
  EXPECT_EQ(this->refusal(Query::closest_point(at(0, 1, 0), nan)), PhysicsError::kNotFinite);
  Query odd = Query::ray(at(0, 1, 0), {1, 0, 0});
  odd.mode = static_cast<QueryMode>(9);
  EXPECT_EQ(this->refusal(odd), PhysicsError::kOutOfRange);
  odd = Query::ray(at(0, 1, 0), {1, 0, 0});
  odd.kind = static_cast<QueryKind>(0);
  EXPECT_EQ(this->refusal(odd), PhysicsError::kOutOfRange);
  std::vector<BodyId> const many(kMaxQueryIgnored + 1);
  odd = Query::ray(at(0, 1, 0), {1, 0, 0});
  odd.ignore = many;
  EXPECT_EQ(this->refusal(odd), PhysicsError::kOutOfRange);
}

/// A heap of all kinds, and 60 questions of all kinds about it.
template <class Real>
void fill(World<Real>& world, const Position& about) {
  auto const put = [&about](double x, double y, double z) { return moved(about, Vec3<double>{x, y, z}); };
  test::add(world, BodyType::kStatic, test::half_space(), about);
  std::vector<Vec3<double>> const corners = test::icosahedron(0.5);
  ShapeDef const kinds[] = {test::sphere(0.4),    test::capsule(0.2, 0.3),  test::box(0.3, 0.4, 0.5),
                            test::cone(0.4, 0.4), test::cylinder(0.3, 0.4), test::hull(corners)};
  Random random(7);
  for (int i = 0; i < 48; ++i) {
    double const x = random.next_between(-3, 3);
    double const z = random.next_between(-3, 3);
    Quat<double> const turn = test::about_x(random.next_between(-3, 3));
    test::add(world, i % 8 == 0 ? BodyType::kStatic : BodyType::kDynamic, kinds[i % 6],
              put(x, 0.6 + i * 0.3, z), turn);
  }
}

std::vector<Query> questions(const Position& about) {
  std::vector<Query> all;
  Random random(11);
  ShapeDef const shapes[] = {test::sphere(0.3), test::capsule(0.2, 0.4), test::box(0.2, 0.5, 0.3),
                             test::cylinder(0.3, 0.3), test::cone(0.3, 0.3)};
  for (std::uint32_t i = 0; i < 60; ++i) {
    double const x = random.next_between(-4, 4);
    double const y = random.next_between(0.5, 8);
    double const z = random.next_between(-4, 4);
    Position const from = moved(about, Vec3<double>{x, y, z});
    Vec3<double> const displacement{-2 * x, random.next_between(-8, 1), -2 * z};
    auto const mode = static_cast<QueryMode>(1 + i / 4 % 3);
    Quat<double> const turn = test::about_z(random.next_between(-3, 3));
    switch (i % 4) {
      case 0: all.push_back(Query::ray(from, displacement, mode)); break;
      case 1: all.push_back(Query::cast(shapes[i % 5], from, turn, displacement, mode)); break;
      case 2: all.push_back(Query::overlap(shapes[i % 5], from, turn, mode)); break;
      default: all.push_back(Query::closest_point(from, 2, mode));
    }
  }
  return all;
}

void expect_same(const QueryResults& left, const QueryResults& right) {
  ASSERT_EQ(left.answers.size(), right.answers.size());
  for (std::size_t i = 0; i < left.answers.size(); ++i) {
    ASSERT_EQ(left.answers[i].error, right.answers[i].error) << i;
    ASSERT_EQ(left.answers[i].found, right.answers[i].found) << i;
    ASSERT_EQ(left.answers[i].hit_count, right.answers[i].hit_count) << i;
  }
  ASSERT_EQ(left.hits, right.hits);
}

TYPED_TEST(QueryTest, AskingChangesNothingAndAnswersDependOnStateAlone) {
  fill(this->world, {});
  World<TypeParam> silent = test::make_world<TypeParam>();
  fill(silent, {});
  std::vector<Query> const asked = questions({});
  QueryResults before;
  QueryResults after;
  std::size_t total = 0;
  typename World<TypeParam>::Snapshot snapshot;
  QueryResults at_snapshot;
  for (int tick = 0; tick < 120; ++tick) {
    this->world.query(asked, before);
    total += before.hits.size();
    ASSERT_EQ(this->world.hash(), silent.hash()) << "at tick " << tick;
    auto restored = World<TypeParam>::restore(this->world.save());
    ASSERT_TRUE(restored.ok());
    restored->query(asked, after);  // its trees are made for this
    expect_same(before, after);
    if (tick == 40) {
      this->world.capture(snapshot);
      at_snapshot = before;
    }
    if (tick % 7 == 0) this->world.drop_derived_state();
    (void)this->world.step();
    (void)silent.step();
  }
  EXPECT_GT(total, 1000u);
  this->world.rollback(snapshot);
  this->world.query(asked, after);
  expect_same(at_snapshot, after);
  silent.rollback(snapshot);
  for (int tick = 0; tick < 20; ++tick) {
    (void)this->world.step();
    (void)silent.step();
    ASSERT_EQ(this->world.hash(), silent.hash()) << "a question between rollback and step";
  }
}

TYPED_TEST(QueryTest, ABatchAnswersEachAsIfAskedAlone) {
  fill(this->world, {});
  std::vector<Query> asked = questions({});
  asked[5].translation_m.x = std::numeric_limits<double>::infinity();
  QueryResults results;
  this->world.query(asked, results);
  ASSERT_EQ(results.answers.size(), asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    auto const scalar = this->world.query(asked[i], this->hits);
    const QueryAnswer& answer = results.answers[i];
    ASSERT_EQ(answer.error.has_value(), !scalar.ok()) << i;
    if (!scalar.ok()) continue;
    EXPECT_EQ(answer.found, *scalar) << i;
    std::vector<QueryHit> const part(results.hits.begin() + answer.first_hit,
                                     results.hits.begin() + answer.first_hit + answer.hit_count);
    EXPECT_EQ(part, this->hits) << i;
  }
  EXPECT_EQ(results.answers[5].error, PhysicsError::kNotFinite);
}

TYPED_TEST(QueryTest, AThousandKilometresAwayTheAnswersHaveTheSameBits) {
  Position const far = at(1e6, -1e6, 1e6);
  World<TypeParam> distant = test::make_world<TypeParam>();
  fill(this->world, {});
  fill(distant, far);
  for (int tick = 0; tick < 60; ++tick) {
    (void)this->world.step();
    (void)distant.step();
  }
  QueryResults here;
  QueryResults there;
  this->world.query(questions({}), here);
  distant.query(questions(far), there);
  for (QueryHit& hit : there.hits)
    hit.point = Position::from_raw(hit.point.x_raw - far.x_raw, hit.point.y_raw - far.y_raw,
                                   hit.point.z_raw - far.z_raw);
  EXPECT_GT(here.hits.size(), 20u);
  expect_same(here, there);
}

TYPED_TEST(QueryTest, AnswersFollowWhatCallsDoBetweenTicks) {
  BodyId const body = test::add(this->world, BodyType::kStatic, test::sphere(1), at(0, 0, 0));
  Query const here = Query::ray(at(-5, 0, 0), {10, 0, 0});
  Query const there = Query::ray(at(-5, 50, 0), {10, 0, 0});
  this->ask(here);
  ASSERT_TRUE(this->world.set_pose(body, at(0, 50, 0), {}).ok());
  EXPECT_TRUE(this->misses(here));
  this->ask(there);
  BodyId const added = test::add(this->world, BodyType::kDynamic, test::sphere(1), at(0, 0, 0));
  EXPECT_EQ(this->ask(here).body, added);
  ASSERT_TRUE(this->world.set_velocity(added, {0, 600, 0}, {}).ok());
  (void)this->world.step();  // 10 m up
  EXPECT_TRUE(this->misses(here));
  ASSERT_TRUE(this->world.destroy_body(body).ok());
  EXPECT_TRUE(this->misses(there));
}

TYPED_TEST(QueryTest, ALongRayIsAsExactAsAShortOne) {
  test::add(this->world, BodyType::kStatic, test::sphere(0.5), at(0, 0, 0));
  const QueryHit& hit = this->ask(Query::ray(at(-5e6, 0.3, 0), {1e7, 0, 0}));
  EXPECT_NEAR(test::metres(hit.point).x, -0.4, 1e-8);
  EXPECT_NEAR(hit.normal.y, 0.6, 1e-7);
}

}  // namespace
}  // namespace takt
