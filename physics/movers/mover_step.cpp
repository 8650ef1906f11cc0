#include "physics/movers/mover_step.h"

#include "physics/contacts/triangle_budget.h"
#include "physics/math/is_finite.h"
#include "physics/movers/mover_push.h"
#include "physics/movers/mover_slide.h"
#include "physics/state/activity.h"
#include "physics/state/body_mutators.h"
#include "physics/state/mass_properties.h"
#include "takt/core/assert.h"
#include "takt/physics/trigonometry.h"

namespace takt {
namespace {

// Maximum speed of a mover, m/s; faster launches are clamped.
constexpr double kMaxSpeedMS = 1000.0;
// A mover that separates from the ground faster than this, m/s, does not land.
constexpr double kLeavingMS = 1e-3;
// Maximum sink speed beyond its own fall that the solver is given, m/s, when the mover steps down.
constexpr double kMaxSinkMS = 1.0;

// Triangles of a mover in a tick: a share of the budget, and at least 1,024. A walk of 25 calls over ground
// with triangles of the capsule's size tests 400.
std::uint32_t triangles_of_mover(const WorldDef& def, std::uint32_t mover_count) noexcept {
  constexpr std::uint64_t kMin = 1024;
  constexpr std::uint64_t kMax = 16384;
  if (def.max_contacts == 0) return kAllTriangles;
  return static_cast<std::uint32_t>(clamp(triangle_budget(def) / mover_count, kMin, kMax));
}

Vec3<double> level(Vec3<double> v) noexcept { return {v.x, 0.0, v.z}; }
Vec3<double> limited(Vec3<double> v, double max) noexcept {
  double const size = length(v);
  if (!(size > max)) return v;
  return v * (max / size);
}

/// The rotation about +y within a rotation.
Quat<double> twist(Quat<double> q) noexcept {
  if (q.y * q.y + q.w * q.w < 1e-12) return {};
  return unit({0.0, q.y, 0.0, q.w});
}
Quat<double> about_y(double angle_rad) noexcept {
  SinCos<Fixed> const half = sin_cos(Fixed(0.5 * angle_rad));
  return {0.0, half.sin.to_double(), 0.0, half.cos.to_double()};
}

/// Motion of the ground under a mover in a tick.
struct Ground {
  Vec3<double> velocity;  ///< m/s, of the point under the mover, surface velocity included
  Quat<double> turn;      ///< about +y, in the tick
};

template <class Real>
class MoverTick {
 public:
  MoverTick(WorldState<Real>& state, MoverCollision<Real>& around, SurfaceScratch& scratch,
            StepEvents& events, MoverRecord& mover)
      : state_(state),
        events_(events),
        mover_(mover),
        start_(state.bodies[mover.body].motion.center),
        period_s_(1.0 / static_cast<double>(state.def.tick_rate_hz)),
        around_(around),
        slide_(around_, scratch, mover.tuning, period_s_) {}

  /// Maximum query distance from the mover's start, m, without its own size.
  [[nodiscard]] static double reach(const WorldState<Real>& state, const MoverRecord& mover,
                                    double period_s) noexcept {
    const MoverTuning& t = mover.tuning;
    double speed = length(mover.velocity) + length(mover.ground_velocity) + t.jump_speed_m_s +
                   t.max_speed_m_s + t.recovery_speed_m_s;
    if (mover.grounded && state.shapes.contains(mover.ground)) {
      const Position& start = state.bodies[mover.body].motion.center;
      speed += length(velocity_at(state, state.shapes[mover.ground.index].body, start, {}));
    }
    return 2.0 * (speed + 10.0) * period_s + 2.0 * (t.step_height_m + t.stick_distance_m) + 0.5;
  }

