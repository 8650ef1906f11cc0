#include "physics/step/continuous_collision.h"

#include <algorithm>
#include <optional>

#include "physics/base/fair_limit.h"
#include "physics/base/parallel_for.h"
#include "physics/broad_phase/candidate_pairs.h"
#include "physics/broad_phase/swept_box.h"
#include "physics/constraints/gyroscope.h"
#include "physics/constraints/motion_locks.h"
#include "physics/contacts/soft_contact_sweep.h"
#include "physics/geometry/convex_cast.h"
#include "physics/geometry/convex_distance.h"
#include "physics/geometry/mesh_instance.h"
#include "physics/geometry/rotation_sweep.h"
#include "physics/geometry/shape_extent.h"
#include "physics/state/activity.h"
#include "physics/state/mass_properties.h"
#include "physics/state/shape_bounds.h"
#include "physics/state/shape_geometry_of.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

// Steps of a sweep that include rotation. A body that rotates faster than it moves would need any number of
// them; the remaining steps use translation only.
constexpr int kRotationSteps = 32;
constexpr int kMaxSteps = 64;
// A sweep ends within this fraction of its target depth.
constexpr double kNearFraction = 0.1;
// A body that meets a surface at a grazing angle moves back by at most this multiple of the depth.
constexpr double kMaxBack = 4.0;
constexpr double kFar = 1e100;
// A stop before this fraction of the tick leaves a body where it was.
constexpr double kStuckFraction = 1e-3;
// Maximum number of tests of boxes of the ray of a body's centre: a ray through a tree of 2^20 triangles
// takes some hundreds.
constexpr std::uint64_t kMaxRaySteps = 4096;
// Triangles of a surface that each sweep of a world with a limit tests, however many bodies are fast.
constexpr std::uint32_t kMinTriangles = 16;
// Up to this number of kinematic shapes are tested one by one, without a tree walk.
constexpr std::size_t kFewObstacles = 64;

/// The motion of a body in the tick, about its centre of mass at the start, relative to an obstacle at the
/// obstacle's end pose.
struct BodyMotion {
  Vec3<double> from;  ///< displacement of the obstacle: the body starts there relative to it
  Vec3<double> translation;
  RotationSweep turn;
};

/// A shape that its body sweeps.
struct SweptShape {
  ShapeKind kind = ShapeKind::kSphere;
  Vec3<double> extents;
  const HullGeometry* hull = nullptr;
  Vec3<double> offset;  ///< from the body's centre of mass, body frame
  Quat<double> local_rotation;
  double half = 0.0;       ///< of the smallest extent, m
  double lever_arm = 0.0;  ///< largest distance of a rotating point from the centre of mass, m

  [[nodiscard]] ShapeGeometry<double> geometry(Quat<double> q) const {
    return {kind, extents, to_matrix(unit(q * local_rotation)), hull};
  }
  [[nodiscard]] Vec3<double> center_at(const BodyMotion& displacement, double t, Quat<double> q) const {
    return displacement.from + displacement.translation * t + rotate(q, offset);
  }
  [[nodiscard]] ConvexShape at(const BodyMotion& displacement, double t) const {
    Quat<double> const q = displacement.turn.at(t);
    return {geometry(q), center_at(displacement, t, q)};
  }
};

template <class Real>
SweptShape swept(const WorldState<Real>& state, const BodyRecord<Real>& body,
                 const ShapeRecord<Real>& shape) {
  SweptShape s;
  s.kind = shape.kind;
  s.extents = to_double(shape.extents);
  s.hull = hull_of(state, shape);
  s.offset = to_double(shape.local_position) - to_double(body.local_center);
  s.local_rotation = to_double(shape.local_rotation);
  s.half = smallest_half(s.kind, s.extents, s.hull);
  double reach = 0.0;
  if (s.kind == ShapeKind::kCapsule) reach = s.extents.y;
  if (s.kind == ShapeKind::kBox) reach = length(s.extents);
  if (s.kind == ShapeKind::kCylinder || s.kind == ShapeKind::kCone) reach = s.extents.x + s.extents.y;
  if (s.kind == ShapeKind::kHull) reach = length(s.hull->half_size_m);
  s.lever_arm = length(s.offset) + reach;
  return s;
}

