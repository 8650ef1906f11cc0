#include "physics/body_sweep.h"

#include "physics/joint_store.h"

#include "physics/bounds.h"
#include "physics/convex_cast.h"
#include "physics/convex_distance.h"
#include "physics/geometry_of.h"
#include "physics/mass_properties.h"
#include "physics/parallel_loop.h"
#include "physics/placed_surface.h"
#include "physics/query_candidates.h"
#include "physics/shape_thickness.h"
#include "physics/sleep.h"
#include "physics/soft_arrival.h"
#include "physics/sweep_groups.h"
#include "physics/turn.h"

namespace takt {
namespace {

// Steps that count with the turn; a body that turns faster than it moves would take any number of them. What is left goes by translation alone.
constexpr int kTurningSteps = 32;
constexpr int kMaxSteps = 64;
// The sweep ends this near to the depth it looks for, as a share of it.
constexpr double kNearShare = 0.1;
// A body that meets a surface at a grazing angle is taken back by no more than this many times the depth.
constexpr double kMostBack = 4.0;
constexpr double kFar = 1e100;
// So many kinematic shapes are looked at one by one.
constexpr std::size_t kFewObstacles = 64;

/// How a body goes from the tick's start to its end, about its centre of mass at the start, as seen by something that has made its own way already.
struct Way {
  Vec3<double> from;  ///< the other's shift: where the body starts for it
  Vec3<double> shift;
  Turn turn;
};

/// One shape on its body's way.
struct SweptShape {
  ShapeKind kind = ShapeKind::kSphere;
  Vec3<double> extents;
  const HullGeometry* hull = nullptr;
  Vec3<double> offset;  ///< from the body's centre of mass, body frame
  Quat<double> local_rotation;
  double half = 0.0;  ///< of the smallest extent
  double arm = 0.0;   ///< no point of it that a turn moves is farther from the centre of mass

