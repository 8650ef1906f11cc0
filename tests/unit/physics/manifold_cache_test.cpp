#include "physics/contacts/manifold_cache.h"

#include <gtest/gtest.h>

#include "physics/base/solver_constants.h"

namespace takt {
namespace {

/// A unit box b resting on a large one: four points half a metre out, the two centres a metre apart.
template <class Real>
struct Resting {
  ContactRecord<Real> old;
  BodyMotion<Real> a;
  BodyMotion<Real> b;
  PreparedContact<Real> contact;

  Resting() {
    a.rotation = b.rotation = {Real(0), Real(0), Real(0), Real(1)};
    b.center = Position::from_metres(0, 1, 0);
    old.point_count = 4;
    old.geometry.normal = {Real(0), Real(1), Real(0)};
    old.geometry.delta_center = {Real(0), Real(1), Real(0)};
    old.geometry.rotation_a = old.geometry.rotation_b = a.rotation;
    for (std::uint32_t i = 0; i < 4; ++i) {
      old.features[i] = i;
      old.normal_impulses[i] = Real(static_cast<int>(i) + 1);
      old.geometry.positions[i] = {to_real<Real>(i % 2 == 0 ? 0.5 : -0.5), to_real<Real>(0.5),
                                   to_real<Real>(i < 2 ? 0.5 : -0.5)};
    }
    contact.dynamic_b = true;
  }
  bool keep() { return recycle_manifold(old, a, b, contact); }
};

template <class Real>
class ContactHistoryTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(ContactHistoryTest, Reals);

TYPED_TEST(ContactHistoryTest, KeepsWhatHasNotMoved) {
  Resting<TypeParam> pair;
  ASSERT_TRUE(pair.keep());
  EXPECT_EQ(pair.contact.manifold.point_count, 4u);
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(pair.contact.impulses[i], pair.old.normal_impulses[i]);
    EXPECT_EQ(pair.contact.manifold.points[i].separation, TypeParam(0));
    EXPECT_EQ(pair.contact.manifold.points[i].feature, i);
  }
}

TYPED_TEST(ContactHistoryTest, DropsWhatCarriedNothing) {
  Resting<TypeParam> pair;
  pair.old.normal_impulses = {};
  EXPECT_FALSE(pair.keep());
}

// Reach of the moving body: sqrt(3) / 2 m; it may shift by 0.6 % of that, 5.196 mm.
TYPED_TEST(ContactHistoryTest, KeepsUpToItsToleranceOfShiftAndNotBeyond) {
  for (double const share : {0.99, 1.01}) {
    Resting<TypeParam> pair;
    pair.b.center = Position::from_metres(share * kRecycleTranslationOfReach * 0.8660254, 1, 0);
    EXPECT_EQ(pair.keep(), share < 1) << share;
  }
}

TYPED_TEST(ContactHistoryTest, KeepsUpToItsToleranceOfTurnAndNotBeyond) {
  for (double const share : {0.99, 1.01}) {
    Resting<TypeParam> pair;
    double const half = share * kRecycleRotationRad / 2;
    pair.b.rotation = {to_real<TypeParam>(half), TypeParam(0), TypeParam(0),
                       to_real<TypeParam>(1 - half * half / 2)};
    EXPECT_EQ(pair.keep(), share < 1) << share;
  }
}

// Up by 1 mm and turned about z by 2 mrad: points at x = +-0.5 rise by another +-1 mm.
TYPED_TEST(ContactHistoryTest, SeparationsFollowToFirstOrder) {
  Resting<TypeParam> pair;
  pair.b.center = Position::from_metres(0, 1.001, 0);
  pair.b.rotation = {TypeParam(0), TypeParam(0), to_real<TypeParam>(0.001), TypeParam(1)};
  ASSERT_TRUE(pair.keep());
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(to_double(pair.contact.manifold.points[i].separation), i % 2 == 0 ? 0.002 : 0.0, 1e-6) << i;
    EXPECT_EQ(pair.contact.manifold.points[i].position, pair.old.geometry.positions[i]) << "arms stay";
  }
}

// A far body must not even be squared: that would count an overflow in fixed mode.
TEST(ContactHistoryFixedTest, AFarBodyIsDroppedWithoutOverflow) {
  (void)take_fixed_overflow_count();
  Resting<Fixed> pair;
  pair.b.center = Position::from_metres(60'000, 1, 0);
  EXPECT_FALSE(pair.keep());
  EXPECT_EQ(take_fixed_overflow_count(), 0u);
}

// New features: each point takes over from the old point at its position, none twice, and one that is too far
// from all starts cold.
TYPED_TEST(ContactHistoryTest, ANewManifoldTakesImpulsesByPlace) {
  Resting<TypeParam> pair;
  pair.contact.cached = pair.old.geometry;
  pair.contact.manifold.point_count = 3;
  for (std::uint32_t i = 0; i < 3; ++i) pair.contact.manifold.points[i].feature = 100 + i;
  pair.contact.cached.positions[0] =
      pair.old.geometry.positions[2] + Vec3<TypeParam>{to_real<TypeParam>(0.02), TypeParam(0), TypeParam(0)};
  pair.contact.cached.positions[1] =
      pair.old.geometry.positions[2] + Vec3<TypeParam>{to_real<TypeParam>(0.01), TypeParam(0), TypeParam(0)};
  pair.contact.cached.positions[2] =
      pair.old.geometry.positions[1] + Vec3<TypeParam>{to_real<TypeParam>(0.03), TypeParam(0), TypeParam(0)};
  take_impulses(pair.old, pair.contact);
  EXPECT_EQ(pair.contact.impulses[0], pair.old.normal_impulses[2]);
  EXPECT_EQ(pair.contact.impulses[1], TypeParam(0));
  EXPECT_EQ(pair.contact.impulses[2], TypeParam(0));
}

}  // namespace
}  // namespace takt
