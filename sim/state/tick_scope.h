// TickScope refers to the world, the SimState and the TickResult's lists of a Simulation, while commands and
// the Game act in a tick. Within a tick, bodies and movers are created and destroyed only through TickScope.
// So ownership, grabs, lasting forces, and the tick's lists of spawned and removed bodies agree with the
// world. The Game's messages go through TickScope, too. CommandRules and WorldAccess use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/state/sim_state.h"
#include "takt/sim/any_world.h"
#include "takt/sim/game.h"

namespace takt::sim {

/// The input that acts at present.
struct ActingInput {
  PlayerId player = kServerPlayer;
  std::uint32_t sequence = 0;  ///< 0 = none acts
  std::string refusal_text;    ///< the Game's, for a refusal
  std::uint64_t created = 0;   ///< id of the joint, rope or mover's body that it created; 0 = none
};

struct TickScope {
  AnyWorld& world;
  SimState& state;
  std::vector<BodyId>& spawned;        ///< of this tick, in order of creation
  std::vector<BodyId>& removed;        ///< of this tick; never holds a body of `spawned`
  std::vector<SpawnTicket>& tickets;   ///< of bodies of `spawned`, in order of creation
  std::vector<GameMessage>& messages;  ///< of this tick; Simulation fills in their tick at its end
  ActingInput acting{};

  /// Creates a body that `owner` owns: kServerPlayer for nobody, or a joined player. If the owner's input
  /// acts, the body gets a ticket. Errors: those of World::create_body.
  [[nodiscard]] Result<BodyId, PhysicsError> create_body(const BodyDef& def, PlayerId owner);
  /// As create_body(), for a mover and its body. Errors: those of World::create_mover.
  [[nodiscard]] Result<MoverId, PhysicsError> create_mover(const MoverDef& def, PlayerId owner);
  /// Destroys a body, with its ownership, forces, shuttle and grabs. Errors: those of World::destroy_body.
  EditResult destroy_body(BodyId body);
  /// The player's grab if the world still has it; otherwise null, and player.grab becomes null.
  [[nodiscard]] GrabId living_grab(Player& player);
  /// Adds a message of the Game for a player, or for all (kServerPlayer). The player is not checked. Errors:
  /// kMessageTooLong, kTooManyMessages.
  Result<Unit, SimError> send(PlayerId player, std::span<const std::byte> bytes);

 private:
  void note_spawned(BodyId body, PlayerId owner);
};

}  // namespace takt::sim
