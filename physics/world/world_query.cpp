#include "physics/world/world_query.h"

#include <algorithm>
#include <limits>

#include "physics/broad_phase/proxies.h"
#include "physics/broad_phase/swept_box.h"
#include "physics/geometry/convex_cast.h"
#include "physics/geometry/mesh_instance.h"
#include "physics/geometry/ray_cast.h"
#include "physics/state/definition_check.h"
#include "physics/state/mass_properties.h"
#include "physics/state/shape_bounds.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
/// More than the tolerance of a distance (separating_axis, 10 um).
constexpr double kNearSlackM = 1e-4;

/// A shape of the world relative to the query's position, in binary64.
struct Target {
  ShapeGeometry<double> geometry;
  Vec3<double> center;
  std::optional<MeshInstance> surface;  ///< of a mesh or height field
};

template <class Real>
Target target_of(const WorldState<Real>& state, const ShapeRecord<Real>& shape, const Position& about) {
  const BodyRecord<Real>& body = state.bodies[shape.body];
  ShapePose<Real> const pose = shape_pose(body, shape);
  Quat<double> const turn = unit({to_double(pose.rotation.x), to_double(pose.rotation.y),
                                  to_double(pose.rotation.z), to_double(pose.rotation.w)});
  TAKT_VALIDATE(body.enabled);  // a disabled body has no proxy
  const HullGeometry* const hull =
      shape.kind == ShapeKind::kHull ? state.hulls.find(shape.geometry) : nullptr;
  Target target{{shape.kind, to_double(shape.extents), to_matrix(turn), hull},
                relative<double>(body.motion.center, about) + to_double(pose.offset),
                {}};
  if (is_surface(shape.kind))
    target.surface =
        MeshInstance{&state.surfaces.find(shape.geometry)->surface, target.geometry.rotation, target.center};
  return target;
}

/// The shape of a query, and the geometry that it owns.
struct AskedShape {
  std::shared_ptr<const HullGeometry> hull;
  ShapeGeometry<double> geometry;
  Vec3<double> center;  ///< relative to the query's position
};

Result<AskedShape, PhysicsError> asked_shape(const Query& query) {
  if (query.kind == QueryKind::kClosestPoint || query.kind == QueryKind::kRay) {
    return AskedShape{nullptr, {ShapeKind::kSphere, {}, {}, nullptr}, {}};  // a point
  }
  const ShapeDef& def = query.shape;
  AskedShape asked;
  Quat<double> const outer = unit(query.rotation);
  Quat<double> const inner = unit(def.local_rotation);
  Vec3<double> middle = def.local_position_m;
  asked.geometry.kind = def.kind;
  asked.geometry.extents = {def.radius_m, def.half_length_m, 0.0};
  if (def.kind == ShapeKind::kBox) asked.geometry.extents = def.half_extents_m;
  if (def.kind == ShapeKind::kHull) {
    auto made = make_hull(def.hull_points_m);
    if (!made.ok()) return made.error();
    asked.hull = made->geometry;
    asked.geometry.hull = asked.hull.get();
    asked.geometry.extents = {def.rounding_m, 0.0, 0.0};
    middle += rotate(inner, made->middle_m);
  }
  asked.geometry.rotation = to_matrix(unit(outer * inner));
  asked.center = rotate(outer, middle);
  return asked;
}

/// One query on its pass over the candidates.
template <class Real>
class Asking {
 public:
  Asking(const WorldState<Real>& state, const Query& query, const AskedShape& asked,
         std::vector<QueryHit>& out, QueryWork& work)
      : state_(state),
        query_(query),
        shape_(asked.geometry, asked.center),
        out_(out),
        first_(out.size()),
        work_(work),
        limit_(is_cast() ? 1.0 : (query.kind == QueryKind::kClosestPoint ? query.max_distance_m : 0.0)) {}

  [[nodiscard]] bool found() const noexcept { return found_; }

