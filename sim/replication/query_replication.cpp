#include "sim/replication/query_replication.h"

#include "protocol/wire/limits.h"
#include "sim/replication/wire_types.h"

namespace takt::sim {
namespace {

static_assert(static_cast<int>(QueryKind::kClosestPoint) ==
              static_cast<int>(protocol::QueryKind::kClosestPoint));
static_assert(static_cast<int>(QueryKind::kRay) == static_cast<int>(protocol::QueryKind::kRay));
static_assert(static_cast<int>(QueryMode::kAny) == static_cast<int>(protocol::QueryMode::kAny));
static_assert(static_cast<int>(QueryMode::kClosest) == static_cast<int>(protocol::QueryMode::kClosest));

Vec3<double> widened(const protocol::Vec3f& v) noexcept {
  return {static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)};
}
Quat<double> widened(const protocol::Quatf& q) noexcept {
  return {static_cast<double>(q.x), static_cast<double>(q.y), static_cast<double>(q.z),
          static_cast<double>(q.w)};
}

ShapeDef to_shape(const protocol::ShapeInfo& info) {
  ShapeDef shape;
  Vec3<double> const size = widened(info.dimensions);
  switch (info.kind) {
    case protocol::ShapeKind::kSphere: shape.kind = ShapeKind::kSphere; break;
    case protocol::ShapeKind::kCapsule: shape.kind = ShapeKind::kCapsule; break;
    case protocol::ShapeKind::kBox: shape.kind = ShapeKind::kBox; break;
    case protocol::ShapeKind::kCylinder: shape.kind = ShapeKind::kCylinder; break;
    case protocol::ShapeKind::kCone: shape.kind = ShapeKind::kCone; break;
    default: shape.kind = ShapeKind::kHalfSpace; break;  // refused by the engine
  }
  shape.half_extents_m = size;
  shape.radius_m = size.x;
  shape.half_length_m = size.y;
  shape.local_position_m = widened(info.local_position);
  shape.local_rotation = widened(info.local_rotation);
  return shape;
}

std::optional<protocol::ShapeInfo> to_info(const ShapeDef& shape) {
  protocol::ShapeInfo info;
  Vec3<double> const round{shape.radius_m, shape.half_length_m, 0};
  switch (shape.kind) {
    case ShapeKind::kSphere:
      info.kind = protocol::ShapeKind::kSphere;
      info.dimensions = narrowed(Vec3<double>{shape.radius_m, 0, 0});
      break;
    case ShapeKind::kCapsule:
      info.kind = protocol::ShapeKind::kCapsule;
      info.dimensions = narrowed(round);
      break;
    case ShapeKind::kBox:
      info.kind = protocol::ShapeKind::kBox;
      info.dimensions = narrowed(shape.half_extents_m);
      break;
    case ShapeKind::kCylinder:
      info.kind = protocol::ShapeKind::kCylinder;
      info.dimensions = narrowed(round);
      break;
    case ShapeKind::kCone:
      info.kind = protocol::ShapeKind::kCone;
      info.dimensions = narrowed(round);
      break;
    default: return std::nullopt;
  }
  info.local_position = narrowed(shape.local_position_m);
  info.local_rotation = narrowed(shape.local_rotation);
  return info;
}

}  // namespace

Query to_query(const protocol::Query& question, std::vector<BodyId>& ignore) {
  Query query;
  query.kind = static_cast<QueryKind>(question.kind);
  query.mode = static_cast<QueryMode>(question.mode);
  query.position = Position::from_raw(question.position.x, question.position.y, question.position.z);
  query.translation_m = {question.translation.x, question.translation.y, question.translation.z};
  query.shape = to_shape(question.shape);
  query.rotation = widened(question.rotation);
  query.max_distance_m = question.max_distance;
  query.filter = {question.category, question.mask, question.group};
  query.find_sensors = question.find_sensors;
  ignore.clear();
  for (protocol::BodyId const id : question.ignore) ignore.push_back(BodyId::from_u64(id));
  query.ignore = ignore;
  return query;
}

std::optional<protocol::Query> to_protocol(const Query& query) {
  protocol::Query out;
  out.kind = static_cast<protocol::QueryKind>(query.kind);
  out.mode = static_cast<protocol::QueryMode>(query.mode);
  out.position = {query.position.x_raw, query.position.y_raw, query.position.z_raw};
  bool const has_shape = query.kind == QueryKind::kShapeCast || query.kind == QueryKind::kOverlap;
  if (query.kind == QueryKind::kRay || query.kind == QueryKind::kShapeCast)
    out.translation = {query.translation_m.x, query.translation_m.y, query.translation_m.z};
  if (has_shape) {
    auto const info = to_info(query.shape);
    if (!info) return std::nullopt;
    out.shape = *info;
    out.rotation = narrowed(query.rotation);
  }
  if (query.kind == QueryKind::kClosestPoint) out.max_distance = query.max_distance_m;
  out.category = query.filter.category;
  out.mask = query.filter.mask;
  out.group = query.filter.group;
  out.find_sensors = query.find_sensors;
  if (query.ignore.size() > protocol::kQueryIgnoredMax) return std::nullopt;
  for (BodyId const id : query.ignore) out.ignore.push_back(id.to_u64());
  return out;
}

}  // namespace takt::sim
