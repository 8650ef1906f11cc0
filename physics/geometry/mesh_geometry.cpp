#include "physics/geometry/mesh_geometry.h"

#include <algorithm>
#include <optional>

#include "physics/math/is_finite.h"
#include "takt/core/bytes.h"
#include "takt/core/hash.h"
#include "takt/physics/float_control.h"

namespace takt {
namespace {

/// Encodes a source, for its digest.
class BytesVisitor {
 public:
  template <class T>
  void value(const char*, const T& field) {
    std::size_t const at = bytes.size();
    bytes.resize(at + sizeof(T));
    store_little_endian(bytes.data() + at, field);
  }
  template <class List, class F>
  void list(const char*, const List& elements, F visit) {
    value("", static_cast<std::uint32_t>(elements.size()));
    for (const auto& element : elements) visit(element);
  }
  std::vector<std::byte> bytes;
};

std::uint64_t digest_of(const SurfaceSource& source) {
  BytesVisitor visitor;
  visitor.bytes.reserve(source.heights.size() * 8 + source.vertices.size() * 24 +
                        source.triangles.size() * 12);
  visit_surface(visitor, source);
  return hash_bytes(visitor.bytes);
}

bool is_good(const SurfaceMaterial& m) noexcept {
  return is_finite(m.friction) && is_finite(m.restitution) && m.friction >= 0.0 && m.friction <= 100.0 &&
         m.restitution >= 0.0 && m.restitution <= 1.0;
}

std::optional<PhysicsError> check_materials(std::span<const SurfaceMaterial> materials,
                                            std::span<const std::uint8_t> at, std::size_t count) {
  if (materials.size() > kMaxSurfaceMaterials || (!at.empty() && (at.size() != count || materials.empty())))
    return PhysicsError::kMeshBadMaterial;
  for (const SurfaceMaterial& m : materials) {
    if (!is_finite(m.friction) || !is_finite(m.restitution)) return PhysicsError::kNotFinite;
    if (!is_good(m)) return PhysicsError::kOutOfRange;
  }
  return std::nullopt;
}

std::vector<SurfaceMaterial> stored(std::span<const SurfaceMaterial> materials) {
  std::vector<SurfaceMaterial> list;
  for (const SurfaceMaterial& m : materials)
    list.push_back({canonical(m.friction), canonical(m.restitution)});
  return list;
}

/// Twice the area over the longest edge.
double min_height(const GridPoint& a, const GridPoint& b, const GridPoint& c) noexcept {
  Vec3<double> const ab = to_metres({b.x - a.x, b.y - a.y, b.z - a.z});
  Vec3<double> const ac = to_metres({c.x - a.x, c.y - a.y, c.z - a.z});
  double const longest = maximum(length(ab), maximum(length(ac), length(ac - ab)));
  return longest > 0.0 ? length(cross(ab, ac)) / longest : 0.0;
}

/// A mesh during construction: the kept triangles and statistics.
struct MeshDraft {
  SurfaceSource source;
  std::uint32_t degenerate_count = 0;
  std::uint32_t first_degenerate = 0;
};

Result<MeshDraft, MeshFault> draft_of(const MeshDef& mesh) {
  if (mesh.triangles.empty()) return MeshFault{PhysicsError::kMeshEmpty};
  if (mesh.triangles.size() > kMaxMeshTriangles || mesh.vertices_m.size() > kMaxMeshVertices)
    return MeshFault{PhysicsError::kMeshTooLarge};
  std::vector<GridPoint> points;
  points.reserve(mesh.vertices_m.size());
  for (std::uint32_t i = 0; i < mesh.vertices_m.size(); ++i) {
    const Vec3<double>& p = mesh.vertices_m[i];
    if (!is_finite(p.x) || !is_finite(p.y) || !is_finite(p.z))
      return MeshFault{PhysicsError::kNotFinite, 0, i};
    if (absolute(p.x) > kMaxExtentM || absolute(p.y) > kMaxExtentM || absolute(p.z) > kMaxExtentM)
      return MeshFault{PhysicsError::kShapeTooLarge, 0, i};
    points.push_back(to_grid(p));
  }
  if (auto const error = check_materials(mesh.materials, mesh.triangle_materials, mesh.triangles.size()))
    return MeshFault{*error};
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    for (std::uint32_t const index : mesh.triangles[t]) {
      if (index >= points.size()) return MeshFault{PhysicsError::kMeshBadIndex, t};
    }
    if (!mesh.triangle_materials.empty() && mesh.triangle_materials[t] >= mesh.materials.size())
      return MeshFault{PhysicsError::kMeshBadMaterial, t};
  }
  // Vertices at equal positions are merged into the one of lowest index.
  std::vector<std::uint32_t> sorted(points.size());
  for (std::uint32_t i = 0; i < sorted.size(); ++i) sorted[i] = i;
  std::sort(sorted.begin(), sorted.end(), [&points](std::uint32_t a, std::uint32_t b) {
    return points[a] != points[b] ? points[a] < points[b] : a < b;
  });
  std::vector<std::uint32_t> welded(points.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    bool const same = i > 0 && points[sorted[i]] == points[sorted[i - 1]];
    welded[sorted[i]] = same ? welded[sorted[i - 1]] : sorted[i];
  }
  MeshDraft draft;
  draft.source.kind = ShapeKind::kMesh;
  draft.source.one_sided = mesh.one_sided;
  std::vector<std::uint32_t> slot(points.size(), TriangleMesh::kNone);
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    std::array<std::uint32_t, 3> triangle = mesh.triangles[t];
    for (std::uint32_t& index : triangle) index = welded[index];
    if (!(min_height(points[triangle[0]], points[triangle[1]], points[triangle[2]]) >= kMinTriangleHeightM)) {
      if (draft.degenerate_count++ == 0) draft.first_degenerate = t;
      continue;
    }
    for (std::uint32_t& index : triangle) {
      if (slot[index] == TriangleMesh::kNone) {
        slot[index] = static_cast<std::uint32_t>(draft.source.vertices.size());
        draft.source.vertices.push_back(points[index]);
      }
      index = slot[index];
    }
    draft.source.triangles.push_back(triangle);
    if (!mesh.triangle_materials.empty()) draft.source.materials_at.push_back(mesh.triangle_materials[t]);
  }
  if (draft.source.triangles.empty()) return MeshFault{PhysicsError::kMeshEmpty};
  draft.source.materials = stored(mesh.materials);
  return draft;
}

