#include "sim/replication/body_replication.h"

#include <algorithm>

#include "sim/replication/shape_geometry.h"
#include "sim/replication/wire_types.h"

namespace takt::sim {
namespace {

std::uint32_t flags_of(const BodyView& view) noexcept {
  switch (view.type) {
    case BodyType::kStatic: return protocol::kBodyStatic;
    case BodyType::kKinematic: return protocol::kBodyKinematic;
    case BodyType::kDynamic: break;
  }
  return view.asleep ? protocol::kBodyAsleep : 0;
}

protocol::ShapeInfo shape_info(const ShapeDef& shape) {
  protocol::ShapeInfo info;
  info.kind = to_wire(shape.kind);
  info.local_position = narrowed(shape.local_position_m);
  info.local_rotation = narrowed(shape.local_rotation);
  switch (shape.kind) {
    case ShapeKind::kSphere: info.dimensions = narrowed(Vec3<double>{shape.radius_m, 0, 0}); break;
    case ShapeKind::kCapsule:
    case ShapeKind::kCylinder:
    case ShapeKind::kCone:
      info.dimensions = narrowed(Vec3<double>{shape.radius_m, shape.half_length_m, 0});
      break;
    case ShapeKind::kBox: info.dimensions = narrowed(shape.half_extents_m); break;
    case ShapeKind::kHalfSpace:
      info.dimensions = narrowed(rotate(shape.local_rotation, Vec3<double>{0, 1, 0}));
      break;
    case ShapeKind::kHull:
    case ShapeKind::kMesh:
    case ShapeKind::kHeightField: {
      GeometryBox const box = geometry_box(shape);
      double const rounding = shape.kind == ShapeKind::kHull ? shape.rounding_m : 0.0;
      info.dimensions = narrowed(box.half_size_m + Vec3<double>{rounding, rounding, rounding});
      info.local_position = narrowed(shape.local_position_m + rotate(shape.local_rotation, box.middle_m));
      info.rounding = static_cast<float>(rounding);
      break;
    }
  }
  return info;
}

}  // namespace

void list_body_states(const AnyWorld& world, std::vector<protocol::BodyState>& out) {
  std::vector<BodyId> ids;
  world.list_bodies(ids);
  out.clear();
  out.reserve(ids.size());
  for (BodyId const id : ids) {
    BodyView const view = world.view(id);
    protocol::BodyState& state = out.emplace_back();
    state.id = id.to_u64();
    state.position = to_wire(view.position);
    state.rotation = narrowed(view.rotation);
    state.linear_velocity = narrowed(view.linear_velocity_m_s);
    state.angular_velocity = narrowed(view.angular_velocity_rad_s);
    state.flags = flags_of(view);
  }
}

void list_mover_inputs(const AnyWorld& world, std::vector<protocol::MoverInput>& out) {
  std::vector<MoverId> ids;
  world.list_movers(ids);
  out.clear();
  out.reserve(ids.size());
  world.visit([&](const auto& w) {
    for (MoverId const id : ids) out.push_back(to_wire(w.mover(id).body, w.mover_input(id)));
  });
}

protocol::BodyInfo body_info(const Simulation& simulation, BodyId body) {
  protocol::BodyInfo info;
  info.id = body.to_u64();
  info.user_kind = static_cast<std::uint32_t>(simulation.world().user_tag(body));
  info.player = simulation.owner(body);
  AnyWorld const& world = simulation.world();
  for (ShapeId const shape : world.shapes(body)) {
    info.shapes.push_back(shape_info(world.shape(shape)));
    info.shapes.back().geometry = world.geometry_digest(shape);
  }
  return info;
}

protocol::QueryHit to_protocol(const AnyWorld& world, const QueryHit& hit) {
  auto const shapes = world.shapes(hit.body);
  auto const at = std::ranges::find(shapes, hit.shape) - shapes.begin();
  return {hit.body.to_u64(),
          {hit.point.x_raw, hit.point.y_raw, hit.point.z_raw},
          {hit.normal.x, hit.normal.y, hit.normal.z},
          hit.fraction,
          hit.distance_m,
          static_cast<std::uint32_t>(at),
          hit.triangle};
}

}  // namespace takt::sim
