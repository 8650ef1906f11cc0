// The manifold cache reuses the stored manifold of a contact that carried load (recycling). Both bodies must
// be within small tolerances of the poses for which the manifold was computed. recycle_manifold() recycles
// the manifold of a pair of convex shapes. may_recycle_all() and follow_manifold() recycle all manifolds of a
// pair with a mesh or height field. For other pairs pair_manifold.h computes new manifolds. take_impulses()
// or take_impulses_of_children() then gives their points the stored impulses, matched by feature and by
// position. ContactDetection calls these functions for pairs with an active body.
//
// Recycling affects results, so all its inputs are part of the hashed state. Its purpose is stability, not
// only speed. The points and lever arms of a manifold that is computed anew each tick move with every creep
// of the bodies. That motion feeds the load back into the creep. A column of unit boxes then buckles above a
// height of about 18, however long impulses are warm-started. With fixed points and lever arms, a resting
// column stays at rest (docs/adr/0004).
#pragma once

#include <span>
#include <vector>

#include "physics/contacts/prepared_contact.h"
#include "physics/state/world_state.h"

namespace takt {

/// Recycles `old` if it carried load and its bodies have hardly moved since its manifold was computed. Their
/// relative displacement and the rotation of each must be within the tolerances of solver_constants.h. Fills
/// contact.manifold, contact.cached, the impulses and the anchor offsets; separations follow the small motion
/// to first order. The dynamic flags of the contact must be set. Returns false, and leaves the contact
/// unchanged, otherwise.
template <class Real>
[[nodiscard]] bool recycle_manifold(const ContactRecord<Real>& old, const BodyMotion<Real>& a,
                                    const BodyMotion<Real>& b, PreparedContact<Real>& contact) noexcept;

/// Returns true when all manifolds of a pair with a mesh or height field may be recycled. The bodies must be
/// within the tolerances for each, and at least one must have carried load. All were computed in one tick and
/// are recycled together; the caller then calls follow_manifold() for each. `old` has all contacts of the
/// pair; an empty list gives false.
template <class Real>
[[nodiscard]] bool may_recycle_all(std::span<const ContactRecord<Real>> old, const BodyMotion<Real>& a,
                                   const BodyMotion<Real>& b, bool dynamic_a, bool dynamic_b) noexcept;
/// Fills the contact as recycle_manifold() does, without a test.
template <class Real>
void follow_manifold(const ContactRecord<Real>& old, const BodyMotion<Real>& a, const BodyMotion<Real>& b,
                     PreparedContact<Real>& contact) noexcept;

/// Matches impulses when all manifolds of a pair with a mesh or height field are new. Both lists ascend by
/// child. Each point takes the impulse of the old point with its child and feature. A point without impulse
/// then takes that of the nearest unmatched old point of any child. That point is within 25 mm, and the
/// cosine of both normals is 0.9 or more. Friction and anchor offsets come from the old manifold of the same
/// child. A contact without friction then takes those of the manifold of a point matched by position, unless
/// another contact has them. `taken` is scratch. The dynamic flags and contact.cached must be set.
template <class Real>
void take_impulses_of_children(std::span<const ContactRecord<Real>> old,
                               std::span<PreparedContact<Real>> fresh, std::vector<std::uint8_t>& taken);

/// Matches impulses when the manifold is new. Each point takes the impulse of the old point with its feature,
/// otherwise that of the nearest unmatched old point within 25 mm. Positions are compared relative to b, or
/// to a if b is not dynamic. Friction, twist, rolling impulse and anchor offsets are copied. The dynamic
/// flags and contact.cached must be set.
template <class Real>
void take_impulses(const ContactRecord<Real>& old, PreparedContact<Real>& contact) noexcept;

/// A copy for storing in the hashed state: without negative zeros, except in the rotations, which are copied.
template <class Real>
[[nodiscard]] ContactGeometry<Real> canonical(const ContactGeometry<Real>& geometry) noexcept;

}  // namespace takt