  void run() {
    std::uint32_t const old_ground = mover_.grounded && state_.shapes.contains(mover_.ground)
                                         ? state_.shapes[mover_.ground.index].body
                                         : kNoIndex;
    Ground const ground = find_ground();
    const BodyRecord<Real>& body = state_.bodies[mover_.body];
    Quat<double> const heading = twist(to_double(body.motion.rotation));
    Quat<double> const rotated = unit(about_y(mover_.input.turn_rad_s * period_s_) * (ground.turn * heading));
    Vec3<double> wanted = level(mover_.input.velocity_m_s);
    if (mover_.input.in_heading_frame) wanted = level(rotate(rotated, wanted));
    wanted = limited(wanted, mover_.tuning.max_speed_m_s);
    bool const jumps = mover_.input.jump && mover_.grounded;
    mover_.input.jump = false;
    if (mover_.grounded) {
      Vec3<double> const own = level(mover_.velocity);
      mover_.velocity = own + limited(wanted - own, mover_.tuning.acceleration_m_s2 * period_s_);
    }
    if (jumps) leave_ground(Vec3<double>{0.0, mover_.tuning.jump_speed_m_s, 0.0} + ground.velocity);
    if (mover_.grounded) {
      walk(ground);
    } else {
      fall(wanted);
    }
    wake_left(old_ground);
    finish(ground, rotated);
  }

 private:
  /// Motion of the last step's ground in this tick; the mover leaves ground that no longer exists.
  Ground find_ground() {
    Ground ground;
    if (!mover_.grounded) return ground;
    bool const stands = state_.shapes.contains(mover_.ground) &&
                        state_.bodies[state_.shapes[mover_.ground.index].body].enabled;
    if (!stands) {
      leave_ground(mover_.ground_velocity);
      return ground;
    }
    const ShapeRecord<Real>& shape = state_.shapes[mover_.ground.index];
    SurfaceMotion const motion = surface_motion(state_, shape.body, start_);
    Vec3<double> const carried =
        (motion.carried(foot()) - foot()) * static_cast<double>(state_.def.tick_rate_hz);
    ground.velocity = limited(carried + belt(shape, motion.rotation), kMaxSpeedMS);
    ground.turn = twist(motion.end_rotation * conjugate(motion.rotation));
    return ground;
  }
  [[nodiscard]] Vec3<double> foot() const noexcept {
    return {0.0, -(around_.half_length() + around_.radius() + mover_.tuning.skin_m), 0.0};
  }
  [[nodiscard]] static Vec3<double> belt(const ShapeRecord<Real>& shape, Quat<double> rotation) noexcept {
    Vec3<double> const velocity = to_double(shape.surface_velocity);
    return is_zero(velocity) ? velocity : rotate(unit(rotation * to_double(shape.local_rotation)), velocity);
  }

  /// Adds `with` to the velocity, which is the world's from here on.
  void leave_ground(Vec3<double> with) noexcept {
    mover_.velocity = canonical(limited(mover_.velocity + with, kMaxSpeedMS));
    mover_.ground_velocity = {};
    mover_.grounded = false;
    mover_.ground = {};
    mover_.ground_normal = {0.0, 1.0, 0.0};
  }

  void stand_on(const MoverSupport& support, Vec3<double> world_velocity) {
    TAKT_ASSERT(support.found && support.drop >= 0.0);
    const MoverObstacle<Real>& obstacle = around_.obstacle(support.obstacle);
    const ShapeRecord<Real>& shape = state_.shapes[obstacle.shape];
    SurfaceMotion const motion = surface_motion(state_, obstacle.body, start_);
    mover_.grounded = true;
    mover_.ground = state_.shapes.id(obstacle.shape);
    mover_.ground_normal = canonical(support.normal);
    Vec3<double> const under =
        velocity_at(state_, obstacle.body, start_, support.point) + belt(shape, motion.rotation);
    mover_.ground_velocity = canonical(limited(under, kMaxSpeedMS));
    mover_.velocity = canonical(limited(level(world_velocity - mover_.ground_velocity), kMaxSpeedMS));
    const BodyRecord<Real>& body = state_.bodies[obstacle.body];
    double const weight = -mover_.tuning.mass_kg * mover_.tuning.gravity_scale * state_.def.gravity_m_s2.y;
    if (is_awake_dynamic(body) && weight > 0.0) {
      load_body(state_, events_, obstacle.body, weight,
                support.point - relative<double>(body.motion.center, start_));
    }
  }

