// Game is the base class of a host program's own rules; an object of it belongs to a Simulation, live or in
// replay. Simulation::step calls it when players join or leave, for custom commands, before physics and after
// physics. Game reaches the world by WorldAccess. State of the rules that outlives a tick must be in save()
// and restore(), because it is hashed with the world's. A Game must not read clocks, files, addresses or
// random devices; for random numbers it may call WorldAccess::random(). A Simulation may run without a Game.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "takt/core/bytes.h"
#include "takt/core/result.h"
#include "takt/sim/any_world.h"
#include "takt/sim/command.h"
#include "takt/sim/error.h"

namespace takt::sim {

class SimState;

/// The calls of a Game on its world, in either numbers mode. Valid during one call of the Game. Policy limits
/// do not apply to games. Nobody owns ropes and joints.
class WorldAccess : public WorldEdits<WorldAccess> {
 public:
  [[nodiscard]] std::uint64_t tick()
      const noexcept;  ///< of the state before this step; in after_tick, after it
  [[nodiscard]] std::uint32_t tick_rate_hz() const noexcept;
  /// The whole world, for reading.
  [[nodiscard]] const AnyWorld& world() const noexcept { return *world_; }

  /// Creates a body that `owner` owns (kServerPlayer, or a player that is not joined: nobody). Errors: as
  /// World::create_body.
  [[nodiscard]] Result<BodyId, PhysicsError> create_body(const BodyDef& def, PlayerId owner = kServerPlayer);
  /// Creates a body of one shape that `owner` owns; `def.shapes` is not read. Errors: as World::create_body.
  [[nodiscard]] Result<BodyId, PhysicsError> create_body(BodyDef def, const ShapeDef& shape,
                                                         PlayerId owner = kServerPlayer) {
    def.shapes = {&shape, 1};
    return create_body(def, owner);
  }
  /// Creates a mover whose body `owner` owns. Errors: as World::create_mover.
  [[nodiscard]] Result<MoverId, PhysicsError> create_mover(const MoverDef& def,
                                                           PlayerId owner = kServerPlayer);
  /// Destroys a body, whoever owns it. Errors: kUnknownBody.
  EditResult destroy_body(BodyId body);
  /// Who spawned the body; kServerPlayer for the scene's, the server's and the game's own.
  [[nodiscard]] PlayerId owner(BodyId body) const noexcept;
  /// Both read world(). create_assembly() and control_vehicle() (takt/physics/assembly.h) take a WorldAccess
  /// and need them. The joint must be alive (asserted) for joint_def.
  [[nodiscard]] bool contains(JointId joint) const noexcept { return world_->contains(joint); }
  [[nodiscard]] JointDef joint_def(JointId joint) const { return world_->joint_def(joint); }

 private:
  friend class Simulation;
  friend class WorldEdits<WorldAccess>;
  template <class Call>
  decltype(auto) visit(Call&& call) {
    return world_->visit(std::forward<Call>(call));
  }
  WorldAccess(AnyWorld& world, SimState& state, std::vector<BodyId>& spawned,
              std::vector<BodyId>& removed) noexcept
      : world_(&world), state_(&state), spawned_(&spawned), removed_(&removed) {}
  AnyWorld* world_;
  SimState* state_;
  std::vector<BodyId>* spawned_;
  std::vector<BodyId>* removed_;
};

class Game {
 public:
  virtual ~Game() = default;

  /// A name and version such as "balloons/3". Recordings and images carry it; a mismatch is refused.
  [[nodiscard]] virtual std::string_view name() const = 0;

  /// A player came in (after it was added) or is going (before its bodies are).
  virtual void on_join(WorldAccess& world, PlayerId player);
  virtual void on_leave(WorldAccess& world, PlayerId player);
  /// Bytes from a player: never trust them. False = refused, recorded as such.
  [[nodiscard]] virtual bool on_command(WorldAccess& world, PlayerId player,
                                        std::span<const std::byte> bytes);
  /// After this tick's commands, before physics.
  virtual void before_tick(WorldAccess& world);
  /// After physics, still inside the tick: what is done here is part of the tick's result, and world.tick()
  /// is the new tick. `events` is what the step reported. Look at events here only: they are not state, so
  /// before_tick finds none after a restore.
  virtual void after_tick(WorldAccess& world, const StepEvents& events);

  /// The game's canonical state: everything that outlives a tick, in a fixed order. hash, images and rollback
  /// are all made of these bytes.
  virtual void save(ByteWriter& out) const = 0;
  /// The inverse of save. False when the bytes make no sense; the game is then discarded.
  [[nodiscard]] virtual bool restore(ByteReader& in) = 0;
};

}  // namespace takt::sim
