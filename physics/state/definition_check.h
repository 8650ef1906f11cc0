// check() returns the first error in the definition of a world, shape, body or mover (a character), or
// nothing. World calls check() before anything is created or changed, and state_check.h calls it for parts of
// an untrusted saved world. check_vector(), check_speed(), check_rotation() and check_position() check single
// values. Definitions are doubles, so nothing here depends on Real. joint_check.h and rope_check.h check
// joints and ropes.
#pragma once

#include <optional>

#include "takt/physics/body.h"
#include "takt/physics/error.h"
#include "takt/physics/mover.h"
#include "takt/physics/world_def.h"

namespace takt {

/// Returns the first error, or nothing.
[[nodiscard]] std::optional<PhysicsError> check(const WorldDef& def) noexcept;
[[nodiscard]] std::optional<PhysicsError> check(const ShapeDef& def) noexcept;
[[nodiscard]] std::optional<PhysicsError> check(const BodyDef& def) noexcept;
[[nodiscard]] std::optional<PhysicsError> check(const MoverTuning& tuning) noexcept;
[[nodiscard]] std::optional<PhysicsError> check(const MoverDef& def) noexcept;
[[nodiscard]] std::optional<PhysicsError> check(const MoverInput& input) noexcept;
/// Each component finite and within +-max.
[[nodiscard]] std::optional<PhysicsError> check_vector(Vec3<double> v, double max) noexcept;
/// Finite, and at most `max` long.
[[nodiscard]] std::optional<PhysicsError> check_speed(Vec3<double> v, double max) noexcept;
[[nodiscard]] std::optional<PhysicsError> check_rotation(Quat<double> q) noexcept;
[[nodiscard]] std::optional<PhysicsError> check_position(const Position& p) noexcept;

/// Every kLock bit.
inline constexpr std::uint8_t kAllLocks = 63;
/// Maximum impulse, force or torque of one call, SI. Beyond it binary32 products lose the body's own motion.
inline constexpr double kMaxImpulse = 1e9;

}  // namespace takt