  void walk(const Ground& ground) {
    std::uint32_t const ground_body = state_.shapes[mover_.ground.index].body;
    Vec3<double> const carry = ground.velocity * period_s_;
    if (!is_zero(carry)) slide_.slide(carry, {false, ground_body});
    slide_.touched.count = 0;
    Vec3<double> own = level(mover_.velocity);
    Vec3<double> by = own * period_s_;
    Vec3<double> const n = mover_.ground_normal;
    if (slide_.is_walkable(n)) by.y = -(by.x * n.x + by.z * n.z) / n.y;
    slide_.walk(by);
    // Level obstacles only: the ground handles the rest.
    Vec3<double> const wanted = own + ground.velocity;
    meet(wanted);
    MoverPlanes walls;
    for (const MoverPlane& plane : slide_.touched.list()) {
      double const flat = length(level(plane.normal));
      if (slide_.is_walkable(plane.normal) || !(flat > 1e-3)) continue;
      MoverPlane wall = plane;
      wall.normal = level(plane.normal) * (1.0 / flat);
      wall.min = (plane.min - dot(plane.normal, ground.velocity)) / flat;
      walls.add(wall);
    }
    own = level(solve_planes(own, walls.list()));
    MoverSupport const support = slide_.support(mover_.tuning.stick_distance_m, true);
    if (support.found) {
      slide_.at = slide_.at - Vec3<double>{0.0, support.drop, 0.0};
      stand_on(support, own + ground.velocity);
      return;
    }
    mover_.velocity = own;
    mover_.velocity.y = by.y / period_s_;
    leave_ground(ground.velocity);
  }

  void fall(Vec3<double> wanted) {
    Vec3<double> velocity = mover_.velocity;
    if (!is_zero(wanted))
      velocity += limited(steered(wanted - level(velocity)), mover_.tuning.air_acceleration_m_s2 * period_s_);
    Vec3<double> const change = state_.def.gravity_m_s2 * (mover_.tuning.gravity_scale * period_s_);
    Vec3<double> const before = velocity;
    velocity += change;
    velocity.y = maximum(velocity.y, minimum(before.y, -mover_.tuning.max_fall_speed_m_s));
    velocity = limited(velocity, kMaxSpeedMS);
    slide_.slide((before + velocity) * (0.5 * period_s_), {});
    meet(velocity);
    velocity = solve_planes(velocity, slide_.touched.list());
    mover_.velocity = canonical(velocity);
    MoverSupport const support = slide_.support(0.0, false);
    if (!support.found) return;
    Vec3<double> const under =
        velocity_at(state_, around_.obstacle(support.obstacle).body, start_, support.point);
    if (dot(support.normal, velocity - under) > kLeavingMS) return;
    slide_.at = slide_.at - Vec3<double>{0.0, support.drop, 0.0};
    stand_on(support, velocity);
  }

  /// The part of a velocity change that does not press against ground too steep to walk up.
  [[nodiscard]] Vec3<double> steered(Vec3<double> change) {
    MoverSlide<Real> probe = slide_;
    probe.slide({}, {});
    for (const MoverPlane& plane : probe.touched.list()) {
      double const flat = length(level(plane.normal));
      if (slide_.is_walkable(plane.normal) || plane.normal.y < 0.0 || !(flat > 1e-3)) continue;
      Vec3<double> const out = level(plane.normal) * (1.0 / flat);
      double const into = dot(out, change);
      if (into < 0.0) change -= out * into;
    }
    return change;
  }

  void meet(Vec3<double> velocity) {
    MoverPush<Real> push{state_, events_, around_, start_, slide_.at, period_s_, mover_.tuning.push_force_n};
    push_bodies(push, velocity, std::span(slide_.touched.planes.data(), slide_.touched.count));
  }

  /// Wakes a sleeping body that the mover stepped off or onto, because its load changed.
  void wake_left(std::uint32_t old_ground) {
    bool const left = old_ground != kNoIndex && state_.bodies[old_ground].asleep &&
                      !(mover_.grounded && state_.shapes[mover_.ground.index].body == old_ground);
    if (left) press(state_, events_, old_ground, {}, {});
    if (!mover_.grounded) return;
    std::uint32_t const ground = state_.shapes[mover_.ground.index].body;
    if (ground != old_ground && state_.bodies[ground].asleep) press(state_, events_, ground, {}, {});
  }

