// Position corrections of a substep's impacts (physics/contact_solver/position_corrections.h).
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "physics/contact_solver/position_corrections.h"

namespace takt {
namespace {

std::vector<double> visited(const PositionCorrections& corrections, std::uint32_t a, std::uint32_t b) {
  std::vector<double> marks;
  corrections.for_each_of(
      a, b, [&](const PositionCorrection& correction) { marks.push_back(correction.linear.x); });
  return marks;
}

TEST(PositionCorrections, VisitTwoBodiesInTheOrderOfTheirImpacts) {
  constexpr std::uint32_t kBodies = 5;
  PositionCorrections corrections;
  corrections.begin(kBodies);
  std::vector<PositionCorrection> added;
  for (std::uint32_t i = 0; i < 60; ++i) {
    added.push_back({i * i % 7 % kBodies, true, {1.0 + i, 0, 0}, {}});
    corrections.add(added.back());
  }
  for (std::uint32_t a = 0; a < kBodies; ++a) {
    for (std::uint32_t b = 0; b < kBodies; ++b) {
      if (a == b) continue;
      std::vector<double> wanted;
      for (const PositionCorrection& one : added)
        if (one.body == a || one.body == b) wanted.push_back(one.linear.x);
      EXPECT_EQ(visited(corrections, a, b), wanted) << a << ' ' << b;
    }
  }
  EXPECT_EQ(corrections.all().size(), added.size());
}

TEST(PositionCorrections, AreEmptyAfterASubstepAndInANewTick) {
  PositionCorrections corrections;
  corrections.begin(3);
  corrections.add({2, true, {1, 0, 0}, {}});
  corrections.clear();
  EXPECT_TRUE(visited(corrections, 1, 2).empty());
  corrections.add({1, true, {2, 0, 0}, {}});
  EXPECT_EQ(visited(corrections, 1, 2), std::vector<double>{2});
  corrections.begin(2);
  EXPECT_TRUE(visited(corrections, 0, 1).empty());
  EXPECT_TRUE(corrections.all().empty());
}

}  // namespace
}  // namespace takt
