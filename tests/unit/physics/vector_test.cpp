#include "takt/physics/vector.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>

#include "takt/core/random.h"
#include "takt/physics/trigonometry.h"

namespace takt {
namespace {

// Rounding of one operation on values near 1.
template <class Real>
constexpr double kUnit = 0x1p-24;
template <>
inline constexpr double kUnit<Fixed> = 0x1p-33;

template <class Real>
class VectorTest : public testing::Test {
 protected:
  static Vec3<Real> draw(Random& random, double size) {
    double const x = random.next_between(-size, size);
    double const y = random.next_between(-size, size);
    double const z = random.next_between(-size, size);
    return {to_real<Real>(x), to_real<Real>(y), to_real<Real>(z)};
  }
  static Quat<Real> draw_rotation(Random& random) {
    double const x = random.next_between(-1.0, 1.0);
    double const y = random.next_between(-1.0, 1.0);
    double const z = random.next_between(-1.0, 1.0);
    double const w = random.next_between(-1.0, 1.0);
    return normalise(Quat<Real>{to_real<Real>(x), to_real<Real>(y), to_real<Real>(z), to_real<Real>(w)});
  }
  static double distance(Vec3<Real> a, Vec3<Real> b) {
    Vec3<double> const d = to_double(a - b);
    return std::sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
  }
};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(VectorTest, Reals);

TYPED_TEST(VectorTest, CrossIsRightHanded) {
  using V = Vec3<TypeParam>;
  V const x{TypeParam(1), TypeParam(0), TypeParam(0)};
  V const y{TypeParam(0), TypeParam(1), TypeParam(0)};
  V const z{TypeParam(0), TypeParam(0), TypeParam(1)};
  EXPECT_EQ(cross(x, y), z);
  EXPECT_EQ(cross(y, z), x);
  EXPECT_EQ(cross(z, x), y);
  EXPECT_EQ(dot(x, y), TypeParam(0));
}

TYPED_TEST(VectorTest, QuarterTurnAboutZTakesXToY) {
  TypeParam const half = sqrt(TypeParam(0.5));
  Quat<TypeParam> const turn{TypeParam(0), TypeParam(0), half, half};
  Vec3<TypeParam> const rotated = rotate(turn, Vec3<TypeParam>{TypeParam(1), TypeParam(0), TypeParam(0)});
  EXPECT_LE(this->distance(rotated, {TypeParam(0), TypeParam(1), TypeParam(0)}), 4 * kUnit<TypeParam>);
}

TYPED_TEST(VectorTest, RotateAgreesWithTheMatrixAndIsUndoneByTheInverse) {
  Random random(11);
  for (int i = 0; i < 1000; ++i) {
    auto const q = this->draw_rotation(random);
    auto const v = this->draw(random, 1.0);
    // |v| <= sqrt 3; each way is a dozen roundings of values of that size
    double const tolerance = 24 * kUnit<TypeParam>;
    EXPECT_LE(this->distance(rotate(q, v), to_matrix(q) * v), tolerance) << i;
    EXPECT_LE(this->distance(rotate_inverse(q, v), transpose_multiply(to_matrix(q), v)), tolerance) << i;
    EXPECT_LE(this->distance(rotate_inverse(q, rotate(q, v)), v), tolerance) << i;
  }
}

TYPED_TEST(VectorTest, ProductOfRotationsIsTheirSequence) {
  Random random(12);
  for (int i = 0; i < 1000; ++i) {
    auto const a = this->draw_rotation(random);
    auto const b = this->draw_rotation(random);
    auto const v = this->draw(random, 1.0);
    EXPECT_LE(this->distance(rotate(a * b, v), rotate(a, rotate(b, v))), 32 * kUnit<TypeParam>) << i;
  }
}

TYPED_TEST(VectorTest, TransformsCompose) {
  Random random(13);
  for (int i = 0; i < 1000; ++i) {
    Transform<TypeParam> const a{this->draw(random, 1.0), this->draw_rotation(random)};
    Transform<TypeParam> const b{this->draw(random, 1.0), this->draw_rotation(random)};
    auto const v = this->draw(random, 1.0);
    EXPECT_LE(this->distance((a * b) * v, a * (b * v)), 64 * kUnit<TypeParam>) << i;
  }
}

TYPED_TEST(VectorTest, NormalisedRotationsHaveUnitLength) {
  Random random(14);
  for (int i = 0; i < 1000; ++i) {
    auto const q = this->draw_rotation(random);
    double const x = to_double(q.x);
    double const y = to_double(q.y);
    double const z = to_double(q.z);
    double const w = to_double(q.w);
    EXPECT_NEAR(std::sqrt(x * x + y * y + z * z + w * w), 1.0, 4 * kUnit<TypeParam>);
  }
}

TYPED_TEST(VectorTest, NormalisingNothingGivesTheDefault) {
  EXPECT_EQ(normalise(Quat<TypeParam>{TypeParam(0), TypeParam(0), TypeParam(0), TypeParam(0)}),
            Quat<TypeParam>{});
  Vec3<TypeParam> const up{TypeParam(0), TypeParam(1), TypeParam(0)};
  EXPECT_EQ(normalise_or(Vec3<TypeParam>{}, up, TypeParam(0)), up);
}

TYPED_TEST(VectorTest, NormaliseOrScalesToUnitLength) {
  Random random(15);
  Vec3<TypeParam> const up{TypeParam(0), TypeParam(1), TypeParam(0)};
  for (int i = 0; i < 1000; ++i) {
    auto const v = this->draw(random, 100.0);
    EXPECT_NEAR(to_double(length(normalise_or(v, up, TypeParam(0.001)))), 1.0, 6 * kUnit<TypeParam>);
  }
}

TYPED_TEST(VectorTest, MinMaxAndClampPickTheFirstOfEquals) {
  EXPECT_EQ(minimum(TypeParam(1), TypeParam(2)), TypeParam(1));
  EXPECT_EQ(maximum(TypeParam(1), TypeParam(2)), TypeParam(2));
  EXPECT_EQ(clamp(TypeParam(5), TypeParam(1), TypeParam(2)), TypeParam(2));
  EXPECT_EQ(clamp(TypeParam(0), TypeParam(1), TypeParam(2)), TypeParam(1));
}

TEST(VectorFloat, MinAndMaxDecideSignedZeroByOrder) {
  EXPECT_TRUE(std::signbit(minimum(-0.0f, 0.0f)));
  EXPECT_FALSE(std::signbit(minimum(0.0f, -0.0f)));
  EXPECT_TRUE(std::signbit(maximum(-0.0f, 0.0f)));
  EXPECT_FALSE(std::signbit(maximum(0.0f, -0.0f)));
}

TEST(Position, RelativeIsExactAnywhere) {
  // 1,000 km out and at the origin: the same bits
  Position const near_a = Position::from_metres(0.1, 0.2, 0.3);
  Position const near_b = Position::from_metres(-1.7, 4.0, 0.30001);
  std::int64_t const shift = std::int64_t{1000000} << 32;
  Position const far_a = Position::from_raw(near_a.x_raw + shift, near_a.y_raw - shift, near_a.z_raw + shift);
  Position const far_b = Position::from_raw(near_b.x_raw + shift, near_b.y_raw - shift, near_b.z_raw + shift);
  EXPECT_EQ(relative<float>(near_a, near_b), relative<float>(far_a, far_b));
  EXPECT_EQ(relative<Fixed>(near_a, near_b), relative<Fixed>(far_a, far_b));
  EXPECT_EQ(relative<Fixed>(near_a, near_b).x.raw(), near_a.x_raw - near_b.x_raw);
}

template <class P>
concept TakesBareNumbers = requires {
  P{0, 1, 0};
}
|| requires { P{0.0, 1.0, 0.0}; }
|| requires(P p) { p.y; };
static_assert(!TakesBareNumbers<Position>, "a number without a unit is no coordinate");
static_assert(TakesBareNumbers<Vec3<double>>, "the concept finds what it forbids");
static_assert(std::is_trivially_copyable_v<Position> && std::is_standard_layout_v<Position>);

TEST(Position, MetresAndRawUnitsAreNamed) {
  auto const p = Position::from_metres(0.5, -1, 3);
  EXPECT_EQ(p, Position::from_raw(std::int64_t{1} << 31, -(std::int64_t{1} << 32), std::int64_t{3} << 32));
  EXPECT_EQ(p, Position::from_metres(Vec3<double>{0.5, -1, 3}));
  EXPECT_EQ(p.x_m(), 0.5);
  EXPECT_EQ(p.y_raw, -(std::int64_t{1} << 32));
  EXPECT_EQ(p.to_metres(), (Vec3<double>{0.5, -1, 3}));
  EXPECT_EQ(displacement_m(Position::from_metres(1, 1, 1), p), (Vec3<double>{-0.5, -2, 2}));
  EXPECT_EQ(Position{}, Position::from_raw(0, 0, 0));
}

TEST(Position, RelativeRoundsOnce) {
  Position const a = Position::from_raw((std::int64_t{1} << 40) + 1, 0, 0);
  EXPECT_EQ(relative<float>(a, Position{}).x, 256.0f);
  Position const tie = Position::from_raw((std::int64_t{1} << 40) + (std::int64_t{3} << 16), 0,
                                          0);  // half way between two floats: to even, up
  EXPECT_EQ(relative<float>(tie, Position{}).x, 256.0f + 0x1p-14f);
}

TEST(Position, RelativeAcrossTheWorldStaysInTheSymmetricRange) {
  std::int64_t const edge = std::numeric_limits<std::int64_t>::max();
  take_fixed_overflow_count();
  Vec3<Fixed> const apart =
      relative<Fixed>(Position::from_raw(edge, -edge, 1), Position::from_raw(-edge, edge, edge));
  EXPECT_EQ(apart.x.raw(), edge);
  EXPECT_EQ(apart.y.raw(), -edge);
  EXPECT_EQ(apart.z.raw(), 1 - edge);
  EXPECT_EQ(take_fixed_overflow_count(), 2u);
  EXPECT_EQ(relative<float>(Position::from_raw(edge, -edge, 1), Position::from_raw(-edge, edge, edge)),
            (Vec3<float>{0x1p31f, -0x1p31f, -0x1p31f}));
}

TEST(Position, MovedUndoesRelative) {
  Random random(16);
  for (int i = 0; i < 1000; ++i) {
    Position a;
    Position b;
    for (std::int64_t* axis : {&a.x_raw, &a.y_raw, &a.z_raw, &b.x_raw, &b.y_raw, &b.z_raw})
      *axis = static_cast<std::int64_t>(random.next_u64()) >> 2;
    EXPECT_EQ(moved(a, relative<Fixed>(b, a)), b) << i;
  }
}

// moved() rounds on a shorter path than Fixed does.
TEST(Position, MovedByAnyNumberIsTheNearestFixedFurther) {
  Random random(7);
  auto const expect_nearest = [](double offset_m) {
    Position const x = moved(Position{}, Vec3<double>{offset_m, 0.0, 0.0});
    EXPECT_EQ(x.x_raw, Fixed(offset_m).raw()) << offset_m;
    auto const narrow = static_cast<float>(offset_m);
    Position const y = moved(Position{}, Vec3<float>{0.0f, narrow, 0.0f});
    EXPECT_EQ(y.y_raw, Fixed(narrow).raw()) << narrow;
  };
  for (int exponent = -70; exponent < 40; ++exponent) {
    double const unit = std::ldexp(1.0, exponent);
    for (double const factor :
         {1.0, 1.5, 1.25, 1.75, 3.0, 5.0, 1.0 + 0x1p-52, 2.0 - 0x1p-52, 1.0 - 0x1p-53}) {
      expect_nearest(unit * factor);
      expect_nearest(-unit * factor);
    }
    for (int i = 0; i < 20; ++i)
      expect_nearest(unit * (static_cast<double>(random.next_u64() >> 11) * 0x1p-52 - 1.0));
  }
  for (double const offset_m : {0.0, -0.0, 1e300, -1e300, 5e-324, std::numeric_limits<double>::infinity(),
                                std::numeric_limits<double>::quiet_NaN()})
    expect_nearest(offset_m);
}

TEST(Position, MovedRoundsToTheGridAndStopsAtTheEdge) {
  EXPECT_EQ(moved(Position{}, Vec3<float>{0x1p-33f, 0x3p-33f, -1.5f}),
            (Position::from_raw(0, 2, -(std::int64_t{3} << 31))));
  std::int64_t const edge = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(moved(Position::from_raw(edge, -edge, 0), Vec3<float>{1.0f, -1.0f, 0.0f}),
            (Position::from_raw(edge, -edge, 0)));
}

}  // namespace
}  // namespace takt
