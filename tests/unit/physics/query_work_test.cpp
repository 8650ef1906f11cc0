// Work of queries: a query over a large surface tests few of its triangles, finds what a search through all
// triangles finds, and ends at its limit of work.
#include <gtest/gtest.h>

#include <cmath>

#include "takt/core/random.h"
#include "takt/physics/world.h"
#include "tests/physics/simple_world.h"
#include "tests/physics/surfaces.h"

namespace takt {
namespace {

using test::at;

double hills(double x, double z) { return 2.0 * std::sin(0.21 * x) * std::cos(0.17 * z) + 0.03 * x; }

class QueryWorkTest : public testing::Test {
 protected:
  void ask(const World<float>& world, const Query& query, std::uint64_t max_steps = ~std::uint64_t{0}) {
    work = {};
    work.max_steps = max_steps;
    auto const answer = world.query(query, hits, &work);
    ASSERT_TRUE(answer.ok());
    found = *answer;
  }
  // A query of every kind, near or far from a square of `half` metres around the origin.
  Query draw(double half) {
    auto const any = [&](double low, double high) { return low + (high - low) * random.next_unit(); };
    double const reach = random.next_below(4) == 0 ? 100.0 * half : 1.2 * half;
    double const height = any(-5, 20) + (random.next_below(4) == 0 ? reach : 0.0);
    double const x = any(-reach, reach);
    Position const from = at(x, height, any(-reach, reach));
    Vec3<double> const to{any(-2, 2) * half, any(-30, 10), any(-2, 2) * half};
    switch (random.next_below(5)) {
      case 0: return Query::closest_point(from, 1e6);
      case 1: return Query::cast(test::sphere(any(0.1, 2)), from, {}, to);
      case 2: return Query::cast(test::box(any(0.1, 2), 0.5, 1.0), from, {}, to);
      case 3: return Query::overlap(test::sphere(any(0.1, 4)), from, {}, QueryMode::kClosest);
      default: return Query::ray(from, to);
    }
  }

  Random random{7};
  std::vector<QueryHit> hits;
  QueryWork work;
  bool found = false;
};

// Each triangle is a body of its own in the second world, so the broad phase does what the walk over the
// triangles does in the first.
TEST_F(QueryWorkTest, ASurfaceAnswersAsItsTrianglesDoOneByOne) {
  test::MeshSource const source = test::grid_mesh(24, 24, 1.0, -12, -12, hills);
  World<float> whole = test::make_world<float>();
  test::add(whole, BodyType::kStatic, test::mesh_shape(source.def()), at(0, 0, 0));
  World<float> parts = test::make_world<float>();
  for (const auto& triangle : source.triangles) {
    test::MeshSource one;
    for (std::uint32_t const corner : triangle) one.vertices.push_back(source.vertices[corner]);
    one.triangles.push_back({0, 1, 2});
    test::add(parts, BodyType::kStatic, test::mesh_shape(one.def()), at(0, 0, 0));
  }
  int hit_count = 0;
  for (int i = 0; i < 4000; ++i) {
    Query const query = draw(12.0);
    ask(whole, query);
    bool const found_whole = found;
    std::vector<QueryHit> const of_whole = hits;
    ask(parts, query);
    ASSERT_EQ(found_whole, found) << i;
    if (!found) continue;
    ++hit_count;
    if (query.kind == QueryKind::kRay) {  // each mesh rounds a ray about its own middle
      ASSERT_NEAR(of_whole[0].fraction, hits[0].fraction, 1e-9) << i;
      continue;
    }
    ASSERT_EQ(of_whole[0].fraction, hits[0].fraction) << i;
    // A surface reports the deepest of the triangles that overlap at the start, a world the lowest shape.
    if (query.kind == QueryKind::kShapeCast && hits[0].fraction == 0.0) continue;
    ASSERT_EQ(of_whole[0].distance_m, hits[0].distance_m) << i;
    ASSERT_EQ(of_whole[0].point, hits[0].point) << i;
    ASSERT_EQ(of_whole[0].normal, hits[0].normal) << i;
    ASSERT_EQ(of_whole[0].triangle, hits[0].shape.index) << i;
  }
  EXPECT_GT(hit_count, 1000);
}

// Every triangle was tested before: 131,072 runs of GJK for one closest point.
TEST_F(QueryWorkTest, AQuestionToALargeFieldTestsFewTriangles) {
  constexpr std::uint32_t kSide = 257;
  std::vector<double> heights;
  for (std::uint32_t z = 0; z < kSide; ++z)
    for (std::uint32_t x = 0; x < kSide; ++x) heights.push_back(hills(x, z));
  HeightFieldDef field;
  field.rows = field.columns = kSide;
  field.heights_m = heights;
  World<float> world = test::make_world<float>();
  test::add(world, BodyType::kStatic, test::height_field_shape(field), at(0, 0, 0));
  std::uint64_t max_steps = 0;
  for (int i = 0; i < 3000; ++i) {
    Query const query = draw(128.0);
    ask(world, query);
    max_steps = std::max(max_steps, work.steps);
    ASSERT_FALSE(work.exceeded);
  }
  RecordProperty("max_steps", static_cast<int>(max_steps));
  EXPECT_LT(max_steps, 16'384u);
}

TEST_F(QueryWorkTest, AQueryEndsAtItsLimitAndFindsNothing) {
  World<float> world = test::make_world<float>();
  for (int i = 0; i < 500; ++i)
    test::add(world, BodyType::kStatic, test::sphere(0.5), at(2.0 * (i % 25), 0, 2.0 * (i / 25)));
  Query const query = Query::closest_point(at(20, 5, 20), 1000.0, QueryMode::kAll);
  ask(world, query);
  EXPECT_EQ(hits.size(), 500u);
  EXPECT_GE(work.steps, 500 * QueryWork::kNarrowPhaseSteps);
  ask(world, query, 1000);
  EXPECT_TRUE(work.exceeded);
  EXPECT_FALSE(found);
  EXPECT_TRUE(hits.empty());
  EXPECT_LE(work.steps, 1000 + 2 * QueryWork::kNarrowPhaseSteps);
  ask(world, Query::closest_point(at(20, 5, 20), 1000.0), 1000);
  EXPECT_TRUE(found) << "the closest alone takes few steps";
}

}  // namespace
}  // namespace takt
