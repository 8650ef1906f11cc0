// Game is the base class of a host program's own rules; an object of it belongs to a Simulation, live or in
// replay. Simulation::create calls on_start with the scene's names (SceneNames). Simulation::step calls the
// Game when players join or leave, for their spawns and custom commands, before physics and after physics.
// Game changes the world and sends messages to players by WorldAccess. State of the rules that outlives a
// tick must be in save() and restore(), because it is hashed with the world's. A Game must not read clocks,
// files, memory addresses or random devices; WorldAccess::random() and random_below() give random numbers. A
// Simulation may run without a Game. docs/GAME.md has examples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "takt/core/bytes.h"
#include "takt/core/result.h"
#include "takt/sim/any_world.h"
#include "takt/sim/command.h"
#include "takt/sim/error.h"

namespace takt::sim {

struct Scene;
struct TickScope;

inline constexpr std::size_t kMaxGameMessageBytes = 1000;    ///< of one GameMessage; the protocol's limit
inline constexpr std::size_t kMaxGameMessagesPerTick = 256;  ///< a message to all players counts once
inline constexpr std::size_t kMaxRefusalTextBytes = 200;     ///< of WorldAccess::refuse; the protocol's limit

/// Bytes from a Game for players. Messages are neither hashed nor recorded; a replay computes them again.
struct GameMessage {
  std::uint64_t tick = 0;        ///< of the state after the step
  PlayerId player = 0;           ///< kServerPlayer = all players
  std::vector<std::byte> bytes;  ///< at most kMaxGameMessageBytes
  friend bool operator==(const GameMessage&, const GameMessage&) = default;
};

/// The input that created a body: a spawn command, or a custom command during which the Game created the body
/// for the same player. Client::spawn and Client::send return the sequence.
struct SpawnTicket {
  BodyId body;
  PlayerId player = 0;         ///< the player that sent the command and owns the body
  std::uint32_t sequence = 0;  ///< of the input
  friend bool operator==(const SpawnTicket&, const SpawnTicket&) = default;
};

/// Ids of a scene's named bodies, shapes, joints and ropes, generated ones included. Valid during
/// Game::on_start; a Game that needs an id later saves it.
class SceneNames {
 public:
  /// Return the id of that name; null if nothing or more than one thing has the name. A mover's name gives
  /// its body. shape() and shapes() require that the Game has destroyed no body yet (asserted).
  [[nodiscard]] BodyId body(std::string_view name) const;
  [[nodiscard]] ShapeId shape(std::string_view name) const;
  [[nodiscard]] JointId joint(std::string_view name) const;
  [[nodiscard]] RopeId rope(std::string_view name) const;

  /// Return all ids of that name, in order of creation; none for an empty name.
  [[nodiscard]] std::vector<BodyId> bodies(std::string_view name) const;
  [[nodiscard]] std::vector<ShapeId> shapes(std::string_view name) const;
  [[nodiscard]] std::vector<JointId> joints(std::string_view name) const;
  [[nodiscard]] std::vector<RopeId> ropes(std::string_view name) const;

 private:
  friend class Simulation;
  SceneNames(const Scene& scene, const AnyWorld& world) noexcept : scene_(&scene), world_(&world) {}
  const Scene* scene_;
  const AnyWorld* world_;
  std::vector<BodyId> bodies_;  // of the scene's lists, in their order, as the others
  std::vector<JointId> joints_;
  std::vector<RopeId> ropes_;
};

/// The calls of a Game on its world, in either numbers mode. An object is valid during the call of the Game
/// that received it. The command policy does not apply to games. Ropes and joints have no owner.
class WorldAccess : public WorldEdits<WorldAccess> {
 public:
  /// Tick of the state before this step; in Game::after_tick, of the state after it.
  [[nodiscard]] std::uint64_t tick() const noexcept;
  [[nodiscard]] std::uint32_t tick_rate_hz() const noexcept;
  /// The whole world, for reading.
  [[nodiscard]] const AnyWorld& world() const noexcept { return *world_; }

  /// Creates a body that `owner` owns. Nobody owns it if `owner` is kServerPlayer or has not joined. Errors:
  /// as World::create_body.
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
  /// Destroys a body, whoever owns it (World::destroy_body). Errors: kUnknownBody.
  EditResult destroy_body(BodyId body);
  /// Returns the player that owns the body; kServerPlayer if nobody does or the body is gone.
  [[nodiscard]] PlayerId owner(BodyId body) const noexcept;
  /// The body of a shape that an event names; null when the shape is no longer alive.
  [[nodiscard]] BodyId body_of(ShapeId shape) const noexcept { return world_->body_of(shape); }

