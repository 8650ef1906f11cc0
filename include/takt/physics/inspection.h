// ContactView is a contact point of a world, in doubles, for people and tools. GrabView is a grab: a spring
// that pulls a point of a body to a target. WorldEnergy is the mechanical energy of a world's bodies.
// World::list_contacts() and World::list_grabs() fill lists of these views between steps. The contacts are
// those of the last step, without contacts of shapes destroyed since. The calls do not change the world.
#pragma once

#include "takt/physics/body.h"
#include "takt/physics/vector.h"

namespace takt {

/// A point at which two bodies touch, or are within the speculative distance.
struct ContactView {
  BodyId body_a;
  BodyId body_b;
  Position position;        ///< world, midway between the surfaces when the manifold was computed
  Vec3<double> normal;      ///< unit, from a to b, world axes
  double impulse_n_s = 0;   ///< along the normal in the last substep, >= 0
  double separation_m = 0;  ///< when the manifold was computed; below 0 the shapes overlap
};

/// A grab that pulls a point of a body to a target.
struct GrabView {
  GrabId id;
  BodyId body;
  Position anchor;        ///< the point's present position, world
  Position target;        ///< world
  Quat<double> rotation;  ///< of the body
};

/// Mechanical energy of all enabled dynamic bodies. Springs, joint drives and ropes hold energy of their own,
/// which is not in it.
struct WorldEnergy {
  double kinetic_j = 0;    ///< of translation and rotation
  double potential_j = 0;  ///< of height in the world's gravity, 0 at the origin
  [[nodiscard]] double total_j() const noexcept { return kinetic_j + potential_j; }
};

}  // namespace takt
