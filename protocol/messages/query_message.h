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

/// Kind and mode of a query, as in takt/physics/query.h. Values are the wire's, and the engine's. kNone: an
/// unknown value was read; the query is refused.
enum class QueryKind : std::uint8_t { kNone = 0, kRay = 1, kShapeCast = 2, kOverlap = 3, kClosestPoint = 4 };
enum class QueryMode : std::uint8_t { kNone = 0, kClosest = 1, kAll = 2, kAny = 3 };

/// The outcome of a request, or of one query of it. Values are the wire's.
enum class QueryStatus : std::uint8_t {
  kAnswered = 0,
  kRefusedInvalid = 1,  ///< a number, shape, rotation, kind or mode out of range
  kRefusedRate = 2,     ///< too many queries a second from this player
  kRefusedBusy = 3,     ///< too many requests wait, or the query or those before it needed too much work
  kRefusedLate = 4,     ///< the request was for a world that has been replaced
};
inline constexpr std::size_t kQueryStatuses = 5;

/// Stable lower-case words, e.g. "refused_busy".
[[nodiscard]] std::string_view name_of(QueryStatus status) noexcept;

/// Fields that the kind does not use are ignored.
struct Query {
  QueryKind kind = QueryKind::kRay;
  QueryMode mode = QueryMode::kClosest;
  Position position;        ///< ray, shape cast: the start; overlap: of the shape; closest point: the point
  Vec3d translation;        ///< ray, shape cast: the whole displacement, m, at most kQueryLengthMax long
  ShapeInfo shape;          ///< shape cast, overlap: sphere, capsule, box, cylinder or cone
  Quatf rotation;           ///< shape cast, overlap: of the shape
  double max_distance = 0;  ///< closest point: m, 0 .. kQueryLengthMax
  std::uint32_t category = 1;  ///< the query's filter: category, mask and group as of a shape
  std::uint32_t mask = ~0u;
  std::int32_t group = 0;
  bool find_sensors = false;   ///< true: sensors are found like other shapes
  std::vector<BodyId> ignore;  ///< at most kQueryIgnoredMax
  friend bool operator==(const Query&, const Query&) = default;
};

/// Unit, or Error::kNotFinite or Error::kOutOfRange for a field that the kind uses. A server's policy may be
/// stricter (kRefusedInvalid).
[[nodiscard]] Result<Unit, Error> check(const Query& query) noexcept;

struct QueryRequest {
  std::uint32_t request = 0;   ///< the client's own number, returned in the answer
  std::vector<Query> queries;  ///< 1 to kQueriesPerRequest
  std::uint64_t at_tick = 0;   ///< tick of the world that is queried, or the nearest that the server has; 0 =
                               ///< the newest
  friend bool operator==(const QueryRequest&, const QueryRequest&) = default;
};

/// A shape that a query found; takt/physics/query.h has the meaning of the numbers for each kind.
struct QueryHit {
  BodyId body = 0;
  Position point;              ///< world
  Vec3d normal;                ///< unit, outward at `point`, world axes
  double fraction = 0;         ///< ray, shape cast: free fraction of the translation, 0 .. 1
  double distance = 0;         ///< overlap, closest point: separation, m, below 0 = penetration depth
  std::uint32_t shape = 0;     ///< index in BodyInfo::shapes
  std::uint32_t triangle = 0;  ///< mesh: triangle; height field: cell; all ones for other shapes
  friend bool operator==(const QueryHit&, const QueryHit&) = default;
};

struct QueryAnswer {
  QueryStatus status = QueryStatus::kAnswered;
  bool found = false;  ///< true: at least one hit; in mode kAny there are no hits in the result
  std::uint32_t hit_count =
      0;                    ///< number of its hits in QueryResult::hits, which has them in order of answers
  std::uint32_t total = 0;  ///< number of hits found; greater than hit_count when the message is full
  friend bool operator==(const QueryAnswer&, const QueryAnswer&) = default;
};

struct QueryResult {
  std::uint32_t request = 0;  ///< QueryRequest::request
  QueryStatus status =
      QueryStatus::kAnswered;        ///< otherwise the whole request was refused, and there are no answers
  std::uint64_t tick = 0;            ///< tick of the world that was queried
  std::vector<QueryAnswer> answers;  ///< one for each query, in order
  std::vector<QueryHit> hits;        ///< at most kQueryHitsMax
  std::uint32_t work_exceeded = 0;  ///< bit i: query i has kRefusedBusy because it alone needed too much work
  friend bool operator==(const QueryResult&, const QueryResult&) = default;
};

}  // namespace takt::protocol
