// CommandRules::apply decides if an input acts, and makes it act. Simulation::step calls it for each input of
// a tick, and refill() before the first. A decision depends only on the input, the saved and hashed state,
// and the Game for custom commands. So replay refuses the same inputs for the same reasons. For a refused
// input, CommandRules changes at most the last sequence and command allowance of its player, and forgets a
// grab that has ended. A Game that refuses a custom command may have changed the world before.
#pragma once

#include <cstddef>
#include <span>

#include "sim/state/tick_scope.h"
#include "takt/physics/query.h"
#include "takt/sim/command.h"
#include "takt/sim/game.h"

namespace takt::sim {

/// Greatest number of lasting forces of all players and the server together. It holds for admins, too.
inline constexpr std::size_t kMaxLastingForces = 100'000;

class CommandRules {
 public:
  /// `game` may be null; its functions get `access`. All must outlive the rules.
  CommandRules(TickScope& scope, Game* game, WorldAccess& access)
      : scope_(&scope), game_(game), access_(&access) {}

  /// Applies one input and returns kNone, or returns why it has no effect. The caller sets TickScope::acting
  /// before.
  [[nodiscard]] Refusal apply(const Input& input);

  /// Adds one tick's commands to the allowance of every player, up to the policy's burst. Call it once before
  /// the tick's inputs.
  static void refill(SimState& state, std::uint32_t tick_rate_hz);

 private:
  /// Who acts. `player` is null for the server.
  struct Actor {
    PlayerId id;
    Player* player;
    bool is_privileged;
  };
  [[nodiscard]] Refusal admit(const Input& input, Actor& actor);
  [[nodiscard]] Refusal may_touch(const Actor& actor, BodyId body, Touch touch) const;
  [[nodiscard]] Refusal may_touch(const Actor& actor, JointId joint, Touch touch) const;
  [[nodiscard]] Refusal check_pushable(const Actor& actor, BodyId body, Touch touch) const;
  [[nodiscard]] bool is_crowded(std::span<const Query> queries) const;
  [[nodiscard]] std::size_t count_origins_inside(const Query& query, std::size_t max) const;
  [[nodiscard]] Refusal refuse_crowded(const Actor& actor);
  /// The grab of a player or of the server; null = none.
  [[nodiscard]] GrabId living_grab(const Actor& actor);

  [[nodiscard]] Refusal act(const Actor& actor, const ImpulseCommand& command);
  [[nodiscard]] Refusal act(const Actor& actor, const ForceCommand& command);
  [[nodiscard]] Refusal act(const Actor& actor, const SpawnCommand& command);
  [[nodiscard]] Refusal act(const Actor& actor, const DespawnCommand& command);
  [[nodiscard]] Refusal act(const Actor& actor, const GrabCommand& command);
  [[nodiscard]] Refusal act(const Actor& actor, const MoveGrabCommand& command);
  [[nodiscard]] Refusal act(const Actor& actor, const ReleaseCommand& command);
  [[nodiscard]] Refusal act(const Actor& actor, const TeleportCommand& command);
  [[nodiscard]] Refusal act(const Actor& actor, const CustomCommand& command);
  [[nodiscard]] Refusal act(const Actor& actor, const JoinCommand& command);
  [[nodiscard]] Refusal act(const Actor& actor, const LeaveCommand& command);
  [[nodiscard]] Refusal act(const Actor& actor, const MoveCommand& command);
  [[nodiscard]] Refusal act(const Actor& actor, const CutCommand& command);
  [[nodiscard]] Refusal act(const Actor& actor, const ChangeJointCommand& command);
  [[nodiscard]] Refusal act(const Actor& actor, const DestroyJointCommand& command);
  [[nodiscard]] Refusal act(const Actor& actor, const ChangeBodyCommand& command);
  [[nodiscard]] Refusal act(const Actor& actor, const ChangeShapeCommand& command);
  [[nodiscard]] Refusal act(const Actor& actor, const TargetCommand& command);
  [[nodiscard]] Refusal act(const Actor& actor, const TuneMoverCommand& command);
  [[nodiscard]] Refusal act(const Actor& actor, const CreateJointCommand& command);
  [[nodiscard]] Refusal act(const Actor& actor, const CreateRopeCommand& command);
  [[nodiscard]] Refusal act(const Actor& actor, const ChangeRopeCommand& command);
  [[nodiscard]] Refusal act(const Actor& actor, const DestroyRopeCommand& command);
  [[nodiscard]] Refusal act(const Actor& actor, const CreateMoverCommand& command);

  TickScope* scope_;
  Game* game_;
  WorldAccess* access_;
};

}  // namespace takt::sim
