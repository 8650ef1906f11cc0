#include "physics/contacts/pair_manifold.h"

#include "physics/state/shape_bounds.h"
#include "physics/state/shape_geometry_of.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

template <class Real>
struct PlacedShape {
  ShapeGeometry<Real> geometry;
  Vec3<Real> offset;  ///< of the shape's centre from its body's centre of mass
};

template <class Real>
PlacedShape<Real> proxies_current(const WorldState<Real>& state, const BodyRecord<Real>& body,
                                  const ShapeRecord<Real>& shape) {
  ShapePose<Real> const pose = shape_pose(body, shape);
  return {
      {shape.kind, shape.extents, to_matrix(pose.rotation), hull_of(state, shape), surface_of(state, shape)},
      pose.offset};
}

/// Both shapes of a pair with a mesh or height field, in the order of the narrow phase.
template <class Real>
struct SurfacePoses {
  PlacedShape<Real> a;
  PlacedShape<Real> b;
  Vec3<double> delta_center;  ///< of the bodies
  bool swapped = false;       ///< the surface is shape a

  [[nodiscard]] const ShapeGeometry<Real>& convex() const noexcept {
    return swapped ? b.geometry : a.geometry;
  }
  [[nodiscard]] const ShapeGeometry<Real>& surface() const noexcept {
    return swapped ? a.geometry : b.geometry;
  }
  /// From the convex shape to the surface, when b is displaced by `ahead`.
  [[nodiscard]] Vec3<double> to_surface(Vec3<double> ahead) const noexcept {
    Vec3<double> const from_a_to_b = delta_center + ahead + to_double(b.offset) - to_double(a.offset);
    return swapped ? -from_a_to_b : from_a_to_b;
  }
};

/// Fills contact.cached from contact.manifold, which is new.
template <class Real>
void remember(Vec3<Real> delta_center, const BodyMotion<Real>& a, const BodyMotion<Real>& b,
              PreparedContact<Real>& contact) noexcept {
  const Manifold<Real>& manifold = contact.manifold;
  contact.cached = {manifold.normal, {}, {}, delta_center, a.rotation, b.rotation};
  TAKT_ASSERT(manifold.point_count <= 4);
  for (std::uint32_t i = 0; i < manifold.point_count; ++i) {
    contact.cached.positions[i] = manifold.points[i].position;
    contact.cached.separations[i] = manifold.points[i].separation;
  }
}

/// The displacement between two positions, m, rounded once.
Vec3<double> displacement(const Position& from, const Position& to) noexcept {
  auto const metres = [](std::int64_t a, std::int64_t b) { return static_cast<double>(b - a) * 0x1p-32; };
  return {metres(from.x_raw, to.x_raw), metres(from.y_raw, to.y_raw), metres(from.z_raw, to.z_raw)};
}

template <class Real>
SurfacePoses<Real> surface_poses(const WorldState<Real>& state, std::uint32_t shape_a,
                                 std::uint32_t shape_b) {
  const ShapeRecord<Real>& record_a = state.shapes[shape_a];
  const ShapeRecord<Real>& record_b = state.shapes[shape_b];
  const BodyRecord<Real>& body_a = state.bodies[record_a.body];
  const BodyRecord<Real>& body_b = state.bodies[record_b.body];
  return {proxies_current(state, body_a, record_a), proxies_current(state, body_b, record_b),
          displacement(body_a.motion.center, body_b.motion.center), is_surface(record_a.kind)};
}

}  // namespace

