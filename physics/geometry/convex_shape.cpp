#include "physics/geometry/convex_shape.h"

#include "takt/core/assert.h"

namespace takt {
namespace {

// Patch ids of the faces of round shapes.
constexpr std::uint32_t kUpperDisc = 0;
constexpr std::uint32_t kLowerDisc = 1;
constexpr std::uint32_t kSide = 2;

Vec3<double> axis_of(const Mat3<double>& m, std::size_t axis) noexcept {
  return axis == 0 ? m.x : (axis == 1 ? m.y : m.z);
}
double component(Vec3<double> v, std::size_t axis) noexcept {
  return axis == 0 ? v.x : (axis == 1 ? v.y : v.z);
}

// Re-orthonormalises the axes. A binary32 rotation is off by some 1e-7, and a cylinder with it would not be
// convex.
Mat3<double> square(const Mat3<double>& m) noexcept {
  Vec3<double> const y = m.y * (1.0 / length(m.y));
  Vec3<double> const x = m.x - y * dot(m.x, y);
  Vec3<double> const x_unit = x * (1.0 / length(x));
  return {x_unit, y, cross(x_unit, y)};
}

std::uint32_t box_face_towards(Vec3<double> local) noexcept {
  Vec3<double> const size = absolute(local);
  std::uint32_t const w = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
  return w * 2 + (component(local, w) < 0.0 ? 1 : 0);
}

std::uint32_t farthest(const std::array<Vec3<double>, 3>& points, Vec3<double> d) noexcept {
  std::uint32_t best = 0;
  double max = dot(points[0], d);
  for (std::uint32_t i = 1; i < points.size(); ++i) {
    double const at = dot(points[i], d);
    if (at > max) {
      max = at;
      best = i;
    }
  }
  return best;
}

}  // namespace

template <class Real>
ConvexShape::ConvexShape(const ShapeGeometry<Real>& shape, Vec3<double> center)
    : kind_(shape.kind),
      extents_(to_double(shape.extents)),
      rotation_(
          square({to_double(shape.rotation.x), to_double(shape.rotation.y), to_double(shape.rotation.z)})),
      center_(center),
      hull_(shape.hull) {
  switch (kind_) {
    case ShapeKind::kSphere: radius_ = extents_.x; break;
    case ShapeKind::kCapsule:
      radius_ = extents_.x;
      reach_ = extents_.y;
      break;
    case ShapeKind::kBox:
      reach_ = length(extents_);
      flat_face_count_ = 6;
      break;
    case ShapeKind::kCylinder:
      reach_ = extents_.x + extents_.y;
      flat_face_count_ = 2;
      break;
    case ShapeKind::kCone:
      reach_ = extents_.x + extents_.y;
      flat_face_count_ = 1;
      break;
    case ShapeKind::kHull:
      TAKT_ASSERT(hull_ != nullptr);
      radius_ = extents_.x;
      reach_ = length(hull_->half_size_m);
      flat_face_count_ = static_cast<std::uint32_t>(hull_->faces.size());
      break;
    case ShapeKind::kHalfSpace:
    case ShapeKind::kMesh:
    case ShapeKind::kHeightField: TAKT_ASSERT(false); break;
  }
}
template ConvexShape::ConvexShape(const ShapeGeometry<float>&, Vec3<double>);
template ConvexShape::ConvexShape(const ShapeGeometry<Fixed>&, Vec3<double>);
template ConvexShape::ConvexShape(const ShapeGeometry<double>&, Vec3<double>);

ConvexShape ConvexShape::triangle(const std::array<Vec3<double>, 3>& corners) noexcept {
  ConvexShape shape;
  shape.center_ = (corners[0] + corners[1] + corners[2]) * (1.0 / 3.0);
  for (std::size_t i = 0; i < 3; ++i) {
    shape.corners_[i] = corners[i] - shape.center_;
    shape.reach_ = maximum(shape.reach_, length(shape.corners_[i]));
  }
  return shape;
}

Vec3<double> ConvexShape::support(Vec3<double> direction) const noexcept {
  Vec3<double> const axis = rotation_.y;
  switch (kind_) {
    case ShapeKind::kCapsule: return center_ + axis * (dot(axis, direction) < 0.0 ? -extents_.y : extents_.y);
    case ShapeKind::kBox: {
      auto const side = [direction](Vec3<double> along, double half) {
        return along * (dot(along, direction) < 0.0 ? -half : half);
      };
      return center_ + side(rotation_.x, extents_.x) + side(axis, extents_.y) + side(rotation_.z, extents_.z);
    }
    case ShapeKind::kCylinder:
    case ShapeKind::kCone: {
      double const rise = dot(axis, direction);
      Vec3<double> const radial = direction - axis * rise;
      double const size = length(radial);
      Vec3<double> const rim = size > 1e-9 * absolute(rise) && size > 0.0 ? radial * (extents_.x / size)
                                                                          : rotation_.x * extents_.x;
      if (kind_ == ShapeKind::kCylinder)
        return center_ + axis * (rise < 0.0 ? -extents_.y : extents_.y) + rim;
      bool const tip = rise * extents_.y > extents_.x * size - rise * extents_.y;
      return tip ? center_ + axis * extents_.y : center_ - axis * extents_.y + rim;
    }
    case ShapeKind::kHull:
      return to_frame(
          hull_->corners.point(hull_->corners.farthest(transpose_multiply(rotation_, direction))));
    case ShapeKind::kMesh: return center_ + corners_[farthest(corners_, direction)];
    default: return center_;
  }
}

FlatFace ConvexShape::flat_face(std::uint32_t index) const noexcept {
  TAKT_VALIDATE(index < flat_face_count_);
  if (kind_ == ShapeKind::kHull) {
    const HullFace& face = hull_->faces[index];
    Vec3<double> const normal = rotation_ * face.normal;
    return {normal, dot(normal, center_) + face.offset};
  }
  if (kind_ == ShapeKind::kBox) {
    std::size_t const axis = index / 2;
    Vec3<double> const along = axis_of(rotation_, axis);
    Vec3<double> const normal = index % 2 == 0 ? along : -along;
    return {normal, dot(normal, center_) + component(extents_, axis)};
  }
  bool const upper = kind_ == ShapeKind::kCylinder && index == 0;
  Vec3<double> const normal = upper ? rotation_.y : -rotation_.y;
  return {normal, dot(normal, center_) + extents_.y};
}

std::uint32_t ConvexShape::flat_face_towards(Vec3<double> direction) const noexcept {
  TAKT_VALIDATE(flat_face_count_ > 0);
  Vec3<double> const local = transpose_multiply(rotation_, direction);
  if (kind_ == ShapeKind::kBox) return box_face_towards(local);
  if (kind_ != ShapeKind::kHull) return kind_ == ShapeKind::kCylinder && local.y < 0.0 ? 1 : 0;
  return hull_->normals.farthest(local);
}

std::uint32_t ConvexShape::corner_count() const noexcept {
  if (kind_ == ShapeKind::kMesh) return 3;
  return kind_ == ShapeKind::kHull ? static_cast<std::uint32_t>(hull_->vertices.size()) : 4;
}

void ConvexShape::flat_patch(std::uint32_t index, SurfacePatch& out) const noexcept {
  TAKT_ASSERT(index < flat_face_count_);
  if (kind_ == ShapeKind::kHull) return hull_patch(index, out);
  if (kind_ == ShapeKind::kBox) return box_patch(index, out);
  bool const upper = kind_ == ShapeKind::kCylinder && index == 0;
  disc_patch(upper, rotation_.y, out);
}

void ConvexShape::box_patch(std::uint32_t face, SurfacePatch& out) const noexcept {
  std::size_t const w = face / 2;
  double const sign = face % 2 == 0 ? 1.0 : -1.0;
  std::size_t const u = (w + 1) % 3;
  std::size_t const v = (w + 2) % 3;
  out.normal = axis_of(rotation_, w) * sign;
  Vec3<double> const middle = center_ + out.normal * component(extents_, w);
  Vec3<double> const along_u = axis_of(rotation_, u) * component(extents_, u);
  Vec3<double> const along_v =
      axis_of(rotation_, v) * (component(extents_, v) * sign);  // the winding follows the sign of the side
  out.points[0] = middle - along_u - along_v;
  out.points[1] = middle + along_u - along_v;
  out.points[2] = middle + along_u + along_v;
  out.points[3] = middle - along_u + along_v;
  out.count = 4;
  out.id = face;
  out.is_disc = false;
}

void ConvexShape::hull_patch(std::uint32_t face, SurfacePatch& out) const noexcept {
  const HullFace& from = hull_->faces[face];
  out.normal = rotation_ * from.normal;
  out.count = from.loop.count;
  TAKT_VALIDATE(out.count >= 3 && out.count <= out.points.size());
  for (std::uint32_t i = 0; i < out.count; ++i)
    out.points[i] = to_frame(hull_->corners.point(hull_->loops[from.loop.first + i]));
  out.id = face;
  out.is_disc = false;
}

void ConvexShape::disc_patch(bool upper, Vec3<double> direction, SurfacePatch& out) const noexcept {
  Vec3<double> const axis = rotation_.y;
  out.normal = upper ? axis : -axis;
  Vec3<double> const middle = center_ + out.normal * extents_.y;
  Vec3<double> const radial = direction - axis * dot(axis, direction);
  double const size = length(radial);
  Vec3<double> const u = (size > kDiscTiltSine ? radial * (1.0 / size) : rotation_.x) * extents_.x;
  Vec3<double> const v = cross(out.normal, u);
  constexpr double kHalfRoot = 0.70710678118654752440;
  Vec3<double> const sum = (u + v) * kHalfRoot;
  Vec3<double> const difference = (v - u) * kHalfRoot;
  out.points[0] = middle + u;
  out.points[1] = middle + sum;
  out.points[2] = middle + v;
  out.points[3] = middle + difference;
  out.points[4] = middle - u;
  out.points[5] = middle - sum;
  out.points[6] = middle - v;
  out.points[7] = middle - difference;
  out.count = 8;
  out.id = upper ? kUpperDisc : kLowerDisc;
  out.is_disc = true;
}

void ConvexShape::side_patch(Vec3<double> direction, SurfacePatch& out) const noexcept {
  Vec3<double> const axis = rotation_.y;
  Vec3<double> const radial = direction - axis * dot(axis, direction);
  Vec3<double> const rim = normalise_or(radial, rotation_.x, 1e-9) * extents_.x;
  out.points[0] = center_ - axis * extents_.y + rim;
  out.points[1] = kind_ == ShapeKind::kCone ? center_ + axis * extents_.y : center_ + axis * extents_.y + rim;
  out.count = 2;
  out.id = kSide;
  out.is_disc = false;
}

std::uint32_t ConvexShape::hull_face_towards(Vec3<double> local_direction) const noexcept {
  const LoopRange& range = hull_->vertex_faces[hull_->corners.farthest(local_direction)];
  std::uint32_t best = 0;
  double max = -2.0;
  auto const consider = [&](std::uint32_t face) {
    double const cosine = dot(hull_->normals.point(face), local_direction);
    if (cosine > max) {
      max = cosine;
      best = face;
    }
  };
  for (std::uint32_t i = 0; i < range.count; ++i) consider(hull_->faces_of_vertex[range.first + i]);
  if (range.count == 0) {  // a corner that face merging left inside a face
    for (std::uint32_t face = 0; face < hull_->faces.size(); ++face) consider(face);
  }
  return best;
}

void ConvexShape::patch_towards(Vec3<double> direction, SurfacePatch& out) const noexcept {
  Vec3<double> const axis = rotation_.y;
  double const rise = dot(axis, direction);
  switch (kind_) {
    case ShapeKind::kCapsule:
      out.points[0] = center_ - axis * extents_.y;
      out.points[1] = center_ + axis * extents_.y;
      out.count = 2;
      out.id = kSide;
      out.is_disc = false;
      return;
    case ShapeKind::kBox: return box_patch(box_face_towards(transpose_multiply(rotation_, direction)), out);
    case ShapeKind::kCylinder: {
      // Selects the face with the nearer normal: within 45 degrees of the axis it is an end disc.
      if (2.0 * rise * rise > 1.0) return disc_patch(rise > 0.0, direction, out);
      return side_patch(direction, out);
    }
    case ShapeKind::kCone: {
      double const across = sqrt(maximum(1.0 - rise * rise, 0.0));
      double const slant = sqrt(extents_.x * extents_.x + 4.0 * extents_.y * extents_.y);
      double const side_cosine = (rise * extents_.x + across * 2.0 * extents_.y) / slant;
      if (-rise > side_cosine) return disc_patch(false, direction, out);
      return side_patch(direction, out);
    }
    case ShapeKind::kHull:
      return hull_patch(hull_face_towards(transpose_multiply(rotation_, direction)), out);
    case ShapeKind::kMesh:
      for (std::size_t i = 0; i < 3; ++i) out.points[i] = center_ + corners_[i];
      out.count = 3;
      out.id = 0;
      out.is_disc = false;
      return;
    default:
      out.points[0] = center_;
      out.count = 1;
      out.id = 0;
      out.is_disc = false;
  }
}

void ConvexShape::corners_towards(Vec3<double> direction, SurfacePatch& out) const noexcept {
  if (kind_ != ShapeKind::kHull) return patch_towards(direction, out);
  out.count = static_cast<std::uint32_t>(hull_->vertices.size());
  for (std::uint32_t i = 0; i < out.count; ++i) out.points[i] = to_frame(hull_->corners.point(i));
  out.id = 0;
  out.is_disc = false;
}

}  // namespace takt
