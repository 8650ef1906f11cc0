#include "protocol/messages/query_message_reader.h"

#include <utility>

#include "protocol/messages/wire_fields.h"

namespace takt::protocol {
namespace {

using Read = Result<Message, Error>;

Vec3d from_wire(const wire::Vec3d& v) { return {v.x(), v.y(), v.z()}; }

}  // namespace

// Values that may not be asked with, unknown kinds among them, are answered with refused_invalid
// (server/query_queue.h); only counts are judged here.
Read read_one(const wire::QueryRequest& m) {
  if (m.queries() == nullptr) return Error::kMissingField;
  if (m.queries()->size() < 1 || m.queries()->size() > kQueriesPerRequest) return Error::kOutOfRange;
  QueryRequest request{m.request(), {}, m.at_tick()};
  request.queries.reserve(m.queries()->size());
  for (const wire::Query* q : *m.queries()) {
    Query query;
    // An unknown kind becomes a kind that is never answered.
    query.kind = enum_in_range(q->kind(), QueryKind::kClosestPoint) ? static_cast<QueryKind>(q->kind())
                                                                    : QueryKind::kNone;
    query.mode =
        enum_in_range(q->mode(), QueryMode::kAny) ? static_cast<QueryMode>(q->mode()) : QueryMode::kNone;
    query.position = value_or_default<Position>(q->position());
    if (q->translation() != nullptr) query.translation = from_wire(*q->translation());
    query.shape = value_or_default<ShapeInfo>(q->shape());
    if (!enum_in_range(query.shape.kind, ShapeKind::kHeightField)) query.shape.kind = ShapeKind::kHalfSpace;
    query.rotation = value_or_default<Quatf>(q->rotation());
    query.max_distance = q->max_distance();
    query.category = q->category();
    query.mask = q->mask();
    query.group = q->group();
    query.find_sensors = q->find_sensors();
    if (q->ignore() != nullptr) {
      if (q->ignore()->size() > kQueryIgnoredMax) return Error::kOutOfRange;
      if (!is_aligned(*q->ignore())) return Error::kVerifierFailed;
      for (std::uint64_t const id : *q->ignore()) query.ignore.push_back(id);
    }
    request.queries.push_back(std::move(query));
  }
  return Message(std::move(request));
}

Read read_one(const wire::QueryResult& m) {
  if (!enum_in_range(m.status(), QueryStatus::kRefusedLate)) return Error::kOutOfRange;
  QueryResult result{m.request(), static_cast<QueryStatus>(m.status()), m.tick(), {}, {}, m.work_exceeded()};
  std::size_t hits = 0;
  if (m.answers() != nullptr) {
    if (m.answers()->size() > kQueriesPerRequest) return Error::kOutOfRange;
    for (const wire::QueryAnswer* a : *m.answers()) {
      if (!enum_in_range(a->status(), QueryStatus::kRefusedLate) || a->hit_count() > kQueryHitsMax ||
          a->total() < a->hit_count())
        return Error::kOutOfRange;
      hits += a->hit_count();
      result.answers.push_back(
          {static_cast<QueryStatus>(a->status()), a->found(), a->hit_count(), a->total()});
    }
  }
  std::size_t const told = m.hits() != nullptr ? m.hits()->size() : 0;
  if (told != hits || told > kQueryHitsMax) return Error::kOutOfRange;
  if (told == 0) return Message(std::move(result));
  if (!is_aligned(*m.hits())) return Error::kVerifierFailed;
  result.hits.reserve(told);
  for (const wire::QueryHit* h : *m.hits()) {
    QueryHit const hit{h->body(),     from_wire(h->point()), from_wire(h->normal()),
                       h->fraction(), h->distance(),         h->shape(),
                       h->triangle()};
    for (double const x : {hit.normal.x, hit.normal.y, hit.normal.z, hit.fraction, hit.distance})
      if (!is_finite(x)) return Error::kNotFinite;
    result.hits.push_back(hit);
  }
  return Message(std::move(result));
}

}  // namespace takt::protocol
