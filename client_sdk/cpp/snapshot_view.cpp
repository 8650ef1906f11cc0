#include "client_sdk/cpp/snapshot_view.h"

#include <utility>

namespace takt::client {
namespace {

ShapeDef to_shape(const protocol::ShapeInfo& info) {
  ShapeDef shape;
  auto const& d = info.dimensions;
  switch (info.kind) {
    case protocol::ShapeKind::kSphere:
      shape.kind = ShapeKind::kSphere;
      shape.radius_m = d.x;
      break;
    case protocol::ShapeKind::kCapsule:
      shape.kind = ShapeKind::kCapsule;
      shape.radius_m = d.x;
      shape.half_length_m = d.y;
      break;
    case protocol::ShapeKind::kBox:
      shape.kind = ShapeKind::kBox;
      shape.half_extents_m = {d.x, d.y, d.z};
      break;
    case protocol::ShapeKind::kHalfSpace: shape.kind = ShapeKind::kHalfSpace; break;
    case protocol::ShapeKind::kCylinder:
    case protocol::ShapeKind::kCone:
      shape.kind = info.kind == protocol::ShapeKind::kCone ? ShapeKind::kCone : ShapeKind::kCylinder;
      shape.radius_m = d.x;
      shape.half_length_m = d.y;
      break;
    case protocol::ShapeKind::kHull:
    case protocol::ShapeKind::kMesh:
    case protocol::ShapeKind::kHeightField:
      shape.kind = info.kind == protocol::ShapeKind::kHull   ? ShapeKind::kHull
                   : info.kind == protocol::ShapeKind::kMesh ? ShapeKind::kMesh
                                                             : ShapeKind::kHeightField;
      shape.half_extents_m = {d.x, d.y, d.z};
      shape.rounding_m = info.rounding;
      break;
  }
  shape.local_position_m = {info.local_position.x, info.local_position.y, info.local_position.z};
  shape.local_rotation = {info.local_rotation.x, info.local_rotation.y, info.local_rotation.z,
                          info.local_rotation.w};
  return shape;
}

Geometry to_geometry(protocol::Geometry&& from) {
  Geometry out;
  out.kind = static_cast<GeometryKind>(from.kind);  // the same values, as asserted below
  out.vertices_m.reserve(from.vertices.size());
  for (const protocol::Vec3f& vertex : from.vertices)
    out.vertices_m.push_back({vertex.x, vertex.y, vertex.z});
  out.face_sizes = std::move(from.face_sizes);
  out.indices = std::move(from.indices);
  out.one_sided = from.one_sided;
  out.rows = from.rows;
  out.columns = from.columns;
  out.spacing_x_m = from.spacing_x;
  out.spacing_z_m = from.spacing_z;
  out.heights_m = std::move(from.heights);
  out.holes = std::move(from.holes);
  return out;
}
static_assert(static_cast<int>(GeometryKind::kHull) == static_cast<int>(protocol::GeometryKind::kHull));
static_assert(static_cast<int>(GeometryKind::kMesh) == static_cast<int>(protocol::GeometryKind::kMesh));
static_assert(static_cast<int>(GeometryKind::kHeightField) ==
              static_cast<int>(protocol::GeometryKind::kHeightField));

}  // namespace

void SnapshotView::clear(double tick_rate_hz) {
  body_store_.clear();
  geometries_.clear();
  complete_ticks_.clear();
  bodies_are_fresh_ = false;
  options_.tick_rate_hz = tick_rate_hz;
  buffer_ = JitterBuffer(options_);
}

void SnapshotView::handle_snapshot(const protocol::SnapshotPart& part, bool completes, double server_tick,
                                   double earliest_tick) {
  if (part.serial > newest_serial_) {
    newest_serial_ = part.serial;
    ++snapshots_;
    refreshes_.handle_snapshot(static_cast<double>(part.part_count) * protocol::kSnapshotBodiesPerPart,
                               part.deferred);
  }
  bool const is_empty = part.part_count == 1 && part.bodies.empty() && part.removed.empty() &&
                        part.ropes.empty() && part.removed_ropes.empty() && part.deferred_ropes == 0;
  buffer_.handle_snapshot(part.serial, part.tick, is_empty, refreshes_.wait_snapshots(), server_tick,
                          earliest_tick);
  std::uint64_t const complete_before = complete_ticks_.newest_before(part.tick);
  for (const protocol::BodyState& body : part.bodies)
    body_store_.add(part.tick, complete_before, buffer_.interval_ticks(), body);
  for (protocol::BodyId const id : part.removed) body_store_.remove_at(part.tick, BodyId::from_u64(id));
  // A snapshot that left bodies out for want of room says nothing about those.
  if (completes && part.deferred == 0) complete_ticks_.note(part.tick);
}

bool SnapshotView::handle_added(const protocol::BodyInfo& info) {
  BodyDescription description{info.user_kind, info.player, {}, {}};
  for (const protocol::ShapeInfo& shape : info.shapes) {
    description.shapes.push_back(to_shape(shape));
    description.geometries.push_back(shape.geometry);
  }
  return body_store_.describe(BodyId::from_u64(info.id), std::move(description));
}

void SnapshotView::handle_removed(std::uint64_t tick, protocol::BodyId id) {
  body_store_.remove_at(tick, BodyId::from_u64(id));
}

void SnapshotView::handle_geometry(protocol::GeometryArrived&& arrived) {
  geometries_.insert_or_assign(arrived.digest, to_geometry(std::move(arrived.geometry)));
}

void SnapshotView::advance(std::uint64_t now_us, double server_tick, double earliest_tick) noexcept {
  buffer_.advance(now_us, server_tick, earliest_tick);
  bodies_are_fresh_ = false;
}

const std::vector<Body>& SnapshotView::bodies() {
  if (bodies_are_fresh_ || !buffer_.has_snapshot()) return body_store_.shown();
  bodies_are_fresh_ = true;
  return body_store_.show_at(buffer_.render_tick());
}

const Geometry* SnapshotView::geometry(std::uint64_t digest) const noexcept {
  auto const at = geometries_.find(digest);
  return at != geometries_.end() ? &at->second : nullptr;
}

}  // namespace takt::client
