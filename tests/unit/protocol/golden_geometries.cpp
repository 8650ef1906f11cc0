#include "tests/unit/protocol/golden_geometries.h"

#include <cstdio>
#include <limits>

namespace takt::protocol::test {
namespace {

constexpr const char* kKinds[] = {"hull", "mesh", "height_field"};

Geometry tetrahedron() {
  Geometry hull;
  hull.kind = GeometryKind::kHull;
  hull.vertices = {{-0.5f, -0.5f, -0.5f}, {0.5f, -0.5f, -0.5f}, {-0.5f, 0.5f, -0.5f}, {-0.5f, -0.5f, 0.5f}};
  hull.face_sizes = {3, 3, 3, 3};
  hull.indices = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  return hull;
}

Geometry box() {
  Geometry hull;
  hull.kind = GeometryKind::kHull;
  for (int i = 0; i < 8; ++i)
    hull.vertices.push_back({(i & 4) != 0 ? 1e6f : -1e6f, (i & 2) != 0 ? 1.0f / 3.0f : -1.0f / 3.0f,
                             (i & 1) != 0 ? 2.0f : -2.0f});
  hull.face_sizes = {4, 4, 4, 4, 4, 4};
  hull.indices = {0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3};
  return hull;
}

Geometry roof() {
  Geometry mesh;
  mesh.kind = GeometryKind::kMesh;
  mesh.vertices = {{-2, -0.5f, -2}, {-2, -0.5f, 2}, {0, 0.5f, -2},
                   {0, 0.5f, 2},    {2, -0.5f, -2}, {2, -0.5f, 2}};
  mesh.indices = {0, 1, 3, 0, 3, 2, 2, 3, 5, 2, 5, 4};
  mesh.one_sided = true;
  return mesh;
}

Geometry one_triangle() {
  Geometry mesh;
  mesh.kind = GeometryKind::kMesh;
  mesh.vertices = {{std::numeric_limits<float>::denorm_min(), -0.0f, 0}, {1, 0, 0}, {0, 0, -1}};
  mesh.indices = {0, 1, 2};
  return mesh;
}

}  // namespace

Geometry field_of(std::uint32_t rows, std::uint32_t columns) {
  Geometry field;
  field.kind = GeometryKind::kHeightField;
  field.rows = rows;
  field.columns = columns;
  field.spacing_x = 0.5f;
  field.spacing_z = 2;
  for (std::uint32_t i = 0; i < rows * columns; ++i)
    field.heights.push_back(static_cast<float>(i % 7) * 0.25f - 0.75f);
  return field;
}

std::vector<std::pair<std::string, Geometry>> golden_geometries() {
  Geometry holed = field_of(4, 5);
  for (std::uint32_t i = 0; i < 12; ++i) holed.holes.push_back(i % 3 == 1 || i == 11 ? 1 : 0);
  Geometry min = field_of(2, 2);
  min.spacing_x = std::numeric_limits<float>::min();
  return {{"hull_tetrahedron", tetrahedron()},   {"hull_box", box()},         {"mesh_roof", roof()},
          {"mesh_one_triangle", one_triangle()}, {"field_with_holes", holed}, {"field_least", min}};
}

std::string golden_geometries_json() {
  std::string out = "{\n";
  auto const number = [&](double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.9g", value);
    out += text;
  };
  auto const list = [&](const char* name, const auto& values) {
    out += std::string(",\"") + name + "\":[";
    bool first = true;
    for (auto const value : values) {
      if (!first) out += ',';
      first = false;
      number(static_cast<double>(value));
    }
    out += ']';
  };
  auto const all = golden_geometries();
  for (auto const& [name, geometry] : all) {
    auto const bytes = encode(geometry);
    out += "\"" + name + "\":{\"kind\":\"" + kKinds[static_cast<std::size_t>(geometry.kind)] + "\"";
    std::vector<float> vertices;
    for (const Vec3f& v : geometry.vertices) vertices.insert(vertices.end(), {v.x, v.y, v.z});
    list("vertices", vertices);
    list("faceSizes", geometry.face_sizes);
    list("indices", geometry.indices);
    out += std::string(",\"oneSided\":") + (geometry.one_sided ? "true" : "false");
    list("size", std::vector<double>{
                     static_cast<double>(geometry.rows), static_cast<double>(geometry.columns),
                     static_cast<double>(geometry.spacing_x), static_cast<double>(geometry.spacing_z)});
    list("heights", geometry.heights);
    list("holes", geometry.holes);
    std::vector<int> plain;
    for (std::byte const byte : bytes) plain.push_back(std::to_integer<int>(byte));
    list("bytes", plain);
    out += ",\"outcomes\":\"";
    std::vector<std::byte> changed = bytes;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      for (std::byte const change : {std::byte{0xff}, std::byte{0x01}, std::byte{0x80}}) {
        changed[at] = bytes[at] ^ change;
        auto const read = decode_geometry(geometry.kind, changed);
        char letter = 'o';
        if (!read)
          letter = read.error() == Error::kTooShort     ? 's'
                   : read.error() == Error::kTooLong    ? 'l'
                   : read.error() == Error::kOutOfRange ? 'r'
                                                        : 'f';
        out += letter;
      }
      changed[at] = bytes[at];
    }
    out += name == all.back().first ? "\"}\n" : "\"},\n";
  }
  return out + "}\n";
}

}  // namespace takt::protocol::test
