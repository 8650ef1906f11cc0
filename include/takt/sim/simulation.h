// Simulation::step applies the inputs of a tick and advances the world by that tick; TickResult has the new
// hash. A Simulation owns a world, an optional Game (the host's rules) and SimState. SimState has policy,
// players, ownership, rate counters, grabs (a player's hold on a body), lasting forces and shuttles
// (kinematic bodies that go to and fro). World, Game and SimState are saved, hashed and stepped together:
// state(t+1) = step(state(t), inputs(t)). Simulation reads no clock; sockets and files belong to callers.
//
// Order within a step: inputs by (player, sequence) -> Game::before_tick -> lasting forces -> shuttles ->
// physics -> Game::after_tick -> hash. One thread at a time uses a Simulation. A tick that is stepped again
// after rollback() with equal inputs gives equal results, the Game's messages included; RollbackBuffer
// returns each message once.
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

/// An input that Simulation::step refused, and the reason.
struct RefusedInput {
  PlayerId player = 0;
  std::uint32_t sequence = 0;
  Refusal reason = Refusal::kNone;
  std::string text;  ///< of WorldAccess::refuse() with kGameRefused, else empty
  friend bool operator==(const RefusedInput&, const RefusedInput&) = default;
};

struct TickOptions {
  StepOptions step;       ///< lanes, threads and scratch memory, which change no bit of the result
  bool want_hash = true;  ///< false leaves TickResult::hash 0 and saves the encoding of the state
};

struct TickResult {
  std::uint64_t tick = 0;             ///< of the state after the step
  std::uint64_t hash = 0;             ///< Simulation::hash() of that state; 0 when not wanted
  StepStatus status;                  ///< of the physics step
  std::vector<RefusedInput> refused;  ///< in the order in which inputs act; every other input was applied
  std::vector<BodyId> spawned;        ///< bodies created in this step that still live, in id order
  std::vector<BodyId> removed;        ///< bodies that lived before this step and are gone, in id order
  std::vector<SpawnTicket> tickets;   ///< of the bodies of `spawned` that an input created, in id order
  std::vector<GameMessage> messages;  ///< of the Game, in the order in which it sent them
};

/// Present state of a joined player.
struct PlayerView {
  PlayerId player = 0;
  bool admin = false;
  std::string_view name;            ///< valid until the Simulation changes (step, rollback, move)
  std::uint32_t last_sequence = 0;  ///< of its inputs so far; 0 = none. Refused inputs count, unless by
                                    ///< kWrongTick or kStaleSequence
  std::uint32_t spawned_count = 0;  ///< number of living bodies that it owns
  BodyId grabbed;                   ///< null = none
};

class SimState;

