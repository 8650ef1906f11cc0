// Geometry holds the vertices and faces of a hull or mesh, or the heights of a height field, for drawing and
// picking on clients. Its numbers are binary32; the physics collides with the exact geometry of the world.
// encode() and decode_geometry() convert a Geometry to and from the bytes of docs/PROTOCOL.md. A GeometryBlob
// is such bytes with their digest, shared by sessions. A client receives each geometry once per world, before
// the first body that names it. ReliableQueue (protocol/link/) cuts the bytes into messages;
// GeometryAssembler (protocol/session/) joins them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "protocol/messages/command.h"
#include "protocol/wire/error.h"
#include "takt/core/result.h"

namespace takt::protocol {

/// Values are the wire's.
enum class GeometryKind : std::uint8_t { kHull = 0, kMesh = 1, kHeightField = 2 };

/// Coordinates are metres in the shape's frame, whose origin (ShapeInfo::local_position) is the centre of the
/// geometry's bounding box. Fields of other kinds are empty or have their default.
struct Geometry {
  GeometryKind kind = GeometryKind::kHull;
  std::vector<Vec3f> vertices;           ///< hull: 4 to kHullCornersMax; mesh: at least 3
  std::vector<std::uint8_t> face_sizes;  ///< hull: vertices of each face, at least 3; at least 4 faces
  std::vector<std::uint32_t> indices;    ///< of vertices. hull: face after face, counter-clockwise seen from
                                         ///< outside; mesh: three for each triangle, at least one triangle
  bool one_sided =
      false;  ///< mesh: triangles collide only on the side from which their vertices run counter-clockwise
  std::uint32_t rows = 0;     ///< height field: along z, at least 2
  std::uint32_t columns = 0;  ///< height field: along x, at least 2
  float spacing_x = 1;        ///< height field: m, > 0
  float spacing_z = 1;        ///< height field: m, > 0
  std::vector<float>
      heights;  ///< height field: y, m, rows x columns, row after row, from the smallest x and z
  std::vector<std::uint8_t> holes;  ///< height field: empty, or for each of (rows - 1) x (columns - 1) cells
                                    ///< 1 if it is a hole, else 0
  friend bool operator==(const Geometry&, const Geometry&) = default;
};

/// A geometry's bytes, shared by all sessions that send them.
struct GeometryBlob {
  std::uint64_t digest = 0;  ///< of the engine's geometry, as in ShapeInfo::geometry; not 0
  GeometryKind kind = GeometryKind::kHull;
  std::shared_ptr<const std::vector<std::byte>> bytes;  ///< of encode(), 1 to kGeometryBytesMax
};

/// Number of bytes that encode() makes; a number above kGeometryBytesMax for a height field with more rows or
/// columns than that.
[[nodiscard]] std::uint64_t encoded_bytes(const Geometry& geometry) noexcept;
/// The bytes of a geometry that fulfils the rules above. Sizes that contradict each other fail an assert.
[[nodiscard]] std::vector<std::byte> encode(const Geometry& geometry);

/// Decodes untrusted bytes. Errors: kTooShort and kTooLong (the counts at the front need more or fewer
/// bytes), kOutOfRange (a count, an index, a length), kNotFinite. More than kGeometryBytesMax bytes are
/// kTooLong. The result fulfils the rules above and can be drawn without further checks.
[[nodiscard]] Result<Geometry, Error> decode_geometry(GeometryKind kind, std::span<const std::byte> bytes);

}  // namespace takt::protocol
