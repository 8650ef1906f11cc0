// make_manifold() computes the manifold of two convex shapes (half-spaces included) at the poses of their
// bodies. make_surface_manifolds() computes those of a pair with a mesh or height field, one for each touched
// part. ContactDetection calls both functions for pairs without a recycled manifold, for sensors, and for
// sweeps to soft shapes. Both functions pass the shapes to the narrow phase in the order that it expects
// (collide_rank; mesh last). Results are in world axes, relative to the centre of mass of shape_a's body.
// make_manifold() reads no history. make_surface_manifolds() reads from the last tick on which side of the
// surface its contacts held the shape. manifold_cache.h matches impulses.
#pragma once

#include <span>
#include <vector>

#include "physics/contacts/prepared_contact.h"
#include "physics/narrow_phase/collide_mesh.h"
#include "physics/state/world_state.h"

namespace takt {

/// True when the narrow phase computes manifolds of two kinds of shapes: one of them must be convex. A sensor
/// on a kinematic mesh is a candidate with half-spaces and other meshes, which it never overlaps.
[[nodiscard]] constexpr bool have_manifolds(ShapeKind a, ShapeKind b) noexcept {
  auto const is_convex = [](ShapeKind kind) { return !is_surface(kind) && kind != ShapeKind::kHalfSpace; };
  return is_convex(a) || is_convex(b);
}

/// Fills contact.manifold (relative to body a's centre of mass, normal from a to b) and contact.cached.
/// Neither shape is a mesh or height field, and not both are half-spaces. The manifold has no point when the
/// shapes are farther apart than kSpeculativeDistanceM. `ahead` is a displacement of b before the test, m,
/// world; contact.cached has the poses without it.
template <class Real>
void make_manifold(const WorldState<Real>& state, std::uint32_t shape_a, std::uint32_t shape_b,
                   PreparedContact<Real>& contact, Vec3<Real> ahead = {});

/// As make_manifold(), for a pair of which one shape is a mesh or height field. Appends a contact for each
/// touched part, ascending by child, with child, manifold and cached set. `old` has the pair's contacts of
/// the last tick, or none. The caller sets
/// scratch.max_triangles.
template <class Real>
void make_surface_manifolds(const WorldState<Real>& state, std::uint32_t shape_a, std::uint32_t shape_b,
                            std::span<const ContactRecord<Real>> old, SurfaceScratch& scratch,
                            std::vector<PreparedContact<Real>>& contacts, Vec3<Real> ahead = {});

/// Returns the number of triangles that make_surface_manifolds() would test, as count_triangles()
/// (collide_mesh.h) counts them up to `max`. `translation` of b, world, m, widens the box around the convex
/// shape.
template <class Real>
[[nodiscard]] std::uint32_t count_surface_triangles(const WorldState<Real>& state, std::uint32_t shape_a,
                                                    std::uint32_t shape_b, Vec3<double> translation,
                                                    std::uint32_t max);

}  // namespace takt
