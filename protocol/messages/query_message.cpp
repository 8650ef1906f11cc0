#include "protocol/messages/query_message.h"

#include "protocol/messages/wire_fields.h"
#include "protocol/wire/limits.h"

namespace takt::protocol {

std::string_view name_of(QueryStatus status) noexcept {
  switch (status) {
    case QueryStatus::kAnswered: return "answered";
    case QueryStatus::kRefusedInvalid: return "refused_invalid";
    case QueryStatus::kRefusedRate: return "refused_rate";
    case QueryStatus::kRefusedBusy: return "refused_busy";
    case QueryStatus::kRefusedLate: return "refused_late";
  }
  return "unknown";
}

namespace {

Result<Unit, Error> check_shape_of(const Query& query) noexcept {
  if (auto const checked = check(query.shape); !checked) return checked;
  // A command has no place for corners either, and a half-space has no end.
  bool const is_solid = query.shape.kind < ShapeKind::kHull && query.shape.kind != ShapeKind::kHalfSpace;
  double norm2 = 0;
  for (float const q : {query.rotation.x, query.rotation.y, query.rotation.z, query.rotation.w})
    norm2 += static_cast<double>(q) * static_cast<double>(q);
  if (!is_finite(norm2)) return Error::kNotFinite;
  double const off = norm2 - 1.0;
  bool const is_unit = off <= double{kQuaternionNormTolerance} && off >= -double{kQuaternionNormTolerance};
  if (!is_solid || !is_unit) return Error::kOutOfRange;
  return Unit{};
}

}  // namespace

Result<Unit, Error> check(const Query& query) noexcept {
  bool const has_way = query.kind == QueryKind::kRay || query.kind == QueryKind::kShapeCast;
  bool const has_shape = query.kind == QueryKind::kShapeCast || query.kind == QueryKind::kOverlap;
  if (has_way) {
    for (double const x : {query.translation.x, query.translation.y, query.translation.z})
      if (!is_finite(x)) return Error::kNotFinite;
    Vec3d const& t = query.translation;
    if (!(t.x * t.x + t.y * t.y + t.z * t.z <= kQueryLengthMax * kQueryLengthMax)) return Error::kOutOfRange;
  }
  if (query.kind == QueryKind::kClosestPoint) {
    if (!is_finite(query.max_distance)) return Error::kNotFinite;
    if (!(query.max_distance >= 0 && query.max_distance <= kQueryLengthMax)) return Error::kOutOfRange;
  }
  bool const is_known = query.kind >= QueryKind::kRay && query.kind <= QueryKind::kClosestPoint &&
                        query.mode >= QueryMode::kClosest && query.mode <= QueryMode::kAny;
  if (!is_known || query.ignore.size() > kQueryIgnoredMax) return Error::kOutOfRange;
  if (has_shape) return check_shape_of(query);
  return Unit{};
}

}  // namespace takt::protocol
