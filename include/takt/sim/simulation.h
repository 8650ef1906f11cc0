// Simulation::step applies the inputs of a tick and advances the world by that tick; TickResult has the new
// hash. A Simulation owns a world, an optional Game (the host's rules) and SimState. SimState has policy,
// players, ownership, rate counters, grabs (a player's hold on a body), lasting forces and shuttles
// (kinematic bodies that go to and fro). World, Game and SimState are saved, hashed and stepped together:
// state(t+1) = step(state(t), inputs(t)). Simulation reads no clock; sockets and files belong to callers.
//
// Order within a step: inputs by (player, sequence) -> Game::before_tick -> lasting forces -> shuttles ->
// physics -> Game::after_tick -> hash. One simulation is used by one thread at a time. A tick that is stepped
// again after rollback() gives equal results, the Game's messages included; RollbackBuffer passes each on
// once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "takt/core/result.h"
#include "takt/sim/any_world.h"
#include "takt/sim/command.h"
#include "takt/sim/error.h"
#include "takt/sim/game.h"
#include "takt/sim/policy.h"
#include "takt/sim/scene.h"

namespace takt::sim {

/// An input that became a no-op, and why.
struct RefusedInput {
  PlayerId player = 0;
  std::uint32_t sequence = 0;
  Refusal reason = Refusal::kNone;
  std::string text;  ///< the Game's own, with kGameRefused; may be empty
  friend bool operator==(const RefusedInput&, const RefusedInput&) = default;
};

struct TickOptions {
  StepOptions step;       ///< never changes a bit
  bool want_hash = true;  ///< false leaves TickResult::hash 0 and saves encoding the state
};

struct TickResult {
  std::uint64_t tick = 0;             ///< of the state after the step
  std::uint64_t hash = 0;             ///< Simulation::hash() of that state; 0 when not wanted
  StepStatus status;                  ///< of the physics step
  std::vector<RefusedInput> refused;  ///< in the order in which inputs act; every other input was applied
  std::vector<BodyId> spawned;        ///< bodies that came into being in this step and still live, id order
  std::vector<BodyId> removed;        ///< bodies that lived before this step and are gone, id order
  std::vector<SpawnTicket>
      tickets;  ///< the inputs that bodies of `spawned` came from, in order of the bodies
  std::vector<GameMessage> messages;  ///< of the Game, in the order in which it sent them
};

/// A player as the simulation knows it.
struct PlayerView {
  PlayerId player = 0;
  bool admin = false;
  std::string_view name;
  std::uint32_t last_sequence = 0;  ///< of its inputs so far, refused ones included
  std::uint32_t spawned_count = 0;  ///< its living bodies
  BodyId grabbed;                   ///< null = none
};

class SimState;

/// A simulation's canonical state in memory. Reuse one to avoid allocation.
class SimulationSnapshot {
 public:
  SimulationSnapshot();
  ~SimulationSnapshot();
  SimulationSnapshot(SimulationSnapshot&&) noexcept;
  SimulationSnapshot& operator=(SimulationSnapshot&&) noexcept;

 private:
  friend class Simulation;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// First bytes of a simulation image, "TKSI" in little-endian order, and its format version.
inline constexpr std::uint32_t kSimulationImageMagic = 0x49534B54u;
inline constexpr std::uint32_t kSimulationImageVersion = 1;

class Simulation {
 public:
  /// The scene at tick 0, after Game::on_start. `game` may be null. Errors: kSceneRefused, when the engine
  /// refuses a body (the loader already checked what it could); kSceneRefusedByGame, with the Game's text in
  /// `game_text` if that is not null.
  [[nodiscard]] static Result<Simulation, SimError> create(const Scene& scene, NumbersMode numbers,
                                                           std::unique_ptr<Game> game = nullptr,
                                                           std::string* game_text = nullptr);
  /// From an image of save(); everything but the game's code is in it. Errors: those of an image,
  /// kGameMismatch, kGameRefused.
  [[nodiscard]] static Result<Simulation, SimError> restore(std::span<const std::byte> image,
                                                            std::unique_ptr<Game> game = nullptr);
  /// A copy for looking at snapshots: rollback() gives it the state of a snapshot of `live`, and tick, hash,
  /// save, queries and views then answer as `live` did. It holds the Game's bytes without a Game, so it
  /// cannot step (asserted when there is one). Before the first rollback() its world is empty. It and its
  /// snapshots may be used on another thread than `live`, while `live` steps and captures.
  [[nodiscard]] static Simulation make_shadow(const Simulation& live);
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  ~Simulation();

  /// One tick. `inputs` may come in any order; those stamped with another tick than tick() are refused
  /// (kWrongTick).
  TickResult step(std::span<const Input> inputs, const TickOptions& options = {});

  [[nodiscard]] std::uint64_t tick() const noexcept;
  [[nodiscard]] std::uint64_t scene_hash()
      const noexcept;  ///< of the scene it was created from; kept in images
  [[nodiscard]] NumbersMode numbers() const noexcept;
  [[nodiscard]] const CommandPolicy& policy() const noexcept;
  /// Replaces the scene's policy, before the first tick alone (asserted). `policy` must be valid (asserted).
  void set_policy(const CommandPolicy& policy);
  /// Replaces WorldDef::max_contacts of the scene, before the first tick alone (asserted), in its range
  /// (asserted).
  void set_max_contacts(std::uint32_t max_contacts);
  [[nodiscard]] const AnyWorld& world() const noexcept;
  [[nodiscard]] const StepEvents& events() const noexcept;  ///< of the last step; valid until the next
  [[nodiscard]] const Game* game() const noexcept;
  [[nodiscard]] Game* game() noexcept;  ///< changing canonical state from outside a tick breaks replay

  /// Players in id order.
  [[nodiscard]] std::vector<PlayerView> players() const;
  [[nodiscard]] bool has_player(PlayerId player) const noexcept;
  /// Sequence of the server's last input; its next one is greater.
  [[nodiscard]] std::uint32_t server_sequence() const noexcept;
  /// Commands that the policy's rate lets the player act in the next step; further ones are refused
  /// (kRateLimited). A player that is not joined has those of one that joins.
  [[nodiscard]] std::uint32_t affordable_commands(PlayerId player) const noexcept;
  /// Who spawned the body; kServerPlayer for everything else.
  [[nodiscard]] PlayerId owner(BodyId body) const noexcept;

  /// XXH3-64 over world hash, hash of the sim state and hash of the game's state: the state hash of tick().
  [[nodiscard]] std::uint64_t hash() const;
  /// The portable image: header, sim state, game state, world image, checksum. docs/RECORDING.md has the byte
  /// table.
  [[nodiscard]] std::vector<std::byte> save() const;
  /// The first `max` fields in which two simulations differ: sim state first, then the game's, then the
  /// world's. Both of one numbers mode (asserted).
  [[nodiscard]] static std::vector<StateDifference> diff(const Simulation& left, const Simulation& right,
                                                         std::size_t max = 16);
  /// Passes every field of the canonical state to `sink`: sim state, the game's bytes, the world.
  void list_fields(FieldSink& sink) const;

  /// Copies canonical state into `out` or back from it. The snapshot must come from this simulation or one of
  /// the same scene, mode and game.
  void capture(SimulationSnapshot& out) const;
  void rollback(const SimulationSnapshot& from);
  /// For tests and tools: see World::drop_derived_state.
  void drop_derived_state();

 private:
  struct Impl;
  explicit Simulation(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sim