/// A simulation's canonical state in memory, for Simulation::capture and rollback. A new one is empty. A
/// reused one keeps its memory.
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
  /// Creates the scene's world at tick 0 and calls Game::on_start. `game` may be null. Errors: kSceneRefused,
  /// when the engine refuses a part of the scene or the policy is not valid; kSceneRefusedByGame, with the
  /// Game's text in `game_text` if that is not null.
  [[nodiscard]] static Result<Simulation, SimError> create(const Scene& scene, NumbersMode numbers,
                                                           std::unique_ptr<Game> game = nullptr,
                                                           std::string* game_text = nullptr);
  /// Restores a simulation from an image of save(), in the image's numbers mode. `game` is a new object of
  /// the game that the image names, null if it names none. Image bytes are untrusted and fully checked.
  /// Errors: kBadImage, kImageVersion, kImageInconsistent, kWorldRefused, kGameMismatch; kGameRefused, with
  /// the field of the Game's state and the reason in `game_text` if that is not null.
  [[nodiscard]] static Result<Simulation, SimError> restore(std::span<const std::byte> image,
                                                            std::unique_ptr<Game> game = nullptr,
                                                            std::string* game_text = nullptr);
  /// Creates a shadow, a Simulation that reads snapshots of `live`. After shadow.rollback(snapshot) its tick,
  /// hash, save, queries and views return what `live` returned at the capture. Before that its world is
  /// empty. A shadow has the fields of the Game's state but no Game: if `live` has a Game, the shadow must
  /// not step (asserted). Another thread may use the shadow and a captured snapshot while `live` steps and
  /// captures other snapshots.
  [[nodiscard]] static Simulation make_shadow(const Simulation& live);
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  ~Simulation();

  /// Advances by one tick. `inputs` may come in any order; those whose tick is not tick() are refused
  /// (kWrongTick).
  TickResult step(std::span<const Input> inputs, const TickOptions& options = {});
  /// Applies one input of the server (asserted) at once, between two steps. The bits are those of a step that
  /// gets the input, so a recording appends it to the inputs of the next step. `result` gets the spawned and
  /// removed bodies. `created` may be null; it gets the id of the joint, rope or mover's body that the input
  /// created, 0 for none. The simulation has no Game (asserted): a Game acts in steps.
  [[nodiscard]] Refusal apply(const Input& input, TickResult& result, std::uint64_t* created = nullptr);

  [[nodiscard]] std::uint64_t tick() const noexcept;
  [[nodiscard]] std::uint64_t scene_hash() const noexcept;  ///< of the scene of create(); images carry it
  [[nodiscard]] NumbersMode numbers() const noexcept;
  [[nodiscard]] const CommandPolicy& policy() const noexcept;
  /// Replaces the scene's policy. Only allowed at tick 0, with a policy that is_valid() (both asserted).
  void set_policy(const CommandPolicy& policy);
  /// Replaces WorldDef::max_contacts of the scene. Only allowed at tick 0, with a value in its range (both
  /// asserted).
  void set_max_contacts(std::uint32_t max_contacts);
  [[nodiscard]] const AnyWorld& world() const noexcept;
  [[nodiscard]] const StepEvents& events() const noexcept;  ///< of the last step; valid until the next
  [[nodiscard]] const Game* game() const noexcept;          ///< null = none
  /// As above. A change of the Game's canonical state from outside a step breaks replay.
  [[nodiscard]] Game* game() noexcept;

  /// Players in id order.
  [[nodiscard]] std::vector<PlayerView> players() const;
  [[nodiscard]] bool has_player(PlayerId player) const noexcept;
  /// Returns the sequence of the server's last input, 0 before the first. Its next input must be above.
  [[nodiscard]] std::uint32_t server_sequence() const noexcept;
  /// Returns the number of commands of the player that the policy's rate allows in the next step; step()
  /// refuses further ones (kRateLimited). UINT32_MAX for an admin; for a player that has not joined, the
  /// number of a new player.
  [[nodiscard]] std::uint32_t affordable_commands(PlayerId player) const noexcept;
  /// Returns the player that owns the body; kServerPlayer if nobody does or the body is gone.
  [[nodiscard]] PlayerId owner(BodyId body) const noexcept;

  // A client that predicts a part of a server's world follows it by these calls, between two steps. They are
  // no inputs: no recording has them, and a simulation that others compute again must not use them.
  //
  /// World::correct.
  EditResult correct(BodyId body, const BodyCorrection& correction);
  /// World::create_body_as, with an owner; kServerPlayer = none.
  [[nodiscard]] Result<BodyId, PhysicsError> admit_body(BodyId id, const BodyDef& def, PlayerId owner);
  /// Destroys a body. Errors: kUnknownBody.
  EditResult dismiss_body(BodyId body);
  /// The world, for its other calls that change no ids: types, targets, waking.
  [[nodiscard]] AnyWorld& local_world() noexcept;

  /// Returns the state hash of tick(): XXH3-64 over the hashes of the world, SimState and the game's state.
  [[nodiscard]] std::uint64_t hash() const;
  /// Returns the portable image: header, SimState, game state, world image, checksum. docs/RECORDING.md has
  /// the byte table.
  [[nodiscard]] std::vector<std::byte> save() const;
  /// Returns the first `max` fields in which two simulations of one numbers mode (asserted) differ: SimState
  /// first, then the game's state, then the world.
  [[nodiscard]] static std::vector<StateDifference> diff(const Simulation& left, const Simulation& right,
                                                         std::size_t max = 16);
  /// Passes every field of the canonical state to `sink`: sim state, the game's state, the world.
  void list_fields(FieldSink& sink) const;

  /// Copies the canonical state into `out`.
  void capture(SimulationSnapshot& out) const;
  /// Returns to the state of a snapshot. It must be captured, from this simulation or one of equal scene,
  /// numbers mode and game (asserted as far as World::fits and Game::visit_state detect it).
  void rollback(const SimulationSnapshot& from);
  /// World::drop_derived_state, for tests and tools.
  void drop_derived_state();

 private:
  struct Impl;
  explicit Simulation(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sim
