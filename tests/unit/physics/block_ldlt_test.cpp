// BlockFactor drops rows that depend on others, whatever the masses, and keeps rows that do not. The rows are
// J M^-1 J^T with numbers that make the exact pivots known.
#include "physics/math/block_ldlt.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "physics/base/solver_constants.h"
#include "takt/core/random.h"

namespace takt {
namespace {

using Row = std::vector<double>;

/// Inverse masses, equally likely on a logarithmic scale over `decades`.
Row draw_inverse_masses(Random& random, std::size_t count, double decades) {
  Row masses(count);
  for (double& mass : masses) mass = std::pow(10.0, random.next_between(0.0, decades));
  return masses;
}
Row draw_row(Random& random, std::size_t count) {
  Row row(count);
  for (double& entry : row) entry = random.next_between(-1.0, 1.0);
  return row;
}
double mobility(const Row& a, const Row& inverse_masses, const Row& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * inverse_masses[i] * b[i];
  return sum;
}

/// 1 / D of rows in nodes of `size` rows, each coupled with all later ones.
std::vector<double> inverse_pivots_of(const std::vector<Row>& rows, const Row& inverse_masses,
                                      std::uint32_t size) {
  auto const nodes = static_cast<std::uint32_t>(rows.size()) / size;
  BlockPattern pattern;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    std::vector<std::uint32_t> upper;
    for (std::uint32_t later = node + 1; later < nodes; ++later) upper.push_back(later);
    pattern.add_node(size, upper);
  }
  pattern.finish();
  BlockFactor factor;
  auto const blocks = factor.blocks(pattern);
  for (std::uint32_t node = 0; node < nodes; ++node) {
    for (std::uint32_t later = node; later < nodes; ++later) {
      std::size_t const offset = later == node ? pattern.own(node) : pattern.below(node, later - node - 1);
      for (std::uint32_t r = 0; r < size; ++r)
        for (std::uint32_t c = 0; c < size; ++c)
          blocks[offset + r * size + c] =
              mobility(rows[later * size + r], inverse_masses, rows[node * size + c]);
    }
  }
  factor.factor(pattern, 0, nodes, kMinPivot);
  std::vector<double> pivots;
  for (std::uint32_t node = 0; node < nodes; ++node)
    for (std::uint32_t r = 0; r < size; ++r) pivots.push_back(blocks[pattern.own(node) + r * size + r]);
  return pivots;
}

// Row 6 is the motion of one coordinate, the difference of rows 4 and 5. Its mobility is 1, and rounding of
// the rows before it, whose mobilities are up to 1e9, is all that its pivot has.
TEST(BlockFactorTest, ARowThatDependsOnOthersGetsNoImpulse) {
  constexpr std::size_t kCoordinates = 12;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Random random(seed);
    Row inverse_masses = draw_inverse_masses(random, kCoordinates, 9.0);
    inverse_masses[0] = 1.0;
    std::vector<Row> rows;
    for (int r = 0; r < 5; ++r) rows.push_back(draw_row(random, kCoordinates));
    // Numbers of 20 bits, so that their difference is exact.
    for (Row& row : rows)
      for (double& entry : row) entry = std::nearbyint(entry * 0x1p20) * 0x1p-20;
    Row heavy(kCoordinates);
    heavy[0] = 1.0;
    rows.push_back(rows[4]);
    rows.back()[0] += 1.0;
    std::swap(rows[4], rows[5]);
    rows.push_back(heavy);
    rows.push_back(draw_row(random, kCoordinates));
    for (std::uint32_t const size : {2u, 4u, 8u})
      EXPECT_EQ(inverse_pivots_of(rows, inverse_masses, size)[6], 0.0) << "seed " << seed << " size " << size;
  }
}

// Row 6 has a second coordinate here, which no other row has. Its exact pivot is that coordinate's mobility.
TEST(BlockFactorTest, ARowOfLittleMobilityIsKept) {
  constexpr std::size_t kCoordinates = 12;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Random random(seed);
    Row inverse_masses = draw_inverse_masses(random, kCoordinates, 9.0);
    inverse_masses[0] = inverse_masses[1] = 1.0;
    std::vector<Row> rows;
    for (int r = 0; r < 5; ++r) {
      rows.push_back(draw_row(random, kCoordinates));
      for (double& entry : rows.back()) entry = std::nearbyint(entry * 0x1p20) * 0x1p-20;
      rows.back()[1] = 0.0;
    }
    Row heavy(kCoordinates);
    heavy[0] = heavy[1] = 1.0;
    rows.push_back(rows[4]);
    rows.back()[0] += 1.0;
    std::swap(rows[4], rows[5]);
    rows.push_back(heavy);
    rows.push_back(Row(kCoordinates));
    EXPECT_NEAR(inverse_pivots_of(rows, inverse_masses, 2)[6], 1.0, 0.1) << "seed " << seed;
  }
}

// A chain of three coordinates a link, whose frames are drawn anew from link to link: the error of a pivot
// does not grow along it, and no row is dropped. A recurrence over |L| in place of L drops rows.
TEST(BlockFactorTest, ALongChainKeepsAllItsRows) {
  constexpr std::uint32_t kLinks = 60;
  constexpr std::uint32_t kAxes = 3;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    Row inverse_masses;
    for (std::uint32_t i = 0; i <= kLinks; ++i)
      inverse_masses.insert(inverse_masses.end(), kAxes, random.next_between(0.5, 2.0));
    std::vector<Row> rows;
    for (std::uint32_t link = 0; link < kLinks; ++link) {
      for (std::uint32_t axis = 0; axis < kAxes; ++axis) {
        Row const direction = draw_row(random, kAxes);
        Row row(inverse_masses.size());
        for (std::uint32_t i = 0; i < kAxes; ++i) {
          row[kAxes * link + i] = -direction[i];
          row[kAxes * (link + 1) + i] = direction[i];
        }
        rows.push_back(row);
      }
    }
    for (double const inverse_pivot : inverse_pivots_of(rows, inverse_masses, kAxes))
      EXPECT_GT(inverse_pivot, 0.0) << "seed " << seed;
  }
}

}  // namespace
}  // namespace takt
