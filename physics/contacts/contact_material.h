// What a contact is made of: friction, restitution, rolling resistance and running surfaces of its two
// shapes, mixed (docs/CONTACTS.md, Mixing).
#pragma once

#include "physics/contacts/prepared_contact.h"
#include "physics/state/world_state.h"

namespace takt {

/// A coefficient of a pair from those of its two sides: symmetric, whichever rule.
template <class Real>
[[nodiscard]] Real mixed(MixRule rule_a, MixRule rule_b, MixRule of_world, Real a, Real b);

/// Fills the contact's material, and whether it needs a block with extras. Needs contact.child and what
/// moves.
template <class Real>
void mix_materials(const WorldState<Real>& state, const ShapeRecord<Real>& a, const ShapeRecord<Real>& b,
                   PreparedContact<Real>& contact);

}  // namespace takt
