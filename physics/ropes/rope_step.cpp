// Transfer of ropes from canonical state into a tick and back; rope_solver.cpp does the work between.
#include <algorithm>

#include "physics/base/solver_constants.h"
#include "physics/ropes/rope_collision.h"
#include "physics/ropes/rope_solver.h"
#include "physics/state/activity.h"
#include "physics/state/mass_properties.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

/// Maximum segment stiffness of one solve, as a multiple of a node's mass. With 4,096 nodes the chain's
/// condition number is then 1e7 x 4096^2 = 2e14, within binary64. Stiffer segments, and Jakobsen's rule,
/// carry their multipliers from pass to pass instead, which leaves no stretch.
constexpr double kStiffest = 1e7;

bool is_limited(Vec3<double> v) noexcept { return dot(v, v) < 1e200; }
bool inside(const Position& p) noexcept {
  auto const within = [](std::int64_t raw) { return raw >= -kWorldLimitRaw && raw <= kWorldLimitRaw; };
  return within(p.x_raw) && within(p.y_raw) && within(p.z_raw);
}

RopeWork make_work(const RopeRecord& rope, const WorldDef& def, double substep_s) noexcept {
  TAKT_ASSERT(rope.node_count >= 1 && rope.node_mass_kg > 0.0 && substep_s > 0.0);
  RopeWork work;
  work.count = rope.node_count;
  work.passes = rope.passes;
  work.radius = rope.radius_m;
  work.mass = rope.node_mass_kg;
  work.rest = rope.segment_m;
  work.stiffness = rope.mode == RopeMode::kJakobsen ? rope.stiffness : 1.0;
  double const square = substep_s * substep_s;
  double const stiffest = kStiffest * rope.node_mass_kg;
  bool const springs = rope.mode == RopeMode::kCompliant && square < rope.compliance_m_n * stiffest;
  work.rigid = !springs;
  work.axial = springs ? square / rope.compliance_m_n : stiffest;
  work.damping = springs ? rope.damping_n_s_m * substep_s : 0.0;
  work.keep = 1.0 / (1.0 + rope.drag_1_s * substep_s);
  work.fall = def.gravity_m_s2 * (rope.gravity_scale * square);
  return work;
}

template <class Real>
void add_pins(const WorldState<Real>& state, const SolverBodies<Real>& bodies, RopeScratch& scratch,
              RopeWork& work) {
  work.first_attachment = static_cast<std::uint32_t>(scratch.attachments.size());
  for (const RopePinRecord& pin : state.rope_pins) {
    if (pin.rope != work.rope) continue;
    RopeAttachment attachment;
    TAKT_ASSERT(pin.node < work.count);
    attachment.node = work.at + pin.node;
    attachment.local_anchor = pin.local_anchor;
    const Position& node = state.rope_nodes[work.first + pin.node].position;
    if (pin.body == kNoIndex) {
      attachment.from = relative<double>(pin.target, node);
    } else {
      const BodyRecord<Real>& body = state.bodies[pin.body];
      std::uint32_t const index = bodies.solver_index[pin.body];
      attachment.from = relative<double>(body.motion.center, node);
      attachment.lever_arm = rotate(unit(to_double(body.motion.rotation)), pin.local_anchor);
      attachment.moving = index;
      if (index != 0 && bodies.moving[index].dynamic) {
        attachment.body = index;
        scratch.pinned_bodies.push_back(index);
      }
      if (is_awake_dynamic(body))
        scratch.links.push_back({static_cast<std::uint32_t>(scratch.ropes.size()), pin.body});
    }
    scratch.attachments.push_back(attachment);
  }
  work.end_attachment = static_cast<std::uint32_t>(scratch.attachments.size());
}