  void run(Proxies& proxies) {
    Vec3<double> const start = relative<double>(query_.position, proxies.broad_phase().origin());
    auto const reach = [this](Vec3<double> d) { return dot(shape_.support(d), d) + shape_.radius(); };
    SweptBox const box(start, {-reach({-1, 0, 0}), -reach({0, -1, 0}), -reach({0, 0, -1})},
                       {reach({1, 0, 0}), reach({0, 1, 0}), reach({0, 0, 1})}, displacement());
    auto const key_of = [&](const FatBounds& bounds) {
      if (!work_.add(1)) return kNever;
      return key(box, SweptBox::lower_of(bounds), SweptBox::upper_of(bounds), limit_);
    };
    proxies.walk_nearest(
        key_of, [this](double key) { return key <= limit_ && !done(); },
        [this](std::uint32_t shape) { look_at(shape); });
    if (work_.exceeded) {
      found_ = false;
      out_.resize(first_);
      return;
    }
    if (query_.mode == QueryMode::kClosest && found_) out_.push_back(best_);
    auto const before = [this](const QueryHit& a, const QueryHit& b) { return comes_before(a, b); };
    std::sort(out_.begin() + static_cast<std::ptrdiff_t>(first_), out_.end(), before);
  }

 private:
  [[nodiscard]] bool done() const noexcept {
    return work_.exceeded || (found_ && query_.mode == QueryMode::kAny);
  }
  [[nodiscard]] bool is_cast() const noexcept {
    return query_.kind == QueryKind::kRay || query_.kind == QueryKind::kShapeCast;
  }
  [[nodiscard]] Vec3<double> displacement() const noexcept {
    return is_cast() ? query_.translation_m : Vec3<double>{};
  }
  /// The sort key of hits.
  [[nodiscard]] double measure(const QueryHit& hit) const noexcept {
    return is_cast() ? hit.fraction : hit.distance_m;
  }
  /// A lower bound of measure() for what lies in a box, or infinite. Boxes that overlap have the key 0.
  [[nodiscard]] double key(const SweptBox& swept, Vec3<double> lower, Vec3<double> upper,
                           double limit) const noexcept {
    if (query_.kind == QueryKind::kClosestPoint) return swept.distance(lower, upper);
    return swept.entry(lower, upper, minimum(limit, 1.0));
  }
  [[nodiscard]] bool comes_before(const QueryHit& a, const QueryHit& b) const noexcept {
    double const left = measure(a);
    double const right = measure(b);
    return left < right || (left == right && (a.shape.index < b.shape.index ||
                                              (a.shape.index == b.shape.index && a.triangle < b.triangle)));
  }
  [[nodiscard]] bool is_asked_for(const ShapeRecord<Real>& shape) const noexcept {
    if (!meet(query_.filter, shape.filter) || (shape.is_sensor && !query_.find_sensors)) return false;
    if (query_.skip_surfaces && is_surface(shape.kind)) return false;
    BodyId const body = state_.bodies.id(shape.body);
    return std::find(query_.ignore.begin(), query_.ignore.end(), body) == query_.ignore.end();
  }

  void look_at(std::uint32_t index) {
    TAKT_ASSERT(state_.shapes.alive(index));
    const ShapeRecord<Real>& shape = state_.shapes[index];
    if (done() || !is_asked_for(shape) || !work_.add(QueryWork::kNarrowPhaseSteps)) return;
    QueryHit hit;
    hit.body = state_.bodies.id(shape.body);
    hit.shape = state_.shapes.id(index);
    if (!ask(target_of(state_, shape, query_.position), hit)) return;
    hit.normal = canonical(hit.normal);
    if (query_.mode == QueryMode::kAll) {
      out_.push_back(hit);
    } else if (query_.mode == QueryMode::kClosest && (!found_ || comes_before(hit, best_))) {
      best_ = hit;
      // Farther shapes cannot win; equally near ones can.
      if (query_.kind != QueryKind::kOverlap) limit_ = maximum(measure(hit), 0.0);
    }
    found_ = true;
  }

  [[nodiscard]] bool ask(const Target& target, QueryHit& hit) {
    switch (query_.kind) {
      case QueryKind::kRay: return ask_ray(target, hit);
      case QueryKind::kShapeCast: return ask_cast(target, hit);
      case QueryKind::kOverlap: return ask_nearness(target, 0.0, hit);
      case QueryKind::kClosestPoint: return ask_nearness(target, limit_, hit);
    }
    return false;
  }

  [[nodiscard]] bool ask_ray(const Target& target, QueryHit& hit) {
    if (target.surface.has_value()) return ask_ray_of_surface(*target.surface, hit);
    auto const found = cast_ray(target.geometry, -target.center, query_.translation_m);
    if (!found.has_value()) return false;
    hit.fraction = found->fraction;
    hit.normal = found->normal;
    hit.point = moved(query_.position, query_.translation_m * found->fraction);
    return true;
  }

