// The error table of trigonometry.h, measured: every function against the C library's long double over dense,
// special and random arguments. The largest error seen is recorded in the test's XML. TAKT_EXHAUSTIVE=1
// visits every float instead of every 1021st (hours).
#include "takt/physics/trigonometry.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "takt/core/random.h"
#include "tests/property/numbers/seed.h"

namespace takt {
namespace {

constexpr long double kPi = 3.14159265358979323846264338327950288L;

long double of(float value) { return static_cast<long double>(value); }
// 63 bits and a sign fit the significand of every long double we test with
long double of(Fixed value) { return static_cast<long double>(value.raw()) / 0x1p32L; }

/// The worst error of one function, and where.
class Worst {
 public:
  explicit Worst(const char* name) : name_(name) {}
  void see(long double error, long double at) {
    long double const size = error < 0 ? -error : error;
    if (!(size <= worst_)) {
      worst_ = size;
      at_ = at;
    }
    ++count_;
  }
  void expect_at_most(double bound) const {
    testing::Test::RecordProperty(name_, std::to_string(static_cast<double>(worst_) * 1e12) + "e-12");
    EXPECT_LE(static_cast<double>(worst_), bound)
        << name_ << " at " << static_cast<double>(at_) << " of " << count_ << " arguments";
    EXPECT_GT(count_, 100u);
    std::printf("  %-24s %.4g at %.9g, %zu arguments\n", name_, static_cast<double>(worst_),
                static_cast<double>(at_), count_);
  }

