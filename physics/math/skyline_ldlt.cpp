#include "physics/math/skyline_ldlt.h"

#include <algorithm>

#include "takt/core/assert.h"

namespace takt {

// Row i holds L(i, j) D(j) until its diagonal is computed. It reads only the rows of its columns.
void SkylineFactor::factor_row(const Profile& profile, const double* matrix, double shift, std::uint32_t i) {
  std::uint32_t const first = profile.first(i);
  double* const row = lower_.data() + profile.at(i, first);
  const double* const given = matrix + profile.at(i, first);
  if (taken_[i] == 0) {
    std::fill(row, row + (i - first) + 1, 0.0);
    return;
  }
  for (std::uint32_t j = first; j < i; ++j) {
    if (taken_[j] == 0) {
      row[j - first] = 0.0;
      continue;
    }
    std::uint32_t const other_first = profile.first(j);
    std::uint32_t const from = std::max(first, other_first);
    const double* const left = row + (from - first);
    const double* const right = lower_.data() + profile.at(j, from);
    double sum = given[j - first];
    for (std::uint32_t k = 0; k < j - from; ++k) sum -= left[k] * right[k];
    row[j - first] = sum;
  }
  double diagonal = given[i - first] + shift;
  for (std::uint32_t j = first; j < i; ++j) {
    double const scaled = row[j - first] * lower_[profile.at(j, j)];
    diagonal -= scaled * row[j - first];
    row[j - first] = scaled;
  }
  // The pivot of a row that other rows imply is at least its shift, apart from rounding.
  row[i - first] = 1.0 / std::max(diagonal, 0.5 * shift);
}

void SkylineFactor::factor(const Profile& profile, const double* matrix, const double* shift,
                           const std::uint8_t* taken) {
  profile_ = &profile;
  lower_.resize(std::max(lower_.size(), profile.size()));
  taken_.assign(taken, taken + profile.rows());
  for (std::uint32_t i = 0; i < profile.rows(); ++i) factor_row(profile, matrix, shift[i], i);
}

void SkylineFactor::update(const Profile& profile, const double* matrix, const double* shift,
                           const std::uint8_t* taken) {
  TAKT_ASSERT(profile_ == &profile && taken_.size() == profile.rows());
  std::uint32_t changed_end = 0;  // one past the last row that has changed
  for (std::uint32_t i = 0; i < profile.rows(); ++i) {
    bool const other = taken_[i] != taken[i];
    if (!other && (taken[i] == 0 || changed_end <= profile.first(i))) continue;
    taken_[i] = taken[i];
    factor_row(profile, matrix, shift[i], i);
    changed_end = i + 1;
  }
}

void SkylineFactor::solve(double* values) const {
  TAKT_ASSERT(profile_ != nullptr && taken_.size() == profile_->rows());
  const Profile& profile = *profile_;
  std::uint32_t const rows = profile.rows();
  for (std::uint32_t i = 0; i < rows; ++i) {
    std::uint32_t const first = profile.first(i);
    const double* const row = lower_.data() + profile.at(i, first);
    double sum = values[i];
    for (std::uint32_t j = first; j < i; ++j) sum -= row[j - first] * values[j];
    values[i] = row[i - first] == 0.0 ? 0.0 : sum;
  }
  for (std::uint32_t i = 0; i < rows; ++i) values[i] *= lower_[profile.at(i, i)];
  for (std::uint32_t i = rows; i-- > 0;) {
    std::uint32_t const first = profile.first(i);
    const double* const row = lower_.data() + profile.at(i, first);
    double const value = values[i];
    for (std::uint32_t j = first; j < i; ++j) values[j] -= row[j - first] * value;
  }
}

}  // namespace takt
