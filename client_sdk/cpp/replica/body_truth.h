// BodyTruth has what snapshots tell of the bodies of a world: the newest states of each, for bodies that
// follow them, and the states that a prediction is still to be compared with, by tick. It reads no world.
// is_equal() is the comparison, within the grids below.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "protocol/messages/message.h"
#include "takt/physics/world.h"
#include "takt/sim/any_world.h"

namespace takt::client {

// A predicted body within these of the server's state is right.
inline constexpr double kPositionGridM = 0x1p-9;    ///< each axis
inline constexpr double kRotationGrid = 0x1p-8;     ///< each component of the unit quaternion
inline constexpr double kLinearGridMS = 0x1p-5;     ///< each axis
inline constexpr double kAngularGridRadS = 0x1p-4;  ///< each axis

/// State of a body that the server had at a tick.
struct TruthState {
  BodyId body;
  BodyType type = BodyType::kDynamic;
  bool asleep = false;
  BodyCorrection state;
};

[[nodiscard]] TruthState to_truth(const protocol::BodyState& state);
/// Velocities of a body that either side has asleep do not count.
[[nodiscard]] bool is_equal(const sim::BodyView& own, const TruthState& truth) noexcept;

class BodyTruth {
 public:
  /// The newest state of a body, and earlier ones.
  struct Track {
    std::uint64_t tick = 0;
    TruthState newest;
    struct At {
      std::uint64_t tick = 0;
      BodyCorrection state;
    };
    std::vector<At> earlier;  // ascending ticks, the newest last, at most kHistoryMax
  };
  static constexpr std::size_t kHistoryMax = 8;

  void clear();
  /// A part of a snapshot. `completes`: all its parts have arrived.
  void handle_part(const protocol::SnapshotPart& part, bool completes);
  void forget(BodyId body);

  [[nodiscard]] const Track* find(BodyId body) const;
  [[nodiscard]] const std::map<BodyId, Track>& tracks() const noexcept { return tracks_; }
  /// State of a body between two known ones, at `tick`; outside of them the nearest one.
  [[nodiscard]] static TruthState interpolated(const Track& track, double tick);
  /// Tick of the newest snapshot; 0 = none.
  [[nodiscard]] std::uint64_t newest_tick() const noexcept { return newest_tick_; }

  /// States to compare, by tick. A state that rests stays valid while snapshots that nothing was left out of
  /// do not have the body.
  [[nodiscard]] std::map<std::uint64_t, std::vector<TruthState>>& pending() noexcept { return pending_; }

 private:
  std::map<BodyId, Track> tracks_;
  std::map<std::uint64_t, std::vector<TruthState>> pending_;
  std::uint64_t newest_tick_ = 0;
};

}  // namespace takt::client
