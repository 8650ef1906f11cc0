#include "physics/state/shape_bounds.h"

#include "physics/base/solver_constants.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

// Half extents of a shape's box along the world axes.
template <class Real>
Vec3<Real> half_extents_world(const ShapeRecord<Real>& shape, Quat<Real> rotation) noexcept {
  switch (shape.kind) {
    case ShapeKind::kSphere: return {shape.extents.x, shape.extents.x, shape.extents.x};
    case ShapeKind::kCapsule: {
      Vec3<Real> const axis = absolute(rotate(rotation, Vec3<Real>{Real(0), shape.extents.y, Real(0)}));
      return axis + Vec3<Real>{shape.extents.x, shape.extents.x, shape.extents.x};
    }
    case ShapeKind::kBox: {
      Mat3<Real> const m = to_matrix(rotation);
      return Mat3<Real>{absolute(m.x), absolute(m.y), absolute(m.z)} * shape.extents;
    }
    case ShapeKind::kCylinder:
    case ShapeKind::kCone: {
      // A disc of radius r extends r sqrt(1 - a^2) along an axis for which its normal has component a. A cone
      // lies within its cylinder.
      Vec3<Real> const axis = rotate(rotation, Vec3<Real>{Real(0), Real(1), Real(0)});
      auto const reach = [&shape](Real a) {
        return absolute(a) * shape.extents.y + shape.extents.x * sqrt(maximum(Real(1) - a * a, Real(0)));
      };
      return {reach(axis.x), reach(axis.y), reach(axis.z)};
    }
    case ShapeKind::kHull:
    case ShapeKind::kMesh:
    case ShapeKind::kHeightField:
    case ShapeKind::kHalfSpace: break;
  }
  TAKT_ASSERT(false);
  return {};
}

/// From a shape's centre to the lower and upper corner of its box along the world axes.
template <class Real>
struct Reach {
  Vec3<Real> lower;
  Vec3<Real> upper;
};

template <class Real>
Reach<Real> reach_of_hull(const HullGeometry& hull, Real rounding, Quat<Real> rotation) noexcept {
  Mat3<Real> const m = to_matrix(rotation);
  auto const along = [&hull](Real x, Real y, Real z) {
    Vec3<double> const row{to_double(x), to_double(y), to_double(z)};
    double low = dot(row, hull.vertices[0]);
    double high = low;
    for (const Vec3<double>& v : hull.vertices) {
      double const at = dot(row, v);
      low = minimum(low, at);
      high = maximum(high, at);
    }
    struct Ends {
      Real low;
      Real high;
    };
    return Ends{to_real<Real>(low), to_real<Real>(high)};
  };
  auto const x = along(m.x.x, m.y.x, m.z.x);
  auto const y = along(m.x.y, m.y.y, m.z.y);
  auto const z = along(m.x.z, m.y.z, m.z.z);
  Vec3<Real> const all{rounding, rounding, rounding};
  return {Vec3<Real>{x.low, y.low, z.low} - all, Vec3<Real>{x.high, y.high, z.high} + all};
}

/// Bounds of a rotated box, in binary64: a surface may be kilometres long.
template <class Real>
Reach<Real> reach_of_box(const SurfaceBox& box, Quat<Real> rotation) noexcept {
  Mat3<Real> const rotated = to_matrix(rotation);
  Mat3<double> const m{to_double(rotated.x), to_double(rotated.y), to_double(rotated.z)};
  Vec3<double> const middle = m * ((box.lower + box.upper) * 0.5);
  Vec3<double> const half =
      Mat3<double>{absolute(m.x), absolute(m.y), absolute(m.z)} * ((box.upper - box.lower) * 0.5);
  auto const rounded = [](Vec3<double> v) {
    return Vec3<Real>{to_real<Real>(v.x), to_real<Real>(v.y), to_real<Real>(v.z)};
  };
  return {rounded(middle - half), rounded(middle + half)};
}

struct AxisFloats {
  float lower;
  float upper;
};

