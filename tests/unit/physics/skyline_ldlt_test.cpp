// L D L^T by profile against plain elimination: random positive definite matrices, dense and banded, with all
// rows or some left out.
#include "physics/math/skyline_ldlt.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "takt/core/random.h"

namespace takt {
namespace {

double signed_unit(Random& random) { return random.next_between(-1.0, 1.0); }

/// A = B B^T + I of `band` columns a row, and its profile.
struct System {
  Profile profile;
  std::vector<double> entries;
  std::vector<std::vector<double>> dense;
};

System make_system(std::uint32_t rows, std::uint32_t band, Random& random) {
  std::vector<std::vector<double>> b(rows, std::vector<double>(rows, 0.0));
  for (std::uint32_t i = 0; i < rows; ++i) {
    for (std::uint32_t j = i < band ? 0 : i - band; j <= i; ++j) b[i][j] = signed_unit(random);
  }
  System system;
  system.dense.assign(rows, std::vector<double>(rows, 0.0));
  for (std::uint32_t i = 0; i < rows; ++i) {
    for (std::uint32_t j = 0; j < rows; ++j) {
      for (std::uint32_t k = 0; k < rows; ++k) system.dense[i][j] += b[i][k] * b[j][k];
      if (i == j) system.dense[i][j] += 1.0;
    }
  }
  for (std::uint32_t i = 0; i < rows; ++i) {
    std::uint32_t first = 0;
    while (first < i && system.dense[i][first] == 0.0) ++first;
    system.profile.add_row(first);
    for (std::uint32_t j = first; j <= i; ++j) system.entries.push_back(system.dense[i][j]);
  }
  return system;
}

/// Largest |A x - b| over the rows taken, with the shift on the diagonal.
double residual(const System& system, const std::vector<double>& shift,
                const std::vector<std::uint8_t>& taken, const std::vector<double>& x,
                const std::vector<double>& b) {
  double worst = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (taken[i] == 0) continue;
    double sum = shift[i] * x[i] - b[i];
    for (std::size_t j = 0; j < x.size(); ++j) sum += system.dense[i][j] * x[j];
    worst = std::max(worst, std::abs(sum));
  }
  return worst;
}

TEST(SkylineFactor, SolvesWhatItFactored) {
  Random random(11, 1);
  SkylineFactor factor;
  for (int round = 0; round < 200; ++round) {
    auto const rows = 1 + static_cast<std::uint32_t>(random.next_below(40));
    auto const band = static_cast<std::uint32_t>(random.next_below(rows));
    System const system = make_system(rows, band, random);
    std::vector<double> shift(rows);
    std::vector<double> b(rows);
    std::vector<std::uint8_t> taken(rows);
    for (std::uint32_t i = 0; i < rows; ++i) {
      shift[i] = 1e-6 * system.dense[i][i];
      b[i] = signed_unit(random);
      taken[i] = round % 2 == 0 || random.next_below(3) != 0 ? 1 : 0;
    }
    std::vector<double> x = b;
    factor.factor(system.profile, system.entries.data(), shift.data(), taken.data());
    factor.solve(x.data());
    for (std::uint32_t i = 0; i < rows; ++i) {
      if (taken[i] != 0) continue;
      EXPECT_EQ(x[i], 0.0) << "row " << i << " takes no part";
    }
    // Backward error of Cholesky-like elimination: below 4 n^2 eps |A| |x|, with |A| < 40, |x| < 1 here.
    EXPECT_LT(residual(system, shift, taken, x, b), 4.0 * 40.0 * 40.0 * 0x1p-53 * 40.0)
        << rows << " rows, band " << band;
  }
}

TEST(SkylineFactor, AnUpdateHasTheBitsOfAWholeFactor) {
  Random random(13, 1);
  for (int round = 0; round < 100; ++round) {
    auto const rows = 1 + static_cast<std::uint32_t>(random.next_below(40));
    System const system = make_system(rows, static_cast<std::uint32_t>(random.next_below(rows)), random);
    std::vector<double> shift(rows);
    std::vector<double> b(rows);
    std::vector<std::uint8_t> taken(rows, 1);
    for (std::uint32_t i = 0; i < rows; ++i) {
      shift[i] = 1e-6 * system.dense[i][i];
      b[i] = signed_unit(random);
    }
    SkylineFactor updated;
    updated.factor(system.profile, system.entries.data(), shift.data(), taken.data());
    for (int change = 0; change < 10; ++change) {
      for (std::uint64_t flips = random.next_below(4); flips > 0; --flips) {
        auto& flag = taken[random.next_below(rows)];
        flag = flag != 0 ? 0 : 1;
      }
      SkylineFactor unpacked;
      unpacked.factor(system.profile, system.entries.data(), shift.data(), taken.data());
      updated.update(system.profile, system.entries.data(), shift.data(), taken.data());
      std::vector<double> x = b;
      std::vector<double> y = b;
      unpacked.solve(x.data());
      updated.solve(y.data());
      EXPECT_EQ(x, y) << rows << " rows, change " << change;
    }
  }
}

TEST(SkylineFactor, ABandNeedsNoMoreThanItsEntries) {
  Random random(12, 1);
  System const system = make_system(100, 3, random);
  EXPECT_LE(system.profile.size(), 100u * 4u);
}

TEST(SkylineFactor, RowsThatOthersImplyStaySolvable) {
  // Four rows of rank three, as the corners of a face.
  double const rows[4][3] = {{1, 1, 1}, {1, 1, -1}, {1, -1, -1}, {1, -1, 1}};
  Profile profile;
  std::vector<double> entries;
  for (std::uint32_t i = 0; i < 4; ++i) {
    profile.add_row(0);
    for (std::uint32_t j = 0; j <= i; ++j)
      entries.push_back(rows[i][0] * rows[j][0] + rows[i][1] * rows[j][1] + rows[i][2] * rows[j][2]);
  }
  std::vector<double> const shift(4, 3e-6);
  std::vector<std::uint8_t> const taken(4, 1);
  std::vector<double> x(4, 1.0);
  SkylineFactor factor;
  factor.factor(profile, entries.data(), shift.data(), taken.data());
  factor.solve(x.data());
  for (double const value : x) EXPECT_NEAR(value, 0.25, 1e-5) << "the load is shared";
}

}  // namespace
}  // namespace takt
