// RopeDef defines a rope: a chain of nodes (point masses) connected by segments, integrated by Verlet's rule.
// Forces act both ways between a rope and the bodies to which it is pinned (RopePin) or on which it lies
// (docs/ROPES.md). World::create_rope checks a definition completely before it creates anything. RopeView is
// the state of a rope after a step. Definitions use SI units and doubles, equal for float mode and fixed
// mode; ropes compute in binary64 in both. Spans of a definition refer to the caller's memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "takt/core/id.h"
#include "takt/physics/body.h"
#include "takt/physics/vector.h"

namespace takt {

struct RopeTag;
using RopeId = Id<RopeTag>;

inline constexpr std::uint32_t kMaxRopeNodes = 4096;           ///< maximum number of nodes of one rope
inline constexpr std::uint32_t kMaxWorldRopeNodes = 1u << 20;  ///< and of all ropes of a world together

/// Length constraint of a segment. Frozen values: they stand in every image.
enum class RopeMode : std::uint8_t {
  kJakobsen = 0,   ///< inextensible: each pass corrects the fraction `stiffness` of the length error. Fewer
                   ///< passes and longer steps make it softer
  kCompliant = 1,  ///< a spring of `compliance_m_n` per segment (XPBD): equal stretch at any number of passes
                   ///< and steps
};

/// Fixes a node to a point of the world or of a body.
struct RopePin {
  std::uint32_t node = 0;         ///< counts from 0
  BodyId body{};                  ///< null: a point of the world
  Vec3<double> local_anchor_m{};  ///< in the body's frame, each within +-2 kMaxExtentM; ignored for a point
                                  ///< of the world
  std::optional<Position> target{};  ///< point of the world; none: the node's present position. A node
                                     ///< farther away reaches it within the next step
};

/// A rope. `points` and `pins` are read during create_rope only.
struct RopeDef {
  std::span<const Position> points{};  ///< node positions, 2 to kMaxRopeNodes; empty: `node_count` nodes on
                                       ///< the straight line from `start` to `end`
  Position start{};
  Position end{};
  std::uint32_t node_count = 16;  ///< [2, kMaxRopeNodes]; ignored when there are points
  double segment_length_m = 0.0;  ///< rest length between neighbours, [kMinExtentM, 1000]; 0 = the mean
                                  ///< distance of the nodes at creation
  double radius_m = 0.02;         ///< of the nodes, which collide as spheres, [kMinExtentM, 10]
  double mass_kg = 1.0;  ///< of the whole rope, distributed equally over its nodes, each in [1e-6, 1e6];
                         ///< ignored when linear_density_kg_m is above 0
  double linear_density_kg_m = 0.0;     ///< kg per metre of rest length
  RopeMode mode = RopeMode::kJakobsen;  ///< kJakobsen uses `stiffness`, kCompliant uses `compliance_m_n`
  double stiffness = 1.0;               ///< Jakobsen: fraction of a length error that a pass corrects, (0, 1]
  double compliance_m_n = 1e-6;  ///< compliant: stretch of a segment per newton, [0, 1]; 0 = inextensible
  double damping_n_s_m = 0.0;    ///< compliant: damping of a segment's rate of stretch, [0, 1e6]
  std::uint32_t passes = 4;      ///< solver passes in each substep, [1, 64]
  double drag_1_s = 0.2;         ///< v' = -drag v of each node, [0, 1000]
  double gravity_scale = 1.0;    ///< multiplies the world's gravity, [-1000, 1000]
  double friction = 0.6;  ///< Coulomb, dimensionless, combined with a shape's as for two shapes, [0, 100]
  bool collides = true;   ///< with shapes that `filter` selects; ropes do not collide with ropes
  bool collides_with_pinned =
      false;  ///< true: also collides with the bodies that it is pinned to; a pinned node never collides
  bool can_sleep = true;
  ShapeFilter filter{};
  std::span<const RopePin> pins{};  ///< at most one per node
  std::uint64_t user_tag = 0;       ///< the owner's value; canonical, never read by the engine
};

/// State of a rope after the last step. Reuse one to avoid allocation.
struct RopeView {
  std::vector<Position> nodes;
  std::vector<Vec3<double>> velocities_m_s;
  std::vector<double> tensions_n;  ///< per segment, from node i to i + 1, in the last substep; below 0 the
                                   ///< segment is compressed
  std::vector<RopePin> pins;       ///< ascending by node; targets set
  double radius_m = 0.0;
  double segment_length_m = 0.0;
  double node_mass_kg = 0.0;
  bool asleep = false;
  bool quarantined = false;  ///< left the finite numbers or the world; frozen since
  std::uint64_t user_tag = 0;
};

}  // namespace takt
