// mix_materials() fills the material of one contact from its two shapes (docs/COLLISION.md): friction,
// restitution, rolling resistance, surface velocity, softness. For a mesh or height field with materials of
// its own, the material of the touched triangle replaces the shape's friction and restitution.
// ContactDetection calls mix_materials() for each contact that it finds. mixed() applies a mix rule, such as
// minimum or average, to two coefficients; ropes use mixed() too.
#pragma once

#include "physics/contacts/prepared_contact.h"
#include "physics/state/world_state.h"

namespace takt {

/// Mixes the coefficients a and b of two shapes, both at least 0. The later rule of MixRule wins; kWorld
/// means `of_world`, and kWorld there means the geometric mean. An exchange of the shapes does not change the
/// result.
template <class Real>
[[nodiscard]] Real mixed(MixRule rule_a, MixRule rule_b, MixRule of_world, Real a, Real b);

/// Sets friction, restitution, rolling_reach, soft_a, soft_b, soft_depth, slide, locked and special of a
/// contact, and clears its rolling impulse if it has no rolling resistance. contact.child, contact.manifold
/// and the dynamic flags must be set. `a` and `b` are records in `state` and in the order of the contact's
/// bodies.
template <class Real>
void mix_materials(const WorldState<Real>& state, const ShapeRecord<Real>& a, const ShapeRecord<Real>& b,
                   PreparedContact<Real>& contact);

}  // namespace takt
