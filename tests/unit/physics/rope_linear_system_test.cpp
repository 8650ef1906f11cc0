// The linear system of a rope stays positive definite, whatever rounding does to it.
#include "physics/ropes/rope_linear_system.h"

#include <gtest/gtest.h>

#include <cmath>

#include "takt/core/random.h"

namespace takt {
namespace {

Vec3<double> draw_unit(Random& random) {
  for (;;) {
    Vec3<double> const v{random.next_between(-1, 1), random.next_between(-1, 1), random.next_between(-1, 1)};
    double const square = dot(v, v);
    if (square > 0.01 && square < 1.0) return v * (1.0 / std::sqrt(square));
  }
}

double power_of_ten(Random& random, double low, double high) {
  return std::pow(10.0, random.next_between(low, high));
}

/// w n n^T + c I.
SymMat64 along(Vec3<double> n, double w, double c) {
  return {w * n.x * n.x + c, w * n.y * n.y + c, w * n.z * n.z + c,
          w * n.x * n.y,     w * n.x * n.z,     w * n.y * n.z};
}

constexpr double kMostStiff = 1e300;  // finite: no pivot is 0

TEST(RopeLinearSystem, TheInverseOfAMatrixThatIsSingularButForRoundingIsPositiveDefinite) {
  Random random(1);
  for (int i = 0; i < 100'000; ++i) {
    // A body that yields along one line, on a pin of compliance c far below the rounding of its mobility.
    Vec3<double> const n = draw_unit(random);
    double const w = power_of_ten(random, -6, 6);
    SymMat64 const m = along(n, w, w * power_of_ten(random, -22, -14));
    SymMat64 const inverse = inverse_of(m);
    for (int k = 0; k < 10; ++k) {
      Vec3<double> const v = draw_unit(random);
      double const energy = dot(v, multiply(inverse, v));
      ASSERT_GT(energy, 0.0) << i;
      ASSERT_LT(energy, kMostStiff) << i;
    }
  }
}

TEST(RopeLinearSystem, AChainOfAnyStiffnessMovesByABoundedDistance) {
  Random random(2);
  for (int scene = 0; scene < 2000; ++scene) {
    RopeLinearSystem chain;
    double const mass = power_of_ten(random, -6, 3);
    chain.mass = mass;
    std::size_t const count = 2 + scene % 30;
    Vec3<double> const straight = draw_unit(random);
    double const stiffest = scene % 4 < 2 ? 1e7 : 1e11;
    bool const bent = scene % 2 == 0;
    for (std::size_t i = 0; i < count; ++i) chain.nodes.push_back({along(straight, 0.0, mass), {}, false});
    for (std::size_t i = 0; i + 1 < count; ++i)
      chain.links.push_back({bent ? draw_unit(random) : straight,
                             mass * stiffest * power_of_ten(random, -9, 0),
                             scene % 3 == 0 ? mass * stiffest * power_of_ten(random, -9, 0) : 0.0});
    Vec3<double> const load = draw_unit(random);
    chain.nodes.back().value = load * mass;
    chain.solve();
    // A load that moves a free node of the chain by 1 m moves it less on links. A rigid segment has 1e7 times
    // a node's mass, whose square times 2^-52 is 2 % of rounding a node; beyond that it may only stay finite.
    double const moved_m = dot(chain.nodes.back().value, load);
    if (stiffest <= 1e7) {
      EXPECT_GE(moved_m, 0.0) << scene;
      EXPECT_LE(moved_m, 1.0 + 0.02 * static_cast<double>(count)) << scene;
    }
    for (const ChainNode& node : chain.nodes) EXPECT_LT(length(node.value), kMostStiff) << scene;
  }
}

}  // namespace
}  // namespace takt
