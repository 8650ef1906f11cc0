#include "sim/movers.h"

#include "sim/metres.h"

namespace takt::sim {

Mover make_mover(BodyId body, const Position& from, const SceneMotion& motion, std::uint32_t tick_rate_hz) {
  auto const ticks = [&](double seconds) { return static_cast<std::uint64_t>(seconds * tick_rate_hz + 0.5); };
  Mover mover;
  mover.body = body;
  mover.from = from;
  mover.to = motion.to;
  mover.period_ticks = maximum<std::uint64_t>(1, ticks(motion.period_s));
  mover.phase_ticks = minimum(mover.period_ticks, ticks(motion.phase_s));
  return mover;
}

Position mover_position(const Mover& mover, std::uint64_t tick) noexcept {
  std::uint64_t const into = (tick % mover.period_ticks + mover.phase_ticks) % mover.period_ticks;
  double const part = static_cast<double>(into) / static_cast<double>(mover.period_ticks);
  double const way = part < 0.5 ? 2 * part : 2 - 2 * part;  // 0 at `from`, 1 at `to`
  double const smooth = way * way * (3 - 2 * way);          // at rest at both ends
  return moved_by_m(mover.from, relative_m(mover.to, mover.from) * smooth);
}

void drive_movers(const SimState& state, AnyWorld& world) {
  for (const Mover& mover : state.movers) {
    if (!world.contains(mover.body) || world.body_type(mover.body) != BodyType::kKinematic) continue;
    BodyView const body = world.view(mover.body);
    Vec3<double> const way = relative_m(mover_position(mover, world.tick() + 1), body.position);
    Vec3<double> velocity = way * static_cast<double>(world.def().tick_rate_hz);
    double const speed = root(velocity.x * velocity.x + velocity.y * velocity.y + velocity.z * velocity.z);
    double const fastest = kMaxLinearSpeedMS * 0.999;  // after a teleport it hurries back as fast as the engine allows
    if (speed > fastest) velocity = velocity * (fastest / speed);
    (void)world.set_velocity(mover.body, velocity, body.angular_velocity_rad_s);
  }
}

}  // namespace takt::sim
