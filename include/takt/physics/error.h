// PhysicsError is the reason why a call of the physics module refused its arguments or an image (a saved
// world); a Result carries it. message() returns one line with the remedy. The numbers of the values are
// frozen. Recordings and network messages do not contain PhysicsErrors, but the coarser sim::Refusal and
// protocol::QueryStatus.
#pragma once

#include <cstdint>
#include <string_view>

#include "takt/core/result.h"

namespace takt {

enum class PhysicsError : std::uint8_t {
  kNotFinite = 1,           ///< a number is NaN or infinite: pass finite values
  kOutOfRange = 2,          ///< a number is outside the range its field states
  kBadRotation = 3,         ///< a quaternion's length is not within 1 % of 1: normalise it
  kBadShapeKind = 4,        ///< not one of the shape kinds
  kShapeTooSmall = 5,       ///< an extent or radius is below kMinExtentM
  kShapeTooLarge = 6,       ///< an extent or radius is above kMaxExtentM
  kHalfSpaceNotStatic = 7,  ///< a half-space has no mass: put it on a static body
  kNoMass = 8,              ///< a dynamic body needs a shape with density above 0, or a mass override
  kMassOutOfRange = 9,  ///< mass outside [kMinMassKg, kMaxMassKg], or inertia that is not positive definite
  kUnknownBody = 10,    ///< the id names no living body
  kUnknownShape = 11,   ///< the id names no living shape
  kUnknownGrab = 12,    ///< the id names no living grab
  kWorldFull = 13,      ///< the capacity stated in WorldDef is used up
  kNotDynamic = 14,     ///< the operation needs a dynamic body
  kBadImage = 15,       ///< not a world image, or damaged: wrong magic, size or checksum
  kImageVersion = 16,   ///< an image of another format version
  kImageNumbers = 17,   ///< an image of the other numbers mode: open it with that mode
  kImageInconsistent = 18,    ///< a field of the image is out of range or names a record that does not exist
  kTooManyShapes = 19,        ///< more than kMaxShapesPerBody on one body
  kHullTooFewPoints = 20,     ///< a hull of fewer than four different points: there is no solid
  kHullTooManyPoints = 21,    ///< more than kMaxHullPoints: leave out points within the hull
  kHullFlat = 22,             ///< all points of a hull lie on one plane
  kHullTooManyVertices = 23,  ///< a hull of more than kMaxHullVertices corners: simplify it
  kHullDigestTaken = 24,      ///< another geometry of the world has the same digest: move a corner a little
  kMeshEmpty = 25,            ///< a mesh has no triangle, or only degenerate ones
  kMeshTooLarge = 26,         ///< more than kMaxMeshTriangles or kMaxMeshVertices
  kMeshBadIndex = 27,         ///< a triangle names a vertex that does not exist
  kMeshBadMaterial = 28,  ///< materials: not one index for each triangle or cell, an index beyond the list,
                          ///< or more than kMaxSurfaceMaterials
  kMeshOnDynamic = 29,    ///< a mesh has no mass: put it on a static or kinematic body
  kMeshNotClosed = 30,    ///< the operation needs a mesh without border edges
  kHeightFieldBadSize = 31,    ///< rows, columns or spacing out of range, or lists of another size
  kHeightFieldNotStatic = 32,  ///< a height field has no mass: put it on a static body
  kNotKinematic = 40,          ///< the operation needs a kinematic body
  kDisabled = 41,              ///< the body is disabled: enable it first
  kUnknownMover = 42,          ///< the id names no living mover
  kMoversBody = 43,            ///< the body's mover controls this: destroy the mover, or set its input
  kUnknownRope = 60,           ///< the id names no living rope
  kRopeNodeCount = 61,         ///< a rope of fewer than two or more than kMaxRopeNodes nodes, or more than
                               ///< kMaxWorldRopeNodes in the world
  kRopeLength = 62,            ///< a rope's segments are shorter than kMinExtentM or longer than 1000 m
  kRopeMass = 63,        ///< a rope's mass is not positive, or its nodes' masses are outside [1e-6, 1e6] kg
  kRopeStiffness = 64,   ///< Jakobsen's stiffness outside (0, 1]
  kRopeCompliance = 65,  ///< a compliance below 0 or above 1 m/N
  kRopePinIndex = 66,    ///< a pin names a node that the rope does not have, or one that is pinned already
  kRopeSegment = 67,     ///< the rope has no such segment: they count from 0 to nodes - 2
  kUnknownJoint = 80,    ///< the id names no living joint
  kJointBadKind = 81,    ///< not one of the joint kinds
  kJointToItself = 82,   ///< a joint of a body with itself
  kJointNothingMoves = 83,  ///< a joint needs a dynamic body
  kJointBadSoftness =
      84,  ///< a softness with a negative, infinite or too large number, or a beta or ERP above 1
  kJointLimitsCrossed = 85,  ///< a limit's lower bound is above its upper one
  kJointBadAxis = 86,  ///< an unknown axis, an axis listed twice or out of order, a locked axis, or a lock of
                       ///< an axis that cannot be locked
  kJointBadRotation =
      87,  ///< a frame's rotation is not of unit length within 1 %: its axes are not unit vectors
  kJointBadCoupling =
      88,  ///< a gear's joint or axis is unsuitable, or a ratio or length of a gear or pulley is out of range
};

/// Returns one line in plain words, with the remedy. Never empty.
[[nodiscard]] std::string_view message(PhysicsError error) noexcept;

/// The result of a change of a body, shape, joint, rope, mover or grab. An error means that nothing has
/// changed. A caller may drop the result.
using EditResult = IgnorableResult<Unit, PhysicsError>;

}  // namespace takt
