#include "takt/physics/error.h"

namespace takt {

std::string_view message(PhysicsError error) noexcept {
  switch (error) {
    case PhysicsError::kNotFinite: return "a number is NaN or infinite: pass finite values";
    case PhysicsError::kOutOfRange: return "a number is outside the range that its field states";
    case PhysicsError::kBadRotation:
      return "a rotation is not a unit quaternion: its length must be within 1 % of 1";
    case PhysicsError::kBadShapeKind:
      return "unknown shape kind: use sphere, capsule, box, half-space, cylinder, cone, hull, mesh or height "
             "field";
    case PhysicsError::kShapeTooSmall:
      return "a shape is too small: extents, radii and the thickness of a hull must be at least 0.005 m, a "
             "rounding 0.001 m";
    case PhysicsError::kShapeTooLarge:
      return "a shape is too large: extents and radii must be at most 10000 m";
    case PhysicsError::kHalfSpaceNotStatic: return "a half-space has no mass: put it on a static body";
    case PhysicsError::kNoMass:
      return "a dynamic body has no mass: give a shape a density above 0, or set the mass";
    case PhysicsError::kMassOutOfRange:
      return "mass must be 1e-4 to 1e8 kg with a possible, positive definite inertia: change the density, "
             "the size or the mass";
    case PhysicsError::kUnknownBody: return "no such body: it was never created or is gone";
    case PhysicsError::kUnknownShape: return "no such shape: it was never created or is gone";
    case PhysicsError::kUnknownGrab: return "no such grab: it was never created or is gone";
    case PhysicsError::kWorldFull: return "the world is full: raise max_bodies or remove bodies";
    case PhysicsError::kNotDynamic:
      return "the body is not dynamic: only dynamic bodies take impulses, forces and grabs";
    case PhysicsError::kBadImage: return "not a world image, or a damaged one";
    case PhysicsError::kImageVersion:
      return "the world image has another format version: use the program that wrote it";
    case PhysicsError::kImageNumbers:
      return "the world image is of the other numbers mode: open it with that mode";
    case PhysicsError::kImageInconsistent:
      return "the world image contradicts itself: a field is out of range or names a record that does not "
             "exist";
    case PhysicsError::kTooManyShapes: return "too many shapes: a body may have 4096";
    case PhysicsError::kHullTooFewPoints: return "a hull needs at least four different points";
    case PhysicsError::kHullTooManyPoints:
      return "too many points for a hull: 1024 are allowed; leave out those inside";
    case PhysicsError::kHullFlat: return "a hull is flat: its points lie on one plane; add one off it";
    case PhysicsError::kHullTooManyVertices:
      return "a hull has too many corners: 64 are allowed; simplify it";
    case PhysicsError::kHullDigestTaken:
      return "another geometry of this world has the same digest: move a corner a little";
    case PhysicsError::kMeshEmpty: return "a mesh has no triangle with an area: give it one";
    case PhysicsError::kMeshTooLarge:
      return "a mesh is too large: 1048576 triangles and as many corners are allowed; divide it";
    case PhysicsError::kMeshBadIndex:
      return "a triangle of a mesh names a vertex that does not exist: indices count from 0";
    case PhysicsError::kMeshBadMaterial:
      return "bad materials of a surface: give an index below the number of materials for each triangle or "
             "cell, and at most 64 materials";
    case PhysicsError::kMeshOnDynamic: return "a mesh has no mass: put it on a static or kinematic body";
    case PhysicsError::kMeshNotClosed:
      return "the mesh has border edges: only a closed one encloses a volume";
    case PhysicsError::kHeightFieldBadSize:
      return "bad size of a height field: 2 or more rows and columns, at most 524288 samples, spacing 0.01 "
             "to 1000 m, at most 10000 m long, and "
             "lists "
             "that fit";
    case PhysicsError::kHeightFieldNotStatic: return "a height field has no mass: put it on a static body";
    case PhysicsError::kNotKinematic: return "the body is not kinematic: only kinematic bodies take targets";
    case PhysicsError::kDisabled: return "the body is disabled: enable it first";
    case PhysicsError::kUnknownMover: return "no such mover: its id is null, destroyed or of another world";
    case PhysicsError::kMoversBody:
      return "the body belongs to a mover: set the mover's input, or destroy the mover";
    case PhysicsError::kUnknownRope: return "no such rope: its id is null, destroyed or of another world";
    case PhysicsError::kRopeNodeCount:
      return "a rope needs 2 to 4096 nodes, and all ropes of a world may have 1048576 together";
    case PhysicsError::kRopeLength:
      return "a rope's segments are too short or too long: 0.005 to 1000 m are allowed";
    case PhysicsError::kRopeMass:
      return "a rope's mass is not positive, or its nodes' outside of 1e-6 to 1e6 kg";
    case PhysicsError::kRopeStiffness: return "a rope's stiffness must be above 0 and at most 1";
    case PhysicsError::kRopeCompliance: return "a rope's compliance must be from 0 to 1 m/N";
    case PhysicsError::kRopePinIndex:
      return "a pin names a node that the rope does not have, or one that is pinned already";
    case PhysicsError::kRopeSegment:
      return "the rope has no such segment: they count from 0, one less than nodes";
    case PhysicsError::kUnknownJoint: return "no such joint: its id is null, destroyed or of another world";
    case PhysicsError::kJointBadKind: return "not a kind of joint";
    case PhysicsError::kJointToItself: return "a joint of a body with itself: it needs two bodies";
    case PhysicsError::kJointNothingMoves:
      return "neither body of the joint is dynamic: there is nothing to hold";
    case PhysicsError::kJointBadSoftness:
      return "bad softness: stiffness, damping, frequency, damping ratio, gamma and CFM are 0 to 1e15, beta "
             "and ERP 0 to 1";
    case PhysicsError::kJointLimitsCrossed: return "the joint's limits cross: lower must not be above upper";
    case PhysicsError::kJointBadAxis:
      return "bad axis of a joint: each of the eight at most once, in order, not one that is locked; only "
             "the first six can be locked";
    case PhysicsError::kJointBadRotation:
      return "a joint frame's rotation is not of unit length: its axes must be unit vectors";
    case PhysicsError::kJointBadCoupling:
      return "bad coupling: a gear ties coordinates 0 to 5 of two living joints that are no gears or "
             "pulleys, by a ratio within 1e6 and not 0; a "
             "pulley has ratio and length above 0";
  }
  return "unknown physics error";
}

}  // namespace takt
