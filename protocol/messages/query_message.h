// QueryRequest and QueryResult carry a client's queries to the server's world (rays, shape casts, overlaps,
// closest points) and the answers. A QueryRequest has a list of Query; a QueryResult has a QueryAnswer for
// each Query and a list of QueryHit. All are plain structs; Message (message.h) includes the request and the
// result. takt/physics/query.h defines the meaning of a query. check() tests a Query's numbers, on the client
// before sending and on the server before answering. QueryQueue (server/query_queue.h) decides when a request
// is answered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "protocol/messages/command.h"
#include "protocol/wire/error.h"
#include "takt/core/result.h"

namespace takt::protocol {

/// Values are the wire's, and the engine's.
enum class QueryKind : std::uint8_t { kNone = 0, kRay = 1, kShapeCast = 2, kOverlap = 3, kClosestPoint = 4 };
enum class QueryMode : std::uint8_t { kNone = 0, kClosest = 1, kAll = 2, kAny = 3 };

/// The outcome of a request, or of one query of it. Values are the wire's.
enum class QueryStatus : std::uint8_t {
  kAnswered = 0,
  kRefusedInvalid = 1,  ///< a number, shape or rotation that may not be asked with
  kRefusedRate = 2,     ///< too many questions a second from this player
  kRefusedBusy = 3,     ///< too many wait, or those before it found too much
  kRefusedLate = 4,     ///< it was meant for a world that has been replaced
};
inline constexpr std::size_t kQueryStatuses = 5;

/// Stable lower-case words, e.g. "refused_busy".
[[nodiscard]] std::string_view name_of(QueryStatus status) noexcept;

/// Fields that the kind does not use are ignored.
struct Query {
  QueryKind kind = QueryKind::kRay;
  QueryMode mode = QueryMode::kClosest;
  Position position;        ///< where the ray or shape starts, the shape stands, or the point is
  Vec3d translation;        ///< m; ray, shape cast: the whole way
  ShapeInfo shape;          ///< shape cast, overlap: any kind that can be spawned
  Quatf rotation;           ///< of the shape
  double max_distance = 0;  ///< m; closest point
  std::uint32_t category = 1;
  std::uint32_t mask = ~0u;
  std::int32_t group = 0;
  bool find_sensors = false;
  std::vector<BodyId> ignore;  ///< at most kQueryIgnoredMax
  friend bool operator==(const Query&, const Query&) = default;
};

/// Unit, Error::kNotFinite or Error::kOutOfRange: the same check on a client before sending and on a server
/// before answering.
[[nodiscard]] Result<Unit, Error> check(const Query& query) noexcept;

struct QueryRequest {
  std::uint32_t request = 0;   ///< the client's own number, returned in the answer
  std::vector<Query> queries;  ///< 1 to kQueriesPerRequest
  std::uint64_t at_tick = 0;   ///< the world as it stood then, or at the nearest tick that the server keeps;
                               ///< 0 = the newest
  friend bool operator==(const QueryRequest&, const QueryRequest&) = default;
};

struct QueryHit {
  BodyId body = 0;
  Position point;
  Vec3d normal;
  double fraction = 0;
  double distance = 0;         ///< m
  std::uint32_t shape = 0;     ///< index of BodyInfo::shapes
  std::uint32_t triangle = 0;  ///< all ones: the shape is not made of triangles
  friend bool operator==(const QueryHit&, const QueryHit&) = default;
};

struct QueryAnswer {
  QueryStatus status = QueryStatus::kAnswered;
  bool found = false;
  std::uint32_t hit_count = 0;  ///< in QueryResult::hits, behind those of the answers before
  std::uint32_t total = 0;      ///< that there are; more than hit_count when the message is full
  friend bool operator==(const QueryAnswer&, const QueryAnswer&) = default;
};

struct QueryResult {
  std::uint32_t request = 0;
  QueryStatus status =
      QueryStatus::kAnswered;        ///< otherwise the whole request was refused, and there are no answers
  std::uint64_t tick = 0;            ///< the world was asked as it stood at this tick
  std::vector<QueryAnswer> answers;  ///< one for each question, in their order
  std::vector<QueryHit> hits;        ///< at most kQueryHitsMax
  std::uint32_t work_exceeded = 0;   ///< bit i: question i, refused as busy, needed more work than it may
  friend bool operator==(const QueryResult&, const QueryResult&) = default;
};

}  // namespace takt::protocol
