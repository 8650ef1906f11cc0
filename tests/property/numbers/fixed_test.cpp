// Fixed is correctly rounded, half to even, and saturates with a count: checked against exact rationals of
// wide_integer.h for edge and random raws.
#include "takt/physics/fixed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "takt/core/random.h"
#include "takt/physics/vector.h"
#include "tests/property/numbers/seed.h"
#include "tests/property/numbers/wide_integer.h"

namespace takt {
namespace {

using test::Wide;
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

/// True when raw is the nearest integer to numerator / denominator (half to even), clamped to +-kMax, and
/// `counted` says whether it was clamped.
testing::AssertionResult is_nearest(const Wide& numerator, const Wide& denominator, std::int64_t raw,
                                    std::uint64_t counted) {
  Wide const size = denominator.absolute();
  Wide const top = denominator < Wide(0) ? -numerator : numerator;
  Wide const past = Wide(kMax) * size * Wide(2) +
                    size;  // twice the first value that rounds to kMax + 1: kMax is odd, so the tie goes up
  if (top * Wide(2) >= past || -top * Wide(2) >= past) {
    std::int64_t const expected = top < Wide(0) ? -kMax : kMax;
    if (raw == expected && counted == 1) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "expected saturation, got " << raw << " counted " << counted;
  }
  if (counted != 0)
    return testing::AssertionFailure() << "counted " << counted << " for a result in range, " << raw;
  Wide const twice_off = ((top - Wide(raw) * size) * Wide(2)).absolute();
  if (twice_off < size || (twice_off == size && raw % 2 == 0)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << raw << " is not the nearest";
}

std::vector<std::int64_t> edge_raws() {
  std::vector<std::int64_t> out;
  for (std::int64_t const r :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{0x7fffffff},
        std::int64_t{0x80000000}, std::int64_t{0x80000001}, std::int64_t{0xffffffff},
        std::int64_t{0x100000000}, std::int64_t{0x100000001}, std::int64_t{0x180000000},
        std::int64_t{0xb504f333}, std::int64_t{0xb504f334}, std::int64_t{0x7fffffffffff},
        std::int64_t{0x800000000000}, std::int64_t{0x4000000000000000}, std::int64_t{0x7fffffff00000000},
        kMax - 1, kMax}) {
    out.push_back(r);
    if (r != 0) out.push_back(-r);
  }
  return out;
}

/// Raws of every size: a uniform number of bits, then uniform bits.
std::int64_t draw_raw(Random& random) {
  auto const bits = 1 + random.next_below(63);
  auto const size = static_cast<std::int64_t>(random.next_u64() >> (64u - bits));
  return random.next_below(2) == 0 ? size : -size;
}

class FixedProperty : public testing::Test {
 protected:
  void SetUp() override { (void)take_fixed_overflow_count(); }
  std::uint64_t seed_ = test::property_seed();
  testing::ScopedTrace trace_{__FILE__, __LINE__, "TAKT_SEED=" + std::to_string(seed_)};
  Random random_{seed_};

