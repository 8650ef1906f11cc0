// Queries of takt.h.
#include <algorithm>

#include "c/edit_values.h"
#include "c/takt_objects.h"

using namespace takt::c;  // NOLINT(google-build-using-namespace): functions of takt.h are global

namespace {

takt::Vec3<double> wide_vector(const double* v) noexcept { return {v[0], v[1], v[2]}; }

takt::ShapeDef shape_of(const takt_query& query) {
  takt::ShapeDef shape;
  // Beyond the values of takt_query the engine refuses the shape.
  shape.kind = query.shape <= UINT8_MAX ? static_cast<takt::ShapeKind>(query.shape) : takt::ShapeKind{};
  shape.half_extents_m = wide_vector(query.dimensions);
  shape.radius_m = query.dimensions[0];
  shape.half_length_m = query.dimensions[1];
  return shape;
}

// False when kind, mode or flags are unknown, or the position is not finite.
bool read_query(const takt_query& from, const takt::BodyId* ignore, takt::Query& out) {
  bool const is_known = from.kind >= TAKT_QUERY_RAY && from.kind <= TAKT_QUERY_CLOSEST &&
                        from.mode >= TAKT_MODE_CLOSEST && from.mode <= TAKT_MODE_ANY &&
                        from.flags <= (TAKT_QUERY_SENSORS | TAKT_QUERY_NO_SURFACES);
  if (!is_known || !read_position(from.position, out.position)) return false;
  out.kind = static_cast<takt::QueryKind>(from.kind);
  out.mode = static_cast<takt::QueryMode>(from.mode);
  out.translation_m = wide_vector(from.translation);
  if (out.kind == takt::QueryKind::kShapeCast || out.kind == takt::QueryKind::kOverlap) {
    out.shape = shape_of(from);
    out.rotation = {from.rotation[0], from.rotation[1], from.rotation[2], from.rotation[3]};
  }
  out.max_distance_m = from.max_distance;
  out.find_sensors = (from.flags & TAKT_QUERY_SENSORS) != 0;
  out.skip_surfaces = (from.flags & TAKT_QUERY_NO_SURFACES) != 0;
  if (*ignore) out.ignore = {ignore, 1};
  return true;
}

takt_hit hit_of(const takt::QueryHit& from, std::uint32_t query) noexcept {
  takt::Vec3<double> const at = from.point.to_metres();
  return {from.body.to_u64(), from.shape.to_u64(),
          {at.x, at.y, at.z}, {from.normal.x, from.normal.y, from.normal.z},
          from.fraction,      from.distance_m,
          from.triangle,      query};
}

}  // namespace

takt_status takt_world_query(takt_world* world, const takt_query* queries, size_t query_count,
                             takt_answer* answers, takt_hit* hits, size_t hit_capacity, size_t* hit_count) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (hit_count == nullptr) return null_argument("hit_count");
        if (query_count != 0 && (queries == nullptr || answers == nullptr))
          return null_argument("queries or answers");
        if (hits == nullptr && hit_capacity != 0) return null_argument("hits");
        if (query_count > UINT32_MAX) return fail(TAKT_ERROR_RANGE, "more than 2^32 - 1 queries");
        std::vector<takt::BodyId> ignored(query_count);
        w.queries.assign(query_count, takt::Query{});
        std::vector<bool> is_refused(query_count);
        for (std::size_t i = 0; i < query_count; ++i) {
          ignored[i] = takt::BodyId::from_u64(queries[i].ignore);
          is_refused[i] = !read_query(queries[i], &ignored[i], w.queries[i]);
          if (is_refused[i]) w.queries[i] = takt::Query{};  // a ray of no length, whose answer is not used
        }
        w.run_queries();
        std::size_t total = 0;
        for (std::size_t i = 0; i < query_count; ++i) {
          takt::QueryAnswer const& from = w.query_results.answers[i];
          takt_answer& out = answers[i];
          out = {TAKT_OK, 0, static_cast<std::uint32_t>(total), 0};
          if (is_refused[i]) {
            out.status = TAKT_ERROR_RANGE;
            continue;
          }
          if (from.error) {
            out.status = TAKT_ERROR_PHYSICS + static_cast<takt_status>(*from.error);
            continue;
          }
          out.found = from.found ? 1 : 0;
          out.hit_count = from.hit_count;
          for (std::uint32_t h = 0; h < from.hit_count; ++h, ++total) {
            if (total < hit_capacity)
              hits[total] = hit_of(w.query_results.hits[from.first_hit + h], static_cast<std::uint32_t>(i));
          }
        }
        *hit_count = total;
        return TAKT_OK;
      },
      [&](RemoteWorld& r) { return r.query(queries, query_count, answers, hits, hit_capacity, hit_count); });
}
