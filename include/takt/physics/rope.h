// Ropes: chains of nodes held together by segments, moved by Verlet's rule, with two-way coupling to the
// bodies they are pinned to and lie on (docs/ROPES.md). Definitions in SI units and doubles, the same for
// both number modes; ropes compute in binary64 in both. Definitions own nothing and are checked whole before
// anything is created.
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

/// Nodes of one rope, and of all ropes of a world together.
inline constexpr std::uint32_t kMaxRopeNodes = 4096;
inline constexpr std::uint32_t kMaxWorldRopeNodes = 1u << 20;

/// What holds a segment at its length. Frozen values: they stand in every image.
enum class RopeMode : std::uint8_t {
  kJakobsen = 0,   ///< inextensible: each pass takes `stiffness` of the length error away. Softer with fewer
                   ///< passes and longer steps
  kCompliant = 1,  ///< a spring of `compliance_m_n` a segment (XPBD): the same stretch at any number of
                   ///< passes and steps
};

/// Where a node is held: at a point of the world, or at a point of a body.
struct RopePin {
  std::uint32_t node = 0;         ///< counts from 0
  BodyId body{};                  ///< null: a point of the world
  Vec3<double> local_anchor_m{};  ///< of the body, its frame, each within +-2 kMaxExtentM; for a point of the
                                  ///< world not read
  std::optional<Position> target{};  ///< point of the world; none: where the node is. A node farther away
                                     ///< gets there within the next step
};

/// A rope. `points` and `pins` are read during create_rope only.
struct RopeDef {
  std::span<const Position> points{};  ///< where the nodes are, 2 to kMaxRopeNodes; empty: `node_count` of
                                       ///< them straight from `start` to `end`
  Position start{};
  Position end{};
  std::uint32_t node_count = 16;  ///< [2, kMaxRopeNodes]; not read when there are points
  double segment_length_m = 0.0;  ///< rest length between neighbours, [kMinExtentM, 1000]; 0 = the mean
                                  ///< distance of the nodes as they are made
  double radius_m = 0.02;         ///< of the nodes, which are spheres to shapes, [kMinExtentM, 10]
  double mass_kg = 1.0;  ///< of the whole rope, shared equally by its nodes, each in [1e-6, 1e6]; not read
                         ///< when the next is above 0
  double linear_density_kg_m = 0.0;     ///< kg per metre of rest length
  RopeMode mode = RopeMode::kJakobsen;  ///< which of the next two counts
  double stiffness = 1.0;               ///< Jakobsen: share of a length error that a pass takes away, (0, 1]
  double compliance_m_n = 1e-6;  ///< compliant: stretch of a segment per newton, [0, 1]; 0 = inextensible
  double damping_n_s_m = 0.0;    ///< compliant: of a segment's rate of stretch, [0, 1e6]
  std::uint32_t passes = 4;      ///< of the solver in each substep, [1, 64]
  double drag_1_s = 0.2;         ///< v' = -drag v of each node, [0, 1000]
  double gravity_scale = 1.0;    ///< multiplies the world's gravity, [-1000, 1000]
  double friction = 0.6;         ///< Coulomb, mixed with a shape's as two shapes' are, [0, 100]
  bool collides = true;          ///< with shapes that its filter meets
  bool collides_with_pinned =
      false;  ///< with the bodies that it is pinned to as well; a pinned node never does
  bool can_sleep = true;
  ShapeFilter filter{};
  std::span<const RopePin> pins{};  ///< one a node at most
  std::uint64_t user_tag = 0;       ///< the owner's; canonical, never read by the engine
};

/// A rope as of the last step. Reuse one to avoid allocation.
struct RopeView {
  std::vector<Position> nodes;
  std::vector<Vec3<double>> velocities_m_s;
  std::vector<double> tensions_n;  ///< of each segment, from node i to i + 1; below 0 it is pushed together.
                                   ///< As of the last substep
  std::vector<RopePin> pins;       ///< ascending by node; targets given
  double radius_m = 0.0;
  double segment_length_m = 0.0;
  double node_mass_kg = 0.0;
  bool asleep = false;
  bool quarantined = false;  ///< left the finite numbers or the world; frozen since
  std::uint64_t user_tag = 0;
};

}  // namespace takt
