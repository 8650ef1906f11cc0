// CommandPolicy limits what players may do in a scene: rights (Touch), magnitudes and rates, as plain
// numbers. Simulation::step applies these limits to each input. CommandPolicy is part of the scene and of the
// saved and hashed state. The server (player 0) and admins are exempt from limits of ownership, magnitude and
// rate, but not from the engine's ranges. The counts to which the limits apply are in SimState
// (sim/state/sim_state.h).
#pragma once

#include <cstdint>

#include "takt/sim/error.h"

namespace takt::sim {

/// The bodies to which a player may apply something. Values are frozen.
enum class Touch : std::uint8_t {
  kNothing = 0,
  kOwn = 1,  ///< those it spawned
  kAnything = 2,
};

struct CommandPolicy {
  std::uint32_t max_players = 64;           ///< at once, [1, 4096]
  std::uint32_t commands_per_second = 120;  ///< a player, sustained, [1, 100000]; two a tick at 60 Hz
  std::uint32_t command_burst =
      240;  ///< a player, at once after a pause, [1, 100000]; two seconds' worth, for clients on bad links
  Touch push = Touch::kAnything;  ///< impulse and force
  Touch grab = Touch::kAnything;
  Touch despawn = Touch::kOwn;
  Touch teleport = Touch::kOwn;
  Touch move = Touch::kAnything;  ///< walk a mover
  bool spawn = true;
  bool despawn_on_leave = true;               ///< a leaving player's bodies go with it
  std::uint32_t max_spawned_per_player = 64;  ///< living at once, [0, 100000]
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
  /// Living bodies of all players together, [0, 100000]: what bounds the cost of a tick.
  std::uint32_t max_spawned_total = 1024;
  /// Shapes that a body may overlap where it is spawned or teleported to, [0, 100000]. A body in the midst of
  /// many others costs a contact with each of them.
  std::uint32_t max_overlaps = 8;
  /// Ropes of the world from which on players cut none, [0, 100000]. The state has it only if it differs.
  std::uint32_t max_ropes = 1024;

  friend bool operator==(const CommandPolicy&, const CommandPolicy&) = default;
};

/// The policy that a server gives to a scene without `players`: a player has 8 bodies of at most 1 m, all
/// players 128. Whoever wants more for strangers writes it into the scene.
[[nodiscard]] CommandPolicy guarded_policy() noexcept;

/// True when every field is inside its range; the scene loader names the field, an image is refused.
[[nodiscard]] bool is_valid(const CommandPolicy& policy) noexcept;

}  // namespace takt::sim
