// Functions that convert the definition of a body to the records that WorldState stores. to_record() makes a
// shape record, body_mass() the mass, make_hulls() and make_surfaces() the geometry of hulls, meshes and
// height fields. World calls these functions to create a body, after definition_check.h has checked the
// definition. The functions return their results and change no world. to_real() converts vectors and
// rotations from doubles to Real.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "physics/geometry/geometry_pool.h"
#include "physics/geometry/hull_geometry.h"
#include "physics/geometry/mesh_geometry.h"
#include "physics/state/world_state.h"
#include "takt/core/result.h"
#include "takt/physics/body.h"
#include "takt/physics/error.h"

namespace takt {

/// Rounds each component to Real.
template <class Real>
Vec3<Real> to_real(Vec3<double> v) noexcept {
  return {takt::to_real<Real>(v.x), takt::to_real<Real>(v.y), takt::to_real<Real>(v.z)};
}

/// Normalises `q` in doubles, rounds it, and normalises it again in Real, so that every rotation in a world
/// is the output of one function. `q` must not be 0.
template <class Real>
Quat<Real> to_real(Quat<double> q) noexcept {
  double const size = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return canonical(normalise(Quat<Real>{takt::to_real<Real>(q.x / size), takt::to_real<Real>(q.y / size),
                                        takt::to_real<Real>(q.z / size), takt::to_real<Real>(q.w / size)}));
}

/// Mass properties for a body's record: kg, m, 1/(kg m^2), body frame. The inverse inertia is about the
/// centre of mass: xx, yy, zz, xy, xz, yz.
struct BodyMass {
  double mass_kg = 0.0;
  Vec3<double> center_m{};
  std::array<double, 6> inverse_inertia{};
};

/// Converts a shape of the body at pool index `body`. `hull` has the geometry of a hull, `surface` is that of
/// a mesh or height field (both asserted for their kinds). The caller links next_shape.
template <class Real>
[[nodiscard]] ShapeRecord<Real> to_record(const ShapeDef& def, const PlacedHull& hull,
                                          const SurfaceGeometry* surface, std::uint32_t body) noexcept;

/// The mass that the definition gives, or that its shapes have. `hulls` is the result of make_hulls().
/// Errors: kNoMass, kMassOutOfRange (also for an inertia that cannot be inverted).
[[nodiscard]] Result<BodyMass, PhysicsError> body_mass(const BodyDef& def, std::span<const PlacedHull> hulls);

/// Builds the geometry of each shape of `def` that is a hull; null for others. The result is parallel to
/// def.shapes. Errors: those of make_hull(); kHullDigestTaken when `pool` has another geometry of the same
/// digest.
[[nodiscard]] Result<std::vector<PlacedHull>, PhysicsError> make_hulls(
    const BodyDef& def, const GeometryPool<HullGeometry>& pool);

/// Builds the geometry of each shape of `def` that is a mesh or height field; null for others. The result is
/// parallel to def.shapes. Errors: those of make_surface(); kHullDigestTaken as above.
[[nodiscard]] Result<std::vector<std::shared_ptr<const SurfaceGeometry>>, PhysicsError> make_surfaces(
    const BodyDef& def, const GeometryPool<SurfaceGeometry>& pool);

}  // namespace takt
