#include "takt/sim/policy.h"

namespace takt::sim {
namespace {

// Written so that NaN is out of range.
bool within(double value, double low, double high) noexcept { return value >= low && value <= high; }
bool within(std::uint32_t value, std::uint32_t low, std::uint32_t high) noexcept {
  return value >= low && value <= high;
}
bool known(Touch touch) noexcept {
  return static_cast<std::uint8_t>(touch) <= static_cast<std::uint8_t>(Touch::kAnything);
}

}  // namespace

bool is_valid(const CommandPolicy& p) noexcept {
  constexpr double kMax = 1e9;
  return within(p.max_players, 1, 4096) && within(p.commands_per_second, 1, 100'000) &&
         within(p.command_burst, 1, 100'000) && known(p.push) && known(p.grab) && known(p.despawn) &&
         known(p.teleport) && known(p.move) && within(p.max_spawned_per_player, 0, 100'000) &&
         within(p.max_forces_per_player, 0, 1000) && within(p.max_impulse_n_s, 0, kMax) &&
         within(p.max_force_n, 0, kMax) && within(p.max_torque_n_m, 0, kMax) &&
         within(p.max_grab_force_n, 0, kMax) && within(p.max_spawn_size_m, 0, kMax) &&
         within(p.max_spawn_density_kg_m3, 0, kMax) && within(p.max_speed_m_s, 0, kMax) &&
         within(p.max_spin_rad_s, 0, kMax) && within(p.max_spawned_total, 0, 100'000) &&
         within(p.max_overlaps, 0, 100'000) && within(p.max_ropes, 0, 100'000);
}

CommandPolicy guarded_policy() noexcept {
  CommandPolicy policy;
  policy.max_spawned_per_player = 8;
  policy.max_spawned_total = 128;
  policy.max_spawn_size_m = 0.5;  // a half extent
  return policy;
}

}  // namespace takt::sim
