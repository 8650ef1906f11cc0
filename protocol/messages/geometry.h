// Geometry holds the vertices and faces of a hull or mesh, or the heights of a height field, for drawing and
// picking on clients. Its numbers are binary32; the world collides with its own, finer geometry. encode,
// encoded_bytes and decode_geometry convert it to and from the bytes of docs/PROTOCOL.md. A GeometryBlob is
// such bytes with their digest, shared by sessions. A client receives each geometry once per world, before
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

/// Coordinates are metres about the middle of the geometry's box, which is where ShapeInfo::local_position
/// stands.
struct Geometry {
  GeometryKind kind = GeometryKind::kHull;
  std::vector<Vec3f> vertices;           ///< hull: 4 to kHullCornersMax; mesh
  std::vector<std::uint8_t> face_sizes;  ///< hull: corners of each face, at least 3
  std::vector<std::uint32_t> indices;    ///< of vertices. hull: face after face, counter-clockwise seen from
                                         ///< outside; mesh: three a triangle
  bool one_sided =
      false;  ///< mesh: only the fronts of its triangles touch, where corners run counter-clockwise
  std::uint32_t rows = 0;     ///< height field: along z, at least 2
  std::uint32_t columns = 0;  ///< height field: along x, at least 2
  float spacing_x = 1;        ///< height field: m, > 0
  float spacing_z = 1;        ///< height field: m, > 0
  std::vector<float>
      heights;  ///< height field: rows x columns, row after row, from the corner with the least x and z
  std::vector<std::uint8_t>
      holes;  ///< height field: empty, or 1 for each of (rows - 1) x (columns - 1) cells that is open, else 0
  friend bool operator==(const Geometry&, const Geometry&) = default;
};

/// A geometry's bytes, shared by all sessions that send them.
struct GeometryBlob {
  std::uint64_t digest = 0;  ///< as the engine names it; not 0
  GeometryKind kind = GeometryKind::kHull;
  std::shared_ptr<const std::vector<std::byte>> bytes;  ///< at most kGeometryBytesMax
};

/// How many bytes encode() makes.
[[nodiscard]] std::uint64_t encoded_bytes(const Geometry& geometry) noexcept;
[[nodiscard]] std::vector<std::byte> encode(const Geometry& geometry);

/// Errors: kTooShort and kTooLong (not the size that its counts make), kTooLong also above kGeometryBytesMax,
/// kOutOfRange (a count, an index, a size), kNotFinite. The result can be drawn without further checks.
[[nodiscard]] Result<Geometry, Error> decode_geometry(GeometryKind kind, std::span<const std::byte> bytes);

}  // namespace takt::protocol
