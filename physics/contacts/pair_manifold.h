// The manifolds of two shapes where their bodies stand: which collide function in which order, and from the
// shapes' frames to the bodies'. No history.
#pragma once

#include <vector>

#include "physics/contacts/prepared_contact.h"
#include "physics/narrow_phase/collide_mesh.h"
#include "physics/state/world_state.h"

namespace takt {

/// Fills contact.manifold (about body a's centre of mass, normal from a to b) and contact.made. Neither shape
/// is a surface. No point: they do not touch. `ahead`: b is looked at where it would be if it had moved on by
/// this, m.
template <class Real>
void make_manifold(const WorldState<Real>& state, std::uint32_t shape_a, std::uint32_t shape_b,
                   PreparedContact<Real>& contact, Vec3<Real> ahead = {});

/// The same for a pair with a surface: appends a contact for each part that is touched.
template <class Real>
void make_surface_manifolds(const WorldState<Real>& state, std::uint32_t shape_a, std::uint32_t shape_b,
                            SurfaceScratch& scratch, std::vector<PreparedContact<Real>>& contacts,
                            Vec3<Real> ahead = {});

}  // namespace takt
