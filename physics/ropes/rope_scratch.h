// What a tick knows of its awake ropes beside canonical state: scratch, whose contents between steps mean
// nothing. Its vectors keep their memory, so a steady tick does not allocate. Everything is relative: nodes
// to where they began the tick, edges to the next node, shapes to a node; so no bit depends on where a scene
// stands.
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

/// A node in the substeps; m, from where it began the tick. Impulses here are times the substep: kg m.
struct RopeParticle {
  Vec3<double> edge;            ///< to the next node at the tick's start
  Vec3<double> shift;           ///< where it is
  Vec3<double> start;           ///< where it began the substep
  Vec3<double> free;            ///< where it would go without anything that holds it
  Vec3<double> velocity;        ///< m/s
  Vec3<double> given;           ///< what segments, pins and shapes gave it in this substep
  Vec3<double> axis;            ///< of the segment to the next node, unit
  Vec3<double> tension_vector;  ///< what that segment gives this node, and takes from the next
  Vec3<double> tension_after;   ///< the same as a trial has it
  double tension_before = 0.0;  ///< of a segment that pulls, before the nodes move in a pass
  double lateral = 0.0;         ///< geometric stiffness, kg
  double error = 0.0;           ///< length less rest length, m
  double pull = 0.0;            ///< tension x substep^2 at the substep's end
  double known_tension = 0.0;   ///< of the last substep, when it pulled
  bool pulls = false;
  std::uint32_t flips = 0;
  bool pinned = false;
  bool held = false;  ///< pinned to what impulses do not move
};

/// A node that is pinned.
struct RopeAttachment {
  std::uint32_t node = 0;    ///< place in RopeScratch::particles
  std::uint32_t body = 0;    ///< solver's place when impulses move it, else 0
  std::uint32_t moving = 0;  ///< solver's place when it moves at all, else 0
  Vec3<double> local_anchor;
  Vec3<double> from;       ///< body's centre of mass (or the target) from where the node began the tick
  Vec3<double> lever_arm;  ///< of the anchor from the centre of mass in this substep, world axes
  Vec3<double> anchor;     ///< at the substep's start
  Vec3<double> slack;      ///< how far the node may still be from it at the substep's end
  Vec3<double> reaction;   ///< on the node
};

/// A shape near some rope in this tick.
struct RopeShape {
  std::uint32_t shape = 0;
  std::uint32_t record = 0;  ///< place of the body
  std::uint32_t body = 0;    ///< solver's place; 0: stands still
  bool yields = false;       ///< impulses move its body
  double reach = 0.0;        ///< how far it goes in the tick, m
  Quat<double> local_rotation;
  Vec3<double> local_offset;          ///< of the shape's middle from the centre of mass, body frame
  Vec3<double> local_belt;            ///< velocity of a running surface, shape's frame
  ShapeGeometry<double> geometry;     ///< as it stands in this substep
  Vec3<double> offset;                ///< of the shape's middle from the centre of mass, world axes
  Vec3<double> belt;                  ///< world axes
  std::optional<ConvexShape> convex;  ///< of cones and hulls, about its own middle
  double friction = 0.0;
};

/// A node and a shape that may meet in this tick.
struct RopePair {
  std::uint32_t node = 0;
  std::uint32_t shape = 0;  ///< place in RopeScratch::shapes
  Vec3<double> from;        ///< the body's centre of mass from where the node began the tick
};

enum class RopeTouchState : std::uint8_t { kFree, kSticks, kSlides };

/// A plane that a node is near to in this substep.
struct RopeTouch {
  std::uint32_t node = 0;
  std::uint32_t body = 0;    ///< solver's place when impulses move it, else 0
  std::uint32_t moving = 0;  ///< solver's place when it moves at all, else 0
  RopeTouchState state = RopeTouchState::kFree;
  Vec3<double> normal;        ///< out of the shape
  double gap = 0.0;           ///< with the node at `seen` and the surface moved by `surface_seen`
  Vec3<double> seen;          ///< the node's shift
  Vec3<double> surface_seen;  ///< what the touched point moves in the substep
  Vec3<double> lever_arm;     ///< of the touched point from the body's centre of mass
  Vec3<double> belt;          ///< what a running surface adds, in the substep
  double friction = 0.0;
  SymMat64 own_mobility{};      ///< of the touched point
  SymMat64 stiffness{};         ///< of a trial, kg
  double grip = 0.0;            ///< of a node that slides: friction / way, kg
  Vec3<double> wanted;          ///< where the node should go in a pass
  Vec3<double> reaction;        ///< on the node
  Vec3<double> reaction_after;  ///< the same as a trial has it
  std::uint32_t flips = 0;
};

/// A rope that is awake.
struct RopeWork {
  std::uint32_t rope = 0;   ///< place in the pool
  std::uint32_t first = 0;  ///< of its nodes, in canonical state
  std::uint32_t at = 0;     ///< of its particles
  std::uint32_t count = 0;
  std::uint32_t first_drive = 0;
  std::uint32_t end_attachment = 0;
  std::uint32_t first_pair = 0;
  std::uint32_t end_pair = 0;
  std::uint32_t first_touch = 0;  ///< of this substep
  std::uint32_t end_touch = 0;
  std::uint32_t passes = 1;
  double radius = 0.0;   ///< m
  double mass = 0.0;     ///< of a node, kg
  double axial = 0.0;    ///< of a segment: 1 / compliance x substep^2, kg
  bool rigid = true;     ///< multipliers are carried from pass to pass: no stretch is left
  double damping = 0.0;  ///< x substep, kg
  double keep = 1.0;     ///< of the velocity, after drag
  Vec3<double> fall;     ///< g h^2, m
  double stiffness = 1.0;
  double rest = 0.0;
};

/// A dynamic body that hangs on, or carries, an awake rope.
struct RopeLink {
  std::uint32_t rope = 0;  ///< place in RopeScratch::ropes
  std::uint32_t body = 0;  ///< place in the pool
};

struct RopeScratch {
  std::vector<RopeWork> ropes;  ///< awake, ascending
  std::vector<RopeParticle> particles;
  std::vector<RopeAttachment> attachments;
  std::vector<RopeShape> shapes;
  std::vector<RopePair> pairs;  ///< by rope, node, shape
  std::vector<RopeTouch> touches;
  std::vector<RopeLink> links;
  std::vector<std::uint32_t> found;    ///< shape places
  std::vector<std::uint32_t> sharing;  ///< by solver's place: holds and touches of one rope on a body
  RopeChain chain;
  double push_out_m_s = 0.0;
  double substep_s = 0.0;
  std::uint32_t substeps_left = 0;
};

}  // namespace takt