/// An obstacle of a sweep: a convex shape, or a plane through `on`.
struct Obstacle {
  std::optional<ConvexShape> shape;
  Vec3<double> on;
  Vec3<double> up;
};

struct Gap {
  double distance = 0.0;  ///< m, below 0 inside
  Vec3<double> normal;    ///< unit, towards the obstacle
};

Gap gap_to(const Obstacle& obstacle, const ConvexShape& shape) {
  if (!obstacle.shape.has_value())
    return {nearness_to_plane(shape, obstacle.on, obstacle.up).distance, -obstacle.up};
  SeparatingAxis const axis = separating_axis(shape, *obstacle.shape, kFar);
  return {axis.gap - shape.radius() - obstacle.shape->radius(), axis.normal};
}

/// The free fraction of a sweep, and the direction to the obstacle there.
struct Reach {
  double fraction = 1.0;
  Vec3<double> normal{};  ///< unit, towards the obstacle
};

/// A lower bound of the fraction of the sweep that is still free with `left` m to go; 1 if nothing closes the
/// distance.
double free_fraction(const SweptShape& moving, const BodyMotion& displacement, int step, double closing_speed,
                     double left) noexcept {
  double const closing =
      closing_speed + (step < kRotationSteps ? displacement.turn.rate * moving.lever_arm : 0.0);
  return closing > 0.0 ? left / closing : 1.0;
}

/// Time of impact by conservative advancement; 1 without a hit. The signed distance falls no faster than
/// translation along its axis and rotation allow, so no step passes the hit. Source: B. Mirtich,
/// Impulse-based Dynamic Simulation (1996).
Reach time_of_impact(const SweptShape& moving, const BodyMotion& displacement, const Obstacle& obstacle) {
  double const deeper = minimum(kSweepDepthM, kSweepDepthFraction * moving.half);
  double const near = kNearFraction * deeper;
  double const size = length(displacement.translation);
  double depth = deeper;
  double t = 0.0;
  Vec3<double> normal{};
  for (int step = 0; step < kMaxSteps; ++step) {
    Gap const gap = gap_to(obstacle, moving.at(displacement, t));
    normal = gap.normal;
    double const closing_speed = dot(normal, displacement.translation);
    if (step == 0 && gap.distance < 0.0) {
      // The shapes overlap at the start: only a deeper position is a hit. Beyond nearly half of the extent,
      // the side of entry is unknown.
      depth = minimum(deeper - gap.distance, kSweepMaxFraction * moving.half);
      if (gap.distance <= near - depth) return {};
    }
    if (gap.distance <= near - depth) {
      return {maximum(0.0, t + minimum(gap.distance, 0.0) / maximum(closing_speed, size / kMaxBack)),
              gap.normal};
    }
    t += free_fraction(moving, displacement, step, closing_speed, gap.distance + depth - 0.5 * near);
    if (!(t < 1.0)) return {};
  }
  return {t, normal};
}

/// Time of impact with a soft shape, whose springs brake the body (soft_contact_sweep.h). The body stops at
/// `depth`, where the springs can still tell the way out.
Reach soft_time_of_impact(const SweptShape& moving, const BodyMotion& displacement, const Obstacle& obstacle,
                          double depth) {
  double const near = kNearFraction * minimum(kSweepDepthM, depth);
  double t = 0.0;
  Vec3<double> normal{};
  for (int step = 0; step < kMaxSteps; ++step) {
    Gap const gap = gap_to(obstacle, moving.at(displacement, t));
    normal = gap.normal;
    double const closing_speed = dot(normal, displacement.translation);
    if (step == 0 && gap.distance < -(depth + near)) return {};
    if (gap.distance <= near - depth) return closing_speed > 0.0 ? Reach{t, normal} : Reach{};
    t += free_fraction(moving, displacement, step, closing_speed, gap.distance + depth - 0.5 * near);
    if (!(t < 1.0)) return {};
  }
  return {t, normal};
}

