// The farthest point by columns against a plain search.
#include "physics/geometry/point_soa.h"

#include <gtest/gtest.h>

#include "takt/core/random.h"

namespace takt {
namespace {

std::uint32_t first_farthest(const std::vector<Vec3<double>>& points, Vec3<double> d) {
  std::uint32_t best = 0;
  for (std::uint32_t i = 1; i < points.size(); ++i) {
    if (dot(points[i], d) > dot(points[best], d)) best = i;
  }
  return best;
}

// Coordinates on a coarse grid, so that many points tie: the first of them is the answer, whichever lane it
// fell into.
TEST(PointColumnsTest, FarthestIsTheFirstOfTheFarthest) {
  Random random(3);
  auto const draw = [&random] { return static_cast<double>(random.next_below(5)) - 2.0; };
  int ties = 0;
  for (std::uint32_t count = 1; count <= 64; ++count) {
    std::vector<Vec3<double>> points(count);
    PointSoa columns;
    for (int round = 0; round < 200; ++round) {
      for (Vec3<double>& p : points) {
        p.x = draw();
        p.y = draw();
        p.z = draw();
      }
      columns.assign(points);
      Vec3<double> d;
      d.x = draw();
      d.y = draw();
      d.z = draw();
      std::uint32_t const expected = first_farthest(points, d);
      ASSERT_EQ(columns.farthest(d), expected) << count << " points, round " << round;
      std::size_t const stride = (count + PointSoa::kPadding - 1) / PointSoa::kPadding * PointSoa::kPadding;
      std::vector<double> numbers(3 * stride);
      for (std::size_t i = 0; i < stride; ++i) {
        const Vec3<double>& p = points[i < count ? i : 0];
        numbers[i] = p.x;
        numbers[stride + i] = p.y;
        numbers[2 * stride + i] = p.z;
      }
      for (std::uint32_t const lanes : {2u, 4u, 8u})
        ASSERT_EQ(farthest_point(lanes)(numbers.data(), stride, d), expected) << lanes << " lanes";
      ASSERT_EQ(columns.point(expected), points[expected]);
      for (std::uint32_t i = expected + 1; i < count; ++i)
        ties += dot(points[i], d) == dot(points[expected], d) ? 1 : 0;
    }
  }
  EXPECT_GT(ties, 1000);
}

}  // namespace
}  // namespace takt
