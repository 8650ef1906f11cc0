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

/// Each returns the first error, or nothing. Contents of hulls, meshes and height fields are checked when
/// they are built (make_hulls(), make_surfaces()), not here.
[[nodiscard]] std::optional<PhysicsError> check(const WorldDef& def) noexcept;
[[nodiscard]] std::optional<PhysicsError> check(const ShapeDef& def) noexcept;
[[nodiscard]] std::optional<PhysicsError> check(const BodyDef& def) noexcept;
[[nodiscard]] std::optional<PhysicsError> check(const MoverTuning& tuning) noexcept;
[[nodiscard]] std::optional<PhysicsError> check(const MoverDef& def) noexcept;
[[nodiscard]] std::optional<PhysicsError> check(const MoverInput& input) noexcept;
/// Checks that each component is finite (kNotFinite) and within +-max (kOutOfRange).
[[nodiscard]] std::optional<PhysicsError> check_vector(Vec3<double> v, double max) noexcept;
/// Checks as check_vector() and that the vector is at most `max` long, with a tolerance of 5e-7
/// (kOutOfRange).
[[nodiscard]] std::optional<PhysicsError> check_speed(Vec3<double> v, double max) noexcept;
/// Checks that q is finite (kNotFinite) and its length within 1 % of 1, with a tolerance of 5e-7
/// (kBadRotation).
[[nodiscard]] std::optional<PhysicsError> check_rotation(Quat<double> q) noexcept;
/// Checks ShapeDef::friction and ShapeDef::restitution.
[[nodiscard]] std::optional<PhysicsError> check_material(double friction, double restitution) noexcept;
/// Checks that each component is within +-kWorldLimitRaw (kOutOfRange).
[[nodiscard]] std::optional<PhysicsError> check_position(const Position& p) noexcept;

/// Every kLock bit.
inline constexpr std::uint8_t kAllLocks = 63;
/// Maximum impulse, force or torque of one call, SI. Beyond it binary32 products lose the body's own motion.
inline constexpr double kMaxImpulse = 1e9;

}  // namespace takt
