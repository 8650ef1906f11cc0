#include "sim/commands/engine_refusal.h"

namespace takt::sim {

Refusal refusal_of(PhysicsError error) noexcept {
  switch (error) {
    case PhysicsError::kNotFinite: return Refusal::kNotFinite;
    case PhysicsError::kBadShapeKind:
    case PhysicsError::kHalfSpaceNotStatic: return Refusal::kBadShape;
    case PhysicsError::kUnknownBody:
    case PhysicsError::kUnknownShape: return Refusal::kUnknownBody;
    case PhysicsError::kUnknownGrab: return Refusal::kNotGrabbing;
    case PhysicsError::kWorldFull: return Refusal::kWorldFull;
    case PhysicsError::kNotDynamic:
    case PhysicsError::kJointNothingMoves: return Refusal::kNotDynamic;
    case PhysicsError::kUnknownRope:
    case PhysicsError::kRopeSegment: return Refusal::kUnknownRope;
    case PhysicsError::kUnknownJoint: return Refusal::kUnknownJoint;
    case PhysicsError::kJointBadSoftness: return Refusal::kBadSoftness;
    case PhysicsError::kJointLimitsCrossed: return Refusal::kLimitsCrossed;
    case PhysicsError::kJointBadAxis: return Refusal::kBadJointAxis;
    case PhysicsError::kJointBadCoupling: return Refusal::kBadCoupling;
    case PhysicsError::kUnknownMover:
    case PhysicsError::kMoversBody: return Refusal::kNotMover;
    default: return Refusal::kOutOfRange;
  }
}

}  // namespace takt::sim