template <class Real>
Vec3<Real> translation_of(const SolverBody<Real>& body) noexcept {
  return {body.delta_position[0], body.delta_position[1], body.delta_position[2]};
}

/// A body's record with its pose at the end of the tick.
template <class Real>
BodyRecord<Real> at_end(const WorldState<Real>& state, const SolverBodies<Real>& bodies, std::uint32_t body) {
  BodyRecord<Real> record = state.bodies[body];
  std::uint32_t const slot = bodies.solver_index[body];
  if (slot == 0) return record;
  record.motion.center = moved(record.motion.center, translation_of(bodies.bodies[slot]));
  record.motion.rotation = bodies.moving[slot].rotation;
  return record;
}

/// Moves the proxies of moved bodies, dynamic or kinematic, to the end of the tick. Returns the largest
/// displacement along an axis, m.
template <class Real>
double pose_at_end(const WorldState<Real>& state, const SolverBodies<Real>& bodies, Proxies& proxies,
                   bool dynamic) {
  double farthest = 0.0;
  for (std::size_t i = 1; i < bodies.bodies.size(); ++i) {
    std::uint32_t const index = bodies.moving[i].index;
    if (bodies.moving[i].dynamic != dynamic) continue;
    Vec3<double> const translation = absolute(to_double(translation_of(bodies.bodies[i])));
    farthest = maximum(farthest, maximum(translation.x, maximum(translation.y, translation.z)));
    proxies.update_body(state, index, at_end(state, bodies, index));
  }
  return farthest;
}

template <class Real>
Vec3<Real> to_reals(Vec3<double> v) noexcept {
  return {to_real<Real>(v.x), to_real<Real>(v.y), to_real<Real>(v.z)};
}

/// Velocities and rotation of a body that stops before the end of the tick: `undone` m back, with rotation
/// `q`. The body keeps its energy: neither the height that it did not fall nor the rotation that it did not
/// make may add any.
template <class Real>
void keep_energy(const WorldState<Real>& state, const BodyRecord<Real>& record, MovingBody<Real>& moving,
                 SolverBody<Real>& body, Vec3<double> undone, Quat<double> q) {
  // Gravity and force, m/s^2. Their work is undone by a change of the speed along them.
  Vec3<double> const acceleration =
      to_double(moving.linear.change) * (static_cast<double>(state.def.substeps) * state.def.tick_rate_hz);
  if (double const size = length(acceleration); size > 0.0) {
    Vec3<double> const along = acceleration * (1.0 / size);
    Vec3<double> const velocity = doubles_of(body.linear_velocity);
    // The speed of the parabola on which positions lie is half a substep ahead of the velocity.
    double const ahead = 0.5 * length(to_double(moving.linear.change));
    double const speed = dot(velocity, along) + ahead;
    double const square = speed * speed - 2.0 * dot(acceleration, undone);
    double const now = square > 0.0 ? sqrt(square) : 0.0;
    set_row(body.linear_velocity, to_reals<Real>(velocity + along * ((speed < 0.0 ? -now : now) - speed)));
  }
  Quat<double> const turned = to_double(moving.rotation);
  moving.rotation =
      normalise(Quat<Real>{to_real<Real>(q.x), to_real<Real>(q.y), to_real<Real>(q.z), to_real<Real>(q.w)});
  if (record.type != BodyType::kDynamic || has_angular(record.locked_axes)) return;
  set_row(body.angular_velocity,
          to_reals<Real>(turned_velocity(record.inverse_inertia, turned, to_double(moving.rotation),
                                         doubles_of(body.angular_velocity))));
}

/// Sets the displacement of a body, but for its locked axes: in the frame of an obstacle that moves it has a
/// part along them, which the body itself has not.
template <class Real>
void set_translation(const BodyRecord<Real>& record, SolverBody<Real>& body, Vec3<double> translation) {
  if ((record.locked_axes & kLockLinearX) == 0) body.delta_position[0] = to_real<Real>(translation.x);
  if ((record.locked_axes & kLockLinearY) == 0) body.delta_position[1] = to_real<Real>(translation.y);
  if ((record.locked_axes & kLockLinearZ) == 0) body.delta_position[2] = to_real<Real>(translation.z);
}

}  // namespace

