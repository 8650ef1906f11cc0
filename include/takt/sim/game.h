// Game is the base class of a host program's own rules; an object of it belongs to a Simulation, live or in
// replay. Simulation::create calls on_start with the scene's names (SceneNames). Simulation::step calls the
// Game when players join or leave, for their spawns and custom commands, before physics and after physics.
// Game reaches the world and sends messages to players by WorldAccess. State of the rules that outlives a
// tick must be in save() and restore(), because it is hashed with the world's. A Game must not read clocks,
// files, addresses or random devices; WorldAccess::random() and random_below() have random numbers. A
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
inline constexpr std::size_t kMaxGameMessagesPerTick = 256;  ///< one to all players counts once
inline constexpr std::size_t kMaxRefusalTextBytes = 200;     ///< of WorldAccess::refuse; the protocol's limit

/// Bytes from a Game for players. An output of the tick: neither hashed nor recorded, and a replay makes it
/// again.
struct GameMessage {
  std::uint64_t tick = 0;        ///< of the state after the step
  PlayerId player = 0;           ///< kServerPlayer = all players
  std::vector<std::byte> bytes;  ///< at most kMaxGameMessageBytes
  friend bool operator==(const GameMessage&, const GameMessage&) = default;
};

/// The input that a body came from: a spawn command, or a custom command during which the Game created the
/// body for the same player. Client::spawn and Client::send return the sequence.
struct SpawnTicket {
  BodyId body;
  PlayerId player = 0;         ///< who sent the command and owns the body
  std::uint32_t sequence = 0;  ///< of the input
  friend bool operator==(const SpawnTicket&, const SpawnTicket&) = default;
};

/// Ids of the things of a scene that have names, generated ones included. For Game::on_start; a Game that
/// needs an id later saves it. The plural calls return every thing of a name, in order of creation.
class SceneNames {
 public:
  /// The thing of that name; null = there is none, or several have the name.
  [[nodiscard]] BodyId body(std::string_view name) const;
  [[nodiscard]] ShapeId shape(std::string_view name) const;
  [[nodiscard]] JointId joint(std::string_view name) const;
  [[nodiscard]] RopeId rope(std::string_view name) const;

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
  /// The body of a shape that an event names; null when the shape is no longer alive.
  [[nodiscard]] BodyId body_of(ShapeId shape) const noexcept { return world_->body_of(shape); }

  /// A random integer in [0, bound), each with equal probability; 0 for a bound of 0. Like random(), which
  /// returns 32 uniform bits, it draws from the world's stream: saved, hashed and equal in each replay.
  [[nodiscard]] std::uint32_t random_below(std::uint32_t bound);

  /// Sends bytes or text to a joined player, in order and without loss. The client receives them as an event
  /// GameMessage. Errors (nothing is sent then): kUnknownPlayer, kMessageTooLong, kTooManyMessages.
  Result<Unit, SimError> send(PlayerId player, std::span<const std::byte> bytes);
  Result<Unit, SimError> send(PlayerId player, std::string_view text);
  /// Sends to all players that are joined at the end of the tick; without players it has no effect. Errors:
  /// kMessageTooLong, kTooManyMessages.
  Result<Unit, SimError> send_to_all(std::span<const std::byte> bytes);
  Result<Unit, SimError> send_to_all(std::string_view text);

  /// In on_command: the text that the player's client receives with the refusal. In on_start: the text for
  /// the host. At most kMaxRefusalTextBytes, cut between characters; the last call counts. Returns false, for
  /// `return world.refuse("...")`.
  bool refuse(std::string_view text);

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
  explicit WorldAccess(TickScope& scope) noexcept;
  AnyWorld* world_;
  TickScope* scope_;
};

/// No call may throw. A server ends its ticks when one does, closes its recording and tells its owner
/// (HostStatus::failure). A replay of the recording reports the tick and the text (kGameThrew).
class Game {
 public:
  virtual ~Game() = default;

  /// A name and version such as "balloons/3". Recordings and images carry it; a mismatch is refused.
  [[nodiscard]] virtual std::string_view name() const = 0;

  /// The scene has been created at tick 0, and nobody is joined. Not called after restore(): what a Game
  /// needs of `names` later, it saves. False = this scene is not for this Game, with the reason in
  /// world.refuse(); Simulation::create then fails with kSceneRefusedByGame.
  [[nodiscard]] virtual bool on_start(WorldAccess& world, const SceneNames& names);
  /// A player came in (after it was added) or is going (before its bodies are).
  virtual void on_join(WorldAccess& world, PlayerId player);
  virtual void on_leave(WorldAccess& world, PlayerId player);
  /// A player's spawn command has created a body. The body may be changed or destroyed here.
  virtual void on_spawn(WorldAccess& world, const SpawnTicket& spawned);
  /// Bytes from a player: never trust them. False = refused, recorded as such; world.refuse() adds a text.
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
