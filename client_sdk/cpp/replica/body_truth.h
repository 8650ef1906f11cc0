// BodyTruth has what snapshots tell of the bodies of a world: the newest states of each, for bodies that
// follow them, and the states of the ticks that a prediction still holds. It reads no world. is_equal() is
// the comparison, within the grids below.
//
// A server sends a body once when its state has changed, and again when that was lost. The silence of a
// snapshot about a body proves nothing by itself: the body may have been left out for want of room, or its
// record was lost. Two rules follow. A resting state is valid in a snapshot that nothing was left out of. Any
// state is valid after silence_ticks() without news, in which a change would have come.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
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

/// A deviation grows while the prediction is ahead of the news. A ball of radius r that rolls over an edge
/// multiplies it by exp(T sqrt(5 g / (7 r))) in a time T: by 32 in 0.3 s at r = 0.05 m, and in 0.7 s at
/// 0.3 m. Half of the grid let a ball of 0.3 m leave the grid within 0.25 s. A greater fraction costs
/// rollbacks: 11 % more than half of the grid, in a room of four movers and 50 bodies.
inline constexpr double kGridFraction = 32;

/// State of a body that the server had at a tick.
struct TruthState {
  BodyId body;
  BodyType type = BodyType::kDynamic;
  bool asleep = false;
  BodyCorrection state;
  std::optional<MoverInput> input{};  ///< in force, if it is a mover's body; a server may not tell
};

[[nodiscard]] TruthState to_truth(const protocol::BodyState& state);
/// Within the grids. Velocities of a body that both sides have asleep do not count.
[[nodiscard]] bool is_equal(const sim::BodyView& own, const TruthState& truth) noexcept;
/// Within 1 / kGridFraction of the grids. PredictedReplica corrects what does not agree, before it grows.
[[nodiscard]] bool agrees(const sim::BodyView& own, const TruthState& truth) noexcept;

/// Equal as the wire has them: binary32, and without the jump.
[[nodiscard]] bool is_equal_input(const MoverInput& a, const MoverInput& b) noexcept;

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
    /// For the owner of the prediction: tick from which on it differs from `newest`; 0 = it agrees.
    std::uint64_t differs_since = 0;
    /// For the same: the server has the body asleep where the own world cannot keep it.
    bool is_held = false;
  };
  static constexpr std::size_t kHistoryMax = 8;

  /// States of one tick.
  struct Heard {
    std::uint64_t tick = 0;
    bool is_complete = false;  ///< all parts have arrived, and nothing was left out
    bool is_new = true;        ///< the prediction was not compared since the last state
    std::vector<TruthState> states;
  };
  /// Ticks that are held at most; 4 s at 60 Hz.
  static constexpr std::size_t kHeardMax = 256;
  /// Silence that counts as "unchanged", beside two round trips: half a second at 60 Hz.
  static constexpr std::uint64_t kSilenceTicks = 30;

  void clear();
  /// A part of a snapshot. `completes`: all its parts have arrived.
  void handle_part(const protocol::SnapshotPart& part, bool completes);
  void forget(BodyId body);

  [[nodiscard]] const Track* find(BodyId body) const;
  [[nodiscard]] Track* find(BodyId body);
  /// State of a body between two known ones, at `tick`; outside of them the nearest one.
  [[nodiscard]] static TruthState interpolated(const Track& track, double tick);
  /// The body stands still in its newest state.
  [[nodiscard]] static bool rests(const Track& track) noexcept;
  /// Tick of the newest snapshot; 0 = none.
  [[nodiscard]] std::uint64_t newest_tick() const noexcept { return newest_tick_; }
  /// Ticks without news after which a body's newest state is the server's, if the newest snapshot is
  /// `behind_ticks` behind the prediction: two round trips for a loss, and three turns of all bodies that
  /// wait for room.
  [[nodiscard]] std::uint64_t silence_ticks(std::uint64_t behind_ticks) const noexcept;

  /// Ascending ticks.
  [[nodiscard]] std::span<Heard> heard() noexcept { return heard_; }
  [[nodiscard]] const Heard* heard_at(std::uint64_t tick) const noexcept;
  /// Adds the newest state of a body to the newest snapshot: no news came for silence_ticks().
  void affirm(const Track& track);
  /// Calls visit(const TruthState&) for each state that is valid at that tick.
  template <class Visit>
  void visit(const Heard& heard, Visit&& visit) const {
    for (const TruthState& state : heard.states) visit(state);
    if (!heard.is_complete) return;
    for (auto const& [body, track] : tracks_)
      if (track.tick < heard.tick && rests(track)) visit(track.newest);
  }
  void drop_before(std::uint64_t tick);

 private:
  [[nodiscard]] Heard& hear(std::uint64_t tick);

  std::map<BodyId, Track> tracks_;
  std::vector<Heard> heard_;
  std::vector<Heard> spare_;  // dropped, with their memory
  std::uint64_t newest_tick_ = 0;
  std::uint64_t turn_ticks_ = 0;  // in which all bodies that wait for room are sent once
};

}  // namespace takt::client
