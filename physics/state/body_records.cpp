#include "physics/state/body_records.h"

#include "physics/state/mass_properties.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

/// Centre of a shape in its body's frame. A hull's geometry is stored about the centre of its bounding box.
Vec3<double> hull_position(const ShapeDef& def, const PlacedHull& hull) noexcept {
  if (def.kind != ShapeKind::kHull) return def.local_position_m;
  return def.local_position_m + rotate(unit(def.local_rotation), hull.middle_m);
}

}  // namespace

template <class Real>
ShapeRecord<Real> to_record(const ShapeDef& def, const PlacedHull& hull, const SurfaceGeometry* surface,
                            std::uint32_t body) noexcept {
  TAKT_ASSERT(body != kNoIndex);
  ShapeRecord<Real> record;
  record.body = body;
  record.kind = def.kind;
  switch (def.kind) {
    case ShapeKind::kSphere: record.extents.x = to_real<Real>(def.radius_m); break;
    case ShapeKind::kCapsule:
    case ShapeKind::kCylinder:
    case ShapeKind::kCone:
      record.extents.x = to_real<Real>(def.radius_m);
      record.extents.y = to_real<Real>(def.half_length_m);
      break;
    case ShapeKind::kBox: record.extents = to_real<Real>(def.half_extents_m); break;
    case ShapeKind::kHalfSpace: break;
    case ShapeKind::kHull:
      record.extents.x = canonical(to_real<Real>(def.rounding_m));
      TAKT_ASSERT(hull.geometry != nullptr);
      record.geometry = hull.geometry->digest;
      break;
    case ShapeKind::kMesh:
    case ShapeKind::kHeightField:
      TAKT_ASSERT(surface != nullptr);
      record.geometry = surface->digest;
      break;
  }
  record.local_position = canonical(to_real<Real>(hull_position(def, hull)));
  record.local_rotation = to_real<Real>(def.local_rotation);
  record.density = canonical(to_real<Real>(def.density_kg_m3));
  record.friction = canonical(to_real<Real>(def.friction));
  record.restitution = canonical(to_real<Real>(def.restitution));
  record.rolling_resistance = canonical(to_real<Real>(def.rolling_resistance));
  record.contact_softness = def.contact_softness;
  record.surface_velocity = canonical(to_real<Real>(def.surface_velocity_m_s));
  record.friction_rule = def.friction_rule;
  record.restitution_rule = def.restitution_rule;
  record.is_sensor = def.is_sensor;
  record.filter = def.filter;
  return record;
}

Result<BodyMass, PhysicsError> body_mass(const BodyDef& def, std::span<const PlacedHull> hulls) {
  BodyMass mass;
  std::array<double, 6> inertia{};
  if (def.mass.has_value()) {
    const MassOverride& given = *def.mass;
    mass.mass_kg = given.mass_kg;
    mass.center_m = given.center_m;
    inertia = {given.inertia_kg_m2.x, given.inertia_kg_m2.y, given.inertia_kg_m2.z, 0.0, 0.0, 0.0};
  } else {
    MassProperties const properties = mass_properties(def.shapes, hulls);
    if (!(properties.mass_kg > 0.0)) return PhysicsError::kNoMass;
    if (properties.mass_kg < kMinMassKg || properties.mass_kg > kMaxMassKg)
      return PhysicsError::kMassOutOfRange;
    mass.mass_kg = properties.mass_kg;
    mass.center_m = properties.center_m;
    inertia = properties.inertia;
  }
  auto inverse = inverted(inertia);
  if (!inverse.ok()) return inverse.error();
  mass.inverse_inertia = inverse.value();
  TAKT_ASSERT(mass.mass_kg > 0.0 && mass.inverse_inertia[0] > 0.0);
  return mass;
}

Result<std::vector<PlacedHull>, PhysicsError> make_hulls(const BodyDef& def,
                                                         const GeometryPool<HullGeometry>& pool) {
  std::vector<PlacedHull> hulls(def.shapes.size());
  for (std::size_t i = 0; i < hulls.size(); ++i) {
    if (def.shapes[i].kind != ShapeKind::kHull) continue;
    auto built = make_hull(def.shapes[i].hull_points_m);
    if (!built.ok()) return built.error();
    if (!pool.accepts(*built->geometry)) return PhysicsError::kHullDigestTaken;
    hulls[i] = *std::move(built);
  }
  return hulls;
}

Result<std::vector<std::shared_ptr<const SurfaceGeometry>>, PhysicsError> make_surfaces(
    const BodyDef& def, const GeometryPool<SurfaceGeometry>& pool) {
  std::vector<std::shared_ptr<const SurfaceGeometry>> surfaces(def.shapes.size());
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    const ShapeDef& shape = def.shapes[i];
    if (!is_surface(shape.kind)) continue;
    TAKT_ASSERT(shape.kind == ShapeKind::kMesh ? shape.mesh != nullptr : shape.height_field != nullptr);
    auto built =
        shape.kind == ShapeKind::kMesh ? make_surface(*shape.mesh) : make_surface(*shape.height_field);
    if (!built.ok()) return built.error();
    if (!pool.accepts(**built)) return PhysicsError::kHullDigestTaken;
    surfaces[i] = *std::move(built);
  }
  return surfaces;
}

template ShapeRecord<float> to_record(const ShapeDef&, const PlacedHull&, const SurfaceGeometry*,
                                      std::uint32_t) noexcept;
template ShapeRecord<Fixed> to_record(const ShapeDef&, const PlacedHull&, const SurfaceGeometry*,
                                      std::uint32_t) noexcept;

}  // namespace takt