  [[nodiscard]] ConvexShape at(const Way& way, double t) const {
    Quat<double> const q = way.turn.at(t);
    return {ShapeGeometry<double>{kind, extents, to_matrix(unit(q * local_rotation)), hull}, way.from + way.shift * t + rotate(q, offset)};
  }
};

template <class Real>
SweptShape swept(const WorldState<Real>& state, const BodyRecord<Real>& body, const ShapeRecord<Real>& shape) {
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
  s.arm = length(s.offset) + reach;
  return s;
}

/// What a swept shape may hit: a convex shape, or a plane through `on`.
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
  if (!obstacle.shape.has_value()) return {nearness_to_plane(shape, obstacle.on, obstacle.up).distance, -obstacle.up};
  SeparatingAxis const axis = separating_axis(shape, *obstacle.shape, kFar);
  return {axis.gap - shape.radius() - obstacle.shape->radius(), axis.normal};
}

/// How much of its way a shape may go, and which way the obstacle lies there.
struct Reach {
  double share = 1.0;
  Vec3<double> normal{};  ///< unit, towards the obstacle
};

/// How much more of its way is sure to be free with `left` m to go, at least: 1 where nothing brings the two together.
double free_share(const SweptShape& moving, const Way& way, int step, double approach, double left) noexcept {
  double const closing = approach + (step < kTurningSteps ? way.turn.rate * moving.arm : 0.0);
  return closing > 0.0 ? left / closing : 1.0;
}

/// Whole when it meets nothing. The signed distance falls no faster than the way along its axis and the turn bring the
/// shapes together, so no step passes the hit. Source: B. Mirtich, Impulse-based Dynamic Simulation (1996), conservative advancement.
Reach free_way(const SweptShape& moving, const Way& way, const Obstacle& obstacle) {
  double const deeper = minimum(kSweepDepthM, kSweepDepthShare * moving.half);
  double const near = kNearShare * deeper;
  double const size = length(way.shift);
  double depth = deeper;
  double t = 0.0;
  Vec3<double> normal{};
  for (int step = 0; step < kMaxSteps; ++step) {
    Gap const gap = gap_to(obstacle, moving.at(way, t));
    normal = gap.normal;
    double const approach = dot(normal, way.shift);
    if (step == 0 && gap.distance < 0.0) {
      // Inside already: a hit is what is deeper still. Nearly half of it inside it cannot be told any more from which side it came.
      depth = minimum(deeper - gap.distance, kSweepMostShare * moving.half);
      if (gap.distance <= near - depth) return {};
    }
    if (gap.distance <= near - depth) {
      return {maximum(0.0, t + minimum(gap.distance, 0.0) / maximum(approach, size / kMostBack)), gap.normal};
    }
    t += free_share(moving, way, step, approach, gap.distance + depth - 0.5 * near);
    if (!(t < 1.0)) return {};
  }
  return {t, normal};
}

/// The same into what is soft, whose springs brake what comes (soft_arrival.h): as far as `depth`, where they can still tell which way is out. There it is held.
Reach soft_way(const SweptShape& moving, const Way& way, const Obstacle& obstacle, double depth) {
  double const near = kNearShare * minimum(kSweepDepthM, depth);
  double t = 0.0;
  Vec3<double> normal{};
  for (int step = 0; step < kMaxSteps; ++step) {
    Gap const gap = gap_to(obstacle, moving.at(way, t));
    normal = gap.normal;
    double const approach = dot(normal, way.shift);
    if (step == 0 && gap.distance < -(depth + near)) return {};
    if (gap.distance <= near - depth) return approach > 0.0 ? Reach{t, normal} : Reach{};
    t += free_share(moving, way, step, approach, gap.distance + depth - 0.5 * near);
    if (!(t < 1.0)) return {};
  }
  return {t, normal};
}

/// Of a body in this tick: 0 for one that the solver does not move.
template <class Real>
std::uint32_t solver_place(const DerivedState<Real>& derived, std::uint32_t body) noexcept {
  return derived.solver_index[body];
}

template <class Real>
Vec3<Real> shift_of(const SolverBody<Real>& body) noexcept {
  return {body.linear_shift[0], body.linear_shift[1], body.linear_shift[2]};
}

/// The body's record as it stands when the tick ends.
template <class Real>
BodyRecord<Real> at_end(const WorldState<Real>& state, const DerivedState<Real>& derived, std::uint32_t body) {
  BodyRecord<Real> record = state.bodies[body];
  std::uint32_t const place = solver_place(derived, body);
  if (place == 0) return record;
  record.motion.center = moved(record.motion.center, shift_of(derived.bodies[place]));
  record.motion.rotation = derived.moving[place].rotation;
  return record;
}

/// Leaves of bodies that moved, kinematic or dynamic, at where they end the tick. Returns how far any went along an axis, m.
template <class Real>
double place_at_end(const WorldState<Real>& state, DerivedState<Real>& derived, bool dynamic) {
  double farthest = 0.0;
  for (std::size_t i = 1; i < derived.bodies.size(); ++i) {
    std::uint32_t const index = derived.moving[i].index;
    if (derived.moving[i].dynamic != dynamic) continue;
    Vec3<double> const shift = absolute(to_double(shift_of(derived.bodies[i])));
    farthest = maximum(farthest, maximum(shift.x, maximum(shift.y, shift.z)));
    BodyRecord<Real> const body = at_end(state, derived, index);
    for (std::uint32_t at = body.first_shape; at != kNoIndex; at = state.shapes[at].next_shape) {
      const ShapeRecord<Real>& shape = state.shapes[at];
      if (meets_nothing(shape.filter)) continue;
      derived.broad_phase.place(at, state.shapes.slots[at].generation, index, false, shape.filter,
                                shape_bounds(body, shape, hull_of(state, shape), surface_of(state, shape)));
    }
  }
  return farthest;
}

template <class Real>
class Sweep {
 public:
  Sweep(const WorldState<Real>& state, DerivedState<Real>& derived, std::size_t place)
      : state_(state),
        derived_(derived),
        place_(place),
        index_(derived.moving[place].index),
        body_(state.bodies[index_]),
        way_{{},
             to_double(shift_of(derived.bodies[place])),
             Turn(unit(to_double(body_.motion.rotation)), unit(to_double(derived.moving[place].rotation)))} {}

  /// Whether the body goes far enough to be looked at.
  [[nodiscard]] bool is_fast() const {
    double const size = length(way_.shift);
    if (!(size > kFastLeastM)) return false;  // NaN too: the body is about to be quarantined
    if (!(size < 1e6)) return false;
    bool any = false;
    double smallest = kFar;
    for (std::uint32_t at = body_.first_shape; at != kNoIndex; at = state_.shapes[at].next_shape) {
      const ShapeRecord<Real>& shape = state_.shapes[at];
      any = any || !meets_nothing(shape.filter);
      smallest = minimum(smallest, smallest_half(shape.kind, to_double(shape.extents), hull_of(state_, shape)));
    }
    return any && (body_.bullet || derived_.on_soft[place_] != 0 || size > kFastShare * 2.0 * smallest);
  }

