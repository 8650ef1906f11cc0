#include "physics/state/definition_check.h"

#include "physics/math/is_finite.h"
#include "takt/physics/bounds.h"

namespace takt {
namespace {

std::optional<PhysicsError> check_range(double v, double low, double high) noexcept {
  if (!is_finite(v)) return PhysicsError::kNotFinite;
  if (!is_between(v, low, high)) return PhysicsError::kOutOfRange;
  return std::nullopt;
}

std::optional<PhysicsError> check_extent(double v) noexcept {
  if (!is_finite(v)) return PhysicsError::kNotFinite;
  if (!is_at_least(v, kMinExtentM)) return PhysicsError::kShapeTooSmall;
  if (!is_at_most(v, kMaxExtentM)) return PhysicsError::kShapeTooLarge;
  return std::nullopt;
}

/// The first error of several checks.
template <class... Errors>
std::optional<PhysicsError> first(Errors... errors) noexcept {
  std::optional<PhysicsError> found;
  ((found.has_value() ? void(0) : void(found = errors)), ...);
  return found;
}

std::optional<PhysicsError> check_rule(MixRule rule, MixRule first) noexcept {
  if (rule < first || rule > MixRule::kMaximum) return PhysicsError::kOutOfRange;
  return std::nullopt;
}

/// Checks of a hull that do not require building it.
std::optional<PhysicsError> check_hull(const ShapeDef& def) noexcept {
  if (def.hull_points_m.size() < 4) return PhysicsError::kHullTooFewPoints;
  if (def.hull_points_m.size() > kMaxHullPoints) return PhysicsError::kHullTooManyPoints;
  for (const Vec3<double>& p : def.hull_points_m) {
    auto const error = check_vector(p, kMaxExtentM);
    if (error.has_value()) return error == PhysicsError::kOutOfRange ? PhysicsError::kShapeTooLarge : error;
  }
  if (def.rounding_m == 0.0) return std::nullopt;
  if (!is_finite(def.rounding_m)) return PhysicsError::kNotFinite;
  if (!is_at_least(def.rounding_m, kMinRoundingM)) return PhysicsError::kShapeTooSmall;
  if (!is_at_most(def.rounding_m, kMaxExtentM)) return PhysicsError::kShapeTooLarge;
  return std::nullopt;
}

std::optional<PhysicsError> check(const MassOverride& mass) noexcept {
  if (auto const error =
          first(check_vector(mass.center_m, kMaxExtentM), check_vector(mass.inertia_kg_m2, 1e300)))
    return error;
  if (!is_finite(mass.mass_kg)) return PhysicsError::kNotFinite;
  Vec3<double> const i = mass.inertia_kg_m2;
  bool const mass_ok = is_between(mass.mass_kg, kMinMassKg, kMaxMassKg);
  // The triangle inequality of moments, with tolerance for the caller's rounding.
  double const slack = 1.0 + 1e-6;
  bool const inertia_ok = i.x > 0.0 && i.y > 0.0 && i.z > 0.0 && i.x <= (i.y + i.z) * slack &&
                          i.y <= (i.x + i.z) * slack && i.z <= (i.x + i.y) * slack;
  // A radius of gyration between 0.1 mm and the largest extent keeps inverse inertias within the range of
  // both number modes.
  double const min = mass.mass_kg * 1e-8;
  double const max = mass.mass_kg * kMaxExtentM * kMaxExtentM;
  bool const gyration_ok = i.x >= min && i.y >= min && i.z >= min && i.x <= max && i.y <= max && i.z <= max;
  if (!mass_ok || !inertia_ok || !gyration_ok) return PhysicsError::kMassOutOfRange;
  return std::nullopt;
}

}  // namespace

std::optional<PhysicsError> check_vector(Vec3<double> v, double max) noexcept {
  return first(check_range(v.x, -max, max), check_range(v.y, -max, max), check_range(v.z, -max, max));
}

std::optional<PhysicsError> check_speed(Vec3<double> v, double max) noexcept {
  if (auto const error = check_vector(v, max)) return error;
  // Tolerance for callers that scaled to the limit; the world clamps to the limit itself.
  if (dot(v, v) > max * max * (1.0 + 1e-6)) return PhysicsError::kOutOfRange;
  return std::nullopt;
}

std::optional<PhysicsError> check_rotation(Quat<double> q) noexcept {
  if (!is_finite(q.x) || !is_finite(q.y) || !is_finite(q.z) || !is_finite(q.w))
    return PhysicsError::kNotFinite;
  double const square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  // The tolerance of check_speed(), for the rounding of a quaternion to binary32.
  if (!(square >= 0.99 * 0.99 * (1.0 - 1e-6) && square <= 1.01 * 1.01 * (1.0 + 1e-6)))
    return PhysicsError::kBadRotation;
  return std::nullopt;
}

std::optional<PhysicsError> check_position(const Position& p) noexcept {
  auto const within = [](std::int64_t raw) { return raw >= -kWorldLimitRaw && raw <= kWorldLimitRaw; };
  if (!within(p.x_raw) || !within(p.y_raw) || !within(p.z_raw)) return PhysicsError::kOutOfRange;
  return std::nullopt;
}

std::optional<PhysicsError> check(const WorldDef& def) noexcept {
  if (auto const error = first(check_vector(def.gravity_m_s2, 1000.0),
                               check_range(def.restitution_threshold_m_s, 0.0, 1000.0),
                               check_range(def.contact_push_max_m_s, 0.0, 1000.0),
                               check_rule(def.friction_rule, MixRule::kAverage),
                               check_rule(def.restitution_rule, MixRule::kAverage),
                               check_range(def.hit_threshold_m_s, 0.0, kMaxLinearSpeedMS))) {
    return error;
  }
  bool const counts_ok = def.tick_rate_hz >= 1 && def.tick_rate_hz <= 1000 && def.substeps >= 1 &&
                         def.substeps <= 64 && def.max_bodies >= 1 && def.max_bodies <= (1u << 24) &&
                         def.max_contacts <= (1u << 24);
  if (!counts_ok) return PhysicsError::kOutOfRange;
  return std::nullopt;
}

std::optional<PhysicsError> check(const ShapeDef& def) noexcept {
  std::optional<PhysicsError> size;
  switch (def.kind) {
    case ShapeKind::kSphere: size = check_extent(def.radius_m); break;
    case ShapeKind::kCapsule:
      size = first(check_extent(def.radius_m), check_extent(def.half_length_m));
      break;
    case ShapeKind::kBox:
      size = first(check_extent(def.half_extents_m.x), check_extent(def.half_extents_m.y),
                   check_extent(def.half_extents_m.z));
      break;
    case ShapeKind::kHalfSpace: break;
    case ShapeKind::kCylinder:
    case ShapeKind::kCone: size = first(check_extent(def.radius_m), check_extent(def.half_length_m)); break;
    case ShapeKind::kHull: size = check_hull(def); break;
    case ShapeKind::kMesh:  // building them checks their contents
      if (def.mesh == nullptr) size = PhysicsError::kMeshEmpty;
      break;
    case ShapeKind::kHeightField:
      if (def.height_field == nullptr) size = PhysicsError::kHeightFieldBadSize;
      break;
    default: return PhysicsError::kBadShapeKind;
  }
  return first(size, check_vector(def.local_position_m, kMaxExtentM), check_rotation(def.local_rotation),
               check_range(def.density_kg_m3, 0.0, 1e6), check_material(def.friction, def.restitution),
               check_range(def.rolling_resistance, 0.0, 100.0),
               def.contact_softness.is_valid() && !def.contact_softness.is_idle()
                   ? std::nullopt
                   : std::optional(PhysicsError::kOutOfRange),
               check_vector(def.surface_velocity_m_s, kMaxSurfaceSpeedMS),
               check_rule(def.friction_rule, MixRule::kWorld),
               check_rule(def.restitution_rule, MixRule::kWorld));
}

std::optional<PhysicsError> check_material(double friction, double restitution) noexcept {
  return first(check_range(friction, 0.0, 100.0), check_range(restitution, 0.0, 1.0));
}

std::optional<PhysicsError> check(const BodyDef& def) noexcept {
  if (def.type > BodyType::kDynamic) return PhysicsError::kOutOfRange;
  if (def.shapes.size() > kMaxShapesPerBody) return PhysicsError::kTooManyShapes;
  if (def.locked_axes > kAllLocks) return PhysicsError::kOutOfRange;
  if (auto const error = first(check_position(def.position), check_rotation(def.rotation),
                               check_speed(def.linear_velocity_m_s, kMaxLinearSpeedMS),
                               check_speed(def.angular_velocity_rad_s, kMaxAngularSpeedRadS),
                               check_range(def.linear_damping_1_s, 0.0, 1000.0),
                               check_range(def.angular_damping_1_s, 0.0, 1000.0),
                               check_range(def.gravity_scale, -1000.0, 1000.0))) {
    return error;
  }
  for (const ShapeDef& shape : def.shapes) {
    if (auto const error = check(shape)) return error;
    if (shape.kind == ShapeKind::kHalfSpace && def.type != BodyType::kStatic)
      return PhysicsError::kHalfSpaceNotStatic;
    if (shape.kind == ShapeKind::kMesh && def.type == BodyType::kDynamic) return PhysicsError::kMeshOnDynamic;
    if (shape.kind == ShapeKind::kHeightField && def.type != BodyType::kStatic)
      return PhysicsError::kHeightFieldNotStatic;
  }
  if (def.mass.has_value()) return check(*def.mass);
  return std::nullopt;
}

std::optional<PhysicsError> check(const MoverTuning& t) noexcept {
  return first(check_range(t.max_slope_rad, 0.0, 1.4), check_range(t.step_height_m, 0.0, 10.0),
               check_range(t.stick_distance_m, 0.0, 10.0), check_range(t.skin_m, 0.006, 0.018),
               check_range(t.max_speed_m_s, 0.0, 100.0), check_range(t.acceleration_m_s2, 0.0, 1e4),
               check_range(t.air_acceleration_m_s2, 0.0, 1e4), check_range(t.jump_speed_m_s, 0.0, 100.0),
               check_range(t.max_fall_speed_m_s, 0.0, 1000.0), check_range(t.gravity_scale, 0.0, 100.0),
               check_range(t.push_force_n, 0.0, 1e6), check_range(t.mass_kg, 0.0, 1e5),
               check_range(t.recovery_speed_m_s, 0.0, 100.0));
}

std::optional<PhysicsError> check(const MoverDef& def) noexcept {
  auto const size = [](double v) noexcept {
    auto const error = check_extent(v);
    return error.has_value() || v <= 100.0 ? error : PhysicsError::kShapeTooLarge;
  };
  return first(check_position(def.position), check_range(def.heading_rad, -1000.0, 1000.0),
               size(def.radius_m), size(def.half_length_m), check_material(def.friction, def.restitution),
               check(def.tuning));
}

std::optional<PhysicsError> check(const MoverInput& input) noexcept {
  return first(check_vector(input.velocity_m_s, 1000.0), check_range(input.turn_rad_s, -100.0, 100.0));
}

}  // namespace takt
