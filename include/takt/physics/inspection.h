// A look inside a world for people and tools: the contact points and grabs of the last step. Read from
// canonical state, in doubles; it changes nothing and costs nothing while nobody asks.
#pragma once

#include "takt/physics/body.h"
#include "takt/physics/vector.h"

namespace takt {

/// A point at which two bodies touch, or came so near that they might have.
struct ContactView {
  BodyId body_a;
  BodyId body_b;
  Position position;        ///< world, midway between the surfaces when the manifold was made
  Vec3<double> normal;      ///< unit, from a to b, world axes
  double impulse_n_s = 0;   ///< along the normal in the last substep, >= 0
  double separation_m = 0;  ///< when the manifold was made; below 0 the shapes overlap
};

/// A grab that pulls a point of a body to a target.
struct GrabView {
  BodyId body;
  Position anchor;        ///< the point as it is now, world
  Position target;        ///< world
  Quat<double> rotation;  ///< of the body
};

}  // namespace takt
