// VisualOffsets smooths what a client that simulates draws. A rollback moves bodies at once; each body is
// then drawn at its pose plus an offset, which keeps the drawn pose where it was and decays with
// time. Far and turned bodies snap. Poses that are drawn are not canonical: no world reads them.
//
// Source: G. Fiedler, State Synchronization, gafferongames.com, 2015 (decay blended by the size of the
// error).
#pragma once

#include <map>
#include <vector>

#include "takt/physics/body.h"
#include "takt/replica/replica_event.h"
#include "takt/sim/simulation.h"

namespace takt::client {

class VisualOffsets {
 public:
  // An offset decays by these factors each 60th of a second, blended between the two sizes.
  static constexpr double kDecaySmall = 0.95;
  static constexpr double kSmallM = 0.25;
  static constexpr double kDecayLarge = 0.85;
  static constexpr double kLargeM = 1.0;
  /// A larger correction is a teleport, m and rad.
  static constexpr double kSnapM = 2.0;
  static constexpr double kSnapRad = 1.0472;

  /// A world is about to go back: what is drawn now is to stay.
  void hold(const sim::Simulation& before);
  /// It is at the present tick again.
  void release(const sim::Simulation& after);
  /// This time has passed, >= 0. Frames of any length decay an offset by the same time.
  void decay(double seconds);
  void clear();

  /// Every body, id order; replaces `out`.
  void draw(const sim::Simulation& simulation, std::vector<DrawnBody>& out) const;
  /// Greatest offset now, m.
  [[nodiscard]] double greatest_m() const noexcept;

 private:
  struct Offset {
    Vec3<double> position_m;
    Quat<double> rotation;  // drawn = offset x simulated
  };
  struct Pose {
    Position position;
    Quat<double> rotation;
  };
  std::map<BodyId, Offset> offsets_;
  std::map<BodyId, Pose> held_;  // drawn poses between hold() and release()
};

}  // namespace takt::client
