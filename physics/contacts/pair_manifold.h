// make_manifold() computes the manifold of two convex shapes (half-spaces included) at the poses of their
// bodies. make_surface_manifolds() computes those of a pair with a mesh or height field, one for each touched
// part. ContactDetection calls them for pairs without a recycled manifold, for sensors, and for sweeps to
// soft shapes. Both functions pass the shapes to the narrow phase in the order that it expects (collide_rank;
// mesh last). Results are in world axes, relative to the centre of mass of shape_a's body. Neither function
// reads history, except for the side of a surface from which its contacts held the shape; manifold_cache.h
// does.
#pragma once

#include <span>
#include <vector>

#include "physics/contacts/prepared_contact.h"
#include "physics/narrow_phase/collide_mesh.h"
#include "physics/state/world_state.h"

namespace takt {

/// Fills contact.manifold (relative to body a's centre of mass, normal from a to b) and contact.cached.
/// Neither shape is a mesh or height field. No point: they do not touch. `ahead`: displacement of b before
/// the test, m.
template <class Real>
void make_manifold(const WorldState<Real>& state, std::uint32_t shape_a, std::uint32_t shape_b,
                   PreparedContact<Real>& contact, Vec3<Real> ahead = {});

/// As make_manifold(), for a pair with a mesh or height field: appends a contact for each touched part.
/// `old`: the pair's contacts of the last tick.
template <class Real>
void make_surface_manifolds(const WorldState<Real>& state, std::uint32_t shape_a, std::uint32_t shape_b,
                            std::span<const ContactRecord<Real>> old, SurfaceScratch& scratch,
                            std::vector<PreparedContact<Real>>& contacts, Vec3<Real> ahead = {});

}  // namespace takt
