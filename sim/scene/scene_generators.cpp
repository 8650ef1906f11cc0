#include "sim/scene/scene_generators.h"

#include "sim/scene/random_rotation.h"
#include "sim/scene/scene_assemblies.h"
#include "sim/scene/scene_chains.h"
#include "sim/scene/scene_shapes.h"
#include "sim/scene/scene_surfaces.h"
#include "sim/state/metres.h"

namespace takt::sim {
namespace {

// Limits of work: 64 chords are computed for each point of a path, before a body is made.
constexpr std::size_t kMaxPathPoints = 10'000;
constexpr std::size_t kMaxPileKinds = 64;

struct Material {
  double density_kg_m3;
  double friction;
  double restitution;
};

// Every generator has the same three fields.
template <class Table>
Material read_material(const Table& table, const FieldPath& at, SceneFields& fields, double density) {
  double const friction = fields.number(at, "friction", table.friction(), 0, 100);
  double const restitution = fields.number(at, "restitution", table.restitution(), 0, 1);
  return {fields.number(at, "density", density, 1e-6, 1e9), friction, restitution};
}

ShapeDef make_shape(ShapeKind kind, const Material& material) {
  ShapeDef shape;
  shape.kind = kind;
  shape.density_kg_m3 = material.density_kg_m3;
  shape.friction = material.friction;
  shape.restitution = material.restitution;
  return shape;
}

ShapeDef make_box(Vec3<double> size_m, const Material& material) {
  ShapeDef shape = make_shape(ShapeKind::kBox, material);
  shape.half_extents_m = size_m * 0.5;
  return shape;
}

SceneBody make_body(Vec3<double> position_m, ShapeDef shape) {
  SceneBody body;
  body.def.position = Position::from_metres(position_m.x, position_m.y, position_m.z);
  body.shapes.push_back(shape);
  return body;
}

bool has_room(const std::vector<SceneBody>& bodies) { return bodies.size() <= kMaxSceneBodies; }

Vec3<double> read_size(const FieldPath& at, const schema::Vec3* size, Vec3<double> absent,
                       SceneFields& fields) {
  return fields.vector(at, "size", size, absent, 2 * kMinExtentM, 2 * kMaxExtentM);
}

Vec3<double> read_origin(const FieldPath& at, const schema::Vec3* origin, SceneFields& fields) {
  // 10 km less than a body may have, so that what is built around it stays inside as well.
  double const max = kMaxSceneCoordinateM - 10'000;
  return fields.vector(at, "origin", origin, {}, -max, max);
}

void run_pyramid(const schema::Pyramid& table, const FieldPath& at, SceneFields& fields,
                 std::vector<SceneBody>& bodies) {
  std::uint32_t const base = fields.count(at, "base", table.base(), 1, 400);
  Vec3<double> const size = read_size(at, table.size(), {1, 1, 1}, fields);
  Vec3<double> const origin = read_origin(at, table.origin(), fields);
  double const gap = fields.number(at, "gap", table.gap(), 0, 100);
  Material const material = read_material(table, at, fields, table.density());
  if (!fields.ok()) return;
  for (std::uint32_t row = 0; row < base; ++row) {
    for (std::uint32_t i = 0; i < base - row; ++i) {
      double const from_middle = i - 0.5 * (base - row - 1);
      Vec3<double> const center{origin.x + from_middle * (size.x + gap), origin.y + size.y * (row + 0.5),
                                origin.z};
      bodies.push_back(make_body(center, make_box(size, material)));
    }
  }
}

void run_stack(const schema::Stack& table, const FieldPath& at, SceneFields& fields,
               std::vector<SceneBody>& bodies) {
  std::uint32_t const count = fields.count(at, "count", table.count(), 1, 10'000);
  Vec3<double> const size = read_size(at, table.size(), {1, 1, 1}, fields);
  Vec3<double> const origin = read_origin(at, table.origin(), fields);
  double const gap = fields.number(at, "gap", table.gap(), 0, 100);
  Material const material = read_material(table, at, fields, table.density());
  if (!fields.ok()) return;
  for (std::uint32_t i = 0; i < count; ++i) {
    Vec3<double> const center{origin.x, origin.y + size.y * 0.5 + (size.y + gap) * i, origin.z};
    bodies.push_back(make_body(center, make_box(size, material)));
  }
}

void run_grid(const schema::Grid& table, const FieldPath& at, SceneFields& fields,
              std::vector<SceneBody>& bodies) {
  if (table.count() == nullptr) fields.fail(at, {}, "\"count\" is missing: expected [x, y, z]");
  if (!fields.ok()) return;
  FieldPath const counts{&at, "count"};
  std::uint32_t const nx = fields.count(counts, "x", table.count()->x(), 1, kMaxSceneBodies);
  std::uint32_t const ny = fields.count(counts, "y", table.count()->y(), 1, kMaxSceneBodies);
  std::uint32_t const nz = fields.count(counts, "z", table.count()->z(), 1, kMaxSceneBodies);
  Vec3<double> const origin = read_origin(at, table.origin(), fields);
  Vec3<double> const spacing = fields.required_vector(at, "spacing", table.spacing(), -1e6, 1e6);
  bool const is_static = table.type() == schema::BodyType::static_;
  if (!is_static && table.type() != schema::BodyType::dynamic)
    fields.fail(at, "type", "expected dynamic or static");
  BodyType const type = is_static ? BodyType::kStatic : BodyType::kDynamic;
  std::vector<ShapeDef> const shapes = read_shapes(table.shapes(), at, type, fields);
  std::vector<std::string> const names = read_shape_names(table.shapes(), at, fields);
  if (!fields.ok()) return;
  for (std::uint32_t y = 0; y < ny; ++y) {
    for (std::uint32_t z = 0; z < nz; ++z) {
      for (std::uint32_t x = 0; x < nx && has_room(bodies); ++x) {
        SceneBody body;
        body.def.type = type;
        Vec3<double> const place{origin.x + spacing.x * x, origin.y + spacing.y * y,
                                 origin.z + spacing.z * z};
        body.def.position = fields.point(at, "spacing", place);
        body.shapes = shapes;
        body.shape_names = names;
        bodies.push_back(std::move(body));
      }
      if (!has_room(bodies)) return;
    }
  }
}

ShapeDef pile_shape(schema::PileKind kind, double size_m, const Material& material) {
  switch (kind) {
    case schema::PileKind::sphere: {
      ShapeDef shape = make_shape(ShapeKind::kSphere, material);
      shape.radius_m = size_m * 0.5;
      return shape;
    }
    case schema::PileKind::capsule: {
      ShapeDef shape = make_shape(ShapeKind::kCapsule, material);
      shape.radius_m = size_m * 0.5;
      shape.half_length_m = size_m * 0.5;
      return shape;
    }
    case schema::PileKind::box: break;
  }
  return make_box({size_m, size_m, size_m}, material);
}

std::vector<schema::PileKind> read_kinds(const schema::Pile& table, const FieldPath& at,
                                         SceneFields& fields) {
  std::vector<schema::PileKind> kinds;
  if (table.kinds() != nullptr) {
    if (table.kinds()->size() > kMaxPileKinds) {
      fields.fail(at, "kinds",
                  std::to_string(table.kinds()->size()) + " of them: allowed are at most " +
                      std::to_string(kMaxPileKinds));
      return kinds;
    }
    for (schema::PileKind const kind : *table.kinds()) {
      if (kind > schema::PileKind::MAX)
        fields.fail(at, "kinds", "unknown word: expected box, sphere, capsule");
      kinds.push_back(kind);
    }
  }
  if (kinds.empty()) kinds = {schema::PileKind::box, schema::PileKind::sphere, schema::PileKind::capsule};
  return kinds;
}

void run_pile(const schema::Pile& table, const FieldPath& at, SceneFields& fields,
              std::vector<SceneBody>& bodies) {
  std::uint32_t const count = fields.count(at, "count", table.count(), 1, 100'000);
  double const max = kMaxSceneCoordinateM;
  Vec3<double> const low = fields.required_vector(at, "low", table.low(), -max, max);
  Vec3<double> const high = fields.required_vector(at, "high", table.high(), -max, max);
  double const size_max = fields.number(at, "size_max", table.size_max(), 4 * kMinExtentM, kMaxExtentM);
  double const size_min = fields.number(at, "size_min", table.size_min(), 4 * kMinExtentM, size_max);
  std::vector<schema::PileKind> const kinds = read_kinds(table, at, fields);
  Material const material = read_material(table, at, fields, table.density());
  if (!fields.ok()) return;
  // A cell holds the largest body in any pose: a capsule is 2 sizes long, a box's diagonal 1.74. Jitter uses
  // what is left of a cell.
  double const cell = size_max * 2.1;
  double const room = 1e6;
  auto const columns = static_cast<std::uint32_t>(clamp((high.x - low.x) / cell, 0.0, room));
  auto const layers = static_cast<std::uint32_t>(clamp((high.y - low.y) / cell, 0.0, room));
  auto const rows = static_cast<std::uint32_t>(clamp((high.z - low.z) / cell, 0.0, room));
  if (std::uint64_t{columns} * rows < 1 || double{1} * columns * rows * layers < count) {
    fields.fail(at, {},
                "the region between low and high is too small: it holds " +
                    to_text(double{1} * columns * rows * layers) + " bodies of size_max " +
                    to_text(size_max) + " m, not " + std::to_string(count));
    return;
  }
  Random random(table.seed());
  for (std::uint32_t i = 0; i < count && has_room(bodies); ++i) {
    std::uint32_t const column = i % columns;
    std::uint32_t const row = i / columns % rows;
    std::uint32_t const layer = i / columns / rows;
    auto const kind = kinds[random.next_below(static_cast<std::uint32_t>(kinds.size()))];
    double const size = random.next_between(size_min, size_max);
    double const slack = 0.5 * (cell - 2 * size);
    double const dx = random.next_between(-slack, slack);
    double const dy = random.next_between(-slack, slack);
    double const dz = random.next_between(-slack, slack);
    Vec3<double> const center{low.x + cell * (column + 0.5) + dx, low.y + cell * (layer + 0.5) + dy,
                              low.z + cell * (row + 0.5) + dz};
    SceneBody body = make_body(center, pile_shape(kind, size, material));
    body.def.rotation = random_rotation(random);
    bodies.push_back(std::move(body));
  }
}

// A point of the uniform Catmull-Rom curve through b and c (E. Catmull, R. Rom 1974), t in [0, 1].
Vec3<double> curve_point(Vec3<double> a, Vec3<double> b, Vec3<double> c, Vec3<double> d, double t) {
  double const t2 = t * t;
  double const t3 = t2 * t;
  return (b * 2.0 + (c - a) * t + (a * 2.0 - b * 5.0 + c * 4.0 - d) * t2 + (b * 3.0 - a - c * 3.0 + d) * t3) *
         0.5;
}

// The rotation about y that turns the local x axis to the unit direction (x, 0, z), by half-angle formulas
// instead of trigonometry.
Quat<double> facing(double x, double z) {
  double const cosine = root(maximum(0.0, (1 + x) * 0.5));
  double const sine = root(maximum(0.0, (1 - x) * 0.5));
  return {0, z > 0 ? -sine : sine, 0, cosine};
}

void run_dominoes(const schema::Dominoes& table, const FieldPath& at, SceneFields& fields,
                  std::vector<SceneBody>& bodies) {
  auto const* const path = table.path();
  if (path == nullptr || path->size() < 2) {
    fields.fail(at, path == nullptr ? "" : "path", "\"path\" needs at least two points [[x, y, z], ...]");
    return;
  }
  if (path->size() > kMaxPathPoints) {
    fields.fail(
        at, "path",
        std::to_string(path->size()) + " of them: allowed are 2 to " + std::to_string(kMaxPathPoints));
    return;
  }
  if (!is_aligned(*path)) {
    fields.fail(at, "path", kMisaligned);
    return;
  }
  double const spacing = fields.number(at, "spacing", table.spacing(), 0.01, 100);
  Vec3<double> const size = read_size(at, table.size(), {0.2, 1, 0.5}, fields);
  Material const material = read_material(table, at, fields, table.density());
  std::vector<Vec3<double>> points;
  for (flatbuffers::uoffset_t i = 0; i < path->size() && fields.ok(); ++i) {
    FieldPath const here{&at, "path", i};
    points.push_back(fields.vector(here, {}, path->Get(i), {}, -kMaxSceneCoordinateM, kMaxSceneCoordinateM));
    if (points.back().y != points.front().y)
      fields.fail(here, {}, "the curve must stay level: y must be " + to_text(points.front().y));
  }
  if (!fields.ok()) return;
  ShapeDef const shape = make_box(size, material);
  constexpr int kSteps =
      64;                 // chords a segment: at 10 m a segment the curve is followed to about a millimetre
  double until_next = 0;  // metres along the curve to the next domino
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    Vec3<double> const b = points[i];
    Vec3<double> const c = points[i + 1];
    Vec3<double> const a = i > 0 ? points[i - 1] : b * 2.0 - c;
    Vec3<double> const d = i + 2 < points.size() ? points[i + 2] : c * 2.0 - b;
    Vec3<double> from = b;
    for (int step = 1; step <= kSteps; ++step) {
      Vec3<double> const to = curve_point(a, b, c, d, static_cast<double>(step) / kSteps);
      Vec3<double> const chord = to - from;
      double const length = root(chord.x * chord.x + chord.z * chord.z);
      double along = until_next;
      for (; along <= length && length > 0 && has_room(bodies); along += spacing) {
        Vec3<double> const place = from + chord * (along / length);
        SceneBody body = make_body({place.x, place.y + size.y * 0.5, place.z}, shape);
        body.def.rotation = facing(chord.x / length, chord.z / length);
        bodies.push_back(std::move(body));
      }
      until_next = along - length;
      from = to;
    }
  }
}

void run_pit(const schema::Pit& table, const FieldPath& at, SceneFields& fields,
             std::vector<SceneBody>& bodies) {
  Vec3<double> const origin = read_origin(at, table.origin(), fields);
  Vec3<double> const inner = fields.vector(at, "inner", table.inner(), {10, 5, 10}, 0.1, kMaxExtentM);
  double const thick = fields.number(at, "thickness", table.thickness(), 2 * kMinExtentM, 1000);
  Material const material = read_material(table, at, fields, 1000);
  if (!fields.ok()) return;
  SceneBody body;
  body.name = "pit";
  body.def.type = BodyType::kStatic;
  body.def.position = Position::from_metres(origin.x, origin.y, origin.z);
  auto const add = [&](Vec3<double> center, Vec3<double> size) {
    ShapeDef shape = make_box(size, material);
    shape.local_position_m = center;
    body.shapes.push_back(shape);
  };
  double const width = inner.x + 2 * thick;
  add({-0.5 * (inner.x + thick), 0.5 * inner.y, 0}, {thick, inner.y, inner.z});
  add({0.5 * (inner.x + thick), 0.5 * inner.y, 0}, {thick, inner.y, inner.z});
  add({0, 0.5 * inner.y, -0.5 * (inner.z + thick)}, {width, inner.y, thick});
  add({0, 0.5 * inner.y, 0.5 * (inner.z + thick)}, {width, inner.y, thick});
  if (table.floor()) add({0, -0.5 * thick, 0}, {width, thick, inner.z + 2 * thick});
  bodies.push_back(std::move(body));
}

}  // namespace

void run_generator(const schema::Generator& g, const FieldPath& at, SceneFields& fields, Scene& scene) {
  int const kinds = (g.pyramid() != nullptr) + (g.stack() != nullptr) + (g.grid() != nullptr) +
                    (g.pile() != nullptr) + (g.dominoes() != nullptr) + (g.pit() != nullptr) +
                    (g.chain() != nullptr) + (g.net() != nullptr) + (g.ragdolls() != nullptr) +
                    (g.vehicle() != nullptr);
  if (kinds != 1) {
    fields.fail(at, {},
                "a generator is exactly one of pyramid, stack, grid, pile, dominoes, pit, chain, net, "
                "ragdolls, vehicle, not " +
                    std::to_string(kinds));
    return;
  }
  if (g.pyramid() != nullptr) run_pyramid(*g.pyramid(), {&at, "pyramid"}, fields, scene.bodies);
  if (g.stack() != nullptr) run_stack(*g.stack(), {&at, "stack"}, fields, scene.bodies);
  if (g.grid() != nullptr) run_grid(*g.grid(), {&at, "grid"}, fields, scene.bodies);
  if (g.pile() != nullptr) run_pile(*g.pile(), {&at, "pile"}, fields, scene.bodies);
  if (g.dominoes() != nullptr) run_dominoes(*g.dominoes(), {&at, "dominoes"}, fields, scene.bodies);
  if (g.pit() != nullptr) run_pit(*g.pit(), {&at, "pit"}, fields, scene.bodies);
  if (g.chain() != nullptr) run_chain(*g.chain(), {&at, "chain"}, fields, scene);
  if (g.net() != nullptr) run_net(*g.net(), {&at, "net"}, fields, scene);
  if (g.ragdolls() != nullptr) run_ragdolls(*g.ragdolls(), {&at, "ragdolls"}, fields, scene);
  if (g.vehicle() != nullptr) run_vehicle(*g.vehicle(), {&at, "vehicle"}, fields, scene);
}

}  // namespace takt::sim