 private:
  const char* name_;
  long double worst_ = -1;
  long double at_ = 0;
  std::size_t count_ = 0;
};

/// Every `stride`-th float by bits (both signs, all sizes), then the neighbourhood of special values.
template <class Visit>
void for_floats(Visit visit) {
  static bool const kExhaustive = std::getenv("TAKT_EXHAUSTIVE") != nullptr;
  std::uint32_t const stride = kExhaustive ? 1 : 1021;
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += stride) {
    float const value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (std::isfinite(value)) visit(value);
  }
  std::vector<float> specials{0.0f,
                              1.0f,
                              0x1p-12f,
                              0.5f,
                              0.0625f,
                              std::numeric_limits<float>::min(),
                              std::numeric_limits<float>::max()};
  for (int k = 1; k <= 200; ++k)
    specials.push_back(static_cast<float>(static_cast<long double>(k) * kPi / 8));
  for (int k = 1; k <= 16; ++k) specials.push_back(static_cast<float>(k) / 16.0f);
  for (float const special : specials) {
    auto const centre = std::bit_cast<std::uint32_t>(special);
    for (std::uint32_t near = centre < 500 ? 0 : centre - 500; near <= centre + 500; ++near) {
      float const value = std::bit_cast<float>(near);
      if (!std::isfinite(value)) continue;
      visit(value);
      visit(-value);
    }
  }
}

/// A dense grid over [-8, 8], neighbourhoods of multiples of pi/8, and random raws of every size.
template <class Visit>
void for_fixeds(std::uint64_t seed, Visit visit) {
  for (std::int64_t raw = -(std::int64_t{8} << 32); raw <= (std::int64_t{8} << 32); raw += 131101)
    visit(Fixed::from_raw(raw));
  std::vector<std::int64_t> centres{0, std::numeric_limits<std::int64_t>::max() - 500, std::int64_t{1} << 32};
  for (int k = 1; k <= 200; ++k)
    centres.push_back(static_cast<std::int64_t>(static_cast<long double>(k) * kPi / 8 * 0x1p32L));
  for (int k = 1; k <= 16; ++k) centres.push_back(static_cast<std::int64_t>(k) << 28);
  for (std::int64_t const centre : centres) {
    for (std::int64_t raw = centre - 500; raw <= centre + 499; ++raw) {
      visit(Fixed::from_raw(raw));
      visit(Fixed::from_raw(-raw));
    }
  }
  Random random(seed, 2);
  for (int i = 0; i < 500000; ++i) {
    auto const bits = 1 + random.next_below(63);
    visit(Fixed::from_raw(static_cast<std::int64_t>(random.next_u64() >> (64u - bits))));
  }
}

class Trigonometry : public testing::Test {
 protected:
  std::uint64_t seed_ = test::property_seed();
  testing::ScopedTrace trace_{__FILE__, __LINE__, "TAKT_SEED=" + std::to_string(seed_)};
};

TEST_F(Trigonometry, FloatSinCosTanForEveryArgument) {
  Worst sine("sin");
  Worst sine_relative("sin, relative");
  Worst cosine("cos");
  Worst cosine_relative("cos, relative");
  Worst tangent("tan, relative");
  for_floats([&](float x) {
    long double const s = sinl(of(x));
    long double const c = cosl(of(x));
    SinCos<float> const sc = sin_cos(x);
    sine.see(of(sc.sin) - s, x);
    cosine.see(of(sc.cos) - c, x);
    cosine_relative.see(of(sc.cos) / c - 1, x);
    // below the normal numbers a unit is not a fraction of the value
    if (std::fabs(x) < std::numeric_limits<float>::min()) return;
    sine_relative.see(of(sc.sin) / s - 1, x);
    tangent.see(of(tan(x)) / (s / c) - 1, x);
  });
  sine.expect_at_most(3.1e-8);
  sine_relative.expect_at_most(6.1e-8);
  cosine.expect_at_most(3.1e-8);
  cosine_relative.expect_at_most(6.1e-8);
  tangent.expect_at_most(6.1e-8);
}

TEST_F(Trigonometry, FloatArcsForEveryArgument) {
  Worst arc_sine("asin");
  Worst arc_sine_relative("asin, relative");
  Worst arc_cosine("acos");
  Worst arc_cosine_relative("acos, relative");
  Worst arc_tangent("atan");
  Worst arc_tangent_relative("atan, relative");
  for_floats([&](float x) {
    bool const normal = std::fabs(x) >= std::numeric_limits<float>::min();
    long double const t = atanl(of(x));
    arc_tangent.see(of(atan(x)) - t, x);
    if (normal) arc_tangent_relative.see(of(atan(x)) / t - 1, x);
    if (std::fabs(x) > 1.0f) return;
    long double const s = asinl(of(x));
    long double const c = acosl(of(x));
    arc_sine.see(of(asin(x)) - s, x);
    arc_cosine.see(of(acos(x)) - c, x);
    if (normal) arc_sine_relative.see(of(asin(x)) / s - 1, x);
    if (x < 1.0f) arc_cosine_relative.see(of(acos(x)) / c - 1, x);
  });
  arc_sine.expect_at_most(6.1e-8);
  arc_sine_relative.expect_at_most(6.1e-8);
  arc_cosine.expect_at_most(1.2e-7);
  arc_cosine_relative.expect_at_most(6.1e-8);
  arc_tangent.expect_at_most(6.1e-8);
  arc_tangent_relative.expect_at_most(6.1e-8);
}

TEST_F(Trigonometry, FloatAtan2OfEveryDirectionAndSize) {
  Worst angle("atan2");
  Worst angle_relative("atan2, relative");
  Random random(seed_, 3);
  auto const check = [&](float y, float x) {
    if (y == 0.0f || x == 0.0f || !std::isfinite(y) || !std::isfinite(x)) return;
    long double const a = atan2l(of(y), of(x));
    angle.see(of(atan2(y, x)) - a, y);
    if (fabsl(a) > 1.2e-38L) angle_relative.see(of(atan2(y, x)) / a - 1, y);
  };
  for (int i = 0; i < 1000000; ++i) {
    std::uint32_t const y = random.next_u32();
    std::uint32_t const x = random.next_u32();
    check(std::bit_cast<float>(y), std::bit_cast<float>(x));
    // and with sizes within 2^-32 of each other, where the work is
    std::uint32_t const close =
        (x & 0x807fffffu) | ((((y >> 23u) & 0xffu) / 2u + 64u + random.next_below(64) - 32u) << 23u);
    std::uint32_t const middle = (y & 0x807fffffu) | ((((y >> 23u) & 0xffu) / 2u + 64u) << 23u);
    check(std::bit_cast<float>(middle), std::bit_cast<float>(close));
  }
  angle.expect_at_most(1.2e-7);
  angle_relative.expect_at_most(8.1e-8);
}

TEST_F(Trigonometry, FixedSinCosTanOverTheWholeRange) {
  Worst sine("sin");
  Worst cosine("cos");
  Worst tangent("tan, over its bound");
  for_fixeds(seed_, [&](Fixed x) {
    long double const s = sinl(of(x));
    long double const c = cosl(of(x));
    SinCos<Fixed> const sc = sin_cos(x);
    sine.see(of(sc.sin) - s, of(x));
    cosine.see(of(sc.cos) - c, of(x));
    long double const t = s / c;
    if (fabsl(t) < 2147483647.0L)
      tangent.see((of(tan(x)) - t) / (1.2e-10L + fabsl(t) * (1e-14L + 2e-18L * fabsl(t))), of(x));
  });
  (void)take_fixed_overflow_count();
  sine.expect_at_most(1.2e-10);
  cosine.expect_at_most(1.2e-10);
  tangent.expect_at_most(1.0);
}

TEST_F(Trigonometry, FixedArcsOverTheWholeRange) {
  Worst arc_sine("asin");
  Worst arc_cosine("acos");
  Worst arc_tangent("atan");
  for_fixeds(seed_, [&](Fixed x) {
    arc_tangent.see(of(atan(x)) - atanl(of(x)), of(x));
    if (x > Fixed(1) || x < Fixed(-1)) return;
    arc_sine.see(of(asin(x)) - asinl(of(x)), of(x));
    arc_cosine.see(of(acos(x)) - acosl(of(x)), of(x));
  });
  arc_sine.expect_at_most(1.2e-10);
  arc_cosine.expect_at_most(1.2e-10);
  arc_tangent.expect_at_most(1.2e-10);
}

TEST_F(Trigonometry, FixedAtan2OfEveryDirectionAndSize) {
  Worst angle("atan2");
  Random random(seed_, 4);
  auto const draw = [&] {
    auto const bits = 1 + random.next_below(63);
    auto const size = static_cast<std::int64_t>(random.next_u64() >> (64u - bits));
    return Fixed::from_raw(random.next_below(2) == 0 ? size : -size);
  };
  for (int i = 0; i < 1000000; ++i) {
    Fixed const y = draw();
    Fixed const x = draw();
    if (y == Fixed(0) && x == Fixed(0)) continue;
    angle.see(of(atan2(y, x)) - atan2l(of(y), of(x)), of(y));
  }
  EXPECT_EQ(take_fixed_overflow_count(), 0u);
  angle.expect_at_most(1.2e-10);
}

template <class Real>
class TrigonometryLaws : public Trigonometry {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(TrigonometryLaws, Reals);

TYPED_TEST(TrigonometryLaws, SineIsOddCosineIsEvenAndAtan2Turns) {
  Random random(this->seed_, 5);
  for (int i = 0; i < 100000; ++i) {
    auto const x = static_cast<TypeParam>(random.next_between(-1e4, 1e4));
    auto const y = static_cast<TypeParam>(random.next_between(-1e4, 1e4));
    ASSERT_EQ(sin(-x), -sin(x));
    ASSERT_EQ(cos(-x), cos(x));
    ASSERT_EQ(tan(-x), -tan(x));
    ASSERT_EQ(atan(-x), -atan(x));
    ASSERT_EQ(atan2(-y, x), -atan2(y, x));
    SinCos<TypeParam> const both = sin_cos(x);
    ASSERT_EQ(both.sin, sin(x));
    ASSERT_EQ(both.cos, cos(x));
  }
}

}  // namespace
}  // namespace takt