  [[nodiscard]] bool ask_ray_of_surface(const MeshInstance& surface, QueryHit& hit) {
    auto const found = cast_ray(surface, {}, query_.translation_m, limit_, &work_);
    if (!found.has_value()) return false;
    hit.fraction = found->fraction;
    hit.normal = found->normal;
    hit.point = moved(query_.position, query_.translation_m * found->fraction);
    hit.triangle = surface.surface->triangle(found->triangle).number;
    return true;
  }

  /// The best triangle near the sweep or the pose: by fraction, then distance, then index. A one-sided mesh
  /// is not hit from behind. Triangles beyond `max`, a fraction or distance, are left out.
  [[nodiscard]] bool ask_triangles(const MeshInstance& surface, double max, QueryHit& hit) {
    bool const is_swept = query_.kind == QueryKind::kShapeCast;
    SweptBox const box = box_in(surface);
    double const key_slack = is_swept ? 0.0 : kNearSlackM;
    double limit = max;
    bool found = false;
    ConvexHit best;
    std::uint32_t lowest = 0;
    surface.surface->visit_nearest(
        [&](const SurfaceBox& part) {
          return work_.add(1) ? key(box, part.lower, part.upper, limit) : kNever;
        },
        [&](double key) { return key <= limit + key_slack && !work_.exceeded; },
        [&](std::uint32_t triangle) {
          if (!surface.faces(triangle, shape_.center()) || !work_.add(QueryWork::kNarrowPhaseSteps)) return;
          std::optional<ConvexHit> one;
          if (is_swept) {
            one = cast_convex(shape_, query_.translation_m, surface.convex(triangle));
          } else {
            // Distances that can win are computed to the end: the slack exceeds the tolerance of one.
            Nearness const slot = nearness(shape_, surface.convex(triangle), limit + kNearSlackM);
            if (slot.distance <= limit) one = ConvexHit{0.0, slot};
          }
          if (!one.has_value()) return;
          bool const first = !found || one->fraction < best.fraction ||
                             (one->fraction == best.fraction &&
                              (one->nearness.distance < best.nearness.distance ||
                               (one->nearness.distance == best.nearness.distance && triangle < lowest)));
          if (!first) return;
          found = true;
          best = *one;
          lowest = triangle;
          limit = minimum(limit, maximum(is_swept ? best.fraction : best.nearness.distance, 0.0));
        });
    if (!found) return false;
    hit.fraction = best.fraction;
    hit.triangle = surface.surface->triangle(lowest).number;
    set_nearness(best.nearness, hit);
    return true;
  }

  /// The box of the query's shape, in a surface's frame, larger by the tolerance of casts.
  [[nodiscard]] SweptBox box_in(const MeshInstance& surface) const noexcept {
    auto const reach = [&](Vec3<double> axis, double sign) {
      Vec3<double> const d = surface.rotation * axis * sign;
      return dot(shape_.support(d) - shape_.center(), d) + shape_.radius();
    };
    constexpr Vec3<double> kX{1, 0, 0};
    constexpr Vec3<double> kY{0, 1, 0};
    constexpr Vec3<double> kZ{0, 0, 1};
    double const all = shape_.reach() + shape_.radius();
    double const slack =
        2.0 * kCastToleranceM + 1e-6 + 1e-12 * length(surface.center) +
        2.0 * kCastToleranceFraction *
            (all + length(surface.surface->box().upper) + length(surface.surface->box().lower));
    Vec3<double> const room{slack, slack, slack};
    return {transpose_multiply(surface.rotation, shape_.center() - surface.center),
            -Vec3<double>{reach(kX, -1.0), reach(kY, -1.0), reach(kZ, -1.0)} - room,
            Vec3<double>{reach(kX, 1.0), reach(kY, 1.0), reach(kZ, 1.0)} + room,
            transpose_multiply(surface.rotation, displacement())};
  }

  [[nodiscard]] bool ask_cast(const Target& target, QueryHit& hit) {
    if (target.surface.has_value()) return ask_triangles(*target.surface, limit_, hit);
    bool const plane = target.geometry.kind == ShapeKind::kHalfSpace;
    auto const found =
        plane ? cast_convex_on_plane(shape_, query_.translation_m, target.center, target.geometry.rotation.y)
              : cast_convex(shape_, query_.translation_m, ConvexShape(target.geometry, target.center));
    if (!found.has_value()) return false;
    hit.fraction = found->fraction;
    set_nearness(found->nearness, hit);
    return true;
  }

