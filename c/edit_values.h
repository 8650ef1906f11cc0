// Conversions of the numbers of takt.h to those of commands: binary32 vectors and Q31.32 positions. A number
// that binary32 cannot hold becomes infinite, which the rules of commands refuse. apply_force() and
// teleport() are edits that worlds and batches share. Texts of errors are in call.h and edit_refusals.h.
#pragma once

#include <cstdint>
#include <limits>

#include "c/world_object.h"
#include "takt/c/takt.h"
#include "takt/physics/vector.h"

namespace takt::c {

[[nodiscard]] inline float narrow(double value) noexcept {
  constexpr double kMax = static_cast<double>(std::numeric_limits<float>::max());
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (value > kMax) return kInfinity;
  if (value < -kMax) return -kInfinity;
  return static_cast<float>(value);
}
[[nodiscard]] inline Vec3<float> narrow(const Vec3<double>& v) noexcept {
  return {narrow(v.x), narrow(v.y), narrow(v.z)};
}
[[nodiscard]] inline Vec3<float> vector_of(const double* v) noexcept {
  return {narrow(v[0]), narrow(v[1]), narrow(v[2])};
}
[[nodiscard]] inline Quat<float> rotation_of(const double* q) noexcept {
  return {narrow(q[0]), narrow(q[1]), narrow(q[2]), narrow(q[3])};
}
/// False for a coordinate that is not finite or beyond the limit of commands.
[[nodiscard]] inline bool read_position(const double* p, Position& out) noexcept {
  constexpr double kMax = static_cast<double>(sim::kMaxCommandCoordinateM);
  for (int i = 0; i < 3; ++i) {
    if (!(p[i] >= -kMax && p[i] <= kMax)) return false;
  }
  out = Position::from_metres(p[0], p[1], p[2]);
  return true;
}

/// Gives a command of player 0 to the world and refreshes the arrays, with `body` only those of that body.
/// `created` may be null; it gets the id of a joint, rope or mover's body that the command created. The
/// caller passes the refusal to refuse() or fail().
[[nodiscard]] sim::Refusal give_edit(WorldObject& world, sim::Command command, BodyId body = {},
                                     std::uint64_t* created = nullptr);

/// A softness of takt.h: a frequency of 0 is rigid.
[[nodiscard]] inline Softness softness_of(double frequency, double damping_ratio) noexcept {
  return frequency == 0 ? Softness::rigid() : Softness::frequency(frequency, damping_ratio);
}
[[nodiscard]] inline JointFrame frame_of(const double* p, const double* q) noexcept {
  return {{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
}

/// takt_world_force and takt_world_teleport, without a handle. Null pointers as there.
[[nodiscard]] takt_status apply_force(WorldObject& world, std::uint64_t body, const double* force,
                                      const double* torque, std::uint32_t ticks);
[[nodiscard]] takt_status teleport(WorldObject& world, std::uint64_t body, const double* position,
                                   const double* rotation, const double* linear, const double* angular);

}  // namespace takt::c
