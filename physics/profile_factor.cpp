#include "physics/profile_factor.h"

#include <algorithm>

namespace takt {

void ProfileFactor::factor(const Profile& profile, const double* matrix, const double* shift, const std::uint8_t* taken) {
  profile_ = &profile;
  lower_.resize(std::max(lower_.size(), profile.size()));
  for (std::uint32_t i = 0; i < profile.rows(); ++i) {
    std::uint32_t const first = profile.first(i);
    double* const row = lower_.data() + profile.at(i, first);  // row[j - first] holds L(i, j) D(j) until the diagonal is known
    if (taken[i] == 0) {
      std::fill(row, row + (i - first) + 1, 0.0);
      continue;
    }
    for (std::uint32_t j = first; j < i; ++j) {
      if (taken[j] == 0) {
        row[j - first] = 0.0;
        continue;
      }
      double sum = matrix[profile.at(i, j)];
      std::uint32_t const from = std::max(first, profile.first(j));
      const double* const other = lower_.data() + profile.at(j, profile.first(j));
      for (std::uint32_t k = from; k < j; ++k) sum -= row[k - first] * other[k - profile.first(j)];
      row[j - first] = sum;
    }
    double diagonal = matrix[profile.at(i, i)] + shift[i];
    for (std::uint32_t j = first; j < i; ++j) {
      double const scaled = row[j - first] * lower_[profile.at(j, j)];
      diagonal -= scaled * row[j - first];
      row[j - first] = scaled;
    }
    // What rounding leaves of a row that others imply is at least its shift.
    row[i - first] = 1.0 / std::max(diagonal, 0.5 * shift[i]);
  }
}

void ProfileFactor::solve(double* values) const {
  const Profile& profile = *profile_;
  std::uint32_t const rows = profile.rows();
  for (std::uint32_t i = 0; i < rows; ++i) {
    double sum = values[i];
    for (std::uint32_t j = profile.first(i); j < i; ++j) sum -= lower_[profile.at(i, j)] * values[j];
    values[i] = lower_[profile.at(i, i)] == 0.0 ? 0.0 : sum;
  }
  for (std::uint32_t i = 0; i < rows; ++i) values[i] *= lower_[profile.at(i, i)];
  for (std::uint32_t i = rows; i-- > 0;) {
    for (std::uint32_t j = profile.first(i); j < i; ++j) values[j] -= lower_[profile.at(i, j)] * values[i];
  }
}

}  // namespace takt
