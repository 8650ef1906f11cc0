// CommandPolicy limits what players may do in a scene: rights (Touch), magnitudes and rates, as plain
// numbers. Simulation::step applies these limits to each input. CommandPolicy is part of the scene and of the
// saved and hashed state. The server (player 0) and admins are exempt from all limits but max_players, and
// not from the engine's ranges. SimState (sim/state/sim_state.h) holds the counts to which the limits apply.
#pragma once

#include <cstdint>

#include "takt/sim/error.h"

namespace takt::sim {

/// The bodies to which a player may apply something. Values are frozen.
enum class Touch : std::uint8_t {
  kNothing = 0,
  kOwn = 1,  ///< bodies that the player owns: it spawned them, or the Game created them for it
  kAnything = 2,
};

/// Limits of players. Every field of type double is in [0, 1e9].
struct CommandPolicy {
  std::uint32_t max_players = 64;           ///< at once, [1, 4096]
  std::uint32_t commands_per_second = 120;  ///< of one player, sustained, [1, 100000]; two a tick at 60 Hz
  std::uint32_t command_burst = 240;  ///< of one player, at once after a pause, [1, 100000]; by default those
                                      ///< of two seconds, for clients on bad links
  Touch push = Touch::kAnything;      ///< impulses, forces, and drives of joints
  Touch grab = Touch::kAnything;
  Touch despawn = Touch::kOwn;    ///< dynamic bodies, and joints on them; kAnything also allows cuts of ropes
  Touch teleport = Touch::kOwn;   ///< dynamic bodies
  Touch move = Touch::kAnything;  ///< input of movers
  bool spawn = true;
  bool despawn_on_leave =
      true;  ///< true: a leaving player's bodies are destroyed; false: they lose their owner
  std::uint32_t max_spawned_per_player = 64;  ///< living bodies that it owns, [0, 100000]
  std::uint32_t max_forces_per_player = 16;   ///< lasting forces at once, [0, 1000]
  double max_impulse_n_s = 50'000.0;          ///< 50 m/s for a cubic metre of water
  double max_force_n = 500'000.0;
  double max_torque_n_m = 500'000.0;
  double max_grab_force_n = 200'000.0;        ///< lifts 20 t
  double max_spawn_size_m = 5.0;              ///< largest half extent, radius or half length
  double max_spawn_density_kg_m3 = 20'000.0;  ///< gold
  double max_speed_m_s = 100.0;               ///< of spawned and teleported bodies
  double max_spin_rad_s = 100.0;              ///< of spawned and teleported bodies
  // The saved and hashed state has the fields below only if one of them differs from its default.
  /// Living bodies of all players together, [0, 100000]. This limit bounds the cost of a tick.
  std::uint32_t max_spawned_total = 1024;
  /// Shapes that a body may overlap where it is spawned or teleported to, [0, 100000]; 100000 = no limit.
  /// Meshes and height fields do not count. A body among many others costs a contact with each of them.
  std::uint32_t max_overlaps = 8;
  /// Players cut no rope while the world has this many, [0, 100000]. The saved and hashed state has this
  /// field only if it differs from its default.
  std::uint32_t max_ropes = 1024;

  friend bool operator==(const CommandPolicy&, const CommandPolicy&) = default;
};

/// Returns the policy that a server applies to a scene file without `players` (Scene::has_policy): a player
/// has at most 8 bodies, with half extents and radii of at most 0.5 m, and all players have 128. A scene with
/// other limits states its own policy.
[[nodiscard]] CommandPolicy guarded_policy() noexcept;

/// Returns true when every field is inside its range.
[[nodiscard]] bool is_valid(const CommandPolicy& policy) noexcept;

}  // namespace takt::sim
