// What a contact takes over from the tick before: its whole manifold while the bodies have hardly moved,
// otherwise the impulses, matched by feature and by place. It makes no manifold.
//
// Keeping a manifold is part of the result, so all it needs is canonical. It is not there for speed alone: a
// manifold made anew each tick moves its points and arms with every creep of the bodies, and that feeds the
// load back into the creep. A column of unit boxes then buckles past a height of about 18 however long its
// impulses are carried on; with points and arms that stay where they were, what has come to rest stays at
// rest (docs/adr/0004).
#pragma once

#include <span>
#include <vector>

#include "physics/contacts/prepared_contact.h"
#include "physics/state/world_state.h"

namespace takt {

/// Fills contact.manifold, contact.cached and the impulses from `old` when it carried load and neither body
/// has moved or turned by more than the tolerances of solver_constants.h since the manifold was made; the
/// separations follow what little they did move, to first order. False: nothing was done.
template <class Real>
[[nodiscard]] bool recycle_manifold(const ContactRecord<Real>& old, const BodyMotion<Real>& a,
                                    const BodyMotion<Real>& b, PreparedContact<Real>& contact) noexcept;

/// The same for all manifolds of a pair with a surface, which were all made at one time: they are kept
/// together, when one of them carried load. Sees whether they may be; each is then filled by follow_manifold.
template <class Real>
[[nodiscard]] bool may_recycle_all(std::span<const ContactRecord<Real>> old, const BodyMotion<Real>& a,
                                   const BodyMotion<Real>& b, bool dynamic_a, bool dynamic_b) noexcept;
/// Fills contact as recycle_manifold does, without asking whether it may.
template <class Real>
void follow_manifold(const ContactRecord<Real>& old, const BodyMotion<Real>& a, const BodyMotion<Real>& b,
                     PreparedContact<Real>& contact) noexcept;

/// All manifolds of a pair with a surface are new: each point takes the impulse of the old point with its
/// child and feature, then what is left the nearest old point's of any child within reach whose normal is
/// alike. Friction comes from the old manifold of the same child, or of the first point that was taken over
/// when that one's own child is gone. `taken` is scratch.
template <class Real>
void take_impulses_of_children(std::span<const ContactRecord<Real>> old,
                               std::span<PreparedContact<Real>> fresh, std::vector<std::uint8_t>& taken);

/// The manifold is new: each point takes the impulse of the old point with its feature, then what is left the
/// nearest old point's within reach.
template <class Real>
void take_impulses(const ContactRecord<Real>& old, PreparedContact<Real>& contact) noexcept;

/// Without negative zeros, for storing.
template <class Real>
[[nodiscard]] ContactGeometry<Real> canonical(const ContactGeometry<Real>& geometry) noexcept;

}  // namespace takt
