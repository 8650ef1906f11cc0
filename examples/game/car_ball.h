// CarBall is a complete Game (takt/sim/game.h): two teams of two cars push a ball into each other's goal.
// Players that join are distributed over the teams; further players watch, and take the seat of a driver that
// leaves. A driver steers its car with commands of three bytes (DriveCommand). A car brakes one second after
// its last command, so the car of an absent player stands. A match has two minutes of play. After each goal,
// and when the ball is stuck or outside, cars and ball go back to their places. CarBall tells the players
// their team, the score and the time. It needs the scene pitch.json, which has the ball and the goals. All
// randomness is the world's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "takt/physics/assembly.h"
#include "takt/sim/game.h"

namespace car_ball {

enum class Team : std::uint8_t { kBlue = 0, kRed = 1 };
inline constexpr std::uint32_t kTeamCount = 2;
inline constexpr std::uint32_t kSeatsPerTeam = 2;

/// BodyDef::user_tag of the bodies, which clients see as Body::user_kind.
inline constexpr std::uint32_t kBallKind = 1;     ///< of the scene's ball
inline constexpr std::uint32_t kBlueCarKind = 2;  ///< a blue chassis
inline constexpr std::uint32_t kRedCarKind = 3;   ///< a red chassis
inline constexpr std::uint32_t kWheelKind = 4;

/// Goals stand at x = -kGoalLineM (blue's) and x = kGoalLineM (red's), walls at z = +-kSideLineM. The ball's
/// radius is 1.5 m.
inline constexpr double kGoalLineM = 24;
inline constexpr double kSideLineM = 14;

/// The pedals and the steering wheel, in per cent.
struct DriveCommand {
  std::int8_t forward = 0;  ///< [-100, 100], < 0 backwards, 0 brakes
  std::int8_t left = 0;     ///< [-100, 100], < 0 to the right

  /// The bytes of a sim::CustomCommand.
  [[nodiscard]] std::vector<std::byte> bytes() const;
  /// None for bytes that are no drive command.
  [[nodiscard]] static std::optional<DriveCommand> from(std::span<const std::byte> bytes);
};

class CarBall final : public takt::sim::Game {
 public:
  [[nodiscard]] std::string_view name() const override { return "car_ball/1"; }
  [[nodiscard]] bool on_start(takt::sim::WorldAccess& world, const takt::sim::SceneNames& names) override;
  void on_join(takt::sim::WorldAccess& world, takt::sim::PlayerId player) override;
  void on_leave(takt::sim::WorldAccess& world, takt::sim::PlayerId player) override;
  [[nodiscard]] bool on_command(takt::sim::WorldAccess& world, takt::sim::PlayerId player,
                                std::span<const std::byte> bytes) override;
  void before_tick(takt::sim::WorldAccess& world) override;
  void after_tick(takt::sim::WorldAccess& world, const takt::StepEvents& events) override;
  void visit_state(takt::sim::StateVisitor& state) override;

  struct Driver {
    Team team = Team::kBlue;
    std::uint32_t seat = 0;                ///< in the team, below kSeatsPerTeam
    std::array<takt::BodyId, 5> bodies{};  ///< the chassis, then the wheels
    std::array<takt::JointId, 4> wheels{};
    DriveCommand pedals;
    std::uint64_t pedals_end_tick = 0;  ///< the car brakes from this tick on; 0 = it rolls, without a
                                        ///< command so far
    std::uint32_t tipped_ticks = 0;     ///< since the car lies on its side or roof
  };
  [[nodiscard]] const std::map<takt::sim::PlayerId, Driver>& drivers() const noexcept { return drivers_; }
  /// Goals of blue and of red in this match, and in all matches before.
  [[nodiscard]] const std::array<std::uint32_t, kTeamCount>& score() const noexcept { return score_; }
  [[nodiscard]] std::uint32_t goal_count() const noexcept { return goal_count_; }

 private:
  enum class Phase : std::uint8_t { kKickoff, kPlay, kGoal, kOver };

  void begin_phase(takt::sim::WorldAccess& world, Phase phase);
  void begin_match(takt::sim::WorldAccess& world);
  void begin_kickoff(takt::sim::WorldAccess& world);
  void score(takt::sim::WorldAccess& world, Team team);
  void play_tick(takt::sim::WorldAccess& world);
  void seat(takt::sim::WorldAccess& world, takt::sim::PlayerId player);
  [[nodiscard]] std::uint32_t driver_count(Team team) const;
  [[nodiscard]] std::optional<std::uint32_t> free_seat(Team team) const;

  takt::BodyId ball_;
  std::array<takt::ShapeId, kTeamCount> goals_{};  // of the team that defends it
  Phase phase_ = Phase::kKickoff;
  std::uint64_t phase_end_tick_ = 0;   // kPlay has none
  std::uint32_t play_ticks_left_ = 0;  // of the match
  std::uint32_t stuck_ticks_ = 0;      // since the ball is slow
  std::array<std::uint32_t, kTeamCount> score_{};
  std::uint32_t goal_count_ = 0;
  std::map<takt::sim::PlayerId, Driver> drivers_;
  std::vector<takt::sim::PlayerId> watchers_;  // in order of joining
};

}  // namespace car_ball
