// Questions to a world between ticks: ray casts, shape casts, overlaps and closest points. Asking changes no
// bit of the world, and the answer is a function of its canonical state alone: the same before and after a
// restore, at any lane width, on every machine, and 1,000 km away.
//
// World<Real>::query() answers them. Answers are doubles, computed in binary64 in both number modes from
// shapes and poses as the world holds them.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "takt/physics/body.h"
#include "takt/physics/error.h"
#include "takt/physics/vector.h"

namespace takt {

/// Longest way of a ray or cast and largest distance of a closest point, metres: places on it are then good
/// to some nanometres.
inline constexpr double kMaxQueryLengthM = 1e7;
/// Bodies that one query may leave out.
inline constexpr std::size_t kMaxQueryIgnored = 256;
/// QueryHit::triangle of a shape that is not made of triangles.
inline constexpr std::uint32_t kNoTriangle = std::numeric_limits<std::uint32_t>::max();

/// What is asked. Frozen values: they stand on the wire.
enum class QueryKind : std::uint8_t {
  kRay = 1,        ///< what a point meets on its way from `position` by `translation_m`
  kShapeCast = 2,  ///< what `shape` meets on its way from `position`, turned by `rotation`, by
                   ///< `translation_m`; it does not turn on the way
  kOverlap = 3,    ///< what `shape` touches or overlaps at `position`, turned by `rotation`
  kClosestPoint =
      4,  ///< the points of shapes nearest to `position` that are at most `max_distance_m` from it
};

/// How much is answered. Frozen values.
enum class QueryMode : std::uint8_t {
  kClosest =
      1,     ///< the hit with the least fraction or distance; of equal ones that of the lowest shape index
  kAll = 2,  ///< a hit for each shape, by fraction or distance, then shape index
  kAny = 3,  ///< only whether there is a hit: no hit is reported, since which one is found first means
             ///< nothing. The cheapest
};

/// One question. Fields that the kind does not use are ignored. Spans must live until the question is
/// answered.
struct Query {
  QueryKind kind = QueryKind::kRay;
  QueryMode mode = QueryMode::kClosest;
  Position
      position{};  ///< where the ray or shape starts, the shape stands, or the point is; within the world
  Vec3<double> translation_m{};  ///< ray and shape cast: the whole way, at most kMaxQueryLengthM long; zero
                                 ///< asks what is there
  ShapeDef shape{};  ///< shape cast and overlap: convex, so no half-space, mesh or height field; material and
                     ///< density are ignored
  Quat<double> rotation{};      ///< of the shape; unit within 1 %
  double max_distance_m = 0.0;  ///< closest point: [0, kMaxQueryLengthM]
  ShapeFilter filter{};  ///< of the question: it finds what a shape with this filter would meet; by default
                         ///< everything
  bool find_sensors = false;         ///< whether shapes that are sensors are found like others
  std::span<const BodyId> ignore{};  ///< bodies that are left out, at most kMaxQueryIgnored; ids of bodies
                                     ///< that are gone leave out nothing

  [[nodiscard]] static Query ray(const Position& from, Vec3<double> translation_m,
                                 QueryMode mode = QueryMode::kClosest);
  [[nodiscard]] static Query cast(const ShapeDef& shape, const Position& from, Quat<double> rotation,
                                  Vec3<double> translation_m, QueryMode mode = QueryMode::kClosest);
  [[nodiscard]] static Query overlap(const ShapeDef& shape, const Position& at, Quat<double> rotation,
                                     QueryMode mode = QueryMode::kAll);
  [[nodiscard]] static Query closest_point(const Position& to, double max_distance_m,
                                           QueryMode mode = QueryMode::kClosest);
};

/// A shape that a question found.
struct QueryHit {
  BodyId body;
  ShapeId shape;
  Position point;  ///< on the shape's surface, world; of a ray or cast that starts inside or overlapping see
                   ///< `fraction`
  Vec3<double> normal;      ///< unit, out of the shape at that point, world axes
  double fraction = 0.0;    ///< ray and cast: how much of the way is free, [0, 1]. 0 when it starts inside or
                            ///< overlaps: a ray's point is then its start and its normal against the way; a
                            ///< cast's are where and along which it would come out the shortest way
  double distance_m = 0.0;  ///< overlap, closest point and a cast that starts overlapping: how far apart,
                            ///< below 0 how deep; else 0
  std::uint32_t triangle = kNoTriangle;  ///< of a mesh or height field: which, as counted in its definition
};

/// What became of one question of a batch.
struct QueryAnswer {
  std::optional<PhysicsError> error{};  ///< refused: kNotFinite, kOutOfRange, kBadRotation, or what is wrong
                                        ///< with the shape (kBadShapeKind: not convex)
  bool found = false;
  std::uint32_t first_hit = 0;  ///< in QueryResults::hits
  std::uint32_t hit_count = 0;
};

/// Answers to a batch, in the order of its questions. Reuse one to avoid allocation.
struct QueryResults {
  std::vector<QueryAnswer> answers;
  std::vector<QueryHit> hits;
};

}  // namespace takt
