// PreparedContact is one contact of a tick on its way from detection through the solver into storage. A
// contact is a pair of convex shapes, or a shape and one touched part (child) of a mesh. ContactDetection
// fills a PreparedContact. ContactSolver prepares constraint blocks from it and stores impulses back into it.
// ContactPersistence saves it as a ContactRecord. A prepared contact owns nothing: its pointers refer to the
// world's state.
#pragma once

#include <array>
#include <cstdint>

#include "physics/narrow_phase/manifold.h"
#include "physics/state/world_state.h"
#include "takt/physics/softness.h"

namespace takt {

/// Contacts are sorted by key and child. Body indices are those of the solver bodies.
template <class Real>
struct PreparedContact {
  std::uint64_t key = 0;
  std::uint32_t child = 0;
  std::uint32_t body_a = 0;  ///< index in the solver's bodies
  std::uint32_t body_b = 0;
  bool dynamic_a = false;  ///< moves under impulses
  bool dynamic_b = false;
  bool touching = false;
  bool locked = false;               ///< a body of it may not move along some axis
  const Softness* soft_a = nullptr;  ///< of the shapes' materials, in the world's state; null = rigid
  const Softness* soft_b = nullptr;
  Real soft_depth{};  ///< m: overlap at which a soft material becomes rigid; 0 = rigid material, or no limit
  bool joined = false;         ///< joints hold its bodies together, by way of others or not
  bool special = false;        ///< goes into a block with extras
  std::uint8_t hit_point = 0;  ///< of the fastest approach
  Manifold<Real>
      manifold;  ///< normal from a to b; positions are from a's centre of mass; separations are this tick's
  ContactGeometry<Real> cached;  ///< the manifold when it was made, which may be some ticks ago
  Real friction{};
  Real restitution{};
  std::array<Real, 4> impulses{};
  Vec3<Real> friction_impulse;  ///< world
  Real twist_impulse{};
  Vec3<Real> anchor_offset;    ///< see ContactRecord
  Real twist_offset{};         ///< rad
  Vec3<Real> rolling_impulse;  ///< world
  Real rolling_reach{};        ///< m
  Vec3<Real> slide;            ///< velocity of b's surface over b less a's over a, m/s, world
  Real normal_velocity{};      ///< of the fastest point at the tick's start, or at a faster bounce, m/s; 0 or
                               ///< below
  Real total_impulse{};        ///< N s, of all points in this tick
};

}  // namespace takt
