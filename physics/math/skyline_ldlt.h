// SkylineFactor computes and applies the skyline L D L^T factorisation of a symmetric positive definite
// matrix, whose diagonal may be shifted. Profile describes the matrix: row i stores columns first(i) to i.
// Fill never leaves this profile, so a matrix whose rows follow a chain costs O(rows). Rows can be excluded
// from a factorisation: the direct contact solver (direct_contact_solver.h) excludes open rows (contacts that
// separate) and sliding rows. update() refactors after the set of rows changed. Source: A. Jennings, A
// Compact Storage Scheme for the Solution of Symmetric Linear Simultaneous Equations (1966).
//
// Binary64 with a fixed order of operations gives the same bits on every machine (docs/adr/0005).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "takt/core/assert.h"

namespace takt {

/// First column of each row; the entries of a matrix are stored row by row in arrays of size().
class Profile {
 public:
  void clear() noexcept {
    first_.clear();
    start_.clear();
    size_ = 0;
  }
  /// Adds row rows() with entries from column `first` (at most rows()) to its diagonal.
  void add_row(std::uint32_t first) {
    TAKT_ASSERT(first <= rows());
    first_.push_back(first);
    start_.push_back(size_);
    size_ += first_.size() - first;
  }
  [[nodiscard]] std::uint32_t rows() const noexcept { return static_cast<std::uint32_t>(first_.size()); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint32_t first(std::uint32_t row) const noexcept { return first_[row]; }
  /// Index of an entry, first(row) <= column <= row.
  [[nodiscard]] std::size_t at(std::uint32_t row, std::uint32_t column) const noexcept {
    TAKT_VALIDATE(row < rows() && first_[row] <= column && column <= row);
    return start_[row] + (column - first_[row]);
  }

 private:
  std::vector<std::uint32_t> first_;
  std::vector<std::size_t> start_;
  std::size_t size_ = 0;
};

/// The factor of the rows that are included. Memory is reused; it allocates only to grow.
class SkylineFactor {
 public:
  /// Factors `matrix` (entries in the order of `profile`) over the rows with taken[row] != 0, after adding
  /// shift[row] > 0 to each diagonal. `profile` must outlive the factor.
  void factor(const Profile& profile, const double* matrix, const double* shift, const std::uint8_t* taken);
  /// Refactors for another `taken`, with the profile, matrix and shifts of the last factor(). It recomputes
  /// only affected rows and gives the bits of a full factor().
  void update(const Profile& profile, const double* matrix, const double* shift, const std::uint8_t* taken);
  /// Solves in place for the included rows; the others become 0.
  void solve(double* values) const;

 private:
  void factor_row(const Profile& profile, const double* matrix, double shift, std::uint32_t i);

  const Profile* profile_ = nullptr;
  std::vector<double> lower_;        ///< in profile order; the diagonal holds 1 / D, 0 for excluded rows
  std::vector<std::uint8_t> taken_;  ///< rows included in the last factorisation
};

}  // namespace takt
