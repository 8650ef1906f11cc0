// mix_materials() fills the material of one contact from its two shapes (docs/COLLISION.md): friction,
// restitution, rolling resistance, surface velocity, softness. For a mesh the material of the touched
// triangle replaces the shape's friction and restitution. ContactDetection calls mix_materials() for each
// contact that it finds. mixed() applies a mix rule, such as minimum or average, to two coefficients; ropes
// use it too.
#pragma once

#include "physics/contacts/prepared_contact.h"
#include "physics/state/world_state.h"

namespace takt {

/// Mixes the coefficients of two shapes. Symmetric under every rule.
template <class Real>
[[nodiscard]] Real mixed(MixRule rule_a, MixRule rule_b, MixRule of_world, Real a, Real b);

/// Fills the contact's material and its `special` flag. Needs contact.child and the dynamic flags.
template <class Real>
void mix_materials(const WorldState<Real>& state, const ShapeRecord<Real>& a, const ShapeRecord<Real>& b,
                   PreparedContact<Real>& contact);

}  // namespace takt