/// Builds the geometry of a checked source. Triangles of a height field carry the index of their cell.
std::shared_ptr<const SurfaceGeometry> finished(SurfaceSource source) {
  auto geometry = std::make_shared<SurfaceGeometry>();
  if (source.kind == ShapeKind::kMesh) {
    geometry->surface.build(source.vertices, source.triangles, {}, source.materials_at, source.one_sided);
  } else {
    std::vector<GridPoint> vertices;
    std::vector<std::array<std::uint32_t, 3>> triangles;
    std::vector<std::uint32_t> numbers;
    std::vector<std::uint8_t> materials;
    vertices.reserve(source.heights.size());
    triangles.reserve(2 * source.heights.size());
    numbers.reserve(2 * source.heights.size());
    for (std::uint32_t r = 0; r < source.rows; ++r) {
      for (std::uint32_t c = 0; c < source.columns; ++c) {
        vertices.push_back({c * source.spacing_x, source.heights[std::size_t{r} * source.columns + c],
                            r * source.spacing_z});
      }
    }
    for (std::uint32_t r = 0; r + 1 < source.rows; ++r) {
      for (std::uint32_t c = 0; c + 1 < source.columns; ++c) {
        std::uint32_t const cell = r * (source.columns - 1) + c;
        if (!source.holes.empty() && source.holes[cell] != 0) continue;
        std::uint32_t const at = r * source.columns + c;
        std::uint32_t const below = at + source.columns;  // the next row: farther along z
        triangles.push_back({at, below + 1, at + 1});
        triangles.push_back({at, below, below + 1});
        for (int i = 0; i < 2; ++i) {
          numbers.push_back(cell);
          if (!source.materials_at.empty()) materials.push_back(source.materials_at[cell]);
        }
      }
    }
    geometry->surface.build(std::move(vertices), std::move(triangles), std::move(numbers),
                            std::move(materials), true);
  }
  geometry->digest = digest_of(source);
  geometry->source = std::move(source);
  const SurfaceSource& kept = geometry->source;
  if (kept.kind == ShapeKind::kMesh) {
    geometry->mesh = {geometry->surface.vertices(), kept.triangles, kept.materials_at, kept.materials,
                      kept.one_sided};
  } else {
    geometry->heights_m.reserve(kept.heights.size());
    for (std::int64_t const height : kept.heights)
      geometry->heights_m.push_back(static_cast<double>(height) * kHullGridM);
    geometry->height_field = {kept.rows,
                              kept.columns,
                              static_cast<double>(kept.spacing_x) * kHullGridM,
                              static_cast<double>(kept.spacing_z) * kHullGridM,
                              geometry->heights_m,
                              kept.holes,
                              kept.materials_at,
                              kept.materials};
  }
  return geometry;
}

bool fits(const SurfaceSource& source) noexcept {
  constexpr std::int64_t kUnitsAMetre = std::int64_t{1} << 24;
  constexpr std::int64_t kMax = 10'000 * kUnitsAMetre;  // kMaxExtentM
  auto const spacing_fits = [](std::int64_t spacing, std::uint32_t count) {
    return spacing >= kUnitsAMetre / 100 && spacing <= 1000 * kUnitsAMetre &&
           spacing * static_cast<std::int64_t>(count - 1) <= kMax;
  };
  if (source.rows < 2 || source.columns < 2 ||
      std::uint64_t{source.rows} * source.columns > kMaxHeightSamples)
    return false;
  return spacing_fits(source.spacing_x, source.columns) && spacing_fits(source.spacing_z, source.rows) &&
         source.heights.size() == std::size_t{source.rows} * source.columns;
}