/// Inputs and outputs of the sweeps of a tick.
template <class Real>
struct SweepTick {
  const WorldState<Real>& state;
  SolverBodies<Real>& bodies;
  const Proxies& proxies;
  const JoinedBodies& joined;
  const std::vector<std::uint8_t>& on_soft;
  std::vector<TimeOfImpact>& toi;
};

namespace {

template <class Real>
class Sweep {
 public:
  Sweep(const SweepTick<Real>& tick, std::size_t slot)
      : tick_(tick),
        state_(tick.state),
        slot_(slot),
        index_(tick.bodies.moving[slot].index),
        body_(tick.state.bodies[index_]),
        displacement_{{},
                      to_double(translation_of(tick.bodies.bodies[slot])),
                      RotationSweep(unit(to_double(body_.motion.rotation)),
                                    unit(to_double(tick.bodies.moving[slot].rotation)))} {}

  /// True when the body moves far enough for a sweep.
  [[nodiscard]] bool is_fast() const {
    double const size = length(displacement_.translation);
    if (!(size > kFastMinM)) return false;  // NaN too: the body is about to be quarantined
    if (!(size < 1e6)) return false;
    bool any = false;
    double smallest = kFar;
    for (std::uint32_t at = body_.first_shape; at != kNoIndex; at = state_.shapes[at].next_shape) {
      const ShapeRecord<Real>& shape = state_.shapes[at];
      any = any || !meets_nothing(shape.filter);
      smallest =
          minimum(smallest, smallest_half(shape.kind, to_double(shape.extents), hull_of(state_, shape)));
    }
    return any && (body_.bullet || tick_.on_soft[slot_] != 0 || size > kFastFraction * 2.0 * smallest);
  }

  /// Stops the body at its first touch, if there is one. No obstacle has moved by more than `farthest` along
  /// an axis, m.
  void run(double farthest, const SweepLimits& limits, SweepScratch& scratch) {
    Stop first;
    for (std::uint32_t at = body_.first_shape; at != kNoIndex; at = state_.shapes[at].next_shape) {
      SweptShape const moving = swept(state_, body_, state_.shapes[at]);
      find_obstacles(at, moving, farthest, scratch);
      for (std::uint32_t const other : scratch.obstacles) {
        const ShapeRecord<Real>& shape = state_.shapes[other];
        BodyMotion const displacement = relative_to(shape);
        bool const soft = is_soft(state_.shapes[at]) || is_soft(shape);
        Reach const reach = is_surface(shape.kind)
                                ? free_of_surface(moving, displacement, shape, soft, limits, scratch)
                                : reach_to(moving, displacement, shape, soft);
        Stop const stop{reach, other, at, displacement};
        if (stop.reach.fraction < first.reach.fraction ||
            (stop.reach.fraction == first.reach.fraction && stop.obstacle < first.obstacle))
          first = stop;
      }
    }
    if (first.reach.fraction < 1.0) stop_at(first);
  }

  /// Counts the triangles under the body's sweep, up to `max_triangles` of each surface.
  [[nodiscard]] SweepNeed count_triangles(double farthest, const SweepLimits& limits, SweepScratch& scratch) {
    SweepNeed need;
    for (std::uint32_t at = body_.first_shape; at != kNoIndex; at = state_.shapes[at].next_shape) {
      SweptShape const moving = swept(state_, body_, state_.shapes[at]);
      find_obstacles(at, moving, farthest, scratch);
      for (std::uint32_t const other : scratch.obstacles) {
        const ShapeRecord<Real>& shape = state_.shapes[other];
        if (!is_surface(shape.kind)) continue;
        MeshInstance const surface = instance_of(shape);
        std::uint32_t const count = surface.surface->count_triangles(
            box_around(moving, relative_to(shape), surface), limits.max_triangles);
        if (count == 0) continue;  // obstacles that the sweep misses have no effect
        need.triangles += minimum(count, limits.max_triangles);
        need.surfaces += 1;
        need.is_beyond_max = need.is_beyond_max || count > limits.max_triangles;
      }
    }
    return need;
  }

