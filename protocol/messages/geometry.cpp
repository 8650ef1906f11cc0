#include "protocol/messages/geometry.h"

#include <optional>

#include "protocol/wire/limits.h"
#include "takt/core/assert.h"
#include "takt/core/bytes.h"

namespace takt::protocol {
namespace {

constexpr std::uint32_t kFlagOneSided = 1;  // of a mesh
constexpr std::uint32_t kFlagHoles = 1;     // of a height field
constexpr std::uint64_t kVertexBytes = 12;
constexpr std::uint64_t kTriangleBytes = 12;

/// The counts at the front, which decide the size of the whole.
struct Head {
  std::uint32_t a = 0;  // hull, mesh: vertices; height field: rows
  std::uint32_t b = 0;  // hull: faces; mesh: triangles; height field: columns
  std::uint32_t c = 0;  // hull: corners of all faces; mesh, height field: flags
};

// Counts are below 2^32, so none of this wraps in 64 bits.
std::uint64_t bytes_of_kind(GeometryKind kind, const Head& head) noexcept {
  std::uint64_t const a = head.a;
  std::uint64_t const b = head.b;
  switch (kind) {
    case GeometryKind::kHull: return 12 + a * kVertexBytes + b + head.c;
    case GeometryKind::kMesh: return 12 + a * kVertexBytes + b * kTriangleBytes;
    case GeometryKind::kHeightField: {
      // Limited before they are multiplied: two 32-bit counts times 4 would not fit.
      if (a > kGeometryBytesMax || b > kGeometryBytesMax) return kGeometryBytesMax + 1;
      std::uint64_t const cells = a > 0 && b > 0 ? (a - 1) * (b - 1) : 0;
      return 20 + 4 * a * b + ((head.c & kFlagHoles) != 0 ? (cells + 7) / 8 : 0);
    }
  }
  return kGeometryBytesMax + 1;
}

Head head_of(const Geometry& geometry) noexcept {
  auto const count = [](std::size_t n) { return static_cast<std::uint32_t>(n); };
  switch (geometry.kind) {
    case GeometryKind::kHull:
      return {count(geometry.vertices.size()), count(geometry.face_sizes.size()),
              count(geometry.indices.size())};
    case GeometryKind::kMesh:
      return {count(geometry.vertices.size()), count(geometry.indices.size() / 3),
              geometry.one_sided ? kFlagOneSided : 0};
    case GeometryKind::kHeightField:
      return {geometry.rows, geometry.columns, geometry.holes.empty() ? 0 : kFlagHoles};
  }
  return {};
}

// A coordinate or length that a shape may have.
std::optional<Error> judge(float x) noexcept {
  if (!(x - x == 0.0f)) return Error::kNotFinite;
  if (!(x >= -kDimensionMax && x <= kDimensionMax)) return Error::kOutOfRange;
  return std::nullopt;
}

std::optional<Error> read_vertices(ByteReader& reader, std::uint32_t count, Geometry& out) {
  out.vertices.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    auto const x = reader.get<float>();
    auto const y = reader.get<float>();
    auto const z = reader.get<float>();
    for (float const coordinate : {x, y, z})
      if (auto const error = judge(coordinate)) return error;
    out.vertices.push_back({x, y, z});
  }
  return std::nullopt;
}

std::optional<Error> read_hull(ByteReader& reader, const Head& head, Geometry& out) {
  if (head.a < 4 || head.a > kHullCornersMax || head.b < 4) return Error::kOutOfRange;
  if (auto const error = read_vertices(reader, head.a, out)) return error;
  std::uint64_t corners = 0;
  out.face_sizes.reserve(head.b);
  for (std::uint32_t i = 0; i < head.b; ++i) {
    out.face_sizes.push_back(reader.get<std::uint8_t>());
    if (out.face_sizes.back() < 3) return Error::kOutOfRange;
    corners += out.face_sizes.back();
  }
  if (corners != head.c) return Error::kOutOfRange;
  out.indices.reserve(head.c);
  for (std::uint32_t i = 0; i < head.c; ++i) {
    out.indices.push_back(reader.get<std::uint8_t>());
    if (out.indices.back() >= head.a) return Error::kOutOfRange;
  }
  return std::nullopt;
}

std::optional<Error> read_mesh(ByteReader& reader, const Head& head, Geometry& out) {
  if (head.a < 3 || head.b < 1 || head.c > kFlagOneSided) return Error::kOutOfRange;
  out.one_sided = (head.c & kFlagOneSided) != 0;
  if (auto const error = read_vertices(reader, head.a, out)) return error;
  std::size_t const count = std::size_t{head.b} * 3;
  out.indices.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    out.indices.push_back(reader.get<std::uint32_t>());
    if (out.indices.back() >= head.a) return Error::kOutOfRange;
  }
  return std::nullopt;
}

