// The manifold cache reuses the stored manifold of a contact that carried load, while its two bodies have
// hardly moved relative to each other (recycling). recycle_manifold() does so for a pair of convex shapes,
// may_recycle_all() and follow_manifold() for all contacts of a pair with a mesh or height field. Otherwise
// pair_manifold.h computes new manifolds. take_impulses() or take_impulses_of_children() then gives their
// points the stored impulses, matched by feature and by position. ContactDetection calls these functions for
// pairs with an active body.
//
// Recycling affects results, so all its inputs are part of the hashed state. Its purpose is stability, not
// only speed. A manifold computed anew each tick shifts its points and lever arms with every creep of the
// bodies. The shift feeds the load back into the creep. A column of unit boxes then buckles above a height of
// about 18, however long impulses are warm-started. With fixed points and lever arms, a resting column stays
// at rest (docs/adr/0004).
#pragma once

#include <span>
#include <vector>

#include "physics/contacts/prepared_contact.h"
#include "physics/state/world_state.h"

namespace takt {

/// Recycles `old` if it carried load and its bodies have neither moved relative to each other nor rotated by
/// more than the tolerances of solver_constants.h since its manifold was computed. Fills contact.manifold,
/// contact.cached and the impulses; separations follow the small motion to first order. False: the contact is
/// unchanged.
template <class Real>
[[nodiscard]] bool recycle_manifold(const ContactRecord<Real>& old, const BodyMotion<Real>& a,
                                    const BodyMotion<Real>& b, PreparedContact<Real>& contact) noexcept;

/// True when all manifolds of a pair with a mesh may be recycled. They were computed at one time and are
/// recycled together, if one of them carried load. The caller fills each with follow_manifold().
template <class Real>
[[nodiscard]] bool may_recycle_all(std::span<const ContactRecord<Real>> old, const BodyMotion<Real>& a,
                                   const BodyMotion<Real>& b, bool dynamic_a, bool dynamic_b) noexcept;
/// As recycle_manifold(), without its test.
template <class Real>
void follow_manifold(const ContactRecord<Real>& old, const BodyMotion<Real>& a, const BodyMotion<Real>& b,
                     PreparedContact<Real>& contact) noexcept;

/// Matches impulses when all manifolds of a pair with a mesh are new. Each point takes the impulse of the old
/// point with its child and feature. A point without impulse then takes that of the nearest unmatched old
/// point of any child within reach with a similar normal. Friction comes from the old manifold of the same
/// child, or of the first matched point if that child is gone. `taken` is scratch.
template <class Real>
void take_impulses_of_children(std::span<const ContactRecord<Real>> old,
                               std::span<PreparedContact<Real>> fresh, std::vector<std::uint8_t>& taken);

/// Matches impulses when the manifold is new. Each point takes the impulse of the old point with its feature,
/// otherwise that of the nearest unmatched old point within reach.
template <class Real>
void take_impulses(const ContactRecord<Real>& old, PreparedContact<Real>& contact) noexcept;

/// A copy without negative zeros, for storing.
template <class Real>
[[nodiscard]] ContactGeometry<Real> canonical(const ContactGeometry<Real>& geometry) noexcept;

}  // namespace takt