  /// Takes the body back to its first touch, if there is one. No obstacle has moved by more than `farthest` along an axis, m. `stack` is scratch.
  void run(double farthest, std::vector<std::int32_t>& stack) {
    Stop first;
    Vec3<double> const start = relative<double>(body_.motion.center, derived_.broad_phase.origin());
    for (std::uint32_t at = body_.first_shape; at != kNoIndex; at = state_.shapes[at].next_shape) {
      SweptShape const moving = swept(state_, body_, state_.shapes[at]);
      double const reach = moving.arm + moving.extents.x + farthest;  // rounding and radius of what has one
      SweptBox const box(start, {-reach, -reach, -reach}, {reach, reach, reach}, way_.shift);
      auto const look = [&](std::uint32_t other) {
        const ShapeRecord<Real>& shape = state_.shapes[other];
        if (!may_hit(state_.shapes[at], shape)) return;
        Way way = way_;
        std::uint32_t const place = solver_place(derived_, shape.body);
        if (place != 0) way.from = to_double(shift_of(derived_.bodies[place]));
        way.shift = way.shift - way.from;
        Stop const stop{reach_to(moving, way, shape, is_soft(state_.shapes[at]) || is_soft(shape)), other, way};
        if (stop.reach.share < first.reach.share || (stop.reach.share == first.reach.share && stop.obstacle < first.obstacle)) first = stop;
      };
      const BroadPhase& broad = derived_.broad_phase;
      auto const near = [&](const FatBounds& bounds) { return box.meets(bounds, 1.0); };
      if (body_.bullet || derived_.kinematic_shapes.size() > kFewObstacles) {
        broad.walk(stack, near, look);
      } else {  // nothing dynamic stops it: most of the other tree is left alone
        broad.walk_static(stack, near, look);
        for (std::uint32_t const shape : derived_.kinematic_shapes) {
          if (near(broad.fat(shape))) look(shape);
        }
      }
      for (std::uint32_t const half_space : derived_.half_spaces) look(half_space);
    }
    if (first.reach.share < 1.0) stop_at(first);
  }

 private:
  /// How far the body gets, what stops it, and the way as that sees it: it is carried along by what moves for the rest of the tick.
  struct Stop {
    Reach reach;
    std::uint32_t obstacle = kNoIndex;
    Way way{{}, {}, Turn({}, {})};
  };

  [[nodiscard]] bool may_hit(const ShapeRecord<Real>& own, const ShapeRecord<Real>& other) const {
    if (other.body == index_ || own.is_sensor || other.is_sensor || !meet(own.filter, other.filter)) return false;
    if (are_joined(derived_.joined, index_, other.body)) return false;
    const BodyRecord<Real>& body = state_.bodies[other.body];
    if (body.type != BodyType::kDynamic || body.quarantined) return true;
    return body_.bullet && !body.bullet;
  }

  [[nodiscard]] Obstacle obstacle_of(const ShapeRecord<Real>& shape) const {
    BodyRecord<Real> const body = at_end(state_, derived_, shape.body);
    ShapePose<Real> const pose = shape_pose(body, shape);
    Vec3<double> const center = relative<double>(body.motion.center, body_.motion.center) + to_double(pose.offset);
    ShapeGeometry<double> const geometry{shape.kind, to_double(shape.extents), to_matrix(unit(to_double(pose.rotation))), hull_of(state_, shape)};
    if (shape.kind == ShapeKind::kHalfSpace) return {std::nullopt, center, geometry.rotation.y};
    return {ConvexShape(geometry, center), {}, {}};
  }

  [[nodiscard]] Reach reach_to(const SweptShape& moving, const Way& way, const ShapeRecord<Real>& shape, bool soft) const {
    if (is_surface(shape.kind)) return free_of_surface(moving, way, shape, soft);
    if (!soft) return free_way(moving, way, obstacle_of(shape));
    if (shape.kind == ShapeKind::kHalfSpace) return {};  // its inside has no end
    double const half = smallest_half(shape.kind, to_double(shape.extents), hull_of(state_, shape));
    return soft_way(moving, way, obstacle_of(shape), kSweepMostShare * (moving.half + half));
  }

  /// The least of its triangles'. The back of a one-sided surface lets through.
  [[nodiscard]] Reach free_of_surface(const SweptShape& moving, const Way& way, const ShapeRecord<Real>& shape, bool soft) const {
    BodyRecord<Real> const body = at_end(state_, derived_, shape.body);
    ShapePose<Real> const pose = shape_pose(body, shape);
    PlacedSurface const surface{&surface_of(state_, shape)->surface, to_matrix(unit(to_double(pose.rotation))),
                                relative<double>(body.motion.center, body_.motion.center) + to_double(pose.offset)};
    double const reach = moving.arm + moving.extents.x;
    Vec3<double> const all{reach, reach, reach};
    Vec3<double> const to = way.from + way.shift;
    Vec3<double> const low{minimum(way.from.x, to.x), minimum(way.from.y, to.y), minimum(way.from.z, to.z)};
    Vec3<double> const high{maximum(way.from.x, to.x), maximum(way.from.y, to.y), maximum(way.from.z, to.z)};
    Reach least;
    surface.visit(low - all, high + all, [&](std::uint32_t triangle) {
      if (!surface.faces(triangle, way.from)) return;
      Obstacle const obstacle{surface.convex(triangle), {}, {}};
      Reach const way_to_it = soft ? soft_way(moving, way, obstacle, kSweepMostShare * moving.half) : free_way(moving, way, obstacle);
      if (way_to_it.share < least.share) least = way_to_it;
    });
    return least;
  }

