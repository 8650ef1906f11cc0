// L D L^T of a symmetric positive definite matrix kept by its profile: row i holds columns first(i) to i.
// Fill never leaves the profile, so a matrix whose rows follow a chain costs O(rows). Rows may be left out of
// a factorisation. Source: A. Jennings, A Compact Storage Scheme for the Solution of Symmetric Linear
// Simultaneous Equations (1966).
//
// All in binary64 with a fixed order of operations: the same bits on every machine (docs/adr/0005).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace takt {

/// Where each row begins; the entries lie in arrays of size().
class Profile {
 public:
  void clear() noexcept {
    first_.clear();
    start_.clear();
    size_ = 0;
  }
  /// Adds row rows() with entries from column `first` (at most rows()) to its diagonal.
  void add_row(std::uint32_t first) {
    first_.push_back(first);
    start_.push_back(size_);
    size_ += first_.size() - first;
  }
  [[nodiscard]] std::uint32_t rows() const noexcept { return static_cast<std::uint32_t>(first_.size()); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint32_t first(std::uint32_t row) const noexcept { return first_[row]; }
  /// Place of an entry, first(row) <= column <= row.
  [[nodiscard]] std::size_t at(std::uint32_t row, std::uint32_t column) const noexcept {
    return start_[row] + (column - first_[row]);
  }

 private:
  std::vector<std::uint32_t> first_;
  std::vector<std::size_t> start_;
  std::size_t size_ = 0;
};

/// The factor of the rows that take part. Reused from call to call without allocating once it has grown.
class ProfileFactor {
 public:
  /// Factors `matrix` (entries by `profile`) over the rows with taken[row] != 0, adding shift[row] > 0 to
  /// each diagonal.
  void factor(const Profile& profile, const double* matrix, const double* shift, const std::uint8_t* taken);
  /// The same after factor() of the same profile, matrix and shifts: works out again only the rows that other
  /// `taken` ones reach, with the bits of a whole factor().
  void update(const Profile& profile, const double* matrix, const double* shift, const std::uint8_t* taken);
  /// Solves in place for the rows taken; the others become 0.
  void solve(double* values) const;

 private:
  void factor_row(const Profile& profile, const double* matrix, double shift, std::uint32_t i);

  const Profile* profile_ = nullptr;
  std::vector<double> lower_;        ///< by profile; the diagonal holds 1 / D, 0 for rows that take no part
  std::vector<std::uint8_t> taken_;  ///< as last factored
};

}  // namespace takt