 private:
  /// Replaces scratch.obstacles by the shapes that the sweep of the body's shape `at` may hit. Others may be
  /// among them, and the order has no meaning: both depend on the history of the trees.
  void find_obstacles(std::uint32_t at, const SweptShape& moving, double farthest,
                      SweepScratch& scratch) const {
    std::vector<std::uint32_t>& found = scratch.obstacles;
    found.clear();
    Vec3<double> const start = relative<double>(body_.motion.center, tick_.proxies.broad_phase().origin());
    double const reach = moving.lever_arm + moving.extents.x + farthest;  // lever_arm excludes the radius
    SweptBox const box(start, {-reach, -reach, -reach}, {reach, reach, reach}, displacement_.translation);
    auto const look = [&](std::uint32_t other) {
      if (may_hit(state_.shapes[at], state_.shapes[other])) found.push_back(other);
    };
    const BroadPhase& broad = tick_.proxies.broad_phase();
    auto const near = [&](const FatBounds& bounds) { return box.meets(bounds, 1.0); };
    if (body_.bullet || tick_.proxies.kinematic_shapes().size() > kFewObstacles) {
      broad.walk(scratch.stack, near, look);
    } else {  // no dynamic body stops it: skip the tree of moving shapes
      broad.walk_static(scratch.stack, near, look);
      for (std::uint32_t const shape : tick_.proxies.kinematic_shapes()) {
        if (near(broad.fat(shape))) look(shape);
      }
    }
    for (std::uint32_t const half_space : tick_.proxies.half_spaces()) look(half_space);
  }

  /// The body's motion relative to an obstacle.
  [[nodiscard]] BodyMotion relative_to(const ShapeRecord<Real>& shape) const {
    BodyMotion displacement = displacement_;
    std::uint32_t const slot = tick_.bodies.solver_index[shape.body];
    if (slot != 0) displacement.from = to_double(translation_of(tick_.bodies.bodies[slot]));
    displacement.translation = displacement.translation - displacement.from;
    return displacement;
  }

  /// A stop: the free fraction, the obstacle, and the motion relative to it. The obstacle carries the body
  /// for the rest of the tick.
  struct Stop {
    Reach reach;
    std::uint32_t obstacle = kNoIndex;
    std::uint32_t shape = kNoIndex;  ///< of the body
    BodyMotion displacement{{}, {}, RotationSweep({}, {})};
  };

  [[nodiscard]] bool may_hit(const ShapeRecord<Real>& own, const ShapeRecord<Real>& other) const {
    if (other.body == index_ || own.is_sensor || other.is_sensor || !meet(own.filter, other.filter))
      return false;
    if (are_joined(tick_.joined, index_, other.body)) return false;
    const BodyRecord<Real>& body = state_.bodies[other.body];
    if (body.type != BodyType::kDynamic || body.quarantined) return true;
    return body_.bullet && !body.bullet;
  }

  [[nodiscard]] Obstacle obstacle_of(const ShapeRecord<Real>& shape) const {
    BodyRecord<Real> const body = at_end(state_, tick_.bodies, shape.body);
    ShapePose<Real> const pose = shape_pose(body, shape);
    Vec3<double> const center =
        relative<double>(body.motion.center, body_.motion.center) + to_double(pose.offset);
    ShapeGeometry<double> const geometry{shape.kind, to_double(shape.extents),
                                         to_matrix(unit(to_double(pose.rotation))), hull_of(state_, shape)};
    if (shape.kind == ShapeKind::kHalfSpace) return {std::nullopt, center, geometry.rotation.y};
    return {ConvexShape(geometry, center), {}, {}};
  }

  [[nodiscard]] Reach reach_to(const SweptShape& moving, const BodyMotion& displacement,
                               const ShapeRecord<Real>& shape, bool soft) const {
    if (!soft) return time_of_impact(moving, displacement, obstacle_of(shape));
    if (shape.kind == ShapeKind::kHalfSpace) return {};  // it has no far side
    double const half = smallest_half(shape.kind, to_double(shape.extents), hull_of(state_, shape));
    return soft_time_of_impact(moving, displacement, obstacle_of(shape),
                               kSoftDepthFraction * (moving.half + half));
  }