  [[nodiscard]] bool ask_nearness(const Target& target, double max, QueryHit& hit) {
    if (target.surface.has_value()) return ask_triangles(*target.surface, max, hit);
    bool const plane = target.geometry.kind == ShapeKind::kHalfSpace;
    Nearness const slot =
        plane ? nearness_to_plane(shape_, target.center, target.geometry.rotation.y)
              : nearness(shape_, ConvexShape(target.geometry, target.center), max + kNearSlackM);
    if (!(slot.distance <= max)) return false;
    set_nearness(slot, hit);
    return true;
  }

  void set_nearness(const Nearness& slot, QueryHit& hit) const {
    hit.normal = slot.normal;
    hit.distance_m = canonical(slot.distance);
    hit.point = moved(query_.position, slot.point);
  }

  const WorldState<Real>& state_;
  const Query& query_;
  ConvexShape shape_;
  std::vector<QueryHit>& out_;
  std::size_t first_;
  QueryWork& work_;
  double limit_;  ///< largest fraction or distance that can still be a result
  bool found_ = false;
  QueryHit best_;
};

}  // namespace

std::optional<PhysicsError> check(const Query& query) noexcept {
  if (query.kind < QueryKind::kRay || query.kind > QueryKind::kClosestPoint) return PhysicsError::kOutOfRange;
  if (query.mode < QueryMode::kClosest || query.mode > QueryMode::kAny) return PhysicsError::kOutOfRange;
  if (query.ignore.size() > kMaxQueryIgnored) return PhysicsError::kOutOfRange;
  if (auto const error = check_position(query.position)) return error;
  bool const has_shape = query.kind == QueryKind::kShapeCast || query.kind == QueryKind::kOverlap;
  if (has_shape) {
    if (query.shape.kind == ShapeKind::kHalfSpace || is_surface(query.shape.kind))
      return PhysicsError::kBadShapeKind;
    if (auto const error = check(query.shape)) return error;
    if (auto const error = check_rotation(query.rotation)) return error;
  }
  if (query.kind == QueryKind::kRay || query.kind == QueryKind::kShapeCast) {
    if (auto const error = check_vector(query.translation_m, kMaxQueryLengthM)) return error;
    if (length(query.translation_m) > kMaxQueryLengthM) return PhysicsError::kOutOfRange;
  }
  if (query.kind == QueryKind::kClosestPoint) {
    if (auto const error = check_vector({query.max_distance_m, 0.0, 0.0}, kMaxQueryLengthM)) return error;
    if (query.max_distance_m < 0.0) return PhysicsError::kOutOfRange;
  }
  return std::nullopt;
}

template <class Real>
Result<bool, PhysicsError> answer_query(const WorldState<Real>& state, Proxies& proxies, const Query& query,
                                        std::vector<QueryHit>& out, QueryWork& work) {
  if (auto const error = check(query)) return *error;
  auto const asked = asked_shape(query);
  if (!asked.ok()) return asked.error();
  proxies.begin_query(state);
  Asking<Real> asking(state, query, *asked, out, work);
  asking.run(proxies);
  (void)take_fixed_overflow_count();  // a query is no part of a step
  return asking.found();
}

template Result<bool, PhysicsError> answer_query(const WorldState<float>&, Proxies&, const Query&,
                                                 std::vector<QueryHit>&, QueryWork&);
template Result<bool, PhysicsError> answer_query(const WorldState<Fixed>&, Proxies&, const Query&,
                                                 std::vector<QueryHit>&, QueryWork&);

Query Query::ray(const Position& from, Vec3<double> translation_m, QueryMode mode) {
  Query query;
  query.mode = mode;
  query.position = from;
  query.translation_m = translation_m;
  return query;
}
Query Query::cast(const ShapeDef& shape, const Position& from, Quat<double> rotation,
                  Vec3<double> translation_m, QueryMode mode) {
  Query query = ray(from, translation_m, mode);
  query.kind = QueryKind::kShapeCast;
  query.shape = shape;
  query.rotation = rotation;
  return query;
}
Query Query::overlap(const ShapeDef& shape, const Position& at, Quat<double> rotation, QueryMode mode) {
  Query query = cast(shape, at, rotation, {}, mode);
  query.kind = QueryKind::kOverlap;
  return query;
}
Query Query::closest_point(const Position& to, double max_distance_m, QueryMode mode) {
  Query query = ray(to, {}, mode);
  query.kind = QueryKind::kClosestPoint;
  query.max_distance_m = max_distance_m;
  return query;
}

}  // namespace takt
