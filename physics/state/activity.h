// Predicates on body records and shape records. is_awake_dynamic(), moves_on_its_own(), is_still() and
// is_active() decide which bodies move in a tick and which never do; is_soft() finds shapes with spring
// contacts. The predicates read nothing but WorldState, the saved and hashed state, so every stage of a tick
// gets the same answer.
#pragma once

#include "physics/state/world_state.h"

namespace takt {

/// Dynamic and part of the simulation, awake or asleep.
template <class Real>
[[nodiscard]] bool is_simulated_dynamic(const BodyRecord<Real>& body) noexcept {
  return body.type == BodyType::kDynamic && !body.quarantined && body.enabled;
}

/// Moves under impulses in this tick.
template <class Real>
[[nodiscard]] bool is_awake_dynamic(const BodyRecord<Real>& body) noexcept {
  return body.type == BodyType::kDynamic && !body.quarantined && !body.asleep && body.enabled;
}

/// Static, or quarantined: never moves. Pairs of two such bodies are never tested.
template <class Real>
[[nodiscard]] bool is_still(const BodyRecord<Real>& body) noexcept {
  return body.type == BodyType::kStatic || body.quarantined;
}

/// Kinematic, enabled, not quarantined, with a velocity that is not 0.
template <class Real>
[[nodiscard]] bool moves_on_its_own(const BodyRecord<Real>& body) noexcept {
  return body.type == BodyType::kKinematic && !body.quarantined && body.enabled &&
         !(body.motion.linear_velocity == Vec3<Real>{} && body.motion.angular_velocity == Vec3<Real>{});
}

/// Moves in this tick, or its owner moved it since the last one. Contacts between two inactive bodies keep
/// their records; all other contacts are computed.
template <class Real>
[[nodiscard]] bool is_active(const BodyRecord<Real>& body) noexcept {
  return is_awake_dynamic(body) || (body.modified && body.enabled) || moves_on_its_own(body);
}

/// True for a shape of soft material that is no sensor: its contacts are springs.
template <class Real>
[[nodiscard]] bool is_soft(const ShapeRecord<Real>& shape) noexcept {
  return !shape.contact_softness.is_rigid() && !shape.is_sensor;
}

}  // namespace takt
