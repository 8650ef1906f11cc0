// wire_geometry copies the geometry of a hull, mesh or height field into the protocol's form: coordinates
// about the middle of its bounding box, in binary32, for drawing. The world collides with its own geometry.
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