  [[nodiscard]] MeshInstance instance_of(const ShapeRecord<Real>& shape) const {
    BodyRecord<Real> const body = at_end(state_, tick_.bodies, shape.body);
    ShapePose<Real> const pose = shape_pose(body, shape);
    return {&surface_of(state_, shape)->surface, to_matrix(unit(to_double(pose.rotation))),
            relative<double>(body.motion.center, body_.motion.center) + to_double(pose.offset)};
  }

  /// The box around a sweep, in the surface's frame.
  [[nodiscard]] static SurfaceBox box_around(const SweptShape& moving, const BodyMotion& displacement,
                                             const MeshInstance& surface) {
    double const reach = moving.lever_arm + moving.extents.x;
    Vec3<double> const all{reach, reach, reach};
    Vec3<double> const to = displacement.from + displacement.translation;
    Vec3<double> const low{minimum(displacement.from.x, to.x), minimum(displacement.from.y, to.y),
                           minimum(displacement.from.z, to.z)};
    Vec3<double> const high{maximum(displacement.from.x, to.x), maximum(displacement.from.y, to.y),
                            maximum(displacement.from.z, to.z)};
    return surface.local_box(low - all, high + all);
  }

  /// The minimum over the triangles of a mesh. A one-sided mesh does not stop a body from behind. Beyond
  /// limits.max_triangles these are a choice for the pose at the end of the sweep, which would be inside, and
  /// the triangle that the shape's centre passes.
  [[nodiscard]] Reach free_of_surface(const SweptShape& moving, const BodyMotion& displacement,
                                      const ShapeRecord<Real>& shape, bool soft, const SweepLimits& limits,
                                      SweepScratch& scratch) const {
    MeshInstance const surface = instance_of(shape);
    SurfaceBox const box = box_around(moving, displacement, surface);
    Reach min;
    auto const test = [&](std::uint32_t triangle) {
      if (!surface.faces(triangle, displacement.from)) return;
      Obstacle const obstacle{surface.convex(triangle), {}, {}};
      Reach const reached =
          soft ? soft_time_of_impact(moving, displacement, obstacle, kSoftDepthFraction * moving.half)
               : time_of_impact(moving, displacement, obstacle);
      if (reached.fraction < min.fraction) min = reached;
    };
    if (limits.max_triangles == kAllTriangles ||
        surface.surface->count_triangles(box, limits.max_triangles) <= limits.max_triangles) {
      surface.surface->visit_triangles(box, test);
      return min;
    }
    Quat<double> const q_end = displacement.turn.at(1.0);
    Vec3<double> const end = moving.center_at(displacement, 1.0, q_end);
    scratch.sample.choose(*surface.surface, box, surface.local_shape(moving.geometry(q_end)),
                          surface.local_point(end), limits.max_triangles);
    Vec3<double> const start = moving.center_at(displacement, 0.0, displacement.turn.at(0.0));
    QueryWork work{kMaxRaySteps};
    if (auto const hit = cast_ray(surface, start, end - start, 1.0, &work)) scratch.sample.add(hit->triangle);
    for (std::uint32_t const triangle : scratch.sample.triangles()) test(triangle);
    return min;
  }

  void stop_at(const Stop& stop) {
    TAKT_ASSERT(stop.reach.fraction >= 0.0 && stop.reach.fraction < 1.0);
    TAKT_ASSERT(stop.obstacle < state_.shapes.capacity());
    SolverBody<Real>& body = tick_.bodies.bodies[slot_];
    Vec3<double> const translation =
        stop.displacement.from + stop.displacement.translation * stop.reach.fraction;
    set_translation(body_, body, translation);
    Quat<double> const q = stop.displacement.turn.at(stop.reach.fraction);
    MovingBody<Real>& moving = tick_.bodies.moving[slot_];
    keep_energy(state_, body_, moving, body, stop.displacement.translation * (1.0 - stop.reach.fraction), q);
    if (stop.reach.fraction < kStuckFraction) reverse_spin(stop, body);
    double const before =
        tick_.toi.empty() ? 1.0 : tick_.toi[slot_].fraction;  // a bullet whose group was stopped before
    if (!tick_.toi.empty()) tick_.toi[slot_] = {before * stop.reach.fraction, stop.displacement.from};
  }