  /// check(a, b) over all pairs of edges and many random pairs; stops at the first failure.
  template <class Check>
  void for_pairs(Check check) {
    auto const edges = edge_raws();
    for (std::int64_t const a : edges) {
      for (std::int64_t const b : edges) {
        check(a, b);
        ASSERT_FALSE(HasFailure()) << a << " and " << b;
      }
    }
    for (int i = 0; i < 50000; ++i) {
      std::int64_t const a = draw_raw(random_);
      std::int64_t const b = draw_raw(random_);
      check(a, b);
      ASSERT_FALSE(HasFailure()) << a << " and " << b;
    }
  }
};

TEST_F(FixedProperty, SumAndDifferenceAreExactOrSaturated) {
  for_pairs([](std::int64_t a, std::int64_t b) {
    Fixed const sum = Fixed::from_raw(a) + Fixed::from_raw(b);
    EXPECT_TRUE(is_nearest(Wide(a) + Wide(b), Wide(1), sum.raw(), take_fixed_overflow_count()));
    Fixed const difference = Fixed::from_raw(a) - Fixed::from_raw(b);
    EXPECT_TRUE(is_nearest(Wide(a) - Wide(b), Wide(1), difference.raw(), take_fixed_overflow_count()));
  });
}

TEST_F(FixedProperty, ProductIsCorrectlyRounded) {
  for_pairs([](std::int64_t a, std::int64_t b) {
    Fixed const product = Fixed::from_raw(a) * Fixed::from_raw(b);
    EXPECT_TRUE(
        is_nearest(Wide(a) * Wide(b), Wide(1).shifted_left(32), product.raw(), take_fixed_overflow_count()));
  });
}

TEST_F(FixedProperty, ProductsNextToTheEdgeAreCorrectlyRounded) {
  // b = edge 2^32 / a and its neighbours: results within a few units of +-kMax on both sides
  for (int i = 0; i < 50000; ++i) {
    std::int64_t const drawn = draw_raw(random_);
    std::int64_t const size = (drawn < 0 ? -drawn : drawn) | (std::int64_t{1} << 33);
    std::int64_t const a = drawn < 0 ? -size : size;
    auto const near = static_cast<std::int64_t>((Int128{kMax} << 32) / a);
    for (std::int64_t const b : {near - 1, near, near + 1, near + 2}) {
      Fixed const product = Fixed::from_raw(a) * Fixed::from_raw(b);
      ASSERT_TRUE(
          is_nearest(Wide(a) * Wide(b), Wide(1).shifted_left(32), product.raw(), take_fixed_overflow_count()))
          << a << " * " << b;
    }
  }
}

TEST_F(FixedProperty, TiesGoToEven) {
  for (int i = 0; i < 50000; ++i) {
    // odd x odd 2^31: the product always ends in exactly one half
    std::int64_t const odd = (draw_raw(random_) >> 31) | 1;
    std::int64_t const half = ((draw_raw(random_) >> 40) | 1) * (std::int64_t{1} << 31);
    if (half == 0) continue;
    Fixed const product = Fixed::from_raw(odd) * Fixed::from_raw(half);
    ASSERT_TRUE(is_nearest(Wide(odd) * Wide(half), Wide(1).shifted_left(32), product.raw(),
                           take_fixed_overflow_count()))
        << odd << " * " << half;
    ASSERT_EQ(product.raw() % 2, 0) << "a tie that did not go to even";
  }
}

TEST_F(FixedProperty, QuotientIsCorrectlyRounded) {
  for_pairs([](std::int64_t a, std::int64_t b) {
    if (b == 0) return;
    Fixed const quotient = Fixed::from_raw(a) / Fixed::from_raw(b);
    EXPECT_TRUE(is_nearest(Wide(a).shifted_left(32), Wide(b), quotient.raw(), take_fixed_overflow_count()));
  });
}

TEST_F(FixedProperty, QuotientTiesGoToEven) {
  for (int i = 0; i < 50000; ++i) {
    std::int64_t const odd = draw_raw(random_) | 1;
    Fixed const quotient = Fixed::from_raw(odd) / Fixed(2);
    ASSERT_TRUE(is_nearest(Wide(odd), Wide(2), quotient.raw(), take_fixed_overflow_count())) << odd;
    ASSERT_EQ(quotient.raw() % 2, 0);
  }
}

TEST_F(FixedProperty, DotsAreRoundedOnce) {
  auto const edges = edge_raws();
  auto const draw = [&](int i) {
    if (i % 3 == 0) return edges[random_.next_below(static_cast<std::uint32_t>(edges.size()))];
    return draw_raw(random_);
  };
  for (int i = 0; i < 100000; ++i) {
    std::int64_t v[8];
    for (std::int64_t& r : v) r = draw(i);
    auto const f = [&](int k) { return Fixed::from_raw(v[k]); };
    Wide const two = Wide(v[0]) * Wide(v[1]) + Wide(v[2]) * Wide(v[3]);
    Fixed const dot2 = fixed_dot2(f(0), f(1), f(2), f(3));
    ASSERT_TRUE(is_nearest(two, Wide(1).shifted_left(32), dot2.raw(), take_fixed_overflow_count())) << i;
    Fixed const dot3 = fixed_dot3(f(0), f(1), f(2), f(3), f(4), f(5));
    Wide const three = two + Wide(v[4]) * Wide(v[5]);
    ASSERT_TRUE(is_nearest(three, Wide(1).shifted_left(32), dot3.raw(), take_fixed_overflow_count())) << i;
    Fixed const dot4 = fixed_dot4(f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7));
    ASSERT_TRUE(is_nearest(three + Wide(v[6]) * Wide(v[7]), Wide(1).shifted_left(32), dot4.raw(),
                           take_fixed_overflow_count()))
        << i;
  }
}

/// root is nearest to sqrt(square): (2 root - 1)^2 < 4 square < (2 root + 1)^2; equality is impossible, one
/// side is odd.
testing::AssertionResult is_root(const Wide& square, std::int64_t root) {
  Wide const above = Wide(root) * Wide(2) + Wide(1);
  Wide const below = Wide(root) * Wide(2) - Wide(1);
  Wide const four = square * Wide(4);
  if (four < above * above && (root == 0 || below * below < four)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << root << " is not the nearest root";
}

TEST_F(FixedProperty, SqrtIsCorrectlyRounded) {
  for (std::int64_t const r : edge_raws()) {
    if (r < 0) continue;
    EXPECT_TRUE(is_root(Wide(r).shifted_left(32), sqrt(Fixed::from_raw(r)).raw())) << r;
  }
  for (int i = 0; i < 100000; ++i) {
    std::int64_t const drawn = draw_raw(random_);
    std::int64_t const r = drawn < 0 ? -drawn : drawn;
    ASSERT_TRUE(is_root(Wide(r).shifted_left(32), sqrt(Fixed::from_raw(r)).raw())) << r;
  }
  EXPECT_EQ(fixed_overflow_count(), 0u);
}

TEST_F(FixedProperty, SqrtNextToSquaresIsCorrectlyRounded) {
  for (int i = 0; i < 50000; ++i) {
    // raw << 32 = (root 2^16)^2 +- 2^32: the closest calls there are
    auto const root = static_cast<std::int64_t>(random_.next_u32() & 0x7fffffffu);
    for (std::int64_t const off : {-1, 0, 1}) {
      std::int64_t const r = root * root + off;
      if (r < 0) continue;
      ASSERT_TRUE(is_root(Wide(r).shifted_left(32), sqrt(Fixed::from_raw(r)).raw())) << r;
    }
  }
}

TEST_F(FixedProperty, LengthIsCorrectlyRoundedFromTheExactSum) {
  auto const edges = edge_raws();
  for (int i = 0; i < 100000; ++i) {
    std::int64_t v[3];
    for (std::int64_t& r : v)
      r = i % 4 == 0 ? edges[random_.next_below(static_cast<std::uint32_t>(edges.size()))]
                     : draw_raw(random_);
    Fixed const size =
        length(Vec3<Fixed>{Fixed::from_raw(v[0]), Fixed::from_raw(v[1]), Fixed::from_raw(v[2])});
    std::uint64_t const counted = take_fixed_overflow_count();
    Wide const square = Wide(v[0]) * Wide(v[0]) + Wide(v[1]) * Wide(v[1]) + Wide(v[2]) * Wide(v[2]);
    Wide const past = Wide(kMax) * Wide(2) + Wide(1);
    if (square * Wide(4) > past * past) {
      ASSERT_EQ(size.raw(), kMax);
      ASSERT_EQ(counted, 1u);
    } else {
      ASSERT_TRUE(is_root(square, size.raw())) << v[0] << ' ' << v[1] << ' ' << v[2];
      ASSERT_EQ(counted, 0u);
    }
  }
}

TEST_F(FixedProperty, UnitVectorsAreWithinAUnitHoweverShort) {
  Vec3<Fixed> const up{Fixed(0), Fixed(1), Fixed(0)};
  for (int i = 0; i < 100000; ++i) {
    auto const bits = 2 + random_.next_below(61);
    std::int64_t v[3];
    for (std::int64_t& r : v) r = (static_cast<std::int64_t>(random_.next_u64()) >> (64u - bits));
    if (v[0] == 0 && v[1] == 0 && v[2] == 0) continue;
    Vec3<Fixed> const unit = normalise_or(
        Vec3<Fixed>{Fixed::from_raw(v[0]), Fixed::from_raw(v[1]), Fixed::from_raw(v[2])}, up, Fixed(0));
    Wide const square = Wide(v[0]) * Wide(v[0]) + Wide(v[1]) * Wide(v[1]) + Wide(v[2]) * Wide(v[2]);
    std::int64_t const got[3] = {unit.x.raw(), unit.y.raw(), unit.z.raw()};
    for (int axis = 0; axis < 3; ++axis) {
      // |got - 2^32 v / |v|| <= 1, squared: (|got| - 1)^2 |v|^2 <= 2^64 v^2 <= (|got| + 1)^2 |v|^2, and the
      // sign agrees
      Wide const left = (Wide(v[axis]) * Wide(v[axis])).shifted_left(64);
      Wide const size = Wide(got[axis]).absolute();
      ASSERT_TRUE(left <= (size + Wide(1)) * (size + Wide(1)) * square) << i;
      ASSERT_TRUE(got[axis] == 0 || (size - Wide(1)) * (size - Wide(1)) * square <= left) << i;
      ASSERT_GE(Wide(got[axis]) * Wide(v[axis]), Wide(0)) << i;
    }
  }
  EXPECT_EQ(fixed_overflow_count(), 0u);
}

TEST_F(FixedProperty, DoublesBecomeTheNearestFixed) {
  for (int i = 0; i < 100000; ++i) {
    // mantissa x 2^exponent over more than the range of Fixed, with many bits below its last
    auto const mantissa = static_cast<std::int64_t>(random_.next_u64() >> 11u);
    int const exponent = static_cast<int>(random_.next_below(100)) - 110;
    double const size = static_cast<double>(mantissa) *
                        (exponent < 0 ? 1.0 / static_cast<double>(UInt128{1} << -exponent) : 1.0);
    bool const negative = random_.next_below(2) == 0;
    Wide const top = Wide(negative ? -mantissa : mantissa).shifted_left(32);
    std::int64_t const raw = Fixed(negative ? -size : size).raw();
    ASSERT_TRUE(is_nearest(top, Wide(1).shifted_left(static_cast<unsigned>(-exponent)), raw,
                           take_fixed_overflow_count()))
        << mantissa << " 2^" << exponent;
  }
}

TEST_F(FixedProperty, DoubleOfAFixedComesBackWhenItHas53Bits) {
  for (int i = 0; i < 50000; ++i) {
    std::int64_t const raw = draw_raw(random_) >> 11;
    ASSERT_EQ(Fixed(Fixed::from_raw(raw).to_double()).raw(), raw);
  }
}

TEST_F(FixedProperty, OrderIsThatOfTheValues) {
  for_pairs([](std::int64_t a, std::int64_t b) {
    EXPECT_EQ(Fixed::from_raw(a) < Fixed::from_raw(b), a < b);
    EXPECT_EQ(Fixed::from_raw(a) == Fixed::from_raw(b), a == b);
  });
}

}  // namespace
}  // namespace takt
