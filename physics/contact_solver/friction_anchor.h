// The shear of a contact between two bodies that move: how far one surface has slid over the other while
// friction held. Friction there is a spring to where it took hold, as a normal row is a spring to touching:
// under a steady load it gives by a fixed length, where a leak alone would creep for ever (docs/adr/0008).
#pragma once

#include "physics/contact_solver/contact_constraint.h"

namespace takt {

/// After the substeps: adds what the bodies slid and turned over one another in this tick. A contact that
/// slides, at the edge of its cone, keeps the shear that brought it there: the spring gives way. One without
/// load, against what does not move, or on a running surface has none. `r_a` and `r_b` go to the manifold's
/// centre; `radius` is the mean distance of its points from there, m.
template <class Real>
void update_friction_anchor(PreparedContact<Real>& contact, Vec3<Real> r_a, Vec3<Real> r_b, Real radius,
                            const SolverBody<Real>& a, const SolverBody<Real>& b) noexcept;

}  // namespace takt
