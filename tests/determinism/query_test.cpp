// The bits of answers to queries: a digest over all fields of all hits of many questions to a heap of every
// kind of shape, in both modes. The heap is asked before its first tick, so that only queries can change a
// digest; that is a commit of its own, with the reason, as for a golden table.
#include <gtest/gtest.h>

#include <bit>

#include "takt/core/bytes.h"
#include "takt/core/hash.h"
#include "takt/core/random.h"
#include "takt/physics/world.h"

namespace takt::determinism {
namespace {

constexpr int kBodies = 36;
constexpr int kRounds = 40;
constexpr Quat<double> kTurns[] = {{}, {0.6, 0, 0, 0.8}, {0, 0, 0.8, 0.6}, {0.5, 0.5, -0.5, 0.5}};

/// The i-th of six kinds, small.
ShapeDef shape_of(std::uint32_t i, std::span<const Vec3<double>> points) {
  constexpr ShapeKind kKinds[] = {ShapeKind::kSphere,   ShapeKind::kCapsule, ShapeKind::kBox,
                                  ShapeKind::kCylinder, ShapeKind::kCone,    ShapeKind::kHull};
  ShapeDef shape;
  shape.kind = kKinds[i % 6];
  shape.half_extents_m = {0.3, 0.2, 0.4};
  shape.radius_m = 0.3;
  shape.half_length_m = 0.35;
  shape.hull_points_m = points;
  shape.rounding_m = i % 12 < 6 ? 0.0 : 0.05;
  return shape;
}

template <class Real>
std::uint64_t digest_of_answers() {
  std::vector<Vec3<double>> const points = {
      {-0.4, -0.2, -0.3}, {0.4, -0.25, -0.3}, {0, -0.2, 0.45}, {0.1, 0.5, 0}, {-0.3, 0.3, 0.2}};
  World<Real> world = std::move(World<Real>::create({})).value();
  ShapeDef ground;
  ground.kind = ShapeKind::kHalfSpace;
  BodyDef body;
  body.type = BodyType::kStatic;
  body.shapes = {&ground, 1};
  EXPECT_TRUE(world.create_body(body).ok());
  Random random(3);
  for (std::uint32_t i = 0; i < kBodies; ++i) {
    ShapeDef const shape = shape_of(i, points);
    double const x = random.next_between(-2, 2);
    double const z = random.next_between(-2, 2);
    body.type = i % 9 == 0 ? BodyType::kStatic : BodyType::kDynamic;
    body.position = Position::from_metres(x, 0.6 + 0.25 * i, z);
    body.rotation = kTurns[i % 4];
    body.shapes = {&shape, 1};
    EXPECT_TRUE(world.create_body(body).ok());
  }
  std::vector<std::byte> bytes;
  ByteWriter writer{bytes};
  auto const put = [&writer](double value) { writer.put(std::bit_cast<std::uint64_t>(value)); };
  std::vector<QueryHit> hits;
  std::size_t total = 0;
  for (int round = 0; round < kRounds; ++round) {
    for (std::uint32_t i = 0; i < 24; ++i) {
      double const x = random.next_between(-3, 3);
      double const y = random.next_between(0.2, 9);
      double const z = random.next_between(-3, 3);
      double const down = random.next_between(-6, 0.5);
      Query query = Query::ray(Position::from_metres(x, y, z), {-2 * x, down, -2 * z},
                               i % 3 == 0 ? QueryMode::kClosest : QueryMode::kAll);
      query.kind = static_cast<QueryKind>(1 + i % 4);
      query.shape = shape_of(i / 4, points);
      query.rotation = kTurns[i / 4 % 4];
      query.max_distance_m = 1.5;
      auto const found = world.query(query, hits);
      EXPECT_TRUE(found.ok());
      for (const QueryHit& hit : hits) {
        writer.put(hit.shape.index);
        writer.put(hit.point.x_raw);
        writer.put(hit.point.y_raw);
        writer.put(hit.point.z_raw);
        put(hit.normal.x);
        put(hit.normal.y);
        put(hit.normal.z);
        put(hit.fraction);
        put(hit.distance_m);
      }
      total += hits.size();
    }
  }
  EXPECT_GT(total, 1000u);
  return hash_bytes(bytes);
}

TEST(QueryDigests, AnswersInFloatMode) { EXPECT_EQ(digest_of_answers<float>(), 12783498345885825169u); }
TEST(QueryDigests, AnswersInFixedMode) { EXPECT_EQ(digest_of_answers<Fixed>(), 14037574385729680219u); }

}  // namespace
}  // namespace takt::determinism