template <class Real>
void store_rope(WorldState<Real>& state, const RopeScratch& scratch, const RopeWork& work) {
  RopeRecord& rope = state.ropes[work.rope];
  TAKT_ASSERT(work.at + work.count <= scratch.particles.size() && rope.node_count == work.count);
  double const per_square = 1.0 / (scratch.substep_s * scratch.substep_s);
  bool sound = true;
  for (std::uint32_t i = 0; i < work.count; ++i) {
    const RopeParticle& p = scratch.particles[work.at + i];
    sound = sound && is_limited(p.delta) && is_limited(p.velocity) && absolute(p.tension) < 1e100 &&
            inside(moved(state.rope_nodes[work.first + i].position, p.delta));
  }
  bool still = rope.can_sleep;
  for (std::uint32_t i = 0; i < work.count; ++i) {
    RopeNode& node = state.rope_nodes[work.first + i];
    const RopeParticle& p = scratch.particles[work.at + i];
    if (sound) {
      node.position = moved(node.position, p.delta);
      node.velocity = canonical(p.velocity);
      node.tension_n = i + 1 < work.count ? canonical(p.tension * per_square) : 0.0;
      still = still && dot(p.velocity, p.velocity) <= kSleepSpeedMS * kSleepSpeedMS;
    } else {
      node.velocity = {};
      node.tension_n = 0.0;
    }
  }
  rope.quarantined = !sound;
  rope.still_ticks = still ? rope.still_ticks + (rope.still_ticks < kNoIndex ? 1u : 0u) : 0u;
}

}  // namespace

template <class Real>
void RopeSolver<Real>::prepare(const WorldState<Real>& state, const SolverBodies<Real>& bodies,
                               Proxies& proxies, double substep_s, std::uint32_t substeps) {
  scratch_.ropes.clear();
  scratch_.particles.clear();
  scratch_.attachments.clear();
  scratch_.links.clear();
  scratch_.pinned_bodies.clear();
  scratch_.push_out_m_s = state.def.contact_push_max_m_s;
  scratch_.substep_s = substep_s;
  scratch_.substeps_left = substeps;
  std::uint32_t first = 0;
  for (std::uint32_t i = 0; i < state.ropes.capacity(); first += state.ropes[i++].node_count) {
    const RopeRecord& rope = state.ropes[i];
    if (!state.ropes.alive(i) || rope.quarantined || rope.asleep) continue;
    RopeWork work = make_work(rope, state.def, substep_s);
    work.rope = i;
    work.first = first;
    work.at = static_cast<std::uint32_t>(scratch_.particles.size());
    for (std::uint32_t at = first; at < first + rope.node_count; ++at) {
      const RopeNode& node = state.rope_nodes[at];
      RopeParticle& particle = scratch_.particles.emplace_back();
      particle.velocity = node.velocity;
      particle.tension = node.tension_n * substep_s * substep_s;
      if (at + 1 < first + rope.node_count)
        particle.edge = relative<double>(state.rope_nodes[at + 1].position, node.position);
    }
    add_pins(state, bodies, scratch_, work);
    scratch_.ropes.push_back(work);
  }
  TAKT_ASSERT(first == state.rope_nodes.size());
  gather_rope_pairs(state, bodies, proxies, scratch_);
}

template <class Real>
void RopeSolver<Real>::store(WorldState<Real>& state) const {
  for (const RopeWork& work : scratch_.ropes) store_rope(state, scratch_, work);
}

template <class Real>
void RopeSolver<Real>::add_external_loads(std::span<ExternalLoad> external) const {
  for (const RopeAttachment& attachment : scratch_.attachments)
    external[attachment.body].source = LoadSource::kUnknown;
  for (const RopePair& pair : scratch_.pairs) {
    const RopeShape& shape = scratch_.shapes[pair.shape];
    if (shape.yields) external[shape.body].source = LoadSource::kUnknown;
  }
}

#define TAKT_INSTANTIATE(Real)                                                                          \
  template void RopeSolver<Real>::prepare(const WorldState<Real>&, const SolverBodies<Real>&, Proxies&, \
                                          double, std::uint32_t);                                       \
  template void RopeSolver<Real>::add_external_loads(std::span<ExternalLoad>) const;                    \
  template void RopeSolver<Real>::store(WorldState<Real>&) const;
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
