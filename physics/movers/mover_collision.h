// MoverCollision holds the obstacles near one mover (a character's capsule) in one tick: shapes of other
// bodies that the mover may meet. Its three queries are contact planes (touch), capsule cast (cast) and ray
// cast (ray). MoverStep gathers the obstacles before the mover moves; MoverSlide and push_bodies() use them.
// Shapes of dynamic bodies have their pose at the tick's start. Shapes of kinematic bodies have their pose at
// the tick's end (surface_motion), so that platforms carry and moving walls push.
//
// Both numbers modes compute in binary64, relative to the mover's start; touch() rounds only the rotations of
// meshes and height fields to Real. Obstacles are sorted by shape index, so additional candidates of the
// broad phase, and their order, have no effect.
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
  kStill,     ///< does not move
  kDriven,    ///< kinematic: pushes the mover, and is never pushed
  kYielding,  ///< dynamic, or another mover: does not push the mover
};

template <class Real>
struct MoverObstacle {
  std::uint32_t shape = 0;
  std::uint32_t body = 0;
  MoverObstacleKind kind = MoverObstacleKind::kStill;
  bool is_dynamic = false;
  ShapeGeometry<double> geometry;
  Vec3<double> center;                ///< of the shape
  std::optional<ConvexShape> convex;  ///< of all kinds except half-spaces, meshes and height fields
  Mat3<Real> surface_rotation;        ///< of meshes and height fields, for collide_surface
};

/// Pose of a body at the start and end of this tick, relative to a point.
struct SurfaceMotion {
  Vec3<double> center;  ///< of mass, at the start, m
  Quat<double> rotation;
  Vec3<double> end_center;  ///< at the end, as far as known before the tick
  Quat<double> end_rotation;
  /// Position at the end of a point that moves with the body.
  [[nodiscard]] Vec3<double> carried(Vec3<double> point) const noexcept;
};
/// Motion of a body in this tick: to its target if it has one, else predicted from its velocities.
template <class Real>
[[nodiscard]] SurfaceMotion surface_motion(const WorldState<Real>& state, std::uint32_t body,
                                           const Position& about);

struct MoverCast {
  double fraction = 1.0;  ///< free fraction of the displacement
  bool hit = false;
  Vec3<double> normal;  ///< outward from the obstacle
  Vec3<double> point;   ///< on the obstacle
  std::uint32_t obstacle = 0;
};
struct MoverRay {
  double fraction = 1.0;
  bool hit = false;
  Vec3<double> normal;
};

template <class Real>
class MoverCollision {
 public:
  /// Collects the obstacles. `self` is the mover's shape; `reach` exceeds every query distance from its
  /// start. No kinematic shape moves by more than `kinematic_reach` in the tick. `movers`: by body index, 1
  /// when a mover owns the body. Requires Proxies::begin_step().
  void gather(const WorldState<Real>& state, Proxies& proxies, std::uint32_t self, double reach,
              double kinematic_reach, const std::vector<std::uint8_t>& movers);

  [[nodiscard]] const MoverObstacle<Real>& obstacle(std::uint32_t index) const noexcept {
    TAKT_ASSERT(index < obstacles_.size());
    return obstacles_[index];
  }
  [[nodiscard]] double radius() const noexcept { return radius_; }
  [[nodiscard]] double half_length() const noexcept { return half_length_; }

  /// Adds the planes of obstacles closer than `zone` to the capsule at `at`, except those of body `ignored`.
  /// Sets normal, gap, point and obstacle.
  void touch(Vec3<double> at, double zone, std::uint32_t ignored, SurfaceScratch& scratch,
             MoverPlanes& out) const;
  /// Casts the capsule, enlarged by `extra`, from `at` by `by`. Shapes that overlap it at the start do not
  /// stop it: they have a plane.
  [[nodiscard]] MoverCast cast(Vec3<double> at, Vec3<double> by, double extra, std::uint32_t ignored) const;
  [[nodiscard]] MoverRay ray(Vec3<double> from, Vec3<double> by) const;

 private:
  void add(const WorldState<Real>& state, std::uint32_t shape, const std::vector<std::uint8_t>& movers);
  [[nodiscard]] ConvexShape capsule(Vec3<double> at, double extra) const noexcept;

  double radius_ = 0.0;
  double half_length_ = 0.0;
  Position start_;
  std::uint32_t self_ = 0;
  std::vector<std::uint32_t> found_;
  std::vector<MoverObstacle<Real>> obstacles_;
};

}  // namespace takt