bool all_holes(const SurfaceSource& source) {
  return !source.holes.empty() &&
         std::all_of(source.holes.begin(), source.holes.end(), [](std::uint8_t hole) { return hole != 0; });
}

}  // namespace

Result<MeshReport, MeshFault> mesh_report(const MeshDef& mesh) {
  FloatControlGuard const guard;
  auto draft = draft_of(mesh);
  if (!draft.ok()) return draft.error();
  MeshReport report;
  report.triangle_count = static_cast<std::uint32_t>(draft->source.triangles.size());
  report.degenerate_count = draft->degenerate_count;
  report.first_degenerate = draft->first_degenerate;
  report.border_edge_count = finished(std::move(draft->source))->surface.border_edge_count();
  report.closed = report.border_edge_count == 0;
  return report;
}

Result<std::shared_ptr<const SurfaceGeometry>, PhysicsError> make_surface(const MeshDef& mesh) {
  auto draft = draft_of(mesh);
  if (!draft.ok()) return draft.error().error;
  return finished(std::move(draft->source));
}

Result<std::shared_ptr<const SurfaceGeometry>, PhysicsError> make_surface(const HeightFieldDef& field) {
  SurfaceSource source;
  source.kind = ShapeKind::kHeightField;
  source.one_sided = true;
  source.rows = field.rows;
  source.columns = field.columns;
  if (!is_finite(field.spacing_x_m) || !is_finite(field.spacing_z_m)) return PhysicsError::kNotFinite;
  if (!(absolute(field.spacing_x_m) <= kMaxExtentM && absolute(field.spacing_z_m) <= kMaxExtentM))
    return PhysicsError::kHeightFieldBadSize;
  GridPoint const spacing = to_grid({field.spacing_x_m, 0.0, field.spacing_z_m});
  source.spacing_x = spacing.x;
  source.spacing_z = spacing.z;
  if (field.rows < 2 || field.columns < 2 || field.heights_m.size() > kMaxHeightSamples)
    return PhysicsError::kHeightFieldBadSize;
  source.heights.reserve(field.heights_m.size());
  for (double const height : field.heights_m) {
    if (!is_finite(height)) return PhysicsError::kNotFinite;
    if (absolute(height) > kMaxExtentM) return PhysicsError::kShapeTooLarge;
    source.heights.push_back(to_grid({0.0, height, 0.0}).y);
  }
  if (!fits(source)) return PhysicsError::kHeightFieldBadSize;
  std::size_t const cells = std::size_t{field.rows - 1} * (field.columns - 1);
  if (!field.holes.empty() && field.holes.size() != cells) return PhysicsError::kHeightFieldBadSize;
  for (std::uint8_t const hole : field.holes) source.holes.push_back(hole != 0 ? 1 : 0);
  if (all_holes(source)) return PhysicsError::kMeshEmpty;
  if (std::none_of(source.holes.begin(), source.holes.end(), [](std::uint8_t hole) { return hole != 0; }))
    source.holes.clear();
  if (auto const error = check_materials(field.materials, field.cell_materials, cells)) return *error;
  for (std::uint8_t const index : field.cell_materials) {
    if (index >= field.materials.size()) return PhysicsError::kMeshBadMaterial;
  }
  source.materials_at.assign(field.cell_materials.begin(), field.cell_materials.end());
  source.materials = stored(field.materials);
  return finished(std::move(source));
}

std::shared_ptr<const SurfaceGeometry> restored_surface(SurfaceSource source) {
  // Rebuilds through the definition, so that nothing can be restored that could not be created.
  auto const made = [&source]() -> Result<std::shared_ptr<const SurfaceGeometry>, PhysicsError> {
    if (source.kind == ShapeKind::kMesh) {
      std::vector<Vec3<double>> vertices;
      for (const GridPoint& p : source.vertices) {
        auto const within = [](std::int64_t v) {
          return v >= -kMaxGridCoordinate && v <= kMaxGridCoordinate;
        };
        if (!within(p.x) || !within(p.y) || !within(p.z)) return PhysicsError::kOutOfRange;
        vertices.push_back(to_metres(p));
      }
      return make_surface(
          MeshDef{vertices, source.triangles, source.materials_at, source.materials, source.one_sided});
    }
    if (source.kind != ShapeKind::kHeightField || !fits(source)) return PhysicsError::kHeightFieldBadSize;
    std::vector<double> heights;
    for (std::int64_t const height : source.heights) {
      if (height < -kMaxGridCoordinate || height > kMaxGridCoordinate) return PhysicsError::kOutOfRange;
      heights.push_back(static_cast<double>(height) * kHullGridM);
    }
    return make_surface(HeightFieldDef{source.rows, source.columns,
                                       static_cast<double>(source.spacing_x) * kHullGridM,
                                       static_cast<double>(source.spacing_z) * kHullGridM, heights,
                                       source.holes, source.materials_at, source.materials});
  }();
  if (!made.ok() || !((*made)->source == source)) return nullptr;
  return *made;
}

}  // namespace takt
