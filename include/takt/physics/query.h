// Query is a ray cast, shape cast, overlap test or search of closest points in a world between two steps.
// QueryHit is a shape that a Query found. World<Real>::query() runs one Query, or a batch of them;
// QueryResults then has a QueryAnswer for each. A query changes no bit of the world.
//
// Hits are doubles, computed in binary64 in float mode and in fixed mode. They depend only on the query and
// the saved and hashed state: equal on every machine, at any SIMD width, before and after a restore. A query
// and a world that are both moved by the same distance, such as 1,000 km, give the same hits, moved.
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

/// Maximum length of a ray or cast and maximum distance of a closest point, metres. Points along it are then
/// accurate to some nanometres.
inline constexpr double kMaxQueryLengthM = 1e7;
/// Maximum number of bodies that one query may ignore.
inline constexpr std::size_t kMaxQueryIgnored = 256;
/// QueryHit::triangle of a shape that is not made of triangles.
inline constexpr std::uint32_t kNoTriangle = std::numeric_limits<std::uint32_t>::max();

/// Kind of a query. Frozen values: they stand on the wire.
enum class QueryKind : std::uint8_t {
  kRay = 1,        ///< shapes on the segment from `position` by `translation_m`
  kShapeCast = 2,  ///< shapes that `shape` hits when it moves from `position`, rotated by `rotation`, by
                   ///< `translation_m`; its rotation stays constant
  kOverlap = 3,    ///< shapes that `shape` touches or overlaps at `position`, rotated by `rotation`
  kClosestPoint =
      4,  ///< the points of shapes nearest to `position` that are at most `max_distance_m` from it
};

/// Number of hits returned. Frozen values.
enum class QueryMode : std::uint8_t {
  kClosest = 1,  ///< the hit with the smallest fraction or distance; ties go to the lowest shape index
  kAll = 2,      ///< a hit for each shape, by fraction or distance, then shape index
  kAny =
      3,  ///< existence only; no hit is returned, since the first one found is arbitrary. The cheapest mode
};

/// One query. Fields that the kind does not use are ignored. Spans must live until the query has run.
struct Query {
  QueryKind kind = QueryKind::kRay;
  QueryMode mode = QueryMode::kClosest;
  Position position{};           ///< start of the ray, pose of the shape, or the point; within the world
  Vec3<double> translation_m{};  ///< ray and shape cast: the whole displacement, at most kMaxQueryLengthM
                                 ///< long; zero tests the start position
  ShapeDef shape{};  ///< shape cast and overlap: convex, so no half-space, mesh or height field; material and
                     ///< density are ignored
  Quat<double> rotation{};      ///< of the shape; unit within 1 %
  double max_distance_m = 0.0;  ///< closest point: [0, kMaxQueryLengthM]
  ShapeFilter filter{};  ///< of the query: it finds shapes that a shape with this filter would collide with;
                         ///< by default all
  bool find_sensors = false;   ///< true: sensors are found like other shapes
  bool skip_surfaces = false;  ///< true: meshes and height fields are not found, and cost nothing
  std::span<const BodyId>
      ignore{};  ///< bodies to ignore, at most kMaxQueryIgnored; ids of destroyed bodies have no effect

  [[nodiscard]] static Query ray(const Position& from, Vec3<double> translation_m,
                                 QueryMode mode = QueryMode::kClosest);
  [[nodiscard]] static Query cast(const ShapeDef& shape, const Position& from, Quat<double> rotation,
                                  Vec3<double> translation_m, QueryMode mode = QueryMode::kClosest);
  [[nodiscard]] static Query overlap(const ShapeDef& shape, const Position& at, Quat<double> rotation,
                                     QueryMode mode = QueryMode::kAll);
  [[nodiscard]] static Query closest_point(const Position& to, double max_distance_m,
                                           QueryMode mode = QueryMode::kClosest);
};

/// Work of a query, in steps. A test of a tree node or of a ray with a triangle is 1 step, and a run of the
/// narrow phase (a shape, or a triangle with a shape) is kNarrowPhaseSteps. Trees depend on history, so the
/// count is no part of an answer that other machines must repeat.
struct QueryWork {
  /// A run of GJK or of a cast takes about as long as so many tests of boxes (bench_query).
  static constexpr std::uint64_t kNarrowPhaseSteps = 16;

  std::uint64_t max_steps = std::numeric_limits<std::uint64_t>::max();  ///< the query ends when it needs more
  std::uint64_t steps = 0;  ///< the query adds its own; it may pass max_steps by one run
  bool exceeded = false;    ///< the query ended before its end, and its hits mean nothing

  /// Adds work; false when the limit is passed.
  bool add(std::uint64_t count) noexcept {
    steps += count;
    exceeded = exceeded || steps > max_steps;
    return !exceeded;
  }
};

/// A shape that a query found.
struct QueryHit {
  BodyId body;
  ShapeId shape;
  Position point;  ///< on the shape's surface, world; for a ray or cast that starts inside or overlapping see
                   ///< `fraction`
  Vec3<double> normal;  ///< unit, outward at that point, world axes
  /// Ray and cast: free fraction of the displacement, [0, 1]. It is 0 when the query starts inside or
  /// overlapping. A ray's point is then its start, and its normal opposes the displacement. A cast's point
  /// and normal are then those of the shortest way out of the overlap.
  double fraction = 0.0;
  /// Overlap, closest point and a cast that starts overlapping: separation, m; below 0 the penetration depth.
  /// Otherwise 0.
  double distance_m = 0.0;
  /// Mesh: index in the triangles that World::shape() returns. They lack the degenerate ones of the
  /// definition (mesh_report() counts these), so an index in the definition may be greater. Height field:
  /// index of the cell, row after row.
  std::uint32_t triangle = kNoTriangle;
};

/// Outcome of one query of a batch.
struct QueryAnswer {
  std::optional<PhysicsError> error{};  ///< set when refused: kNotFinite, kOutOfRange, kBadRotation, or the
                                        ///< shape's error (kBadShapeKind: not convex)
  bool found = false;
  std::uint32_t first_hit = 0;  ///< index in QueryResults::hits
  std::uint32_t hit_count = 0;
};

/// Answers to a batch, in the order of its queries. Reuse one to avoid allocation.
struct QueryResults {
  std::vector<QueryAnswer> answers;
  std::vector<QueryHit> hits;
};

}  // namespace takt