template <class Real>
void make_manifold(const WorldState<Real>& state, std::uint32_t shape_a, std::uint32_t shape_b,
                   PreparedContact<Real>& contact, Vec3<Real> ahead) {
  const ShapeRecord<Real>& record_a = state.shapes[shape_a];
  const ShapeRecord<Real>& record_b = state.shapes[shape_b];
  const BodyRecord<Real>& body_a = state.bodies[record_a.body];
  const BodyRecord<Real>& body_b = state.bodies[record_b.body];
  PlacedShape<Real> const a = proxies_current(state, body_a, record_a);
  PlacedShape<Real> const b = proxies_current(state, body_b, record_b);
  Vec3<Real> const delta_center = relative<Real>(body_b.motion.center, body_a.motion.center);
  Vec3<Real> const from_a_to_b = delta_center + ahead + b.offset - a.offset;
  bool const swapped = collide_rank(record_b.kind) < collide_rank(record_a.kind);
  Manifold<Real>& manifold = contact.manifold;
  if (!swapped) {
    collide(a.geometry, b.geometry, from_a_to_b, manifold);
    for (std::uint32_t i = 0; i < manifold.point_count; ++i) manifold.points[i].position += a.offset;
  } else {
    collide(b.geometry, a.geometry, -from_a_to_b, manifold);
    manifold.normal = -manifold.normal;
    for (std::uint32_t i = 0; i < manifold.point_count; ++i)
      manifold.points[i].position += b.offset + delta_center + ahead;
  }
  remember(delta_center, body_a.motion, body_b.motion, contact);
}

template <class Real>
void make_surface_manifolds(const WorldState<Real>& state, std::uint32_t shape_a, std::uint32_t shape_b,
                            std::span<const ContactRecord<Real>> old, SurfaceScratch& scratch,
                            std::vector<PreparedContact<Real>>& contacts, Vec3<Real> ahead) {
  const BodyRecord<Real>& body_a = state.bodies[state.shapes[shape_a].body];
  const BodyRecord<Real>& body_b = state.bodies[state.shapes[shape_b].body];
  SurfacePoses<Real> const poses = surface_poses(state, shape_a, shape_b);
  bool const swapped = poses.swapped;
  Vec3<double> const delta_center = poses.delta_center;
  scratch.held.clear();
  for (const ContactRecord<Real>& record : old) {
    if (!record.touching) continue;
    Vec3<double> const normal = to_double(record.geometry.normal);  // from a to b
    scratch.held.push_back({swapped ? normal : -normal, record.child});
  }
  collide_surface(poses.convex(), poses.surface(), poses.to_surface(to_double(ahead)), scratch.held, scratch);
  Vec3<double> const offset =
      swapped ? delta_center + to_double(ahead) + to_double(poses.b.offset) : to_double(poses.a.offset);
  auto const rounded = [](Vec3<double> v) {
    return Vec3<Real>{to_real<Real>(v.x), to_real<Real>(v.y), to_real<Real>(v.z)};
  };
  for (const SurfaceManifold& found : scratch.manifolds) {
    PreparedContact<Real>& contact = contacts.emplace_back();
    contact.child = found.child;
    contact.manifold.normal = rounded(swapped ? -found.manifold.normal : found.manifold.normal);
    contact.manifold.point_count = found.manifold.point_count;
    for (std::uint32_t i = 0; i < found.manifold.point_count; ++i) {
      const ManifoldPoint<double>& point = found.manifold.points[i];
      contact.manifold.points[i] = {rounded(point.position + offset), to_real<Real>(point.separation),
                                    point.feature};
    }
    remember(rounded(delta_center), body_a.motion, body_b.motion, contact);
  }
}

template <class Real>
std::uint32_t count_surface_triangles(const WorldState<Real>& state, std::uint32_t shape_a,
                                      std::uint32_t shape_b, Vec3<double> translation, std::uint32_t max) {
  SurfacePoses<Real> const poses = surface_poses(state, shape_a, shape_b);
  // The shape moves against b, or is b.
  return count_triangles(poses.convex(), poses.surface(), poses.to_surface({}),
                         poses.swapped ? translation : -translation, max);
}

#define TAKT_INSTANTIATE(Real)                                                                               \
  template void make_manifold(const WorldState<Real>&, std::uint32_t, std::uint32_t, PreparedContact<Real>&, \
                              Vec3<Real>);                                                                   \
  template void make_surface_manifolds(const WorldState<Real>&, std::uint32_t, std::uint32_t,                \
                                       std::span<const ContactRecord<Real>>, SurfaceScratch&,                \
                                       std::vector<PreparedContact<Real>>&, Vec3<Real>);                     \
  template std::uint32_t count_surface_triangles(const WorldState<Real>&, std::uint32_t, std::uint32_t,      \
                                                 Vec3<double>, std::uint32_t);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
