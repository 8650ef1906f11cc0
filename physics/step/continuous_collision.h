// ContinuousCollision sweeps bodies that move far within one tick, so that they cannot tunnel through thin
// shapes. StepPipeline (step.cpp) calls run() once a tick, after the substeps; run() shortens the
// displacement of bodies that would tunnel.
//
// Rule. A dynamic body is fast when its centre of mass moves by more than kFastMinM and more than
// kFastFraction of its shapes' smallest extent. A bullet (a body with this flag) is fast beyond kFastMinM. A
// fast body is swept against static, kinematic and quarantined bodies, a bullet also against dynamic bodies
// that are not bullets. Sensors, shapes whose filters do not match, and bodies that a joint keeps from
// touching are no obstacles. The sweep is a straight line from the pose at the tick's start to the solver's
// pose, with nlerp rotation (rotation_sweep.h). The line is relative to the obstacle's own displacement in
// the tick. A body that would end deeper inside an obstacle than it started, by a small tolerance
// (kSweepDepthM), stops at the time of impact. A stopped body keeps its energy. The work of gravity and
// forces over the lost part of its path is taken back, and the spin follows the rotation (turned_velocity). A
// body that stops where it was loses half of its spin, or spins back with restitution. Otherwise it would
// stop there in each tick. For the rest of the tick the obstacle carries it. The contact of the next tick
// stops it, bounces it, transfers its impulse and wakes sleeping bodies. Bullets are swept after all other
// bodies; within each of these two groups no sweep depends on another, so order does not matter.
//
// Soft materials (shapes whose contacts are springs). A body may penetrate a soft shape by kSoftDepthFraction
// of the sum of both smallest half extents, where it stops. A mesh or height field counts with an extent of
// 0. Springs brake it on the way (soft_contact_sweep.h). A soft half-space stops no body. A body in contact
// with a soft shape is fast beyond kFastMinM.
//
// Joints. When a sweep stops one body of a jointed group, all dynamic bodies of the group stop at the same
// time of impact. Otherwise the joints would separate by the distance the body moved back. A vehicle or
// ragdoll so loses part of a tick. A body that lies on it without a joint moves on alone.
//
// WorldDef::max_contacts bounds the triangles of meshes and height fields. The fast bodies of a tick divide a
// budget of the size of TriangleBudget's. A body with more triangles under its sweep than its part meets a
// choice of them (triangle_sample.h) for its pose at the end, and the triangle that its centre passes. A thin
// part of the surface that is not among them may be passed.
//
// Limits. Bodies that are not fast are not swept, and no contacts are created. Nothing detects tunnelling by
// rotation alone: the tip of a long body may pass through a thin wall, its middle does not.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/base/parallel_filter.h"
#include "physics/broad_phase/joined_bodies.h"
#include "physics/broad_phase/proxies.h"
#include "physics/constraints/solver_bodies.h"
#include "physics/contacts/prepared_contact.h"
#include "physics/contacts/triangle_budget.h"
#include "physics/joints/joint_solver.h"
#include "physics/state/world_state.h"

namespace takt {

/// Minimum displacement of a fast body in a tick, m. Speculative contacts exist within kSpeculativeDistanceM,
/// so a body that moves less meets one in time.
inline constexpr double kFastMinM = 0.02;
/// Fraction of the smallest extent. At an eighth, a body that meets no contact in time ends with its middle
/// still outside, and leaves on the side where it entered.
inline constexpr double kFastFraction = 0.125;
/// The added depth at which a sweep stops, m, and at most this fraction of the smallest half extent. A body
/// that slides over the joint of two tiles, or lies a little deep under load, does not count as a hit.
inline constexpr double kSweepDepthM = 0.01;
inline constexpr double kSweepDepthFraction = 0.25;
/// A body that starts inside may get deeper by kSweepDepthM, but not past this fraction of its smallest half
/// extent: its middle is then still in front of a thin obstacle.
inline constexpr double kSweepMaxFraction = 0.75;

/// The part of a body's displacement in the tick that remains after a stop.
struct TimeOfImpact {
  double fraction = 1.0;
  Vec3<double> carried;  ///< m, world: the obstacle's displacement in the tick; it carries the body along
};

/// Limits of the sweep of one body.
struct SweepLimits {
  std::uint32_t max_triangles = kAllTriangles;  ///< of each surface
};

/// Triangles under the sweep of one body, up to the limits.
struct SweepNeed {
  std::uint64_t triangles = 0;
  std::uint32_t surfaces = 0;
  bool is_beyond_max = false;  ///< a surface has more than SweepLimits::max_triangles
};

/// Scratch of one worker.
struct alignas(64) SweepScratch {
  std::vector<std::int32_t> stack;       ///< of tree walks
  std::vector<std::uint32_t> obstacles;  ///< of the present shape
  TriangleSample sample;
};

template <class Real>
struct SweepTick;

template <class Real>
class ContinuousCollision {
 public:
  /// The tick after its substeps. `joined` as in CandidatePairs.
  struct Input {
    const WorldState<Real>& state;
    SolverBodies<Real>& bodies;  ///< read, and shortened in displacement, rotation and velocity
    Proxies& proxies;            ///< proxies of moved bodies are moved to the tick's end, if a body is fast
    std::span<const PreparedContact<Real>> contacts;
    const JointSolver<Real>& joints;
    const JoinedBodies& joined;
    TaskPool* pool = nullptr;
  };
  /// Stops fast bodies at their time of impact. Call it once a tick after the substeps, before bodies are
  /// stored: `state` has the poses of the tick's start.
  void run(const Input& in);
  /// True when WorldDef::max_contacts left out triangles in the last run().
  [[nodiscard]] bool is_cut() const noexcept { return is_cut_; }

 private:
  void mark_on_soft(const Input& in);
  void clamp_joint_groups(const Input& in);
  void divide_triangles(const Input& in, const SweepTick<Real>& tick, double farthest);
  void reserve_scratch(TaskPool* pool);

  FilteredItems<std::uint32_t> fast_bodies_;  ///< solver indices
  std::vector<std::uint8_t> on_soft_;         ///< by solver body: has a contact of a soft material
  std::vector<TimeOfImpact> toi_;             ///< by solver body; empty in a world without joints
  std::vector<TimeOfImpact> group_toi_;       ///< the minimum of a jointed group, at its lowest body
  std::vector<SweepScratch> scratch_{1};      ///< by worker
  std::vector<SweepLimits> limits_;           ///< by fast body
  std::vector<SweepNeed> sweep_needs_;        ///< by fast body
  std::vector<std::uint64_t> needs_;          ///< the triangles of sweep_needs_, for fair_limit()
  bool is_cut_ = false;
};

}  // namespace takt
