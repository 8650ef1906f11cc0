// wire_geometry() copies the geometry of a hull, mesh or height field into protocol::Geometry, which clients
// draw. Coordinates are binary32, relative to the middle of the bounding box that geometry_box() returns.
// wire_geometry_bytes() returns the size of the encoded geometry. The server (geometry_registry.cpp) and
// replication.cpp call these functions. Collision uses the world's own geometry.
#pragma once

#include <cstdint>

#include "protocol/messages/geometry.h"
#include "takt/sim/any_world.h"

namespace takt::sim {

/// In the shape's frame, m.
struct GeometryBox {
  Vec3<double> middle_m{};
  Vec3<double> half_size_m{};  ///< a hull's without its rounding
};

/// `shape` as a world gives it back: a hull, mesh or height field.
[[nodiscard]] GeometryBox geometry_box(const ShapeDef& shape);

/// How many bytes the geometry of this shape takes on the wire, without making it.
[[nodiscard]] std::uint64_t wire_geometry_bytes(const AnyWorld& world, ShapeId id, const ShapeDef& shape);
/// `shape` is what the world has under `id`: a hull, mesh or height field (asserted).
[[nodiscard]] protocol::Geometry wire_geometry(const AnyWorld& world, ShapeId id, const ShapeDef& shape);

}  // namespace takt::sim