  /// Sends the body to the mover's final position.
  void finish(const Ground& ground, Quat<double> rotated) {
    BodyRecord<Real>& body = state_.bodies[mover_.body];
    bool const turns = mover_.input.turn_rad_s != 0.0 || ground.turn.y != 0.0;
    if (is_zero(slide_.at) && !turns) return;
    Quat<Real> rotation = body.motion.rotation;
    if (turns) {
      rotation = canonical(normalise(Quat<Real>{to_real<Real>(rotated.x), to_real<Real>(rotated.y),
                                                to_real<Real>(rotated.z), to_real<Real>(rotated.w)}));
    }
    Position const center = moved(start_, slide_.at);
    auto const within = [](std::int64_t raw) { return raw >= -kWorldLimitRaw && raw <= kWorldLimitRaw; };
    bool const inside =
        length(slide_.at) < 1e6 && within(center.x_raw) && within(center.y_raw) && within(center.z_raw);
    if (!inside || aim(state_, mover_.body, center, rotation).has_value()) {
      mover_.velocity = {};
      return;
    }
    // Steps up and down do not count as motion for bodies on its head.
    double const rate = static_cast<double>(state_.def.tick_rate_hz);
    double const falling = minimum(mover_.velocity.y + mover_.ground_velocity.y, 0.0);
    double const up = maximum((slide_.at.y - slide_.step_rise) * rate, falling - kMaxSinkMS);
    Vec3<double> const velocity{slide_.at.x * rate, up, slide_.at.z * rate};
    body.motion.linear_velocity = canonical(
        Vec3<Real>{to_real<Real>(velocity.x), to_real<Real>(velocity.y), to_real<Real>(velocity.z)});
  }

  WorldState<Real>& state_;
  StepEvents& events_;
  MoverRecord& mover_;
  Position start_;
  double period_s_;
  MoverCollision<Real>& around_;
  MoverSlide<Real> slide_;
};

}  // namespace

template <class Real>
bool MoverStep<Real>::move(WorldState<Real>& state, Proxies& proxies, StepEvents& events) {
  collision_.clear_cut();
  if (state.movers.alive_count == 0) return false;
  is_mover_.assign(state.bodies.capacity(), 0);
  for (std::uint32_t i = 0; i < state.movers.capacity(); ++i) {
    if (state.movers.alive(i)) is_mover_[state.movers[i].body] = 1;
  }
  double farthest = 0.0;
  for (std::uint32_t i = 0; i < state.bodies.capacity(); ++i) {
    if (state.bodies.alive(i) && moves_on_its_own(state.bodies[i]))
      farthest = maximum(farthest, kinematic_reach(state, proxies.broad_phase(), i));
  }
  double const period_s = 1.0 / static_cast<double>(state.def.tick_rate_hz);
  std::uint32_t const max_triangles = triangles_of_mover(state.def, state.movers.alive_count);
  for (std::uint32_t i = 0; i < state.movers.capacity(); ++i) {
    if (!state.movers.alive(i)) continue;
    MoverRecord& mover = state.movers[i];
    const BodyRecord<Real>& body = state.bodies[mover.body];
    TAKT_ASSERT(body.type == BodyType::kKinematic && body.shape_count == 1);
    if (!body.enabled || body.quarantined) continue;
    double const reach = MoverTick<Real>::reach(state, mover, period_s);
    collision_.gather(state, proxies, body.first_shape, reach, farthest, is_mover_);
    collision_.set_triangles(max_triangles);
    MoverTick<Real>(state, collision_, scratch_, events, mover).run();
    // Later movers see this one's new position.
    farthest = maximum(farthest, kinematic_reach(state, proxies.broad_phase(), mover.body));
  }
  return true;
}

template class MoverStep<float>;
template class MoverStep<Fixed>;

}  // namespace takt
