// PreparedContact is one contact of a tick on its way from detection through the solver into storage. A
// contact is a pair of convex shapes, or a shape and one touched part (child) of a mesh or height field.
// ContactDetection fills a PreparedContact. ContactSolver prepares constraint blocks from the PreparedContact
// and stores impulses back into it. ContactPersistence saves the PreparedContact as a ContactRecord. A
// prepared contact owns nothing: its pointers refer to the world's state and are valid during the tick.
#pragma once

#include <array>
#include <cstdint>

#include "physics/narrow_phase/manifold.h"
#include "physics/state/world_state.h"
#include "takt/physics/softness.h"

namespace takt {

/// Contacts are sorted by key and child. Fields without a comment are those of ContactRecord.
template <class Real>
struct PreparedContact {
  std::uint64_t key = 0;     ///< pair_key() of the shapes; a is the lower shape index
  std::uint32_t child = 0;   ///< part of the surface; 0 for convex pairs
  std::uint32_t body_a = 0;  ///< solver index; 0 = does not move
  std::uint32_t body_b = 0;
  bool dynamic_a = false;  ///< impulses move the body
  bool dynamic_b = false;
  bool touching = false;             ///< carried load in this tick, or overlapped at its start
  bool locked = false;               ///< a dynamic body of the contact has a linearly locked axis
  const Softness* soft_a = nullptr;  ///< of the shapes' materials, in the world's state; null = rigid
  const Softness* soft_b = nullptr;
  Real soft_depth{};  ///< m: overlap at which a soft material becomes rigid; 0 = rigid material, or no limit
  bool joined = false;         ///< joints connect the two bodies, directly or through others
  bool special = false;        ///< its block needs ContactExtras
  std::uint8_t hit_point = 0;  ///< index of the point that normal_velocity refers to
  Manifold<Real>
      manifold;  ///< normal from a to b; positions are from a's centre of mass; separations are this tick's
  ContactGeometry<Real> cached;  ///< the manifold as computed, in this tick or an earlier one
  Real friction{};               ///< mixed coefficient, 0 or above
  Real restitution{};            ///< mixed coefficient
  std::array<Real, 4> impulses{};
  Vec3<Real> friction_impulse;  ///< world
  Real twist_impulse{};
  Vec3<Real> anchor_offset;    ///< see ContactRecord
  Real twist_offset{};         ///< rad
  Vec3<Real> rolling_impulse;  ///< world
  Real rolling_reach{};        ///< m: maximum rolling torque / normal force
  Vec3<Real> slide;            ///< surface velocity of b - surface velocity of a, m/s, world
  Real normal_velocity{};      ///< of the fastest point at the tick's start, or at a faster bounce, m/s; 0 or
                               ///< below
  Real total_impulse{};        ///< N s: normal impulses of all points, summed over the tick
};

}  // namespace takt