  /// A body that turns a corner into an obstacle within the tick has no contact there and would stop at its
  /// start in each tick. Half of its spin ends; restitution turns the spin back.
  void reverse_spin(const Stop& stop, SolverBody<Real>& body) const {
    double const restitution = minimum(1.0, maximum(to_double(state_.shapes[stop.shape].restitution),
                                                    to_double(state_.shapes[stop.obstacle].restitution)));
    set_row(body.angular_velocity,
            to_reals<Real>(doubles_of(body.angular_velocity) * (0.5 - 1.5 * restitution)));
  }

  const SweepTick<Real>& tick_;
  const WorldState<Real>& state_;
  std::size_t slot_;
  std::uint32_t index_;
  const BodyRecord<Real>& body_;
  BodyMotion displacement_;
};

/// A cheap test that excludes almost every body from a sweep.
template <class Real>
bool goes_far(const SolverBodies<Real>& bodies, std::size_t slot) noexcept {
  if (!bodies.moving[slot].dynamic) return false;
  Vec3<double> const translation = to_double(translation_of(bodies.bodies[slot]));
  return dot(translation, translation) > kFastMinM * kFastMinM;
}

/// Moves a body back to a fraction of its displacement, in a frame that moves by `carried`.
template <class Real>
void go_back(const WorldState<Real>& state, MovingBody<Real>& moving, SolverBody<Real>& body, double part,
             Vec3<double> carried) {
  Vec3<double> const translation = doubles_of(body.delta_position) - carried;
  Vec3<double> const remaining = carried + translation * part;
  set_translation(state.bodies[moving.index], body, remaining);
  Quat<double> const q = RotationSweep(unit(to_double(state.bodies[moving.index].motion.rotation)),
                                       unit(to_double(moving.rotation)))
                             .at(part);
  keep_energy(state, state.bodies[moving.index], moving, body, translation * (1.0 - part), q);
}

}  // namespace

/// Marks bodies on springs: they are swept at lower speeds too.
template <class Real>
void ContinuousCollision<Real>::mark_on_soft(const Input& in) {
  on_soft_.assign(in.bodies.bodies.size(), 0);
  if (!in.proxies.any_soft()) return;
  for (const PreparedContact<Real>& contact : in.contacts) {
    if (contact.soft_a == nullptr && contact.soft_b == nullptr) continue;
    on_soft_[contact.body_a] = 1;
    on_soft_[contact.body_b] = 1;
  }
}

template <class Real>
void ContinuousCollision<Real>::run(const Input& in) {
  SolverBodies<Real>& bodies = in.bodies;
  mark_on_soft(in);
  toi_.assign(in.joints.empty() ? 0 : bodies.bodies.size(), {});
  reserve_scratch(in.pool);
  SweepTick<Real> const tick{in.state, bodies, in.proxies, in.joined, on_soft_, toi_};
  for (bool const bullets : {false, true}) {
    parallel_filter(in.pool, bodies.bodies.size() - 1, fast_bodies_, [&](std::size_t i, std::uint32_t& slot) {
      slot = static_cast<std::uint32_t>(i + 1);
      return goes_far(bodies, slot) && in.state.bodies[bodies.moving[slot].index].bullet == bullets &&
             Sweep<Real>(tick, slot).is_fast();
    });
    std::span const fast_bodies = fast_bodies_.chosen();
    if (fast_bodies.empty()) continue;
    double farthest = pose_at_end(in.state, bodies, in.proxies, false);
    if (bullets) farthest = maximum(farthest, pose_at_end(in.state, bodies, in.proxies, true));
    divide_triangles(in, tick, farthest);
    // A swept body stops only at bodies that are not swept in this round: bullets do not hit bullets, other
    // bodies hit nothing dynamic. So the sweeps are independent.
    parallel_for(in.pool, fast_bodies.size(), kSweepGrain,
                 [&](std::size_t first, std::size_t end, std::uint32_t worker) {
                   for (std::size_t i = first; i < end; ++i)
                     Sweep<Real>(tick, fast_bodies[i]).run(farthest, limits_[i], scratch_[worker]);
                 });
    if (!toi_.empty()) clamp_joint_groups(in);
  }
}

