// A 640-bit signed integer by 32-bit limbs, schoolbook style: the reference that Fixed and Scaled are checked
// against. It shares nothing with them, not even the compiler's 128-bit type. No division: a rounded result
// is checked by multiplying back.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <cstdlib>

namespace takt::test {

class Wide {
 public:
  Wide() = default;
  Wide(std::int64_t value) {  // NOLINT: implicit, it is a number
    negative_ = value < 0;
    std::uint64_t const size =
        negative_ ? 0u - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    limbs_[0] = static_cast<std::uint32_t>(size);
    limbs_[1] = static_cast<std::uint32_t>(size >> 32u);
  }

  [[nodiscard]] Wide shifted_left(unsigned bits) const {
    Wide out;
    out.negative_ = negative_;
    unsigned const words = bits / 32;
    unsigned const rest = bits % 32;
    for (unsigned i = 0; i < kLimbs; ++i) {
      if (limbs_[i] == 0) continue;
      std::uint64_t const moved = std::uint64_t{limbs_[i]} << rest;
      add_at(out, i + words, static_cast<std::uint32_t>(moved));
      add_at(out, i + words + 1, static_cast<std::uint32_t>(moved >> 32u));
    }
    return out;
  }
  [[nodiscard]] Wide absolute() const {
    Wide out = *this;
    out.negative_ = false;
    return out;
  }
  [[nodiscard]] bool is_zero() const {
    for (std::uint32_t const limb : limbs_) {
      if (limb != 0) return false;
    }
    return true;
  }

  friend Wide operator-(Wide a) {
    a.negative_ = !a.negative_;
    return a;
  }
  friend Wide operator+(const Wide& a, const Wide& b) {
    if (a.negative_ == b.negative_) {
      Wide sum;
      sum.negative_ = a.negative_;
      std::uint64_t carry = 0;
      for (unsigned i = 0; i < kLimbs; ++i) {
        carry += std::uint64_t{a.limbs_[i]} + b.limbs_[i];
        sum.limbs_[i] = static_cast<std::uint32_t>(carry);
        carry >>= 32u;
      }
      if (carry != 0) std::abort();
      return sum;
    }
    int const order = compare_size(a, b);
    Wide const& large = order >= 0 ? a : b;
    Wide const& small = order >= 0 ? b : a;
    Wide rest;
    rest.negative_ = large.negative_;
    std::int64_t borrow = 0;
    for (unsigned i = 0; i < kLimbs; ++i) {
      std::int64_t limb = std::int64_t{large.limbs_[i]} - small.limbs_[i] - borrow;
      borrow = limb < 0 ? 1 : 0;
      if (limb < 0) limb += std::int64_t{1} << 32;
      rest.limbs_[i] = static_cast<std::uint32_t>(limb);
    }
    return rest;
  }
  friend Wide operator-(const Wide& a, const Wide& b) { return a + (-b); }
  friend Wide operator*(const Wide& a, const Wide& b) {
    Wide product;
    product.negative_ = a.negative_ != b.negative_;
    for (unsigned i = 0; i < kLimbs; ++i) {
      if (a.limbs_[i] == 0) continue;
      std::uint64_t carry = 0;
      for (unsigned k = 0; k < kLimbs; ++k) {
        if (i + k >= kLimbs) {
          if (b.limbs_[k] != 0 || carry != 0) std::abort();
          continue;
        }
        carry += std::uint64_t{a.limbs_[i]} * b.limbs_[k] + product.limbs_[i + k];
        product.limbs_[i + k] = static_cast<std::uint32_t>(carry);
        carry >>= 32u;
      }
    }
    return product;
  }
  friend std::strong_ordering operator<=>(const Wide& a, const Wide& b) {
    Wide const difference = a - b;
    if (difference.is_zero()) return std::strong_ordering::equal;
    return difference.negative_ ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  friend bool operator==(const Wide& a, const Wide& b) { return (a - b).is_zero(); }

 private:
  static constexpr unsigned kLimbs = 20;
  static void add_at(Wide& to, unsigned at, std::uint32_t limb) {
    if (limb == 0) return;
    if (at >= kLimbs) std::abort();
    to.limbs_[at] += limb;  // the parts of one shift do not overlap
  }
  static int compare_size(const Wide& a, const Wide& b) {
    for (unsigned i = kLimbs; i-- > 0;) {
      if (a.limbs_[i] != b.limbs_[i]) return a.limbs_[i] < b.limbs_[i] ? -1 : 1;
    }
    return 0;
  }
  std::array<std::uint32_t, kLimbs> limbs_{};  // least first
  bool negative_ = false;
};

}  // namespace takt::test
