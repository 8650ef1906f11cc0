// from_wire(), to_wire() and narrowed() convert vectors, rotations, positions and kinds of shapes between the
// types of protocol (network messages) and physics. narrowed() rounds binary64 to the nearest binary32; the
// others copy exactly. An unknown kind becomes a half-space, which commands and queries refuse. The sources
// of sim/replication call them.
#pragma once

#include "protocol/messages/body_state.h"
#include "takt/physics/body.h"
#include "takt/physics/mover.h"
#include "takt/physics/vector.h"

namespace takt::sim {

inline Vec3<float> from_wire(const protocol::Vec3f& v) noexcept { return {v.x, v.y, v.z}; }
inline Quat<float> from_wire(const protocol::Quatf& q) noexcept { return {q.x, q.y, q.z, q.w}; }
inline Position from_wire(const protocol::Position& p) noexcept { return Position::from_raw(p.x, p.y, p.z); }
inline protocol::Vec3f to_wire(const Vec3<float>& v) noexcept { return {v.x, v.y, v.z}; }
inline protocol::Quatf to_wire(const Quat<float>& q) noexcept { return {q.x, q.y, q.z, q.w}; }
inline protocol::Position to_wire(const Position& p) noexcept { return {p.x_raw, p.y_raw, p.z_raw}; }
inline protocol::Vec3f narrowed(const Vec3<double>& v) noexcept {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}
inline protocol::Quatf narrowed(const Quat<double>& q) noexcept {
  return {static_cast<float>(q.x), static_cast<float>(q.y), static_cast<float>(q.z), static_cast<float>(q.w)};
}

/// Without its jump.
inline protocol::MoverInput to_wire(BodyId body, const MoverInput& input) noexcept {
  return {body.to_u64(), narrowed(input.velocity_m_s), static_cast<float>(input.turn_rad_s),
          input.in_heading_frame ? protocol::kMoverHeadingFrame : 0};
}
inline MoverInput from_wire(const protocol::MoverInput& input) noexcept {
  MoverInput out;
  out.velocity_m_s = {static_cast<double>(input.velocity.x), static_cast<double>(input.velocity.y),
                      static_cast<double>(input.velocity.z)};
  out.in_heading_frame = (input.flags & protocol::kMoverHeadingFrame) != 0;
  out.turn_rad_s = static_cast<double>(input.turn);
  return out;
}

inline ShapeKind from_wire(protocol::ShapeKind kind) noexcept {
  switch (kind) {
    case protocol::ShapeKind::kSphere: return ShapeKind::kSphere;
    case protocol::ShapeKind::kCapsule: return ShapeKind::kCapsule;
    case protocol::ShapeKind::kBox: return ShapeKind::kBox;
    case protocol::ShapeKind::kHalfSpace: return ShapeKind::kHalfSpace;
    case protocol::ShapeKind::kCylinder: return ShapeKind::kCylinder;
    case protocol::ShapeKind::kCone: return ShapeKind::kCone;
    case protocol::ShapeKind::kHull: return ShapeKind::kHull;
    case protocol::ShapeKind::kMesh: return ShapeKind::kMesh;
    case protocol::ShapeKind::kHeightField: return ShapeKind::kHeightField;
  }
  return ShapeKind::kHalfSpace;  // refused by the simulation
}
inline protocol::ShapeKind to_wire(ShapeKind kind) noexcept {
  switch (kind) {
    case ShapeKind::kSphere: return protocol::ShapeKind::kSphere;
    case ShapeKind::kCapsule: return protocol::ShapeKind::kCapsule;
    case ShapeKind::kBox: return protocol::ShapeKind::kBox;
    case ShapeKind::kHalfSpace: break;
    case ShapeKind::kCylinder: return protocol::ShapeKind::kCylinder;
    case ShapeKind::kCone: return protocol::ShapeKind::kCone;
    case ShapeKind::kHull: return protocol::ShapeKind::kHull;
    case ShapeKind::kMesh: return protocol::ShapeKind::kMesh;
    case ShapeKind::kHeightField: return protocol::ShapeKind::kHeightField;
  }
  return protocol::ShapeKind::kHalfSpace;
}

}  // namespace takt::sim
