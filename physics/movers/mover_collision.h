// MoverCollision holds the obstacles near one mover (a character's capsule) in one tick: shapes of other
// bodies that the mover may meet. Its three queries are contact planes (touch), capsule cast (cast) and ray
// cast (ray). MoverStep gathers the obstacles before the mover moves; MoverSlide and push_bodies() use them.
// Shapes of dynamic bodies have their pose at the tick's start. Shapes of all other bodies have their pose at
// the tick's end (surface_motion), so that kinematic platforms carry and moving walls push.
//
// Both numbers modes compute in binary64. All positions are relative to the mover's start (the capsule's
// centre at the tick's start), m, world axes. touch() rounds the rotations of meshes and height fields, and
// the capsule's size beside them, to Real. Obstacles are sorted by shape index, so additional candidates of
// the broad phase, and their order, have no effect.
//
// In a world with WorldDef::max_contacts a mover has a number of triangles for all touch() and cast() calls
// of a tick. A call may test a quarter of what is left, and at least kMinTriangles; beyond it the call tests
// a choice of the triangles (triangle_sample.h). A cast adds the triangle that the capsule's centre meets.
#pragma once

#include <optional>
#include <vector>

#include "physics/broad_phase/proxies.h"
#include "physics/geometry/convex_cast.h"
#include "physics/movers/plane_solver.h"
#include "physics/narrow_phase/collide_mesh.h"
#include "physics/state/world_state.h"
#include "takt/core/assert.h"

namespace takt {

/// Response of an obstacle to a mover.
enum class MoverObstacleKind : std::uint8_t {
  kStill,     ///< static, quarantined, or kinematic without a velocity
  kDriven,    ///< kinematic with a velocity: pushes the mover, and is never pushed
  kYielding,  ///< dynamic, or another mover: does not push the mover
};

template <class Real>
struct MoverObstacle {
  std::uint32_t shape = 0;  ///< pool index, as body
  std::uint32_t body = 0;
  MoverObstacleKind kind = MoverObstacleKind::kStill;
  bool is_dynamic = false;  ///< dynamic and not quarantined: can be pushed
  ShapeGeometry<double> geometry;
  Vec3<double> center;                ///< of the shape
  std::optional<ConvexShape> convex;  ///< of all kinds except half-spaces, meshes and height fields
  Mat3<Real> surface_rotation;        ///< of meshes and height fields, for collide_surface
};

/// Pose of a body at the start and end of this tick, relative to a point, world axes.
struct SurfaceMotion {
  Vec3<double> center;  ///< of mass, at the start, m
  Quat<double> rotation;
  Vec3<double> end_center;  ///< at the end, as far as known before the tick
  Quat<double> end_rotation;
  /// Position at the end of a point that moves with the body.
  [[nodiscard]] Vec3<double> carried(Vec3<double> point) const noexcept;
};
/// Returns the motion of a body in this tick relative to `about`: to its target if it has one, else predicted
/// from its velocities. A body that is asleep, disabled, quarantined or without velocities does not move.
template <class Real>
[[nodiscard]] SurfaceMotion surface_motion(const WorldState<Real>& state, std::uint32_t body,
                                           const Position& about);

/// Result of a cast. All but `fraction` is undefined without a hit.
struct MoverCast {
  double fraction = 1.0;  ///< free fraction of the displacement, [0, 1]
  bool hit = false;
  Vec3<double> normal;         ///< unit, outward from the obstacle
  Vec3<double> point;          ///< on the obstacle
  std::uint32_t obstacle = 0;  ///< index of obstacle()
};
struct MoverRay {
  double fraction = 1.0;  ///< of the ray, [0, 1]
  bool hit = false;
  Vec3<double> normal;  ///< unit, outward from the obstacle; undefined without a hit
};

template <class Real>
class MoverCollision {
 public:
  /// Replaces the obstacles. `self` is the mover's shape, a capsule (asserted). `reach`, m, exceeds every
  /// query distance from the mover's start, without its own size. No kinematic shape moves by more than
  /// `kinematic_reach`, m, in the tick. `movers` is by body index: 1 when a mover owns the body. Sensors and
  /// shapes whose filters do not match are left out. Requires Proxies::begin_step().
  void gather(const WorldState<Real>& state, Proxies& proxies, std::uint32_t self, double reach,
              double kinematic_reach, const std::vector<std::uint8_t>& movers);
  /// Sets the number of triangles of all calls until the next set_triangles(); kAllTriangles is no limit.
  void set_triangles(std::uint32_t count) noexcept { triangles_left_ = count; }
  /// True when a call has left out triangles since it was last set to false.
  [[nodiscard]] bool is_cut() const noexcept { return is_cut_; }
  void clear_cut() noexcept { is_cut_ = false; }

  /// The obstacle at an index that a plane or a cast returned (asserted).
  [[nodiscard]] const MoverObstacle<Real>& obstacle(std::uint32_t index) const noexcept {
    TAKT_ASSERT(index < obstacles_.size());
    return obstacles_[index];
  }
  // Sizes of the mover's capsule, m; half_length() is that of its axis:
  [[nodiscard]] double radius() const noexcept { return radius_; }
  [[nodiscard]] double half_length() const noexcept { return half_length_; }

  /// Adds to `out` the planes of obstacles within `zone`, m, of the capsule at `at`, except those of body
  /// `ignored` (pool index, or kNoIndex). Sets normal, gap, point and obstacle; `min` is 0.
  void touch(Vec3<double> at, double zone, std::uint32_t ignored, SurfaceScratch& scratch, MoverPlanes& out);
  /// Casts the capsule, its radius enlarged by `extra`, m, from `at` by `by`. Shapes that overlap it at the
  /// start do not stop it; touch() has planes for these. `ignored` as in touch().
  [[nodiscard]] MoverCast cast(Vec3<double> at, Vec3<double> by, double extra, std::uint32_t ignored);
  /// Casts a ray against all obstacles.
  [[nodiscard]] MoverRay ray(Vec3<double> from, Vec3<double> by) const;

 private:
  void add(const WorldState<Real>& state, std::uint32_t shape, const std::vector<std::uint8_t>& movers);
  [[nodiscard]] ShapeGeometry<double> capsule_geometry(double extra) const noexcept;
  [[nodiscard]] ConvexShape capsule(Vec3<double> at, double extra) const noexcept;
  [[nodiscard]] std::uint32_t take_triangles(const TriangleMesh& surface, const SurfaceBox& box) noexcept;

  double radius_ = 0.0;
  double half_length_ = 0.0;
  Position start_;
  std::uint32_t self_ = 0;
  std::uint32_t triangles_left_ = kAllTriangles;
  bool is_cut_ = false;
  TriangleSample sample_;  ///< of cast()
  std::vector<std::uint32_t> found_;
  std::vector<MoverObstacle<Real>> obstacles_;
};

}  // namespace takt
