// PackedBodies has the bodies of a snapshot in memory (WorldSnapshot). PackedBodies stores per body the
// fields that steps change, and force and torque only where nonzero. Steps never change the other fields
// (mass, inertia, damping, shapes, slots); only other calls of World do. The snapshots of a world share one
// copy of these fields. Each capture compares that copy with the bodies and makes a new copy if they differ,
// so calls need not report changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "physics/state/world_state.h"

namespace takt {

template <class Real>
class PackedBodies {
 public:
  using Pool = SlotPool<BodyRecord<Real>, BodyTag>;
  /// Shared bodies, valid only in the fields that steps do not change; null = none yet.
  using Setups = std::shared_ptr<const Pool>;

  /// Replaces the packed bodies; memory is reused. `setups` is the world's shared copy: pack() replaces it
  /// when it is null or differs from the bodies.
  void pack(const Pool& bodies, Setups& setups);
  /// Restores the packed bodies, bit for bit. Requires an earlier pack() (asserted).
  void unpack(Pool& bodies) const;
  /// Bytes in use, without the shared part.
  [[nodiscard]] std::size_t size_bytes() const noexcept {
    return moving_.size() * sizeof(Moving) + pushed_.size() * sizeof(Pushed);
  }

 private:
  struct Moving {
    Position center;
    Quat<Real> rotation;
    Vec3<Real> linear_velocity;
    Vec3<Real> angular_velocity;
    std::uint32_t still_ticks;
    bool quarantined;
    bool asleep;
    bool modified;
  };
  struct Pushed {
    std::uint32_t body;
    Vec3<Real> force;
    Vec3<Real> torque;
  };

  Setups setups_;
  std::vector<Moving> moving_;  ///< by body index
  std::vector<Pushed> pushed_;  ///< ascending by body
};

}  // namespace takt
