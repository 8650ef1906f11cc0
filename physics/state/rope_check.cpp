#include "physics/state/rope_check.h"

#include "physics/math/is_finite.h"
#include "physics/state/definition_check.h"
#include "takt/core/assert.h"
#include "takt/physics/bounds.h"

namespace takt {
namespace {

constexpr double kMaxSegmentM = 1000.0;
constexpr double kMaxRadiusM = 10.0;
constexpr double kMinNodeKg = 1e-6;
constexpr double kMaxNodeKg = 1e6;

/// Finite and within a range, with a specific error.
std::optional<PhysicsError> check_within(double v, double low, double high, PhysicsError otherwise) noexcept {
  if (!is_finite(v)) return PhysicsError::kNotFinite;
  if (!is_between(v, low, high)) return otherwise;
  return std::nullopt;
}

/// Checks of fields common to definitions and records.
template <class Rope>
std::optional<PhysicsError> check_tuning(const Rope& rope) noexcept {
  auto const range = PhysicsError::kOutOfRange;
  if (rope.mode > RopeMode::kCompliant || rope.passes < 1 || rope.passes > 64) return range;
  if (!is_finite(rope.stiffness) || !is_finite(rope.compliance_m_n)) return PhysicsError::kNotFinite;
  if (rope.mode == RopeMode::kJakobsen && !(rope.stiffness > 0.0 && rope.stiffness <= 1.0))
    return PhysicsError::kRopeStiffness;
  if (rope.mode == RopeMode::kCompliant && !is_between(rope.compliance_m_n, 0.0, 1.0))
    return PhysicsError::kRopeCompliance;
  for (auto const error :
       {check_within(rope.damping_n_s_m, 0.0, 1e6, range), check_within(rope.drag_1_s, 0.0, 1000.0, range),
        check_within(rope.gravity_scale, -1000.0, 1000.0, range),
        check_within(rope.friction, 0.0, 100.0, range),
        check_within(rope.radius_m, kMinExtentM, kMaxRadiusM, range)}) {
    if (error.has_value()) return error;
  }
  return std::nullopt;
}

/// Length along the nodes at creation, m.
double displacement_m(const RopeDef& def) noexcept {
  if (def.points.empty()) return length(relative<double>(def.end, def.start));
  double sum = 0.0;
  for (std::size_t i = 1; i < def.points.size(); ++i)
    sum += length(relative<double>(def.points[i], def.points[i - 1]));
  return sum;
}

template <class Real>
bool consistent_pins(const WorldState<Real>& state) {
  for (std::size_t i = 0; i < state.rope_pins.size(); ++i) {
    const RopePinRecord& pin = state.rope_pins[i];
    if (i > 0 && !comes_before(state.rope_pins[i - 1], pin)) return false;
    if (pin.rope >= state.ropes.capacity() || !state.ropes.alive(pin.rope) ||
        pin.node >= state.ropes[pin.rope].node_count)
      return false;
    if (pin.body != kNoIndex && (pin.body >= state.bodies.capacity() || !state.bodies.alive(pin.body)))
      return false;
    if (check_vector(pin.local_anchor, 4.0 * kMaxExtentM).has_value() ||
        check_position(pin.target).has_value())
      return false;
  }
  return true;
}

}  // namespace

std::uint32_t rope_node_count(const RopeDef& def) noexcept {
  return def.points.empty() ? def.node_count : static_cast<std::uint32_t>(def.points.size());
}

double rope_segment_m(const RopeDef& def) noexcept {
  TAKT_ASSERT(rope_node_count(def) >= 2);
  return def.segment_length_m == 0.0 ? displacement_m(def) / static_cast<double>(rope_node_count(def) - 1)
                                     : def.segment_length_m;
}

double rope_node_mass_kg(const RopeDef& def) noexcept {
  double const nodes = static_cast<double>(rope_node_count(def));
  return (def.linear_density_kg_m > 0.0 ? def.linear_density_kg_m * rope_segment_m(def) * (nodes - 1.0)
                                        : def.mass_kg) /
         nodes;
}

std::optional<PhysicsError> check(const RopeDef& def) noexcept {
  bool const count_ok = def.points.empty() ? def.node_count >= 2 && def.node_count <= kMaxRopeNodes
                                           : def.points.size() >= 2 && def.points.size() <= kMaxRopeNodes;
  if (!count_ok) return PhysicsError::kRopeNodeCount;
  for (const Position& point : def.points) {
    if (auto const error = check_position(point)) return error;
  }
  if (auto const error = check_position(def.start)) return error;
  if (auto const error = check_position(def.end)) return error;
  if (!is_finite(def.segment_length_m)) return PhysicsError::kNotFinite;
  if (auto const error = check_segment_length(rope_segment_m(def))) return error;
  if (!is_finite(def.mass_kg) || !is_finite(def.linear_density_kg_m)) return PhysicsError::kNotFinite;
  if (def.linear_density_kg_m < 0.0) return PhysicsError::kRopeMass;
  if (auto const error =
          check_within(rope_node_mass_kg(def), kMinNodeKg, kMaxNodeKg, PhysicsError::kRopeMass))
    return error;
  return check_tuning(def);
}

std::optional<PhysicsError> check_segment_length(double segment_m) noexcept {
  return check_within(segment_m, kMinExtentM, kMaxSegmentM, PhysicsError::kRopeLength);
}

std::optional<PhysicsError> check(const RopePin& pin, std::uint32_t node_count) noexcept {
  if (pin.node >= node_count) return PhysicsError::kRopePinIndex;
  if (pin.body.is_null()) return pin.target.has_value() ? check_position(*pin.target) : std::nullopt;
  return check_vector(pin.local_anchor_m, 2.0 * kMaxExtentM);
}

template <class Real>
bool consistent_ropes(const WorldState<Real>& state) {
  if (!state.ropes.consistent() || state.ropes.alive_count > state.def.max_bodies) return false;
  std::uint64_t nodes = 0;
  for (std::uint32_t i = 0; i < state.ropes.capacity(); ++i) {
    const RopeRecord& rope = state.ropes[i];
    if (!state.ropes.alive(i)) {
      if (rope.node_count != 0) return false;
      continue;
    }
    if (rope.node_count < 1 || rope.node_count > kMaxRopeNodes || check_tuning(rope).has_value())
      return false;
    if (!is_between(rope.segment_m, kMinExtentM, kMaxSegmentM) ||
        !is_between(rope.node_mass_kg, kMinNodeKg, kMaxNodeKg))
      return false;
    nodes += rope.node_count;
  }
  if (nodes != state.rope_nodes.size() || nodes > kMaxWorldRopeNodes) return false;
  for (const RopeNode& node : state.rope_nodes) {
    if (check_position(node.position).has_value() ||
        check_vector(node.velocity, 1.001 * kMaxLinearSpeedMS).has_value() || !is_finite(node.tension_n))
      return false;
  }
  return consistent_pins(state);
}

template bool consistent_ropes(const WorldState<float>&);
template bool consistent_ropes(const WorldState<Fixed>&);

}  // namespace takt