AxisFloats widened(std::int64_t lower, std::int64_t upper, std::int64_t origin, float margin_m) noexcept {
  auto const about = [origin](std::int64_t raw) {
    std::int64_t difference = 0;
    // Across the whole world a difference takes 65 bits. Clamped, it is off by less than the slack.
    if (__builtin_sub_overflow(raw, origin, &difference)) difference = raw < 0 ? INT64_MIN : INT64_MAX;
    return static_cast<float>(difference) * 0x1p-32f;
  };
  float const low = about(lower);
  float const high = about(upper);
  // Two units in the last place cover the conversion and the subtraction.
  float const low_slack = (low < 0.0f ? -low : low) * 0x1p-22f;
  float const high_slack = (high < 0.0f ? -high : high) * 0x1p-22f;
  return {low - (margin_m + low_slack), high + (margin_m + high_slack)};
}

}  // namespace

FatBounds fattened(const Bounds& exact, const Position& origin, float margin_m) noexcept {
  TAKT_VALIDATE(exact.lower.x_raw <= exact.upper.x_raw && exact.lower.y_raw <= exact.upper.y_raw &&
                exact.lower.z_raw <= exact.upper.z_raw);
  TAKT_VALIDATE(margin_m >= 0.0f);
  AxisFloats const x = widened(exact.lower.x_raw, exact.upper.x_raw, origin.x_raw, margin_m);
  AxisFloats const y = widened(exact.lower.y_raw, exact.upper.y_raw, origin.y_raw, margin_m);
  AxisFloats const z = widened(exact.lower.z_raw, exact.upper.z_raw, origin.z_raw, margin_m);
  return {{x.lower, y.lower, z.lower}, {x.upper, y.upper, z.upper}};
}

template <class Real>
ShapePose<Real> shape_pose(const BodyRecord<Real>& body, const ShapeRecord<Real>& shape) noexcept {
  return {rotate(body.motion.rotation, shape.local_position - body.local_center),
          body.motion.rotation * shape.local_rotation};
}

template <class Real>
Bounds shape_bounds(const BodyRecord<Real>& body, const ShapeRecord<Real>& shape, const HullGeometry* hull,
                    const SurfaceGeometry* surface) noexcept {
  TAKT_ASSERT(shape.kind != ShapeKind::kHalfSpace);
  TAKT_ASSERT(shape.kind == ShapeKind::kHull ? hull != nullptr
                                             : !is_surface(shape.kind) || surface != nullptr);
  ShapePose<Real> const pose = shape_pose(body, shape);
  Real const margin = to_real<Real>(0.5 * kSpeculativeDistanceM);
  if (shape.kind == ShapeKind::kHull) {
    Reach<Real> const reach = reach_of_hull(*hull, shape.extents.x, pose.rotation);
    Vec3<Real> const all{margin, margin, margin};
    return {moved(body.motion.center, pose.offset + (reach.lower - all)),
            moved(body.motion.center, pose.offset + (reach.upper + all))};
  }
  if (surface != nullptr) {
    Reach<Real> const reach = reach_of_box(surface->surface.box(), pose.rotation);
    Vec3<Real> const all{margin, margin, margin};
    return {moved(body.motion.center, pose.offset + (reach.lower - all)),
            moved(body.motion.center, pose.offset + (reach.upper + all))};
  }
  Vec3<Real> const half = half_extents_world(shape, pose.rotation) + Vec3<Real>{margin, margin, margin};
  return {moved(body.motion.center, pose.offset - half), moved(body.motion.center, pose.offset + half)};
}

template ShapePose<float> shape_pose(const BodyRecord<float>&, const ShapeRecord<float>&) noexcept;
template ShapePose<Fixed> shape_pose(const BodyRecord<Fixed>&, const ShapeRecord<Fixed>&) noexcept;
template Bounds shape_bounds(const BodyRecord<float>&, const ShapeRecord<float>&, const HullGeometry*,
                             const SurfaceGeometry*) noexcept;
template Bounds shape_bounds(const BodyRecord<Fixed>&, const ShapeRecord<Fixed>&, const HullGeometry*,
                             const SurfaceGeometry*) noexcept;

}  // namespace takt
