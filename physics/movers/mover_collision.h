// What is around a mover in one tick, and the three questions it asks of it: which planes it touches, how far
// it can go, what is below a point. Shapes stand where they stand at the tick's start, those of kinematic
// bodies where they stand at its end (so that a platform carries and a moving wall pushes). Binary64 in both
// number modes, relative to where the mover begins the tick; in the order of shape indices, so what the broad
// phase reports beyond the truth, and in which order, has no effect.
#pragma once

#include <optional>
#include <vector>

#include "physics/broad_phase/proxies.h"
#include "physics/geometry/convex_cast.h"
#include "physics/movers/plane_solver.h"
#include "physics/narrow_phase/collide_mesh.h"
#include "physics/state/world_state.h"

namespace takt {

/// How what it meets answers a mover.
enum class MoverObstacleKind : std::uint8_t {
  kStill,     ///< does not move
  kDriven,    ///< kinematic: it pushes the mover, never the other way
  kYielding,  ///< dynamic, or another mover: does not push the mover out of its way
};

template <class Real>
struct MoverObstacle {
  std::uint32_t shape = 0;
  std::uint32_t body = 0;
  MoverObstacleKind kind = MoverObstacleKind::kStill;
  bool is_dynamic = false;
  ShapeGeometry<double> geometry;
  Vec3<double> center;                ///< of the shape
  std::optional<ConvexShape> convex;  ///< of all but half-spaces and surfaces
  Mat3<Real> surface_rotation;        ///< of surfaces, for collide_surface
};

/// Where a body is and goes in this tick, relative to a point.
struct SurfaceMotion {
  Vec3<double> center;  ///< of mass, at the start, m
  Quat<double> rotation;
  Vec3<double> end_center;  ///< and at the end, as far as it is known before the tick
  Quat<double> end_rotation;
  /// Where a point that goes with the body is at the end.
  [[nodiscard]] Vec3<double> carried(Vec3<double> point) const noexcept;
};
/// A kinematic body's way is exact; another's is what its velocity says.
template <class Real>
[[nodiscard]] SurfaceMotion surface_motion(const WorldState<Real>& state, std::uint32_t body,
                                           const Position& about);

struct MoverCast {
  double fraction = 1.0;  ///< of the way that is free
  bool hit = false;
  Vec3<double> normal;  ///< out of what is hit
  Vec3<double> point;   ///< on it
  std::uint32_t obstacle = 0;
};
struct MoverRay {
  double fraction = 1.0;
  bool hit = false;
  Vec3<double> normal;
};

template <class Real>
class MoverSurroundings {
 public:
  /// `self` is the mover's shape; `reach` is farther than anything the mover asks for from its start. Needs
  /// Proxies::begin_step(). No kinematic shape moves by more than `kinematic_reach` in the tick.
  /// `movers` says of each body place whether a mover owns it.
  void gather(const WorldState<Real>& state, Proxies& proxies, std::uint32_t self, double reach,
              double kinematic_reach, const std::vector<std::uint8_t>& movers);

  [[nodiscard]] const MoverObstacle<Real>& obstacle(std::uint32_t index) const noexcept {
    return obstacles_[index];
  }
  [[nodiscard]] double radius() const noexcept { return radius_; }
  [[nodiscard]] double half_length() const noexcept { return half_length_; }

  /// Adds the planes of what is nearer than `zone` to the capsule at `at`; `ignored` is a body that is left
  /// out. Sets normal, gap, point and obstacle.
  void touch(Vec3<double> at, double zone, std::uint32_t ignored, SurfaceScratch& scratch,
             MoverPlanes& out) const;
  /// The way of the capsule, `extra` thicker, from `at` by `by`. What it overlaps at the start does not stop
  /// it: that has a plane.
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
