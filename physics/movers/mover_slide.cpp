#include "physics/movers/mover_slide.h"

#include "takt/core/assert.h"
#include "takt/physics/trigonometry.h"

namespace takt {
namespace {

// Maximum rounds of sliding and casting. Two walls and the ground take four; the rest is dropped for this
// tick.
constexpr int kMaxSlides = 6;
// Remaining displacement, m, below which no further round runs.
constexpr double kEnoughM = 1e-6;
// Planes count from this far outside of the skin, m: casts stop 10 um early.
constexpr double kZoneM = 1e-4;
// Tolerated deficit of the skin, m, before the mover is pushed out. It exceeds the error of surface
// distances. Without it a mover on a slope creeps.
constexpr double kDeadM = 5e-4;
// Tolerated depth of a dynamic body in the mover, m, before the mover yields: contacts push bodies out by
// themselves.
constexpr double kYieldDepthM = 5e-3;
// Ground may be this much farther than the skin, m, and still support the mover without a move.
constexpr double kNearGroundM = 1e-3;
// Casts enlarge the capsule by this fraction of the skin. Surfaces it slides along, a whole skin away, do not
// stop it.
constexpr double kCastFraction = 0.5;
// A foothold is tested this far inside of an edge, m.
constexpr double kInsideM = 0.02;
constexpr double kStepSlackM = 1e-3;

constexpr Vec3<double> kUp{0.0, 1.0, 0.0};

Vec3<double> level(Vec3<double> v) noexcept { return {v.x, 0.0, v.z}; }
Vec3<double> divided(Vec3<double> v, double by) noexcept { return {v.x / by, v.y / by, v.z / by}; }

}  // namespace

template <class Real>
MoverSlide<Real>::MoverSlide(MoverCollision<Real>& around, SurfaceScratch& scratch, const MoverTuning& tuning,
                             double period_s)
    : around_(around),
      scratch_(scratch),
      tuning_(tuning),
      walkable_cosine_(cos(Fixed(tuning.max_slope_rad)).to_double() - 1e-6),
      recovery_left_(tuning.recovery_speed_m_s * period_s) {
  TAKT_ASSERT(period_s > 0.0);
}

/// Applies the rules to a plane; `room` is the displacement allowed against it.
template <class Real>
MoverPlane MoverSlide<Real>::ruled(const MoverPlane& plane, double room,
                                   const SlideRules& rules) const noexcept {
  MoverPlane out = plane;
  out.min = -room;
  bool const steep = plane.normal.y > 0.0 && !is_walkable(plane.normal);
  if (!rules.walking || !steep || room < 0.0) return out;
  double const flat = length(level(plane.normal));
  out.normal = divided(level(plane.normal), flat);
  out.min = -room / flat;
  return out;
}

template <class Real>
void MoverSlide<Real>::add_planes(const SlideRules& rules, MoverPlanes& planes) const {
  MoverPlanes near;
  around_.touch(at, tuning_.skin_m + kZoneM, rules.ignored, scratch_, near);
  for (const MoverPlane& plane : near.list()) {
    double const room = plane.gap - tuning_.skin_m;
    MoverObstacleKind const kind = around_.obstacle(plane.obstacle).kind;
    double out = 0.0;
    if (kind == MoverObstacleKind::kYielding) {
      if (plane.gap < -kYieldDepthM) out = minimum(-plane.gap, recovery_left_);
    } else if (room < -kDeadM) {
      out = kind == MoverObstacleKind::kDriven ? -room : minimum(-room, recovery_left_);
    }
    planes.add(ruled(plane, out > 0.0 ? -out : maximum(room, 0.0), rules));
  }
}

template <class Real>
void MoverSlide<Real>::slide(Vec3<double> by, const SlideRules& rules) {
  TAKT_VALIDATE(recovery_left_ >= 0.0);
  Vec3<double> const goal = at + by;
  MoverPlanes hits;
  for (int round = 0; round < kMaxSlides; ++round) {
    MoverPlanes planes = hits;
    add_planes(rules, planes);
    for (const MoverPlane& plane : planes.list()) touched.add(plane);
    Vec3<double> const displacement = solve_planes(goal - at, planes.list());
    double const size = length(displacement);
    if (!(size > kEnoughM)) return;
    for (const MoverPlane& plane : planes.list()) {
      bool const limited =
          plane.min > 0.0 && around_.obstacle(plane.obstacle).kind != MoverObstacleKind::kDriven;
      if (limited) recovery_left_ = maximum(recovery_left_ - plane.min, 0.0);
    }
    double const extra = kCastFraction * tuning_.skin_m;
    MoverCast const hit = around_.cast(at, displacement, extra, rules.ignored);
    if (!hit.hit) {
      at += displacement;
      continue;
    }
    // Moves back to a whole skin. The distance is convex along the displacement, so it is at least the
    // tangent's.
    double const closing_speed = -dot(hit.normal, displacement) / size;
    double const back = closing_speed > 1e-3 ? (tuning_.skin_m - extra) / closing_speed : size;
    at += displacement * clamp(hit.fraction - back / size, 0.0, 1.0);
    MoverPlane const plane = ruled({hit.normal, 0.0, tuning_.skin_m, hit.point, hit.obstacle}, 0.0, rules);
    hits.add(plane);
    touched.add(plane);
  }
}

/// True when the hit edge belongs to walkable ground, with ground within a step below it.
template <class Real>
bool MoverSlide<Real>::has_foothold(const MoverCast& hit, Vec3<double> from) const {
  Vec3<double> const inwards = -level(hit.normal);
  double const flat = length(inwards);
  if (!(flat > 1e-6) || !(hit.normal.y > 0.01)) return false;
  Vec3<double> const above = hit.point + inwards * (kInsideM / flat) + kUp * kInsideM;
  MoverRay const face = around_.ray(above, kUp * (-3.0 * kInsideM));
  if (!face.hit || face.fraction == 0.0 || !is_walkable(face.normal)) return false;
  double const foot = around_.half_length() + around_.radius() + tuning_.skin_m;
  MoverRay const floor = around_.ray(
      from, kUp * -(foot + maximum(tuning_.step_height_m, tuning_.stick_distance_m) + kStepSlackM));
  return floor.hit && is_walkable(floor.normal);
}

template <class Real>
MoverSupport MoverSlide<Real>::support(double reach, bool edges) const {
  MoverSupport found;
  double const extra = kCastFraction * tuning_.skin_m;
  // Down to the contact of the enlarged capsule, which on a slope is farther than a skin below.
  double const down = reach + (tuning_.skin_m - extra) / maximum(walkable_cosine_, 0.1) + kNearGroundM;
  MoverCast const hit = around_.cast(at, kUp * -down, extra, kNoIndex);
  if (!hit.hit) return found;
  double const back = (tuning_.skin_m - extra) / maximum(hit.normal.y, 0.05);
  double const drop = hit.fraction * down - back;
  Vec3<double> const stand = at - kUp * maximum(drop, 0.0);
  found.drop = drop > kNearGroundM ? drop : 0.0;
  found.point = hit.point;
  found.obstacle = hit.obstacle;
  found.normal = is_walkable(hit.normal) ? hit.normal : kUp;
  found.found =
      drop <= reach + kNearGroundM && (is_walkable(hit.normal) || (edges && has_foothold(hit, stand)));
  return found;
}

/// Tries up, forward and down from `from`. True when the mover stands higher, and farther along `by` than
/// `progress`.
template <class Real>
bool MoverSlide<Real>::step(Vec3<double> from, Vec3<double> by, double progress) {
  double const extra = kCastFraction * tuning_.skin_m;
  Vec3<double> const back_at = at;
  MoverPlanes const back_touched = touched;
  auto const give_up = [&] {
    at = back_at;
    touched = back_touched;
    return false;
  };
  Vec3<double> const rise = kUp * tuning_.step_height_m;
  MoverCast const ceiling = around_.cast(from, rise, extra, kNoIndex);
  double const height = tuning_.step_height_m * ceiling.fraction - (ceiling.hit ? tuning_.skin_m : 0.0);
  if (!(height > kNearGroundM)) return false;
  at = from + kUp * height;
  touched.count = 0;
  slide(level(by), {true, kNoIndex});
  double const size = length(by);
  if (!(dot(at - from, by) / size > progress + 0.05 * size)) return give_up();
  MoverSupport const ground = support(at.y - from.y, true);
  if (!ground.found || around_.obstacle(ground.obstacle).kind == MoverObstacleKind::kYielding)
    return give_up();
  double const foot = from.y - around_.half_length() - around_.radius() - tuning_.skin_m;
  if (ground.point.y - foot > tuning_.step_height_m + kStepSlackM) return give_up();
  TAKT_VALIDATE(ground.drop >= 0.0);
  at = at - kUp * ground.drop;
  if (!(at.y > from.y)) return give_up();
  step_rise += at.y - from.y;
  return true;
}

template <class Real>
void MoverSlide<Real>::walk(Vec3<double> by) {
  Vec3<double> const from = at;
  Vec3<double> const wanted = level(by);
  double const size = length(wanted);
  slide(by, {true, kNoIndex});
  if (!(size > kEnoughM) || !(tuning_.step_height_m > 0.0)) return;
  double const progress = dot(at - from, wanted) / size;
  if (progress > 0.95 * size) return;
  bool wall = false;
  for (const MoverPlane& plane : touched.list()) {
    bool const stands = around_.obstacle(plane.obstacle).kind != MoverObstacleKind::kYielding;
    wall = wall || (stands && !is_walkable(plane.normal) && dot(plane.normal, wanted) < 0.0);
  }
  if (wall) (void)step(from, wanted, progress);
}

template class MoverSlide<float>;
template class MoverSlide<Fixed>;

}  // namespace takt
