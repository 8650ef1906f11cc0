// free_linear() and free_angular() clear those components of a vector, in world axes, along which a body is
// locked. Locked axes are the world axes along which a body does not translate or about which it does not
// rotate (kLock bits of BodyDef). has_linear() and has_angular() test the bits.
#pragma once

#include <cstdint>

#include "takt/physics/body.h"
#include "takt/physics/vector.h"

namespace takt {

/// v with the components on linearly (or angularly) locked axes set to 0.
template <class Real>
[[nodiscard]] Vec3<Real> free_linear(std::uint8_t locked, Vec3<Real> v) noexcept {
  return {(locked & kLockLinearX) != 0 ? Real(0) : v.x, (locked & kLockLinearY) != 0 ? Real(0) : v.y,
          (locked & kLockLinearZ) != 0 ? Real(0) : v.z};
}
template <class Real>
[[nodiscard]] Vec3<Real> free_angular(std::uint8_t locked, Vec3<Real> v) noexcept {
  return {(locked & kLockAngularX) != 0 ? Real(0) : v.x, (locked & kLockAngularY) != 0 ? Real(0) : v.y,
          (locked & kLockAngularZ) != 0 ? Real(0) : v.z};
}
/// True if any linear (or angular) axis is locked.
[[nodiscard]] constexpr bool has_linear(std::uint8_t locked) noexcept {
  return (locked & (kLockLinearX | kLockLinearY | kLockLinearZ)) != 0;
}
[[nodiscard]] constexpr bool has_angular(std::uint8_t locked) noexcept {
  return (locked & (kLockAngularX | kLockAngularY | kLockAngularZ)) != 0;
}

}  // namespace takt
