// RopeScratch is the working memory of RopeSolver for the awake ropes of one tick; no later tick reads it.
// Its vectors keep their capacity, so a steady tick does not allocate. RopeWork is an awake rope,
// RopeParticle a node, RopeAttachment a pinned node, RopeTouch a contact plane. RopePair is a node and a
// RopeShape that may touch; RopeLink is a body at a rope's pin. Positions are differences of Q31.32
// positions, such as a node's displacement since the tick's start, or a body's centre relative to a node.
// Hence no bit of a rope's motion depends on a scene's location.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "physics/geometry/convex_shape.h"
#include "physics/narrow_phase/collide_mesh.h"
#include "physics/narrow_phase/manifold.h"
#include "physics/ropes/rope_linear_system.h"
#include "physics/state/rope_records.h"

namespace takt {

/// A node during the substeps; m, from its position at the tick's start. Impulses here are times the substep:
/// kg m.
struct RopeParticle {
  Vec3<double> edge;            ///< vector to the next node at the tick's start
  Vec3<double> delta;           ///< present displacement
  Vec3<double> start;           ///< displacement at the start of the substep
  Vec3<double> free;            ///< displacement without segments, pins and contacts
  Vec3<double> velocity;        ///< m/s
  Vec3<double> given;           ///< impulse of segments, pins and shapes in this substep
  Vec3<double> axis;            ///< of the segment to the next node, unit
  Vec3<double> tension_vector;  ///< impulse of that segment on this node; its negative acts on the next
  Vec3<double> tension_after;   ///< tension_vector of the present trial
  double tension_before = 0.0;  ///< of a segment under tension, before the nodes move in a pass
  double lateral = 0.0;         ///< geometric stiffness, kg
  double error = 0.0;           ///< length minus rest length, m
  double tension = 0.0;         ///< tension x substep^2 at the substep's end, kg m
  double known_tension = 0.0;   ///< `tension` of the last substep, if positive, else 0
  bool is_taut = false;         ///< the segment to the next node pulls in the present trial
  std::uint32_t flips = 0;      ///< changes of is_taut in the present pass
  bool pinned = false;
  bool held = false;  ///< pinned to a point that impulses do not move
};

/// A pinned node. Positions are relative to the node at the tick's start, m, world axes.
struct RopeAttachment {
  std::uint32_t node = 0;     ///< index in RopeScratch::particles
  std::uint32_t body = 0;     ///< solver index when impulses move it, else 0
  std::uint32_t moving = 0;   ///< solver index when it moves at all, else 0
  Vec3<double> local_anchor;  ///< from the body's centre of mass, body frame; 0 in the world
  Vec3<double> from;          ///< the body's centre of mass, or the target, at the tick's start
  Vec3<double> lever_arm;     ///< of the anchor from the centre of mass in this substep, world axes
  Vec3<double> anchor;        ///< at the substep's start
  Vec3<double> slack;         ///< from the anchor to the node, allowed at the substep's end
  Vec3<double> reaction;      ///< on the node, kg m
  Vec3<double> warm_start;    ///< `reaction` that the body received before solve()
  std::uint32_t shared = 0;   ///< index of RopeScratch::sharing
  SymMat64 own_mobility{};    ///< of the anchor, with the joint tree of its body, 1/kg
};

/// A shape near some rope in this tick.
struct RopeShape {
  std::uint32_t shape = 0;   ///< pool index
  std::uint32_t record = 0;  ///< index in the body pool
  std::uint32_t body = 0;    ///< solver index; 0: not stepped
  bool yields = false;       ///< impulses move its body
  double reach = 0.0;        ///< maximum displacement in the tick, m
  Quat<double> local_rotation;
  Vec3<double> local_offset;          ///< of the shape's centre from the centre of mass, body frame
  Vec3<double> local_belt;            ///< surface velocity, shape's frame, m/s
  ShapeGeometry<double> geometry;     ///< with the rotation of this substep
  Vec3<double> offset;                ///< of the shape's centre from the centre of mass, world axes
  Vec3<double> belt;                  ///< surface velocity, world axes, m/s
  std::optional<ConvexShape> convex;  ///< of cones and hulls, about its own centre
  double friction = 0.0;              ///< mixed with that of the rope
  /// Maximum number of triangles that a node tests in a world with WorldDef::max_contacts.
  std::uint32_t max_triangles = kAllTriangles;
};

/// A node and a shape that may touch in this tick.
struct RopePair {
  std::uint32_t node = 0;   ///< index in RopeScratch::particles
  std::uint32_t shape = 0;  ///< index in RopeScratch::shapes
  Vec3<double> from;        ///< the body's centre of mass relative to the node at the tick's start
};

enum class RopeTouchState : std::uint8_t { kFree, kSticks, kSlides };

/// A contact plane of a node in this substep. Vectors are in world axes, m, unless stated.
struct RopeTouch {
  std::uint32_t node = 0;    ///< index in RopeScratch::particles
  std::uint32_t body = 0;    ///< solver index when impulses move it, else 0
  std::uint32_t moving = 0;  ///< solver index when it moves at all, else 0
  RopeTouchState state = RopeTouchState::kFree;
  Vec3<double> normal;        ///< outward from the shape
  double gap = 0.0;           ///< m, with the node at `seen` and the surface displaced by `surface_seen`
  Vec3<double> seen;          ///< the node's displacement
  Vec3<double> surface_seen;  ///< displacement of the contact point in the substep
  Vec3<double> lever_arm;     ///< of the contact point from the body's centre of mass
  Vec3<double> belt;          ///< displacement that surface velocity adds in the substep
  double friction = 0.0;
  std::uint32_t shared = 0;     ///< index of RopeScratch::sharing
  SymMat64 own_mobility{};      ///< of the contact point, 1/kg
  SymMat64 stiffness{};         ///< of a trial, kg
  double grip = 0.0;            ///< of a sliding node: friction / slip, kg
  Vec3<double> wanted;          ///< target displacement of the node in a pass
  Vec3<double> reaction;        ///< on the node, kg m
  Vec3<double> reaction_after;  ///< `reaction` of the present trial
  std::uint32_t flips = 0;      ///< changes to or from kFree in the present pass
};

/// An awake rope. Ranges are indices in the lists of RopeScratch.
struct RopeWork {
  std::uint32_t rope = 0;   ///< pool index
  std::uint32_t first = 0;  ///< first node in WorldState::rope_nodes
  std::uint32_t at = 0;     ///< first particle
  std::uint32_t count = 0;  ///< nodes, at least 1
  std::uint32_t first_attachment = 0;
  std::uint32_t end_attachment = 0;
  std::uint32_t first_pair = 0;
  std::uint32_t end_pair = 0;
  std::uint32_t first_touch = 0;  ///< of this substep
  std::uint32_t end_touch = 0;
  std::uint32_t passes = 1;   ///< per substep
  double radius = 0.0;        ///< of a node, m
  double mass = 0.0;          ///< of a node, kg
  double axial = 0.0;         ///< stiffness of a segment x substep^2, kg; 1e7 x mass when rigid
  bool rigid = true;          ///< multipliers carry over from pass to pass: no stretch remains
  double kept_stretch = 0.0;  ///< fraction of a rigid segment's stretch at the substep's start that stays
  double damping = 0.0;       ///< x substep, kg
  double keep = 1.0;          ///< fraction of the velocity kept, after drag
  Vec3<double> fall;          ///< gravity's displacement in a substep h, g h^2, m
  double stiffness = 1.0;     ///< fraction of a segment's error that a pass corrects
  double rest = 0.0;          ///< length of a segment, m
};

/// An awake dynamic body that an awake rope is pinned to.
struct RopeLink {
  std::uint32_t rope = 0;  ///< index in RopeScratch::ropes
  std::uint32_t body = 0;  ///< pool index
};

/// Memory of find_rope_planes() for surfaces of which a node tests a choice of triangles.
struct RopeTriangles {
  TriangleSample sample;
  bool is_cut = false;  ///< a call left out triangles; no call sets it to false
};

struct RopeScratch {
  std::vector<RopeWork> ropes;  ///< awake, ascending
  std::vector<RopeParticle> particles;
  std::vector<RopeAttachment> attachments;
  std::vector<RopeShape> shapes;
  std::vector<RopePair> pairs;  ///< by rope, node, shape
  std::vector<RopeTouch> touches;
  std::vector<RopeLink> links;
  std::vector<std::uint32_t> found;  ///< shape indices
  std::vector<std::uint32_t>
      sharing;  ///< by solver index: pins and contacts of one rope on a body, or on its tree
  std::vector<std::uint32_t> pinned_bodies;  ///< solver indices of the dynamic bodies at pins
  RopeLinearSystem chain;
  RopeTriangles triangles;
  double push_out_m_s = 0.0;  ///< maximum speed out of an overlap
  double substep_s = 0.0;
  std::uint32_t substeps_left = 0;  ///< of the tick, with the present one
};

}  // namespace takt
