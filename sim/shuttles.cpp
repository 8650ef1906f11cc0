#include "sim/shuttles.h"

#include "sim/state/metres.h"

namespace takt::sim {

Shuttle make_shuttle(BodyId body, const Position& from, const SceneMotion& motion,
                     std::uint32_t tick_rate_hz) {
  auto const ticks = [&](double seconds) { return static_cast<std::uint64_t>(seconds * tick_rate_hz + 0.5); };
  Shuttle shuttle;
  shuttle.body = body;
  shuttle.from = from;
  shuttle.to = motion.to;
  shuttle.period_ticks = maximum<std::uint64_t>(1, ticks(motion.period_s));
  shuttle.phase_ticks = minimum(shuttle.period_ticks, ticks(motion.phase_s));
  return shuttle;
}

Position shuttle_position(const Shuttle& shuttle, std::uint64_t tick) noexcept {
  std::uint64_t const into = (tick % shuttle.period_ticks + shuttle.phase_ticks) % shuttle.period_ticks;
  double const part = static_cast<double>(into) / static_cast<double>(shuttle.period_ticks);
  double const way = part < 0.5 ? 2 * part : 2 - 2 * part;  // 0 at `from`, 1 at `to`
  double const smooth = way * way * (3 - 2 * way);          // at rest at both ends
  return moved_by_m(shuttle.from, relative_m(shuttle.to, shuttle.from) * smooth);
}

void drive_shuttles(const SimState& state, AnyWorld& world) {
  for (const Shuttle& shuttle : state.shuttles) {
    if (!world.contains(shuttle.body) || world.body_type(shuttle.body) != BodyType::kKinematic) continue;
    BodyView const body = world.view(shuttle.body);
    Vec3<double> const way = relative_m(shuttle_position(shuttle, world.tick() + 1), body.position);
    Vec3<double> velocity = way * static_cast<double>(world.def().tick_rate_hz);
    double const speed = root(velocity.x * velocity.x + velocity.y * velocity.y + velocity.z * velocity.z);
    double const fastest =
        kMaxLinearSpeedMS * 0.999;  // after a teleport it hurries back as fast as the engine allows
    if (speed > fastest) velocity = velocity * (fastest / speed);
    (void)world.set_velocity(shuttle.body, velocity, body.angular_velocity_rad_s);
  }
}

}  // namespace takt::sim
