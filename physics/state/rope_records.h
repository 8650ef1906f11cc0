// RopeRecord, RopeNode and RopePinRecord are the ropes in WorldState, the saved and hashed state. A rope is a
// chain of nodes (point masses); a pin attaches a node to a body or to a point of the world. The nodes of all
// ropes are in one array: grouped by rope, ropes in pool order. The first node of a rope therefore follows
// from the node counts of the ropes before it. Positions are Q31.32; other numbers are binary64 in float mode
// and in fixed mode.
#pragma once

#include <cstdint>

#include "physics/base/slot_pool.h"
#include "takt/physics/rope.h"

namespace takt {

/// Fields without a comment are as in RopeDef.
struct RopeRecord {
  std::uint32_t node_count = 0;  ///< 0 in a free slot
  RopeMode mode = RopeMode::kJakobsen;
  std::uint32_t passes = 4;  ///< per substep
  double radius_m = 0.0;
  double node_mass_kg = 0.0;
  double segment_m = 0.0;  ///< rest length
  double stiffness = 1.0;
  double compliance_m_n = 0.0;
  double damping_n_s_m = 0.0;
  double drag_1_s = 0.0;
  double gravity_scale = 1.0;
  double friction = 0.0;
  bool collides = true;
  bool collides_with_pinned = false;
  bool can_sleep = true;
  bool quarantined = false;       ///< left the finite numbers or the world once; frozen since
  bool asleep = false;            ///< velocities are 0
  std::uint32_t still_ticks = 0;  ///< ticks for which all nodes have been slow, at most kNoIndex
  ShapeFilter filter;
  std::uint64_t user_tag = 0;
};

struct RopeNode {
  Position position;
  Vec3<double> velocity;   ///< m/s: displacement in the last substep / its length; x - x_old of Verlet's rule
  double tension_n = 0.0;  ///< of the segment to the next node; 0 for the last
};

struct RopePinRecord {
  std::uint32_t rope = kNoIndex;
  std::uint32_t node = 0;
  std::uint32_t body = kNoIndex;  ///< kNoIndex: a point of the world
  Vec3<double> local_anchor;      ///< from the body's centre of mass, body frame, m
  Position target;                ///< of a point of the world
};

/// Total order of pins: a node has at most one pin.
[[nodiscard]] constexpr bool comes_before(const RopePinRecord& a, const RopePinRecord& b) noexcept {
  return a.rope != b.rope ? a.rope < b.rope : a.node < b.node;
}

}  // namespace takt
