// Bodies as snapshots keep them: what steps change by body, force and torque only where there is one, and a
// reference to one copy of all else (mass, inertia, damping, shapes, places), which calls change and steps do
// not. The copy is of the world whose snapshots these are. Each capture compares it with the bodies, so that
// no call has to say that it changed one.
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
  /// Bodies of which only what steps do not change means anything; null = none yet.
  using Setups = std::shared_ptr<const Pool>;

  /// Replaces what was packed; memory is reused. `setups` becomes another copy when it is not as the bodies
  /// are.
  void pack(const Pool& bodies, Setups& setups);
  /// Exactly what was packed, bit for bit. Something must have been.
  void unpack(Pool& bodies) const;
  /// Without what snapshots share.
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
  std::vector<Moving> moving_;  ///< by body place
  std::vector<Pushed> pushed_;  ///< ascending
};

}  // namespace takt