std::optional<Error> read_height_field(ByteReader& reader, const Head& head, Geometry& out) {
  if (head.a < 2 || head.b < 2 || head.c > kFlagHoles) return Error::kOutOfRange;
  out.rows = head.a;
  out.columns = head.b;
  out.spacing_x = reader.get<float>();
  out.spacing_z = reader.get<float>();
  for (float const spacing : {out.spacing_x, out.spacing_z}) {
    if (auto const error = judge(spacing)) return error;
    if (!(spacing > 0)) return Error::kOutOfRange;
  }
  std::size_t const samples = std::size_t{head.a} * head.b;
  out.heights.reserve(samples);
  for (std::size_t i = 0; i < samples; ++i) {
    out.heights.push_back(reader.get<float>());
    if (auto const error = judge(out.heights.back())) return error;
  }
  if ((head.c & kFlagHoles) == 0) return std::nullopt;
  std::size_t const cells = std::size_t{head.a - 1} * (head.b - 1);
  auto const bits = reader.get_bytes((cells + 7) / 8);
  out.holes.reserve(cells);
  for (std::size_t i = 0; i < cells; ++i)
    out.holes.push_back((std::to_integer<unsigned>(bits[i / 8]) >> (i % 8)) & 1u);
  // One encoding for one geometry: nothing behind the last cell.
  if (cells % 8 != 0 && (std::to_integer<unsigned>(bits.back()) >> (cells % 8)) != 0)
    return Error::kOutOfRange;
  return std::nullopt;
}

}  // namespace

std::uint64_t encoded_bytes(const Geometry& geometry) noexcept {
  return bytes_of_kind(geometry.kind, head_of(geometry));
}

std::vector<std::byte> encode(const Geometry& geometry) {
  std::vector<std::byte> bytes;
  bytes.reserve(encoded_bytes(geometry));
  ByteWriter writer(bytes);
  Head const head = head_of(geometry);
  for (std::uint32_t const count : {head.a, head.b, head.c}) writer.put(count);
  if (geometry.kind == GeometryKind::kHeightField) {
    TAKT_ASSERT(geometry.heights.size() == std::size_t{geometry.rows} * geometry.columns);
    for (float const spacing : {geometry.spacing_x, geometry.spacing_z}) writer.put(spacing);
    for (float const height : geometry.heights) writer.put(height);
    for (std::size_t i = 0; i < geometry.holes.size(); i += 8) {
      unsigned bits = 0;
      for (std::size_t k = 0; k < 8 && i + k < geometry.holes.size(); ++k)
        bits |= static_cast<unsigned>(geometry.holes[i + k] != 0) << k;
      writer.put(static_cast<std::uint8_t>(bits));
    }
  } else {
    for (const Vec3f& vertex : geometry.vertices)
      for (float const coordinate : {vertex.x, vertex.y, vertex.z}) writer.put(coordinate);
    for (std::uint8_t const size : geometry.face_sizes) writer.put(size);
    for (std::uint32_t const index : geometry.indices) {
      if (geometry.kind == GeometryKind::kHull) {
        writer.put(static_cast<std::uint8_t>(index));
      } else {
        writer.put(index);
      }
    }
  }
  TAKT_ASSERT(bytes.size() == encoded_bytes(geometry));
  return bytes;
}

Result<Geometry, Error> decode_geometry(GeometryKind kind, std::span<const std::byte> bytes) {
  if (bytes.size() > kGeometryBytesMax) return Error::kTooLong;
  ByteReader reader(bytes);
  Head head;
  head.a = reader.get<std::uint32_t>();
  head.b = reader.get<std::uint32_t>();
  head.c = reader.get<std::uint32_t>();
  if (!reader.ok()) return Error::kTooShort;
  // Before anything is reserved: the counts can only promise what is there.
  std::uint64_t const expected = bytes_of_kind(kind, head);
  if (expected != bytes.size()) return expected > bytes.size() ? Error::kTooShort : Error::kTooLong;
  Geometry geometry;
  geometry.kind = kind;
  std::optional<Error> error;
  switch (kind) {
    case GeometryKind::kHull: error = read_hull(reader, head, geometry); break;
    case GeometryKind::kMesh: error = read_mesh(reader, head, geometry); break;
    case GeometryKind::kHeightField: error = read_height_field(reader, head, geometry); break;
  }
  if (error) return *error;
  TAKT_ASSERT(reader.ok() && reader.remaining() == 0);
  return geometry;
}

}  // namespace takt::protocol
