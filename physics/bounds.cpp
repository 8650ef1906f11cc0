#include "physics/bounds.h"

#include "physics/tuning.h"

namespace takt {
namespace {

// The half extents of a shape's box along the world axes.
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
    case ShapeKind::kHalfSpace: break;
  }
  return {};
}

struct AxisFloats {
  float lower;
  float upper;
};

AxisFloats widened(std::int64_t lower, std::int64_t upper, std::int64_t origin, float margin_m) noexcept {
  auto const about = [origin](std::int64_t raw) {
    std::int64_t difference = 0;
    // Across the whole world a difference takes 65 bits: held at the edge it is less than the slack away from the truth.
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
  AxisFloats const x = widened(exact.lower.x, exact.upper.x, origin.x, margin_m);
  AxisFloats const y = widened(exact.lower.y, exact.upper.y, origin.y, margin_m);
  AxisFloats const z = widened(exact.lower.z, exact.upper.z, origin.z, margin_m);
  return {{x.lower, y.lower, z.lower}, {x.upper, y.upper, z.upper}};
}

template <class Real>
ShapePose<Real> shape_pose(const BodyRecord<Real>& body, const ShapeRecord<Real>& shape) noexcept {
  return {rotate(body.motion.rotation, shape.local_position - body.local_center), body.motion.rotation * shape.local_rotation};
}

template <class Real>
Bounds shape_bounds(const BodyRecord<Real>& body, const ShapeRecord<Real>& shape) noexcept {
  ShapePose<Real> const pose = shape_pose(body, shape);
  Real const margin = to_real<Real>(0.5 * kSpeculativeDistanceM);
  Vec3<Real> const half = half_extents_world(shape, pose.rotation) + Vec3<Real>{margin, margin, margin};
  return {moved(body.motion.center, pose.offset - half), moved(body.motion.center, pose.offset + half)};
}

template ShapePose<float> shape_pose(const BodyRecord<float>&, const ShapeRecord<float>&) noexcept;
template ShapePose<Fixed> shape_pose(const BodyRecord<Fixed>&, const ShapeRecord<Fixed>&) noexcept;
template Bounds shape_bounds(const BodyRecord<float>&, const ShapeRecord<float>&) noexcept;
template Bounds shape_bounds(const BodyRecord<Fixed>&, const ShapeRecord<Fixed>&) noexcept;

}  // namespace takt
