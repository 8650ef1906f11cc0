// visit_fields(), visit_later_fields() and visit_newer_fields() call a visitor for each field of
// CommandPolicy, with the field's name, in a fixed order. Saving, restoring, hashing and diffing of SimState
// use them (sim_state.h), and so does scene_hash() (scene.cpp). The order of the fields is part of these
// formats.
#pragma once

#include "takt/sim/policy.h"

namespace takt::sim {

/// Calls visit(name, field) for every field of the first format. `Policy` is CommandPolicy, const or not.
template <class Policy, class Visit>
void visit_fields(Policy& policy, Visit&& visit) {
  visit("max_players", policy.max_players);
  visit("commands_per_second", policy.commands_per_second);
  visit("command_burst", policy.command_burst);
  visit("push", policy.push);
  visit("grab", policy.grab);
  visit("despawn", policy.despawn);
  visit("teleport", policy.teleport);
  visit("move", policy.move);
  visit("spawn", policy.spawn);
  visit("despawn_on_leave", policy.despawn_on_leave);
  visit("max_spawned_per_player", policy.max_spawned_per_player);
  visit("max_forces_per_player", policy.max_forces_per_player);
  visit("max_impulse_n_s", policy.max_impulse_n_s);
  visit("max_force_n", policy.max_force_n);
  visit("max_torque_n_m", policy.max_torque_n_m);
  visit("max_grab_force_n", policy.max_grab_force_n);
  visit("max_spawn_size_m", policy.max_spawn_size_m);
  visit("max_spawn_density_kg_m3", policy.max_spawn_density_kg_m3);
  visit("max_speed_m_s", policy.max_speed_m_s);
  visit("max_spin_rad_s", policy.max_spin_rad_s);
}

/// Largest count of bodies, overlaps or ropes in a policy. A max_overlaps of this value means no limit.
inline constexpr std::uint32_t kMaxPolicyCount = 100'000;

/// As visit_fields(), for fields that were added later. They are written only if has_later_fields() is true,
/// so that a policy with their defaults keeps its bytes and hash.
template <class Policy, class Visit>
void visit_later_fields(Policy& policy, Visit&& visit) {
  visit("max_spawned_total", policy.max_spawned_total);
  visit("max_overlaps", policy.max_overlaps);
}

/// As visit_later_fields(), for fields that were added after those; has_newer_fields() decides.
template <class Policy, class Visit>
void visit_newer_fields(Policy& policy, Visit&& visit) {
  visit("max_ropes", policy.max_ropes);
}

/// Returns true if a newer field differs from its default.
[[nodiscard]] inline bool has_newer_fields(const CommandPolicy& policy) noexcept {
  return policy.max_ropes != CommandPolicy{}.max_ropes;
}

/// Returns true if a later or a newer field differs from its default.
[[nodiscard]] inline bool has_later_fields(const CommandPolicy& policy) noexcept {
  CommandPolicy const usual;
  return policy.max_spawned_total != usual.max_spawned_total || policy.max_overlaps != usual.max_overlaps ||
         has_newer_fields(policy);
}

}  // namespace takt::sim