  /// A random integer in [0, bound), each with equal probability; 0 for a bound of 0. Like random(), which
  /// returns 32 uniform bits, it draws from the world's stream: saved, hashed and equal in each replay.
  [[nodiscard]] std::uint32_t random_below(std::uint32_t bound);

  /// Sends bytes or text to a joined player, in order and without loss. The client receives them as an event
  /// GameMessage. Errors (nothing is sent then): kUnknownPlayer, kMessageTooLong, kTooManyMessages. A message
  /// sent in Game::on_start reaches nobody.
  Result<Unit, SimError> send(PlayerId player, std::span<const std::byte> bytes);
  Result<Unit, SimError> send(PlayerId player, std::string_view text);
  /// Sends to all players that are joined at the end of the tick; without players it has no effect. Errors:
  /// kMessageTooLong, kTooManyMessages.
  Result<Unit, SimError> send_to_all(std::span<const std::byte> bytes);
  Result<Unit, SimError> send_to_all(std::string_view text);

  /// Sets the text of a refusal and returns false, for `return world.refuse("...")`. From Game::on_command
  /// the player's client receives the text, from Game::on_start the caller of Simulation::create; elsewhere
  /// it has no effect. The text is cut to kMaxRefusalTextBytes between two UTF-8 characters. The last call
  /// counts.
  bool refuse(std::string_view text);

  /// As AnyWorld's; create_assembly() and control_vehicle() (takt/physics/assembly.h) call them on a
  /// WorldAccess. The joint must be alive (asserted) for joint_def.
  [[nodiscard]] bool contains(JointId joint) const noexcept { return world_->contains(joint); }
  [[nodiscard]] JointDef joint_def(JointId joint) const { return world_->joint_def(joint); }

 private:
  friend class Simulation;
  friend class WorldEdits<WorldAccess>;
  template <class Call>
  decltype(auto) visit(Call&& call) {
    return world_->visit(std::forward<Call>(call));
  }
  explicit WorldAccess(TickScope& scope) noexcept;
  AnyWorld* world_;
  TickScope* scope_;
};

/// The rules of a host program. The default of each call does nothing, and on_command refuses. No call may
/// throw: a server whose Game throws ends its ticks, closes its recording and reports HostStatus::failure. A
/// replay of the recording reports the tick and the text (kGameThrew).
class Game {
 public:
  virtual ~Game() = default;

  /// Name and version such as "balloons/3", equal in every call and at most 256 bytes long (asserted).
  /// Recordings and images carry the name; Simulation::restore refuses an image of another name.
  [[nodiscard]] virtual std::string_view name() const = 0;

  /// Called when the scene has been created at tick 0 and nobody is joined; not called after restore(). False
  /// refuses the scene, with a reason by world.refuse(): Simulation::create then returns kSceneRefusedByGame.
  [[nodiscard]] virtual bool on_start(WorldAccess& world, const SceneNames& names);
  /// Called after a player was added.
  virtual void on_join(WorldAccess& world, PlayerId player);
  /// Called before a player, its grab and its bodies are removed.
  virtual void on_leave(WorldAccess& world, PlayerId player);
  /// Called when a player's spawn command has created a body. The Game may change or destroy the body.
  virtual void on_spawn(WorldAccess& world, const SpawnTicket& spawned);
  /// Called for a CustomCommand of a player or, with kServerPlayer, of the server. The bytes are untrusted.
  /// False reports the command as refused (kGameRefused), with the text of world.refuse(). It undoes nothing:
  /// the Game must check before it changes the world.
  [[nodiscard]] virtual bool on_command(WorldAccess& world, PlayerId player,
                                        std::span<const std::byte> bytes);
  /// Called after this tick's inputs and before physics.
  virtual void before_tick(WorldAccess& world);
  /// Called after physics, inside the tick: changes here are part of the tick's result, and world.tick() is
  /// the new tick. `events` are those of this step. Events are not state: after a restore, before_tick finds
  /// none of the step before.
  virtual void after_tick(WorldAccess& world, const StepEvents& events);

  /// Writes the game's canonical state: all that outlives a tick, in a fixed order. Hash, images and
  /// snapshots consist of these bytes.
  virtual void save(ByteWriter& out) const = 0;
  /// Replaces the whole state by one that save() wrote, of this object or of another one, and reads all of
  /// its bytes. Bytes of an image are untrusted: false refuses them, and the object is discarded. In a
  /// rollback the bytes are the game's own, and false asserts.
  [[nodiscard]] virtual bool restore(ByteReader& in) = 0;
};

}  // namespace takt::sim
