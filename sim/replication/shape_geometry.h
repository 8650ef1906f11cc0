// wire_geometry() copies the geometry of a hull, mesh or height field into protocol::Geometry, which clients
// draw. Coordinates are binary32, relative to the middle of the bounding box that geometry_box() returns.
// wire_geometry_bytes() returns the size of the encoded geometry. The server (geometry_registry.cpp) and
// body_replication.cpp call these functions. Collision uses the world's own geometry.
#pragma once

#include <cstdint>

#include "protocol/messages/geometry.h"
#include "takt/sim/any_world.h"

namespace takt::sim {

/// A bounding box in the shape's frame, m.
struct GeometryBox {
  Vec3<double> middle_m{};
  Vec3<double> half_size_m{};  ///< a hull's without its rounding
};

/// The bounding box of a hull, mesh or height field (asserted) as World::shape() returns it. A hull's box is
/// symmetric about the origin of the shape.
[[nodiscard]] GeometryBox geometry_box(const ShapeDef& shape);

/// Bytes of the encoded geometry of a hull, mesh or height field (asserted). A mesh, which can be large, is
/// not copied for it.
[[nodiscard]] std::uint64_t wire_geometry_bytes(const AnyWorld& world, ShapeId id, const ShapeDef& shape);
/// The geometry of a hull, mesh or height field (asserted). `shape` is World::shape(id).
[[nodiscard]] protocol::Geometry wire_geometry(const AnyWorld& world, ShapeId id, const ShapeDef& shape);

}  // namespace takt::sim
