// Rays, shape casts and nearness of every kind of shape in random poses, asked of a world in both modes,
// against references in long double that share nothing with the engine but the definition of the shapes: rays
// are marched by a lower bound of the distance, casts are checked by sampled gaps.
//
// Rays: 10,000 a kind in every run. Casts: a few, or TAKT_POSES a kind.
#include <gtest/gtest.h>

#include "physics/geometry/convex_cast.h"
#include "physics/state/mass_properties.h"
#include "takt/core/random.h"
#include "takt/physics/world.h"
#include "tests/physics/simple_world.h"
#include "tests/property/numbers/seed.h"
#include "tests/property/physics/draw_pose.h"
#include "tests/property/physics/pose_count.h"
#include "tests/property/physics/sampled_distance.h"

namespace takt {
namespace {

using test::draw_vector;
using test::inner;
using test::Wide;
using test::widened;
using test::WideShape;
using test::WideVec;

constexpr int kRays = 10'000;
// Double rounding of positions up to 200 m from the shape, with room; and how far the marching stops before a
// surface.
constexpr double kRayM = 1e-9;
// The middle of a hull stands off its body's origin by a vector in Real, which float mode turns in binary32.
template <class Real>
constexpr double kMiddleM = 1e-9;
template <>
constexpr double kMiddleM<float> = 2e-7;

/// A definition and the points it looks at.
struct Drawn {
  ShapeDef def;
  std::vector<Vec3<double>> points;
};

Quat<double> draw_turn(Random& random) {
  Quat<float> const q = test::draw_rotation<float>(random);
  return {to_double(q.x), to_double(q.y), to_double(q.z), to_double(q.w)};
}

Drawn draw(Random& random, ShapeKind kind) {
  Drawn drawn;
  ShapeDef& def = drawn.def;
  def.kind = kind;
  double const x = random.next_between(0.02, 1);
  double const y = random.next_between(0.02, 1);
  double const z = random.next_between(0.02, 1);
  def.half_extents_m = {x, y, z};
  def.radius_m = x;
  def.half_length_m = y;
  if (kind == ShapeKind::kHull) {
    int const count = 4 + static_cast<int>(random.next_below(20));
    for (int i = 0; i < count; ++i) {
      Vec3<double> const p = draw_vector(random);
      drawn.points.push_back({p.x * x, p.y * y, p.z * z});
    }
    if (!make_hull(drawn.points).ok()) drawn.points = {{x, 0, 0}, {0, y, 0}, {0, 0, z}, {-x, -y, -z}};
    if (random.next_below(2) == 0) def.rounding_m = random.next_between(0.01, 0.2);
  }
  return drawn;
}

/// In the frame of `about`, from the shape as the world holds it.
template <class Real>
struct IslandRef {
  std::shared_ptr<const HullGeometry> hull;
  ShapeGeometry<double> geometry;
  WideShape wide;
};

template <class Real>
IslandRef<Real> held(const World<Real>& world, BodyId body, const Position& about) {
  IslandRef<Real> h;
  ShapeDef const def = world.shape(world.shapes(body)[0]);
  BodyPose<Real> const pose = world.pose(body);
  auto const q = Quat<double>{to_double(pose.rotation.x), to_double(pose.rotation.y),
                              to_double(pose.rotation.z), to_double(pose.rotation.w)};
  h.geometry = {def.kind, {def.radius_m, def.half_length_m, 0}, to_matrix(unit(q)), nullptr};
  if (def.kind == ShapeKind::kBox) h.geometry.extents = def.half_extents_m;
  Vec3<double> middle{};
  if (def.kind == ShapeKind::kHull) {
    auto made = make_hull(def.hull_points_m);
    h.hull = made->geometry;
    h.geometry.hull = h.hull.get();
    h.geometry.extents = {def.rounding_m, 0, 0};
    middle = h.geometry.rotation * def.local_position_m;
  }
  h.wide = test::wide_shape(h.geometry, test::displacement(about, pose.position) + middle);
  return h;
}

Wide distance_to_triangle(WideVec p, WideVec a, WideVec b, WideVec c) {
  auto const to_segment = [p](WideVec from, WideVec to) {
    WideVec const edge = to - from;
    Wide const t = std::clamp(inner(edge, p - from) / inner(edge, edge), Wide{0}, Wide{1});
    return test::size_of(p - from - edge * t);
  };
  Wide best = std::min({to_segment(a, b), to_segment(b, c), to_segment(c, a)});
  WideVec const n = test::towards(test::outer(b - a, c - a));
  bool const over = inner(test::outer(b - a, n), p - a) <= 0 && inner(test::outer(c - b, n), p - b) <= 0 &&
                    inner(test::outer(a - c, n), p - c) <= 0;
  return over ? std::min(best, std::abs(inner(n, p - a))) : best;
}

/// Never more than the distance of a point from the shape, and 0 only inside.
Wide clearance(const WideShape& s, const ShapeGeometry<double>& geometry, WideVec p) {
  if (s.kind != ShapeKind::kHull || s.radius == 0) return test::outside(s, p);
  WideShape sharp = s;
  sharp.radius = 0;
  if (test::outside(sharp, p) == 0) return 0;
  Wide best = 1e300L;
  for (const LoopRange& face : geometry.hull->exact_faces) {
    auto const corner = [&](std::uint32_t i) {
      return s.corners[geometry.hull->exact_loops[face.first + i]];
    };
    for (std::uint32_t i = 2; i < face.count; ++i)
      best = std::min(best, distance_to_triangle(p, corner(0), corner(i - 1), corner(i)));
  }
  return std::max(Wide{0}, best - s.radius);
}

/// Where a ray of unit direction comes within 1e-12 m of the shape, or -1.
Wide march(const WideShape& s, const ShapeGeometry<double>& geometry, WideVec from, WideVec direction,
           Wide size) {
  Wide distance = 0;
  for (int step = 0; step < 200'000 && distance <= size; ++step) {
    Wide const free = clearance(s, geometry, from + direction * distance);
    if (free < 1e-12L) return distance;
    distance += free;
  }
  return -1;
}

template <class Real>
void compare_rays(ShapeKind kind) {
  std::uint64_t const seed = test::property_seed();
  Random random(seed, 100 + static_cast<std::uint64_t>(kind));
  int hits = 0;
  double worst = 0;
  std::vector<QueryHit> found;
  World<Real> world = test::make_world<Real>();
  BodyId body{};
  IslandRef<Real> h;
  for (int i = 0; i < kRays; ++i) {
    if (i % 20 == 0) {  // another shape, somewhere within 1,000 km
      if (i > 0) (void)world.destroy_body(body);
      Drawn drawn = draw(random, kind);
      drawn.def.hull_points_m = drawn.points;
      Vec3<double> const place = draw_vector(random);
      Position const position = test::at(place.x * 1e6, place.y * 1e6, place.z * 1e6);
      body = test::add(world, BodyType::kStatic, drawn.def, position, draw_turn(random));
      h = held(world, body, position);
    }
    Vec3<double> const away = draw_vector(random);
    double const distance =
        random.next_below(4) == 0 ? random.next_between(0, 1) : random.next_between(1, 100);
    Position const from = moved(world.pose(body).position, away * distance);
    Vec3<double> const offset = test::displacement(world.pose(body).position, from);
    Vec3<double> const aim = draw_vector(random) * 1.2;
    Vec3<double> const translation = (aim - offset) * random.next_between(0.2, 3);
    double const size = length(translation);
    auto const where = [&] { return testing::Message() << "seed " << seed << " ray " << i; };

    auto const answer = world.query(Query::ray(from, translation), found);
    ASSERT_TRUE(answer.ok()) << where();
    WideVec const direction = widened(translation) * (1 / test::size_of(widened(translation)));
    Wide const expected =
        march(h.wide, h.geometry, widened(offset), direction, test::size_of(widened(translation)));
    ASSERT_EQ(*answer, expected >= 0)
        << where() << " expected " << static_cast<double>(expected) << " of " << size;
    if (!*answer) continue;
    ++hits;
    const QueryHit& hit = found.at(0);
    ASSERT_EQ(hit.body, body) << where();
    ASSERT_NEAR(length(hit.normal), 1, 1e-12) << where();
    if (expected == 0) {
      ASSERT_EQ(hit.fraction, 0) << where();
      continue;
    }
    double const facing = -dot(hit.normal, translation) / size;
    ASSERT_GE(facing, 0) << where();
    double const off = std::abs(static_cast<double>(hit.fraction * Wide{size} - expected)) * facing;
    worst = std::max(worst, off);
    double const allowed = kind == ShapeKind::kHull ? kMiddleM<Real> : kRayM;
    ASSERT_LE(off, allowed) << where() << " facing " << facing;
    // The normal is that of the surface: a step along it leaves, one against it enters.
    WideVec const at = widened(offset) + direction * expected;
    ASSERT_GT(clearance(h.wide, h.geometry, at + widened(hit.normal) * 1e-6L), 0.7e-6L) << where();
    Vec3<double> const point = test::displacement(world.pose(body).position, hit.point);
    ASSERT_LE(length(point - (offset + translation * hit.fraction)), 1e-9) << where();
  }
  EXPECT_GT(hits, kRays / 5);
  EXPECT_GT(kRays - hits, kind == ShapeKind::kHalfSpace ? kRays / 20 : kRays / 5);
  std::printf("%d hits of %d rays, worst %.2g m\n", hits, kRays, worst);
}

constexpr ShapeKind kSolids[] = {ShapeKind::kSphere,   ShapeKind::kCapsule, ShapeKind::kBox,
                                 ShapeKind::kCylinder, ShapeKind::kCone,    ShapeKind::kHull};

/// The asked shape at the ray's start: its own frame is the world's.
struct Asked {
  Drawn drawn;
  Quat<double> rotation;
  std::shared_ptr<const HullGeometry> hull;
  WideShape wide;
};

Asked draw_asked(Random& random, ShapeKind kind) {
  Asked a;
  a.drawn = draw(random, kind);
  const ShapeDef& def = a.drawn.def;
  a.rotation = draw_turn(random);
  ShapeGeometry<double> geometry{
      kind, {def.radius_m, def.half_length_m, 0}, to_matrix(unit(a.rotation)), nullptr};
  if (kind == ShapeKind::kBox) geometry.extents = def.half_extents_m;
  Vec3<double> middle{};
  if (kind == ShapeKind::kHull) {
    auto made = make_hull(a.drawn.points);
    a.hull = made->geometry;
    geometry.hull = a.hull.get();
    geometry.extents = {def.rounding_m, 0, 0};
    middle = geometry.rotation * made->middle_m;
  }
  a.wide = test::wide_shape(geometry, middle);
  return a;
}

// Shortfall of a sampled gap against the largest one, in the creases between round shapes. The sampled gap
// never exceeds it.
constexpr double kSampleM = 3e-5;

/// The sampled gap, climbed once more with patience: creases of the gap are narrow where two round shapes
/// almost touch along a line.
double sampled_gap(const WideShape& a, const WideShape& b, Random& random) {
  if (b.kind == ShapeKind::kHalfSpace) return static_cast<double>(test::gap(a, b, b.axis_y * -1));
  return static_cast<double>(test::climb(a, b, test::largest_gap(a, b, random), random, 120).gap);
}

template <class Real>
void compare_casts(ShapeKind kind) {
  std::uint64_t const seed = test::property_seed();
  Random random(seed, 200 + static_cast<std::uint64_t>(kind));
  int const casts = test::pose_count(250);
  int hits = 0;
  int overlaps = 0;
  double worst = 0;
  std::vector<QueryHit> found;
  for (int i = 0; i < casts; ++i) {
    World<Real> world = test::make_world<Real>();
    bool const plane = random.next_below(8) == 0;
    Drawn target = draw(random, plane ? ShapeKind::kHalfSpace : kSolids[random.next_below(6)]);
    target.def.hull_points_m = target.points;
    Position const position = test::at(500, -20, 3);
    BodyId const body = test::add(world, BodyType::kStatic, target.def, position, draw_turn(random));
    Asked asked = draw_asked(random, kind);
    asked.drawn.def.hull_points_m = asked.drawn.points;
    double const far = i % 6 == 0 ? 0.8 : 6.0;
    Vec3<double> const away = draw_vector(random) * far;
    Vec3<double> const aim = draw_vector(random) * 1.5;
    Position const from = moved(position, away);
    IslandRef<Real> const h = held(world, body, from);
    Vec3<double> const translation = (aim - away) * random.next_between(0.3, 2);
    auto const where = [&] {
      return testing::Message() << "seed " << seed << " cast " << i << " of kind " << int(kind) << " at "
                                << int(target.def.kind);
    };

    auto const answer = world.query(Query::cast(asked.drawn.def, from, asked.rotation, translation), found);
    ASSERT_TRUE(answer.ok()) << where();
    double const start = sampled_gap(asked.wide, h.wide, random);
    if (!*answer) {
      WideShape swept = asked.wide;
      swept.sweep = widened(translation);
      swept.directions.push_back(swept.sweep);
      // Touching on the way by less than the sampling sees is no miss.
      ASSERT_GE(sampled_gap(swept, h.wide, random), -kSampleM) << where();
      continue;
    }
    ++hits;
    const QueryHit& hit = found.at(0);
    ASSERT_NEAR(length(hit.normal), 1, 1e-9) << where();
    if (start < -1e-4) {
      ++overlaps;
      ASSERT_EQ(hit.fraction, 0) << where();
      ASSERT_GE(hit.distance_m, start - 1.2e-5) << where();
      ASSERT_LE(hit.distance_m, start + kSampleM) << where();
      continue;
    }
    WideShape there = asked.wide;
    WideVec const by = widened(translation * hit.fraction);
    there.center = there.center + by;
    for (WideVec& corner : there.corners) corner = corner + by;
    double const gap = sampled_gap(there, h.wide, random);
    worst = std::max(worst, std::abs(gap));
    ASSERT_LE(gap, 1.2e-5) << where();
    ASSERT_GE(gap, -kSampleM) << where();
    // The point lies on the target and, within the tolerance, on the moved shape.
    WideVec const point = widened(test::displacement(from, hit.point));
    ASSERT_LE(static_cast<double>(test::outside(h.wide, point)), 1e-6) << where();
    ASSERT_LE(static_cast<double>(test::outside(there, point)), 1.5e-5) << where();
  }
  EXPECT_GT(hits, casts / 4);
  EXPECT_GT(casts - hits, casts / 10);
  EXPECT_GT(overlaps, 0);
  std::printf("%d hits of %d casts, %d from overlap, worst gap %.2g m\n", hits, casts, overlaps, worst);
}

template <class Real>
void compare_nearness(ShapeKind kind) {
  std::uint64_t const seed = test::property_seed();
  Random random(seed, 300 + static_cast<std::uint64_t>(kind));
  int const poses = test::pose_count(250);
  int overlapping = 0;
  std::vector<QueryHit> found;
  for (int i = 0; i < poses; ++i) {
    World<Real> world = test::make_world<Real>();
    Drawn target = draw(random, kind);
    target.def.hull_points_m = target.points;
    Position const position = test::at(-70, 20, 3);
    BodyId const body = test::add(world, BodyType::kStatic, target.def, position, draw_turn(random));
    Asked asked = draw_asked(random, kSolids[random.next_below(6)]);
    asked.drawn.def.hull_points_m = asked.drawn.points;
    Position const from = moved(position, draw_vector(random) * 1.6);
    IslandRef<Real> const h = held(world, body, from);
    auto const where = [&] {
      return testing::Message() << "seed " << seed << " pose " << i << " of kind " << int(kind);
    };

    auto const overlap = world.query(Query::overlap(asked.drawn.def, from, asked.rotation), found);
    ASSERT_TRUE(overlap.ok()) << where();
    double const gap = sampled_gap(asked.wide, h.wide, random);
    if (std::abs(gap) > kSampleM) {
      ASSERT_EQ(*overlap, gap < 0) << where() << " gap " << gap;
    }
    if (*overlap) {
      ++overlapping;
      ASSERT_GE(found.at(0).distance_m, gap - 1.2e-5) << where();
      ASSERT_LE(found.at(0).distance_m, gap + kSampleM) << where();
    }

    WideShape point;  // a sphere without a radius
    double const expected = sampled_gap(point, h.wide, random);
    auto const near = world.query(Query::closest_point(from, 2.0), found);
    ASSERT_TRUE(near.ok()) << where();
    ASSERT_EQ(*near, expected <= 2.0) << where() << " expected " << expected;
    if (!*near) continue;
    ASSERT_GE(found.at(0).distance_m, expected - 1.2e-5) << where();
    ASSERT_LE(found.at(0).distance_m, expected + kSampleM) << where();
    ASSERT_LE(static_cast<double>(test::outside(h.wide, widened(test::displacement(from, found[0].point)))),
              1e-6)
        << where();
    ASSERT_NEAR(length(test::displacement(from, found[0].point)), std::abs(expected), 2e-5) << where();
  }
  EXPECT_GT(overlapping, poses / 10);
}

template <class Real>
class QueryProperty : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(QueryProperty, Reals);

TYPED_TEST(QueryProperty, RaysMeetASphereWhereTheReferenceDoes) {
  compare_rays<TypeParam>(ShapeKind::kSphere);
}
TYPED_TEST(QueryProperty, RaysMeetACapsuleWhereTheReferenceDoes) {
  compare_rays<TypeParam>(ShapeKind::kCapsule);
}
TYPED_TEST(QueryProperty, RaysMeetABoxWhereTheReferenceDoes) { compare_rays<TypeParam>(ShapeKind::kBox); }
TYPED_TEST(QueryProperty, RaysMeetAHalfSpaceWhereTheReferenceDoes) {
  compare_rays<TypeParam>(ShapeKind::kHalfSpace);
}
TYPED_TEST(QueryProperty, RaysMeetACylinderWhereTheReferenceDoes) {
  compare_rays<TypeParam>(ShapeKind::kCylinder);
}
TYPED_TEST(QueryProperty, RaysMeetAConeWhereTheReferenceDoes) { compare_rays<TypeParam>(ShapeKind::kCone); }
TYPED_TEST(QueryProperty, RaysMeetAHullWhereTheReferenceDoes) { compare_rays<TypeParam>(ShapeKind::kHull); }

TYPED_TEST(QueryProperty, CastSpheresStopWhereTheyTouch) { compare_casts<TypeParam>(ShapeKind::kSphere); }
TYPED_TEST(QueryProperty, CastCapsulesStopWhereTheyTouch) { compare_casts<TypeParam>(ShapeKind::kCapsule); }
TYPED_TEST(QueryProperty, CastBoxesStopWhereTheyTouch) { compare_casts<TypeParam>(ShapeKind::kBox); }
TYPED_TEST(QueryProperty, CastCylindersStopWhereTheyTouch) { compare_casts<TypeParam>(ShapeKind::kCylinder); }
TYPED_TEST(QueryProperty, CastConesStopWhereTheyTouch) { compare_casts<TypeParam>(ShapeKind::kCone); }
TYPED_TEST(QueryProperty, CastHullsStopWhereTheyTouch) { compare_casts<TypeParam>(ShapeKind::kHull); }

TYPED_TEST(QueryProperty, OverlapsAndClosestPointsAgreeWithSampledDistances) {
  for (ShapeKind const kind : kSolids) compare_nearness<TypeParam>(kind);
}

}  // namespace
}  // namespace takt