  void stop_at(const Stop& stop) {
    SolverBody<Real>& body = derived_.bodies[place_];
    Vec3<double> const shift = stop.way.from + stop.way.shift * stop.reach.share;
    body.linear_shift[0] = to_real<Real>(shift.x);
    body.linear_shift[1] = to_real<Real>(shift.y);
    body.linear_shift[2] = to_real<Real>(shift.z);
    Quat<double> const q = stop.way.turn.at(stop.reach.share);
    MovingBody<Real>& moving = derived_.moving[place_];
    double const before = derived_.way_shares.empty() ? 1.0 : derived_.way_shares[place_].share;  // a bullet whose group was held back already
    // It has the speed of the moment: what gravity would have added on the way that it does not go is not there, or each hit would gain energy.
    double const gained =
        dot(stop.reach.normal, to_double(moving.linear.change)) * static_cast<double>(state_.def.substeps) * before * (1.0 - stop.reach.share);
    if (gained > 0.0) {
      Vec3<double> const less = stop.reach.normal * gained;
      body.linear_velocity[0] = to_real<Real>(to_double(body.linear_velocity[0]) - less.x);
      body.linear_velocity[1] = to_real<Real>(to_double(body.linear_velocity[1]) - less.y);
      body.linear_velocity[2] = to_real<Real>(to_double(body.linear_velocity[2]) - less.z);
    }
    moving.rotation = normalise(Quat<Real>{to_real<Real>(q.x), to_real<Real>(q.y), to_real<Real>(q.z), to_real<Real>(q.w)});
    if (!derived_.way_shares.empty()) derived_.way_shares[place_] = {before * stop.reach.share, stop.way.from};
  }

  const WorldState<Real>& state_;
  DerivedState<Real>& derived_;
  std::size_t place_;
  std::uint32_t index_;
  const BodyRecord<Real>& body_;
  Way way_;
};

/// Bodies on springs: those are held where the springs end at lower speeds too.
template <class Real>
void mark_on_soft(DerivedState<Real>& derived) {
  derived.on_soft.assign(derived.bodies.size(), 0);
  if (!derived.any_soft) return;
  for (const PreparedContact<Real>& contact : derived.found.contacts) {
    if (contact.soft_a == nullptr && contact.soft_b == nullptr) continue;
    derived.on_soft[contact.body_a] = 1;
    derived.on_soft[contact.body_b] = 1;
  }
}

/// Whether the place is a body that a sweep might be for: cheap, and false for nearly all.
template <class Real>
bool goes_far(const DerivedState<Real>& derived, std::size_t place) noexcept {
  if (!derived.moving[place].dynamic) return false;
  Vec3<double> const shift = to_double(shift_of(derived.bodies[place]));
  return dot(shift, shift) > kFastLeastM * kFastLeastM;
}

}  // namespace

template <class Real>
void sweep_fast_bodies(const WorldState<Real>& state, DerivedState<Real>& derived, TaskPool* pool) {
  mark_on_soft(derived);
  derived.way_shares.assign(derived.joints.empty() ? 0 : derived.bodies.size(), {});
  for (bool const bullets : {false, true}) {
    choose_items(pool, derived.bodies.size() - 1, derived.fast_bodies, [&](std::size_t i, std::uint32_t& place) {
      place = static_cast<std::uint32_t>(i + 1);
      return goes_far(derived, place) && state.bodies[derived.moving[place].index].bullet == bullets && Sweep<Real>(state, derived, place).is_fast();
    });
    std::span const fast_bodies = derived.fast_bodies.chosen();
    if (fast_bodies.empty()) continue;
    double farthest = place_at_end(state, derived, false);
    if (bullets) farthest = maximum(farthest, place_at_end(state, derived, true));
    // What is swept here stops only at what is not: bullets do not hit bullets, other bodies nothing that is dynamic. So each goes by itself.
    for_parts(pool, fast_bodies.size(), kSweepsAPart, [&](std::size_t first, std::size_t end, std::uint32_t worker) {
      for (std::size_t i = first; i < end; ++i) {
        Sweep<Real>(state, derived, fast_bodies[i]).run(farthest, derived.workers[worker].tree_stack);
      }
    });
    if (!derived.way_shares.empty()) hold_groups_back(state, derived);
  }
}

template void sweep_fast_bodies(const WorldState<float>&, DerivedState<float>&, TaskPool*);
template void sweep_fast_bodies(const WorldState<Fixed>&, DerivedState<Fixed>&, TaskPool*);

}  // namespace takt