/// Sets limits_ of the fast bodies. A world without a limit has none.
template <class Real>
void ContinuousCollision<Real>::divide_triangles(const Input& in, const SweepTick<Real>& tick,
                                                 double farthest) {
  std::span const fast_bodies = fast_bodies_.chosen();
  const WorldDef& def = in.state.def;
  limits_.assign(fast_bodies.size(), {});
  if (def.max_contacts == 0 || in.state.surfaces.entries.empty()) return;
  SweepLimits const counted{max_triangles_of_one(def, fast_bodies.size())};
  sweep_needs_.resize(fast_bodies.size());
  parallel_for(in.pool, fast_bodies.size(), kCountGrain,
               [&](std::size_t first, std::size_t end, std::uint32_t worker) {
                 for (std::size_t i = first; i < end; ++i)
                   sweep_needs_[i] =
                       Sweep<Real>(tick, fast_bodies[i]).count_triangles(farthest, counted, scratch_[worker]);
               });
  needs_.clear();
  for (const SweepNeed& need : sweep_needs_) needs_.push_back(need.triangles);
  std::uint64_t const limit = fair_limit(needs_, triangle_budget(def));
  for (std::size_t i = 0; i < sweep_needs_.size(); ++i) {
    const SweepNeed& need = sweep_needs_[i];
    if (need.triangles <= limit && !need.is_beyond_max) continue;
    std::uint64_t const of_surface = std::max<std::uint64_t>(limit / need.surfaces, kMinTriangles);
    limits_[i].max_triangles =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(of_surface, counted.max_triangles));
    is_cut_ = true;
  }
}

/// Scratch for each worker, all as large as the largest: any worker may sweep any body, and a steady tick
/// allocates nothing.
template <class Real>
void ContinuousCollision<Real>::reserve_scratch(TaskPool* pool) {
  if (pool != nullptr && scratch_.size() < pool->worker_count()) scratch_.resize(pool->worker_count());
  std::size_t widest_stack = 0;
  std::size_t max_obstacles = 0;
  std::size_t max_triangles = 0;
  for (const SweepScratch& scratch : scratch_) {
    widest_stack = std::max(widest_stack, scratch.stack.capacity());
    max_obstacles = std::max(max_obstacles, scratch.obstacles.capacity());
    max_triangles = std::max(max_triangles, scratch.sample.capacity());
  }
  for (SweepScratch& scratch : scratch_) {
    scratch.stack.reserve(widest_stack);
    scratch.obstacles.reserve(max_obstacles);
    scratch.sample.reserve(max_triangles);
  }
  is_cut_ = false;
}

/// Stops every body of a group at the earliest time of impact of any of them, relative to its obstacle.
template <class Real>
void ContinuousCollision<Real>::clamp_joint_groups(const Input& in) {
  group_toi_.assign(toi_.size(), {});
  auto const group = [&](std::size_t slot) -> TimeOfImpact& {
    std::uint32_t const lowest = in.joints.group_of(static_cast<std::uint32_t>(slot));
    TAKT_ASSERT(lowest <= slot);
    return group_toi_[lowest];
  };
  for (std::size_t i = 1; i < toi_.size(); ++i) {
    TAKT_ASSERT(toi_[i].fraction >= 0.0 && toi_[i].fraction <= 1.0);
    if (toi_[i].fraction < group(i).fraction) group(i) = toi_[i];
  }
  for (std::size_t i = 1; i < toi_.size(); ++i) {
    TimeOfImpact const min = group(i);
    if (!(min.fraction < toi_[i].fraction) || !in.bodies.moving[i].dynamic) continue;
    go_back(in.state, in.bodies.moving[i], in.bodies.bodies[i], min.fraction / toi_[i].fraction, min.carried);
    toi_[i] = min;
  }
}

template class ContinuousCollision<float>;
template class ContinuousCollision<Fixed>;

}  // namespace takt
